/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A bounded queue of bytes between one writing and one reading thread. Only bytes that have not
 * been read use memory. */
#ifndef BASE_BYTE_QUEUE_H
#define BASE_BYTE_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct byte_queue;

/* `most`: bytes it may hold. */
struct byte_queue *byte_queue_new(size_t most);
/* A queue to another process, which reads at the other end of a stream socket. The caller keeps the
 * socket and closes it; its buffer limits how much may wait. Only put(), end() and message() work.
 */
struct byte_queue *byte_queue_new_socket(int socket);
void byte_queue_free(struct byte_queue *queue); /* NULL is fine */

/* Waits while the queue is full; -EPIPE when the other side has closed it. */
int byte_queue_put(struct byte_queue *queue, const void *data, size_t len);
/* Waits until the other side has read all, and waits for more, or has closed it. */
void byte_queue_wait(struct byte_queue *queue);
/* Nothing follows. */
void byte_queue_end(struct byte_queue *queue);

/* Waits for bytes; returns their number, at most len, or 0 at the end. */
ssize_t byte_queue_get(struct byte_queue *queue, void *data, size_t len);
/* Closes the reading end: frees the contents; later puts fail with -EPIPE. */
void byte_queue_close(struct byte_queue *queue);

/* What goes through such a socket; len bytes follow. Higher kinds are the user's messages. */
enum { BYTE_QUEUE_BYTES, BYTE_QUEUE_END, BYTE_QUEUE_MESSAGE };
struct byte_queue_frame {
	uint64_t kind, len;
};

/* A message behind what was put before. -EPIPE when the other side has closed. */
int byte_queue_message(struct byte_queue *queue, uint32_t kind, const void *data, size_t len);
/* The same without a queue, in the other direction; one sender at a time. */
int byte_queue_send(int socket, uint32_t kind, const void *data, size_t len);

/* Called for each frame; the bytes are only those of messages. It returns whether to go on. */
typedef bool (*byte_queue_each)(void *context, const struct byte_queue_frame *frame,
				const void *data);
/* The other side: puts what comes into a queue of this process, until its end, and calls each(),
 * unless NULL. A queue that is closed counts as BYTE_QUEUE_END, and is the end. */
void byte_queue_carry(struct byte_queue *queue, int socket, byte_queue_each each, void *context);

#endif

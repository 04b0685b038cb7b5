/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A bounded queue of bytes between one writing and one reading thread. Only bytes that have not
 * been read use memory. */
#ifndef BASE_BYTE_QUEUE_H
#define BASE_BYTE_QUEUE_H

#include <stddef.h>
#include <sys/types.h>

struct byte_queue;

/* `most`: bytes it may hold. */
struct byte_queue *byte_queue_new(size_t most);
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

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A list of blocks (see byte_queue.h). Bytes are copied without holding the lock, so neither side
 * waits for the other's copy. To another process they go through a socket. */
#include "base/byte_queue.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "base/arena.h"
#include "base/fd.h"

#define BLOCK_BYTES ((size_t)256 << 10)

struct block {
	struct block *next;
	size_t len, at; /* at: taken so far */
	char data[];
};

struct byte_queue {
	size_t most;
	pthread_mutex_t lock; /* over all below but `taking` */
	pthread_cond_t filled, emptied;
	struct block *first, *last;
	size_t held;
	bool ended, closed;
	bool waits;	      /* the getter, for bytes */
	struct block *taking; /* removed from the list; used by the getter alone */
	int socket;	      /* to the getter; -1 = it is in this process */
};

struct byte_queue *byte_queue_new(size_t most)
{
	struct byte_queue *queue = mem_zalloc(sizeof(*queue));

	queue->most = most;
	queue->socket = -1;
	(void)pthread_mutex_init(&queue->lock, NULL);
	(void)pthread_cond_init(&queue->filled, NULL);
	(void)pthread_cond_init(&queue->emptied, NULL);
	return queue;
}

struct byte_queue *byte_queue_new_socket(int socket)
{
	struct byte_queue *queue = byte_queue_new(0);

	queue->socket = socket;
	return queue;
}

int byte_queue_send(int socket, uint32_t kind, const void *data, size_t len)
{
	struct byte_queue_frame frame = { .kind = kind, .len = len };
	struct iovec part[] = { { &frame, sizeof(frame) }, { (void *)(uintptr_t)data, len } };
	struct msghdr message = { .msg_iov = part, .msg_iovlen = 2 };

	while (message.msg_iovlen) {
		ssize_t n = sendmsg(socket, &message, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == ECONNRESET ? -EPIPE : -errno;
		while (message.msg_iovlen && (size_t)n >= message.msg_iov->iov_len) {
			n -= (ssize_t)message.msg_iov->iov_len;
			message.msg_iov++;
			message.msg_iovlen--;
		}
		if (message.msg_iovlen) {
			message.msg_iov->iov_base = (char *)message.msg_iov->iov_base + n;
			message.msg_iov->iov_len -= (size_t)n;
		}
	}
	return 0;
}

static void free_blocks(struct byte_queue *queue)
{
	while (queue->first) {
		struct block *block = queue->first;

		queue->first = block->next;
		free(block);
	}
	queue->last = NULL;
	queue->held = 0;
}

void byte_queue_free(struct byte_queue *queue)
{
	if (!queue)
		return;
	free_blocks(queue);
	free(queue->taking);
	(void)pthread_cond_destroy(&queue->emptied);
	(void)pthread_cond_destroy(&queue->filled);
	(void)pthread_mutex_destroy(&queue->lock);
	free(queue);
}

static int append(struct byte_queue *queue, struct block *block)
{
	int code = 0;

	(void)pthread_mutex_lock(&queue->lock);
	while (queue->held && queue->held + block->len > queue->most && !queue->closed)
		(void)pthread_cond_wait(&queue->emptied, &queue->lock);
	if (queue->closed) {
		code = -EPIPE;
	} else {
		if (queue->last)
			queue->last->next = block;
		else
			queue->first = block;
		queue->last = block;
		queue->held += block->len;
		(void)pthread_cond_signal(&queue->filled);
	}
	(void)pthread_mutex_unlock(&queue->lock);
	if (code)
		free(block);
	return code;
}

int byte_queue_message(struct byte_queue *queue, uint32_t kind, const void *data, size_t len)
{
	int code;

	(void)pthread_mutex_lock(&queue->lock);
	code = byte_queue_send(queue->socket, kind, data, len);
	(void)pthread_mutex_unlock(&queue->lock);
	return code;
}

int byte_queue_put(struct byte_queue *queue, const void *data, size_t len)
{
	const char *p = data;
	int code = 0;

	if (queue->socket >= 0)
		return byte_queue_message(queue, BYTE_QUEUE_BYTES, data, len);
	while (len && !code) {
		size_t step = len < BLOCK_BYTES ? len : BLOCK_BYTES;
		struct block *block = mem_alloc(sizeof(*block) + step);

		block->next = NULL;
		block->len = step;
		block->at = 0;
		memcpy(block->data, p, step);
		code = append(queue, block);
		p += step;
		len -= step;
	}
	return code;
}

void byte_queue_wait(struct byte_queue *queue)
{
	(void)pthread_mutex_lock(&queue->lock);
	while (!queue->closed && (queue->first || !queue->waits))
		(void)pthread_cond_wait(&queue->emptied, &queue->lock);
	(void)pthread_mutex_unlock(&queue->lock);
}

void byte_queue_end(struct byte_queue *queue)
{
	if (queue->socket >= 0) { /* or the other end is closed already */
		(void)byte_queue_message(queue, BYTE_QUEUE_END, NULL, 0);
		return;
	}
	(void)pthread_mutex_lock(&queue->lock);
	queue->ended = true;
	(void)pthread_cond_signal(&queue->filled);
	(void)pthread_mutex_unlock(&queue->lock);
}

/* NULL at the end. */
static struct block *take_block(struct byte_queue *queue)
{
	struct block *block;

	(void)pthread_mutex_lock(&queue->lock);
	queue->waits = true;
	(void)pthread_cond_broadcast(&queue->emptied);
	while (!queue->first && !queue->ended)
		(void)pthread_cond_wait(&queue->filled, &queue->lock);
	queue->waits = false;
	block = queue->first;
	if (block) {
		queue->first = block->next;
		if (!queue->first)
			queue->last = NULL;
		queue->held -= block->len;
		(void)pthread_cond_broadcast(&queue->emptied);
	}
	(void)pthread_mutex_unlock(&queue->lock);
	return block;
}

ssize_t byte_queue_get(struct byte_queue *queue, void *data, size_t len)
{
	struct block *block = queue->taking;
	size_t step;

	if (!block)
		block = queue->taking = take_block(queue);
	if (!block)
		return 0;
	step = block->len - block->at < len ? block->len - block->at : len;
	memcpy(data, block->data + block->at, step);
	block->at += step;
	if (block->at == block->len) {
		free(block);
		queue->taking = NULL;
	}
	return (ssize_t)step;
}

void byte_queue_close(struct byte_queue *queue)
{
	(void)pthread_mutex_lock(&queue->lock);
	queue->closed = true;
	free_blocks(queue);
	(void)pthread_cond_broadcast(&queue->emptied);
	(void)pthread_mutex_unlock(&queue->lock);
}

/* The bytes of one frame. */
static int carry_bytes(struct byte_queue *queue, int socket, size_t len, char *place)
{
	while (len) {
		size_t step = len < BLOCK_BYTES ? len : BLOCK_BYTES;
		int code;

		if (fd_read_full(socket, place, step) != (ssize_t)step)
			return -ECONNRESET;
		code = byte_queue_put(queue, place, step);
		if (code)
			return code;
		len -= step;
	}
	return 0;
}

void byte_queue_carry(struct byte_queue *queue, int socket, byte_queue_each each, void *context)
{
	char *place = mem_alloc(BLOCK_BYTES);
	struct byte_queue_frame frame;
	bool goes_on = true;

	while (goes_on && fd_read_full(socket, &frame, sizeof(frame)) == (ssize_t)sizeof(frame)) {
		if (frame.kind == BYTE_QUEUE_END)
			byte_queue_end(queue);
		if (frame.kind == BYTE_QUEUE_BYTES) {
			goes_on = !carry_bytes(queue, socket, frame.len, place);
			frame.kind = goes_on ? BYTE_QUEUE_BYTES : BYTE_QUEUE_END;
		} else if (frame.len > BLOCK_BYTES ||
			   fd_read_full(socket, place, frame.len) != (ssize_t)frame.len) {
			break;
		}
		if (each)
			goes_on &= each(context, &frame, place);
	}
	free(place);
	byte_queue_end(queue);
}

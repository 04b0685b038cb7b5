/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A list of blocks (see byte_queue.h). Bytes are copied without holding the lock, so neither side
 * waits for the other's copy. */
#include "base/byte_queue.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

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
};

struct byte_queue *byte_queue_new(size_t most)
{
	struct byte_queue *queue = mem_zalloc(sizeof(*queue));

	queue->most = most;
	(void)pthread_mutex_init(&queue->lock, NULL);
	(void)pthread_cond_init(&queue->filled, NULL);
	(void)pthread_cond_init(&queue->emptied, NULL);
	return queue;
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

int byte_queue_put(struct byte_queue *queue, const void *data, size_t len)
{
	const char *p = data;
	int code = 0;

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

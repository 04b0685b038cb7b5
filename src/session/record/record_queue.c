/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Chunks on their way from the rings to the disk (see record_queue.h). */
#include "session/record/record_queue.h"

#include <sys/mman.h>

#include "base/err.h"

int record_queue_open(struct record_queue *queue, size_t chunk_bytes, struct err *err)
{
	void *memory = mmap(NULL, chunk_bytes * RECORD_CHUNKS, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (memory == MAP_FAILED)
		return err_errno(err, "write queue: %zu MiB", chunk_bytes * RECORD_CHUNKS >> 20);
	*queue = (struct record_queue){ .memory = memory, .chunk_bytes = chunk_bytes };
	(void)pthread_mutex_init(&queue->lock, NULL); /* cannot fail with default attributes */
	(void)pthread_cond_init(&queue->filled, NULL);
	(void)pthread_cond_init(&queue->emptied, NULL);
	for (size_t i = RECORD_CHUNKS; i-- > 0;) {
		queue->chunk[i].data = queue->memory + i * chunk_bytes;
		queue->chunk[i].next = queue->idle;
		queue->idle = &queue->chunk[i];
	}
	return 0;
}

void record_queue_close(struct record_queue *queue)
{
	if (!queue->memory)
		return;
	(void)munmap(queue->memory, queue->chunk_bytes * RECORD_CHUNKS);
	(void)pthread_mutex_destroy(&queue->lock);
	(void)pthread_cond_destroy(&queue->filled);
	(void)pthread_cond_destroy(&queue->emptied);
	queue->memory = NULL;
}

struct record_chunk *record_queue_idle(struct record_queue *queue)
{
	struct record_chunk *chunk;

	(void)pthread_mutex_lock(&queue->lock);
	while (!queue->idle)
		(void)pthread_cond_wait(&queue->emptied, &queue->lock);
	chunk = queue->idle;
	queue->idle = chunk->next;
	queue->away++;
	(void)pthread_mutex_unlock(&queue->lock);
	*chunk = (struct record_chunk){ .data = chunk->data };
	return chunk;
}

void record_queue_push(struct record_queue *queue, struct record_chunk *chunk)
{
	(void)pthread_mutex_lock(&queue->lock);
	if (queue->last)
		queue->last->next = chunk;
	else
		queue->first = chunk;
	queue->last = chunk;
	(void)pthread_cond_signal(&queue->filled);
	(void)pthread_mutex_unlock(&queue->lock);
}

void record_queue_wait(struct record_queue *queue)
{
	(void)pthread_mutex_lock(&queue->lock);
	while (queue->away > 1) /* one is being filled */
		(void)pthread_cond_wait(&queue->emptied, &queue->lock);
	(void)pthread_mutex_unlock(&queue->lock);
}

struct record_chunk *record_queue_pop(struct record_queue *queue)
{
	struct record_chunk *chunk;

	(void)pthread_mutex_lock(&queue->lock);
	while (!queue->first)
		(void)pthread_cond_wait(&queue->filled, &queue->lock);
	chunk = queue->first;
	queue->first = chunk->next;
	if (!queue->first)
		queue->last = NULL;
	(void)pthread_mutex_unlock(&queue->lock);
	return chunk;
}

void record_queue_return(struct record_queue *queue, struct record_chunk *chunk)
{
	(void)pthread_mutex_lock(&queue->lock);
	chunk->next = queue->idle;
	queue->idle = chunk;
	queue->away--;
	(void)pthread_cond_signal(&queue->emptied);
	(void)pthread_mutex_unlock(&queue->lock);
}

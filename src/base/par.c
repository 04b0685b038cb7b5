/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parallel for and background queue (see par.h). */
#include "base/par.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/thread.h"
#include "base/vec.h"

#define MAX_THREADS 256

struct par_job {
	void (*work)(void *context, size_t i, size_t worker);
	void *context;
	size_t count, grain;
	atomic_size_t next;
};

struct par_worker {
	struct par_job *job;
	size_t index;
	pthread_t thread;
};

size_t par_threads(void)
{
	cpu_set_t set;
	int count;

	CPU_ZERO(&set);
	if (sched_getaffinity(0, sizeof(set), &set))
		return 1;
	count = CPU_COUNT(&set);
	return count < 1 ? 1 : count > MAX_THREADS ? MAX_THREADS : (size_t)count;
}

void par_limit(size_t most)
{
	cpu_set_t set;
	size_t kept = 0;

	CPU_ZERO(&set);
	if (!most || sched_getaffinity(0, sizeof(set), &set))
		return;
	for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &set) && kept++ >= most)
			CPU_CLR(cpu, &set);
	(void)sched_setaffinity(0, sizeof(set), &set); /* then it stays as fast as it was */
}

static void *run_worker(void *arg)
{
	struct par_worker *worker = arg;
	struct par_job *job = worker->job;

	for (;;) {
		size_t from = atomic_fetch_add(&job->next, job->grain);
		size_t to = from + job->grain;

		if (from >= job->count)
			return NULL;
		to = to < job->count ? to : job->count;
		for (size_t i = from; i < to; i++)
			job->work(job->context, i, worker->index);
	}
}

void par_for(size_t count, size_t grain, void (*work)(void *context, size_t i, size_t worker),
	     void *context)
{
	struct par_job job = {
		.work = work, .context = context, .count = count, .grain = grain ? grain : 1
	};
	struct par_worker workers[MAX_THREADS];
	size_t threads = par_threads();
	size_t chunks = (count + job.grain - 1) / job.grain;
	struct err ignored = { 0 };
	size_t started = 1;

	if (threads > chunks)
		threads = chunks ? chunks : 1;
	workers[0] = (struct par_worker){ .job = &job };
	for (; started < threads; started++) {
		workers[started] = (struct par_worker){ .job = &job, .index = started };
		if (thread_start(&workers[started].thread, "worker", run_worker, &workers[started],
				 &ignored))
			break;
	}
	run_worker(&workers[0]);
	for (size_t i = 1; i < started; i++)
		(void)pthread_join(workers[i].thread, NULL);
}

struct par_queue {
	void (*work)(void *item);
	pthread_mutex_t lock;
	pthread_cond_t changed; /* an item came, an item is done, or the end */
	VEC(void *) items;
	size_t taken, done, at_once;
	bool ending, threaded;
	pthread_t thread;
};

static bool may_begin(const struct par_queue *queue)
{
	return queue->taken < queue->items.count && queue->taken - queue->done < queue->at_once;
}

/* Takes and does one item; the lock is held on entry and on return. */
static void do_next(struct par_queue *queue)
{
	void *item = queue->items.item[queue->taken++];

	(void)pthread_mutex_unlock(&queue->lock);
	queue->work(item);
	(void)pthread_mutex_lock(&queue->lock);
	queue->done++;
	(void)pthread_cond_broadcast(&queue->changed);
}

static void *run_queue(void *arg)
{
	struct par_queue *queue = arg;

	(void)pthread_mutex_lock(&queue->lock);
	while (!queue->ending || queue->taken < queue->items.count)
		if (may_begin(queue))
			do_next(queue);
		else
			(void)pthread_cond_wait(&queue->changed, &queue->lock);
	(void)pthread_mutex_unlock(&queue->lock);
	return NULL;
}

struct par_queue *par_queue_new(void (*work)(void *item), size_t at_once)
{
	struct par_queue *queue = mem_zalloc(sizeof(*queue));
	struct err ignored = { 0 };

	queue->work = work;
	queue->at_once = at_once;
	(void)pthread_mutex_init(&queue->lock, NULL); /* default attributes cannot fail */
	(void)pthread_cond_init(&queue->changed, NULL);
	queue->threaded = par_threads() > 1 &&
			  thread_start(&queue->thread, "worker", run_queue, queue, &ignored) == 0;
	return queue;
}

void par_queue_push(struct par_queue *queue, void *item)
{
	(void)pthread_mutex_lock(&queue->lock);
	vec_push(&queue->items, item);
	(void)pthread_cond_broadcast(&queue->changed);
	(void)pthread_mutex_unlock(&queue->lock);
}

void par_queue_wait(struct par_queue *queue, size_t most)
{
	if (!queue->threaded)
		most = 0;
	(void)pthread_mutex_lock(&queue->lock);
	while (queue->items.count - queue->done > most)
		if (may_begin(queue))
			do_next(queue);
		else
			(void)pthread_cond_wait(&queue->changed, &queue->lock);
	(void)pthread_mutex_unlock(&queue->lock);
}

bool par_queue_busy(struct par_queue *queue)
{
	bool busy;

	(void)pthread_mutex_lock(&queue->lock);
	busy = queue->threaded && queue->done < queue->items.count;
	(void)pthread_mutex_unlock(&queue->lock);
	return busy;
}

void par_queue_free(struct par_queue *queue)
{
	if (!queue)
		return;
	par_queue_wait(queue, 0);
	(void)pthread_mutex_lock(&queue->lock);
	queue->ending = true;
	(void)pthread_cond_broadcast(&queue->changed);
	(void)pthread_mutex_unlock(&queue->lock);
	if (queue->threaded)
		(void)pthread_join(queue->thread, NULL);
	(void)pthread_cond_destroy(&queue->changed);
	(void)pthread_mutex_destroy(&queue->lock);
	vec_done(&queue->items);
	free(queue);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parallel for (see par.h). */
#include "base/par.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

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
	size_t started = 1;

	if (threads > chunks)
		threads = chunks ? chunks : 1;
	workers[0] = (struct par_worker){ .job = &job };
	for (; started < threads; started++) {
		workers[started] = (struct par_worker){ .job = &job, .index = started };
		if (pthread_create(&workers[started].thread, NULL, run_worker, &workers[started]))
			break;
	}
	run_worker(&workers[0]);
	for (size_t i = 1; i < started; i++)
		(void)pthread_join(workers[i].thread, NULL);
}

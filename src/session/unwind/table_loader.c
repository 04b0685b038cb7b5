/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The loader's queue and threads (see table_loader.h). */
#include "session/unwind/table_loader.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/fork_server.h"
#include "base/sandbox.h"
#include "base/thread.h"
#include "base/vec.h"
#include "proc/module.h"
#include "session/unwind/table_maker.h"
#include "session/unwind/table_store.h"
#include "source/bpf/unwind_pool.h"
#include "unwind/compact/compact.h"

#define WORKERS 2u
/* Of the workers. One is no less than what is profiled: on a machine that is busy all over, stacks
 * that wait for a table would be too many to be handed up. The other stays behind. */
static const int nice_value[WORKERS] = { 0, 10 };
/* A binary that got no table is not tried again before this. */
#define RETRY_NS 10000000000u
/* Smaller tables are made faster than they are found on disk. */
#define LEAST_KEPT_ROWS 2000u

struct job {
	uint32_t binary, heat;
	struct module module;
};

/* The last time that a binary got no table. */
struct failure {
	uint64_t time_ns; /* 0 = never */
	bool missing;	  /* its file could not be opened */
};

struct table_loader {
	struct unwind_pool *pool;
	struct table_store *store;
	struct fork_server *server;
	pthread_mutex_t lock;
	pthread_cond_t work, idle;
	VEC(struct job) queue;
	struct {
		uint32_t binary;
		bool busy;
	} worker[WORKERS];
	pthread_t thread[WORKERS];
	unsigned threads, busy;
	bool stop;
	VEC(struct failure) failures; /* by binary */
	struct table_loader_stats stats;
};

struct worker_start {
	struct table_loader *loader;
	unsigned index;
};

static void lock(struct table_loader *loader)
{
	(void)pthread_mutex_lock(&loader->lock); /* cannot fail: not recursive */
}

static void unlock(struct table_loader *loader)
{
	(void)pthread_mutex_unlock(&loader->lock);
}

static struct compact *build_table(struct table_loader *loader, struct table_maker *maker,
				   const struct build_id *key)
{
	uint64_t build_ns = 0;
	struct compact *compact = table_maker_build(maker, key, &build_ns);
	bool is_draft = compact && compact->flags & COMPACT_DRAFT;

	lock(loader);
	loader->stats.build_ns += build_ns;
	if (compact && !is_draft) {
		loader->stats.built++;
		loader->stats.raw_rows += compact->raw_rows;
	} else if (!compact) {
		loader->stats.refused++;
	}
	unlock(loader);
	if (compact && !is_draft && compact->raw_rows >= LEAST_KEPT_ROWS)
		table_store_put(loader->store, key, compact);
	return compact;
}

/* The table of the file that the maker has open, from the store when it is there. NULL = it could
 * not be made. */
static struct compact *make_table(struct table_loader *loader, struct table_maker *maker,
				  const struct build_id *key)
{
	struct compact *compact = table_store_get(loader->store, key);

	if (!compact)
		return build_table(loader, maker, key);
	compact->flags &= ~COMPACT_DRAFT; /* none is kept */
	table_maker_skip(maker);
	lock(loader);
	loader->stats.read++;
	unlock(loader);
	return compact;
}

static void note_failure(struct table_loader *loader, uint32_t binary, bool missing)
{
	lock(loader);
	while (loader->failures.count <= binary)
		vec_push(&loader->failures, (struct failure){ 0 });
	loader->failures.item[binary] = (struct failure){ clock_ns(CLOCK_MONOTONIC), missing };
	loader->stats.missing += missing;
	unlock(loader);
}

static void count_binary(struct table_loader *loader, uint32_t *counter)
{
	lock(loader);
	++*counter;
	unlock(loader);
}

static void publish(struct table_loader *loader, uint32_t binary, const struct compact *compact)
{
	if (compact->flags & COMPACT_NO_ROWS)
		count_binary(loader, &loader->stats.bare);
	if (!compact->page_count || !compact->row_count)
		unwind_pool_set_none(loader->pool, binary);
	else if (unwind_pool_load(loader->pool, binary, compact))
		note_failure(loader, binary, false);
}

static bool is_stopped(struct table_loader *loader)
{
	bool stop;

	lock(loader);
	stop = loader->stop;
	unlock(loader);
	return stop;
}

/* In place of a draft, which stays if this one cannot be made. */
static struct compact *finish_draft(struct table_loader *loader, struct table_maker *maker,
				    const struct build_id *key)
{
	if (!is_stopped(loader))
		return build_table(loader, maker, key);
	table_maker_skip(maker);
	return NULL;
}

static void load(struct table_loader *loader, struct table_maker *maker, const struct job *job)
{
	struct compact *compact = NULL;
	struct build_id key;
	bool failed, is_there = table_maker_open(maker, &job->module, &key, &failed);

	if (is_there)
		compact = make_table(loader, maker, &key);
	else if (failed)
		count_binary(loader, &loader->stats.refused);
	if (!compact) {
		note_failure(loader, job->binary, !is_there && !failed);
		unwind_pool_set_none(loader->pool, job->binary);
		return;
	}
	publish(loader, job->binary, compact);
	if (compact->flags & COMPACT_DRAFT) {
		compact_free(compact);
		compact = finish_draft(loader, maker, &key);
		if (compact)
			publish(loader, job->binary, compact);
	}
	compact_free(compact);
}

/* The job with the highest priority; the oldest of equal ones. */
static struct job take_job(struct table_loader *loader)
{
	size_t best = 0;
	struct job job;

	for (size_t i = 1; i < loader->queue.count; i++)
		if (loader->queue.item[i].heat > loader->queue.item[best].heat)
			best = i;
	job = loader->queue.item[best];
	loader->queue.count--;
	for (size_t i = best; i < loader->queue.count; i++)
		loader->queue.item[i] = loader->queue.item[i + 1];
	return job;
}

static void *run(void *argument)
{
	struct worker_start start = *(struct worker_start *)argument;
	struct table_loader *loader = start.loader;
	struct table_maker maker = TABLE_MAKER_NONE(loader->server);
	sigset_t all;

	free(argument);
	(void)sigfillset(&all); /* signals are for the recorder's own thread */
	(void)pthread_sigmask(SIG_BLOCK, &all, NULL);
	/* Linux's nice values are the threads' own. Without it the thread is only less modest. */
	(void)setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), nice_value[start.index]);
	lock(loader);
	while (!loader->stop) {
		struct job job;

		if (!loader->queue.count) {
			(void)pthread_cond_wait(&loader->work, &loader->lock);
			continue;
		}
		job = take_job(loader);
		loader->worker[start.index].binary = job.binary;
		loader->worker[start.index].busy = true;
		loader->busy++;
		unlock(loader);
		load(loader, &maker, &job);
		lock(loader);
		loader->stats.unfiltered |= maker.unfiltered;
		loader->worker[start.index].busy = false;
		if (!--loader->busy && !loader->queue.count)
			(void)pthread_cond_broadcast(&loader->idle);
	}
	unlock(loader);
	table_maker_close(&maker);
	return NULL;
}

int table_loader_new(struct unwind_pool *pool, struct table_store *store, struct table_loader **ret,
		     struct err *err)
{
	struct table_loader *loader = mem_zalloc(sizeof(*loader));
	struct err ignored = { 0 };

	loader->pool = pool;
	loader->store = store;
	if (sandbox_needed() && fork_server_open(&loader->server, err)) {
		free(loader);
		return err->code;
	}
	(void)pthread_mutex_init(&loader->lock, NULL); /* cannot fail with default attributes */
	(void)pthread_cond_init(&loader->work, NULL);
	(void)pthread_cond_init(&loader->idle, NULL);
	for (unsigned i = 0; i < WORKERS; i++) {
		struct worker_start *start = mem_zalloc(sizeof(*start));

		*start = (struct worker_start){ loader, i };
		if (thread_start(&loader->thread[loader->threads], "table loader", run, start,
				 &ignored))
			free(start);
		else
			loader->threads++;
	}
	*ret = loader;
	return 0;
}

void table_loader_stop(struct table_loader *loader)
{
	lock(loader);
	loader->stop = true;
	(void)pthread_cond_broadcast(&loader->work);
	unlock(loader);
	for (unsigned i = 0; i < loader->threads; i++)
		(void)pthread_join(loader->thread[i], NULL); /* they are ours and not joined yet */
	loader->threads = 0;
}

void table_loader_free(struct table_loader *loader)
{
	if (!loader)
		return;
	table_loader_stop(loader);
	fork_server_close(loader->server);
	vec_done(&loader->queue);
	vec_done(&loader->failures);
	(void)pthread_cond_destroy(&loader->work);
	(void)pthread_cond_destroy(&loader->idle);
	(void)pthread_mutex_destroy(&loader->lock);
	free(loader);
}

static bool failed_lately(const struct table_loader *loader, uint32_t binary)
{
	return binary < loader->failures.count && loader->failures.item[binary].time_ns &&
	       clock_ns(CLOCK_MONOTONIC) - loader->failures.item[binary].time_ns < RETRY_NS;
}

bool table_loader_was_missing(struct table_loader *loader, uint32_t binary)
{
	bool missing;

	lock(loader);
	missing = binary < loader->failures.count && loader->failures.item[binary].missing;
	unlock(loader);
	return missing;
}

void table_loader_ask(struct table_loader *loader, uint32_t binary, const struct module *module,
		      uint32_t heat)
{
	bool known = false;

	lock(loader);
	for (size_t i = 0; i < loader->queue.count && !known; i++) {
		known = loader->queue.item[i].binary == binary;
		if (known)
			loader->queue.item[i].heat += heat;
	}
	for (unsigned i = 0; i < WORKERS; i++)
		known |= loader->worker[i].busy && loader->worker[i].binary == binary;
	if (!known && !failed_lately(loader, binary)) {
		vec_push(&loader->queue, ((struct job){ binary, heat, *module }));
		(void)pthread_cond_signal(&loader->work);
	}
	unlock(loader);
}

void table_loader_settle(struct table_loader *loader, uint64_t limit_ns)
{
	const uint64_t until_ns = clock_ns(CLOCK_MONOTONIC) + limit_ns;
	const struct timespec until = { .tv_sec = (time_t)(until_ns / 1000000000),
					.tv_nsec = (long)(until_ns % 1000000000) };
	int code = 0;

	lock(loader);
	while (!code && loader->threads && (loader->queue.count || loader->busy))
		code = pthread_cond_clockwait(&loader->idle, &loader->lock, CLOCK_MONOTONIC,
					      &until);
	unlock(loader);
}

void table_loader_stats(struct table_loader *loader, struct table_loader_stats *ret)
{
	lock(loader);
	*ret = loader->stats;
	unlock(loader);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Locks that threads wait for (see sched_locks.h). Sources of the numbers: linux/futex.h, and
 * trace/events/lock.h of the kernel. */
#include "session/sched/sched_locks.h"

#include <inttypes.h>
#include <linux/futex.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/map.h"
#include "base/strtab.h"
#include "base/vec.h"
#include "profile/lock/lock_place.h"
#include "profile/sched/sched.h"
#include "session/lock/lock_names.h"
#include "session/sched/sched_plan.h"

#ifndef FUTEX_LOCK_PI2
#define FUTEX_LOCK_PI2 13
#endif

#define MUTEX_CONTENDED 2u /* the word of a mutex of glibc that has waiters */

#define SPINS 0x01 /* LCB_F_SPIN */

struct waiting {
	uint64_t kernel; /* address of a lock of the kernel; 0 = none */
	uint64_t futex;	 /* of a word; 0 = none */
	uint32_t kernel_flags, pid;
	bool is_lock; /* the futex is one */
};

struct sched_locks {
	VEC(struct waiting) waiting; /* by sched_task.index */
	struct map texts;	     /* hash of what is waited for → string_id */
	struct map no_mutex;	     /* key_of_futex() of words that had another value → unused */
	struct map renewed;	     /* pid → how often */
	struct strtab *strings;
	struct lock_namer *namer; /* NULL = not needed yet */
	const char *symfs;
};

struct sched_locks *sched_locks_new(const char *symfs)
{
	struct sched_locks *locks = mem_zalloc(sizeof(*locks));

	locks->strings = strtab_new();
	locks->symfs = symfs;
	return locks;
}

void sched_locks_free(struct sched_locks *locks)
{
	if (!locks)
		return;
	lock_namer_free(locks->namer);
	vec_done(&locks->waiting);
	map_done(&locks->texts);
	map_done(&locks->no_mutex);
	map_done(&locks->renewed);
	strtab_free(locks->strings);
	free(locks);
}

static struct waiting *waiting_of(struct sched_locks *locks, const struct sched_task *task)
{
	while (locks->waiting.count <= task->index)
		vec_push(&locks->waiting, (struct waiting){ 0 });
	return &locks->waiting.item[task->index];
}

static uint64_t key_of_futex(const struct sched_locks *locks, const struct waiting *waiting)
{
	uint64_t program = 0;

	(void)map_get(&locks->renewed, waiting->pid, &program);
	return hash_u64(hash_u64(waiting->futex) ^ waiting->pid) ^ hash_u64(program);
}

/* A barrier or std::latch also waits for a word that is 2, but not always. */
static bool is_mutex(struct sched_locks *locks, const struct waiting *waiting, uint32_t word)
{
	uint64_t key = key_of_futex(locks, waiting), unused;
	bool added;

	if (word != MUTEX_CONTENDED)
		(void)map_add(&locks->no_mutex, key, &added);
	return word == MUTEX_CONTENDED && !map_get(&locks->no_mutex, key, &unused);
}

/* A call begins. It waits for a lock if the word is one that the kernel passes on, its owner, or
 * that of a contended mutex. */
static void enter(struct sched_locks *locks, struct waiting *waiting, const int64_t *number)
{
	uint32_t op = (uint32_t)number[FUTEX_OP] & FUTEX_CMD_MASK;
	uint32_t word = (uint32_t)number[FUTEX_VALUE];

	waiting->futex = (uint64_t)number[FUTEX_ADDRESS];
	switch (op) {
	case FUTEX_LOCK_PI:
	case FUTEX_LOCK_PI2:
		waiting->is_lock = true;
		break;
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
		waiting->is_lock = word & FUTEX_WAITERS && word & FUTEX_TID_MASK;
		if (op == FUTEX_WAIT && !waiting->is_lock)
			waiting->is_lock = is_mutex(locks, waiting, word);
		break;
	case FUTEX_WAIT_REQUEUE_PI:
		waiting->is_lock = false;
		break;
	default:
		waiting->futex = 0;
		break;
	}
}

void sched_locks_take(struct sched_locks *locks, const struct sched_sample *sample,
		      const struct sched_task *task, uint32_t pid)
{
	struct waiting *waiting = waiting_of(locks, task);
	const int64_t *number = sample->number;

	switch (sample->plan->is) {
	case TRACEPOINT_LOCK_BEGIN:
		if (number[LOCK_FLAGS] & SPINS)
			break;
		waiting->kernel = (uint64_t)number[LOCK_ADDRESS];
		waiting->kernel_flags = (uint32_t)number[LOCK_FLAGS];
		break;
	case TRACEPOINT_LOCK_END:
		if (waiting->kernel == (uint64_t)number[LOCK_ADDRESS])
			waiting->kernel = 0;
		break;
	case TRACEPOINT_FUTEX_ENTER:
		waiting->pid = pid;
		enter(locks, waiting, number);
		break;
	default:
		waiting->futex = 0;
		break;
	}
}

void sched_locks_renew(struct sched_locks *locks, uint32_t pid)
{
	bool added;

	++*map_add(&locks->renewed, pid, &added);
}

void sched_locks_forget(struct sched_locks *locks)
{
	locks->waiting.count = 0;
}

static void put_user(struct sched_locks *locks, const struct waiting *waiting,
		     struct proc_table *procs, struct buf *ret)
{
	size_t before;

	(void)buf_puts(ret, waiting->is_lock ? "[lock " : "[futex ");
	before = ret->len;
	if (!locks->namer)
		locks->namer = lock_namer_new(procs, locks->symfs);
	lock_namer_put(locks->namer, waiting->pid, waiting->futex, ret);
	if (ret->len == before)
		(void)buf_printf(ret, "%#" PRIx64, waiting->futex);
	(void)buf_putc(ret, ']');
}

static string_id make_text(struct sched_locks *locks, const struct waiting *waiting,
			   struct proc_table *procs)
{
	struct buf text = { 0 };
	string_id ret;

	if (waiting->kernel)
		(void)buf_printf(&text, "[lock %s %#" PRIx64 "]",
				 lock_kernel_kind(waiting->kernel_flags), waiting->kernel);
	else
		put_user(locks, waiting, procs, &text);
	ret = strtab_intern(locks->strings, text.data, text.len);
	buf_done(&text);
	return ret;
}

const char *sched_locks_text(struct sched_locks *locks, const struct sched_task *task,
			     struct proc_table *procs)
{
	const struct waiting *waiting = waiting_of(locks, task);
	uint64_t of, *text;
	bool added;

	if (!waiting->kernel && !waiting->futex)
		return NULL;
	if (waiting->kernel)
		of = hash_u64(waiting->kernel) ^ waiting->kernel_flags;
	else
		of = hash_u64(key_of_futex(locks, waiting)) + waiting->is_lock;
	text = map_add(&locks->texts, of, &added);
	if (added)
		*text = make_text(locks, waiting, procs).v;
	return strtab_get(locks->strings, (string_id){ (uint32_t)*text });
}

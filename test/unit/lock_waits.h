/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Profiles with waits for locks, for the tests of locks. */
#ifndef TEST_UNIT_LOCK_WAITS_H
#define TEST_UNIT_LOCK_WAITS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "event/lock_wait.h"
#include "profile/lock/lock_table.h"
#include "profile/profile.h"

static inline struct profile *make(void)
{
	return profile_new(PROFILE_KEEP_TIME | PROFILE_KEEP_ADDR | PROFILE_ADDR_IS_VALUES);
}

/* Outermost first; names that begin with "k:" are of the kernel. */
static inline stack_id stack_of(struct profile *p, const char *const *name)
{
	stack_id stack = STACK_EMPTY;

	for (; *name; name++) {
		bool kernel = strncmp(*name, "k:", 2) == 0;
		struct frame frame = { .function =
					       strtab_puts(p->strings, *name + (kernel ? 2 : 0)),
				       .kind = kernel ? FRAME_KERNEL : FRAME_USER };

		stack = profile_stack_push(p, stack, profile_frame(p, &frame));
	}
	return stack;
}

static inline uint64_t put_words(struct profile *p, const void *data, size_t size)
{
	uint64_t first = p->values.count, word;

	vec_push(&p->values, size / 8);
	for (size_t i = 0; i < size / 8; i++) {
		memcpy(&word, (const char *)data + i * 8, 8);
		vec_push(&p->values, word);
	}
	return first;
}

struct wait {
	uint64_t lock, ns;
	uint32_t tid, holder;
	unsigned kind, relation;
	stack_id stack, holder_stack;
	uint64_t first_ns, last_ns;
};

static uint64_t number;

static inline void put(struct profile *p, const struct wait *wait)
{
	struct lock_wait_data data = { .number = ++number,
				       .key = { .lock = wait->lock,
						.pid = 7,
						.tid = wait->tid,
						.holder_pid = 7,
						.holder_tid = wait->holder,
						.holder_stack = wait->holder_stack.v,
						.kind = (uint8_t)wait->kind,
						.relation = (uint8_t)wait->relation } };
	struct profile_sample sample = { .event = profile_event(p, "lock-wait", "ns"),
					 .thread = profile_thread(p, 7, wait->tid, "waiter"),
					 .stack = wait->stack,
					 .weight = wait->ns,
					 .count = 1 };

	lock_sum_add(&data.sum, wait->ns);
	data.sum.first_ns = wait->first_ns;
	data.sum.last_ns = wait->last_ns;
	data.sum.holder_ns[LEDGER_RUNNING] = wait->ns;
	sample.addr = put_words(p, &data, sizeof(data));
	profile_add(p, &sample);
	if (!wait->holder)
		return;
	sample.event = profile_event(p, "lock-holder", "ns");
	sample.thread = profile_thread(p, 7, wait->holder, "holder\033");
	sample.stack = wait->holder_stack;
	sample.addr = put_words(p, &data.number, sizeof(data.number));
	profile_add(p, &sample);
}

static const char *const user[] = { "main", "work", "pthread_mutex_lock", "futex_wait", NULL };
static const char *const freeing[] = { "main", "other", "pthread_mutex_unlock", NULL };
static inline void put_open(struct profile *p, uint64_t lock, uint32_t tid, uint32_t holder)
{
	put(p, &(struct wait){ lock, 1000, tid, holder, LOCK_KIND_MUTEX, LOCK_STILL_ON,
			       stack_of(p, user), STACK_EMPTY, 100, 1100 });
}

#endif

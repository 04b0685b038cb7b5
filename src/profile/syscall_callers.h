/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System calls by number and whole user stack, of all threads: how many, what their time was spent
 * on, and how long they took. Made of samples with the frames of event/syscall_frame.h. */
#ifndef PROFILE_SYSCALL_CALLERS_H
#define PROFILE_SYSCALL_CALLERS_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "event/ledger_account.h"
#include "event/syscall.h"
#include "profile/ledger/ledger.h"
#include "profile/profile.h"

struct syscall_caller {
	uint32_t call;	/* as in struct syscall_key */
	stack_id stack; /* of the user; empty = not known */
	uint8_t stop;	/* enum stack_stop */
	char name[48];
	uint64_t calls; /* that returned, or ended their thread */
	uint64_t ns[LEDGER_ACCOUNTS];
	uint64_t p50_ns, p99_ns; /* 0: none returned */
	uint64_t bucket[SYSCALL_BUCKETS];
};

struct syscall_callers {
	VEC(struct syscall_caller) row;	     /* the most time first, without idle time */
	uint64_t calls, ns[LEDGER_ACCOUNTS]; /* of all */
	uint64_t whole; /* calls with a stack that reaches the thread's start */
};

/* By call_label() the calls get their names. The profile must have the addresses of frames without
 * a name. */
void syscall_callers_collect(const struct profile *profile,
			     const char *(*call_label)(uint32_t call, char buf[48]),
			     struct syscall_callers *ret);
void syscall_callers_done(struct syscall_callers *callers);

/* The part of the times that is in a state; LEDGER_STATE_RUNNING_KERNEL is that on a CPU. */
uint64_t syscall_state_ns(const uint64_t ns[LEDGER_ACCOUNTS], enum ledger_state state);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The scheduler core in the kernel (bpf/scheduler.bpf.c): started for some processes or all of
 * them, it books their threads' time; its books are read once, at the end. Needs Linux 5.15 with
 * BTF, and root or CAP_BPF with CAP_PERFMON. */
#ifndef SOURCE_SCHEDULER_H
#define SOURCE_SCHEDULER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/ledger_account.h"

struct err;
struct scheduler;

struct scheduler_target {
	const uint32_t *pid; /* processes; they and what they fork are watched */
	size_t count;
	bool everybody;
	bool idle;	    /* the idle task of each CPU, too: thread 0, swapper/CPU */
	uint64_t cgroup_id; /* of these, threads that are in it, or below, when they are met; 0 =
			       any */
	bool spans;	    /* tell intervals one by one, too: drain every 50 ms or so */
	uint32_t histogram_unit_ns; /* 0 = 1 */
};

/* Takes what was booked. Pointers are valid during the call. */
struct scheduler_reader {
	void (*thread)(struct scheduler_reader *reader, const struct ledger_thread *thread);
	void (*edge)(struct scheduler_reader *reader, const struct ledger_edge_key *key,
		     const struct ledger_edge *edge);
	void (*span)(struct scheduler_reader *reader, const struct ledger_span *span);
};

/* Loads the programs; booking has not begun. */
int scheduler_open(const struct scheduler_target *target, struct scheduler **ret, struct err *err);
/* Begins to book; *ret_ns is when. */
int scheduler_start(struct scheduler *scheduler, uint64_t *ret_ns, struct err *err);
/* A descriptor that becomes readable when threads ended; then call scheduler_drain(). */
int scheduler_fd(const struct scheduler *scheduler);
/* Hands over threads that ended, and intervals, so that there is room for others. */
int scheduler_drain(struct scheduler *scheduler, struct scheduler_reader *reader, struct err *err);
/* Hands over the ledgers of all threads that are alive as they stand; booking goes on. */
int scheduler_peek(struct scheduler *scheduler, struct scheduler_reader *reader, struct err *err);
/* Ends booking and hands over everything else; open accounts are closed as of *ret_ns. */
int scheduler_stop(struct scheduler *scheduler, struct scheduler_reader *reader, uint64_t *ret_ns,
		   struct err *err);
struct ledger_counts scheduler_counts(const struct scheduler *scheduler);
void scheduler_close(struct scheduler *scheduler); /* NULL is fine */

#endif

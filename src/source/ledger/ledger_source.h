/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The scheduler core in the kernel (bpf/ledger.bpf.c): started for some processes or all of
 * them, it books their threads' time; its books are read once, at the end. Needs Linux 5.15 with
 * BTF, and root or CAP_BPF with CAP_PERFMON. */
#ifndef SOURCE_LEDGER_SOURCE_H
#define SOURCE_LEDGER_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/ledger_account.h"

struct err;
struct ledger_source;

struct ledger_source_target {
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
struct ledger_source_reader {
	void (*thread)(struct ledger_source_reader *reader, const struct ledger_thread *thread);
	void (*edge)(struct ledger_source_reader *reader, const struct ledger_edge_key *key,
		     const struct ledger_edge *edge);
	void (*span)(struct ledger_source_reader *reader, const struct ledger_span *span);
};

/* Loads the programs; booking has not begun. */
int ledger_source_open(const struct ledger_source_target *target, struct ledger_source **ret,
		       struct err *err);
/* Begins to book; *ret_ns is when. */
int ledger_source_start(struct ledger_source *source, uint64_t *ret_ns, struct err *err);
/* A descriptor that becomes readable when threads ended; then call ledger_source_drain(). */
int ledger_source_fd(const struct ledger_source *source);
/* Hands over threads that ended, and intervals, so that there is room for others. */
int ledger_source_drain(struct ledger_source *source, struct ledger_source_reader *reader,
			struct err *err);
/* Hands over the ledgers of all threads that are alive as they stand; booking goes on. */
int ledger_source_peek(struct ledger_source *source, struct ledger_source_reader *reader,
		       struct err *err);
/* Ends booking and hands over everything else; open accounts are closed as of *ret_ns. */
int ledger_source_stop(struct ledger_source *source, struct ledger_source_reader *reader,
		       uint64_t *ret_ns, struct err *err);
struct ledger_counts ledger_source_counts(const struct ledger_source *source);
void ledger_source_close(struct ledger_source *source); /* NULL is fine */

#endif

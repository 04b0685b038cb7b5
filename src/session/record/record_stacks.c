/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unwinding while recording (see record_stacks.h). */
#include "session/record/record_stacks.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/memory_limit.h"
#include "base/sandbox.h"
#include "event/desc.h"
#include "event/event.h"
#include "event/perf_record.h"
#include "event/walk_cost.h"
#include "session/python/python_finder.h"
#include "session/record/finisher_child.h"
#include "session/record/raw_record.h"
#include "session/record/record_processes.h"
#include "session/record/stack_finisher.h"
#include "session/unwind/page_recall.h"
#include "session/unwind/table_sync.h"

#define SETTLE_NS UINT64_C(2000000000) /* a user waits no longer for whole stacks */

struct record_stacks {
	const struct event_set *events;
	struct table_sync *sync;	 /* NULL = no tables */
	struct finisher_child *child;	 /* it unwinds, or, without privileges to lose, */
	struct stack_finisher *finisher; /* this process */
	struct page_recall recall;
	uint64_t left_out; /* mappings, for lack of memory */
};

int record_stacks_open(const struct event_set *events, const struct record_stacks_options *options,
		       struct record_stacks **ret, struct err *err)
{
	struct record_stacks *stacks = mem_zalloc(sizeof(*stacks));
	struct table_sync_options sync = { .eager = options->eager,
					   .cap_bytes = options->table_bytes };
	int code = 0;

	stacks->events = events;
	if (sandbox_is_privileged()) /* before the threads of the tables */
		code = finisher_child_start(events, &stacks->child, err);
	else
		stacks->finisher = stack_finisher_new(events);
	if (!code && options->tables) {
		sync.maps = *options->tables;
		code = table_sync_open(&sync, &stacks->sync, err);
		code = code ? err_wrap(err, "unwind tables") : 0;
	}
	if (code) {
		record_stacks_free(stacks);
		return code;
	}
	*ret = stacks;
	return 0;
}

uint64_t record_stacks_lost(const struct record_stacks *stacks)
{
	return stacks->child ? finisher_child_lost(stacks->child) : 0;
}

void record_stacks_stop(struct record_stacks *stacks)
{
	if (stacks->sync)
		table_sync_stop(stacks->sync);
}

void record_stacks_free(struct record_stacks *stacks)
{
	if (!stacks)
		return;
	table_sync_close(stacks->sync);
	finisher_child_end(stacks->child);
	stack_finisher_free(stacks->finisher);
	free(stacks);
}

void record_stacks_cost(struct record_stacks *stacks, struct walk_cost *ret)
{
	struct table_sync_stats stats;

	if (!stacks->sync)
		return;
	table_sync_stats(stacks->sync, &stats);
	ret->table_bytes = stats.pool.bytes;
	ret->tables_built = stats.loader.built;
	ret->tables_read = stats.loader.read;
	ret->table_build_ns = stats.loader.build_ns;
}

void record_stacks_say(struct record_stacks *stacks, void (*say)(const char *line))
{
	struct table_sync_stats stats;
	char line[160];
	uint64_t lost = record_stacks_lost(stacks);

	if (lost) {
		(void)snprintf(line, sizeof(line),
			       "the process that unwinds stacks ended: %llu samples are lost",
			       (unsigned long long)lost);
		say(line);
	}
	if (!stacks->sync)
		return;
	table_sync_stats(stacks->sync, &stats);
	if (stats.loader.unfiltered)
		say("the kernel has no seccomp: binaries were read without a filter of system "
		    "calls");
	if (stats.loader.refused) {
		(void)snprintf(line, sizeof(line),
			       "unwind tables that need more than %llu MB, or break their reader, "
			       "were not made: %u times",
			       (unsigned long long)memory_limit_recorder() >> 20,
			       stats.loader.refused);
		say(line);
	}
}

/* Mappings are as many, and their paths as long, as programs like. */
static bool is_too_much(struct record_stacks *stacks, bool map)
{
	bool full = map && memory_limit_full();

	stacks->left_out += full;
	return full;
}

uint64_t record_stacks_left_out(const struct record_stacks *stacks)
{
	return stacks->left_out;
}

void record_stacks_event(struct record_stacks *stacks, const struct event *event)
{
	if (is_too_much(stacks, event->type == EVENT_MMAP))
		return;
	if (stacks->child)
		finisher_child_event(stacks->child, event);
	else
		stack_finisher_event(stacks->finisher, event);
	if (stacks->sync)
		table_sync_event(stacks->sync, event);
}

void record_stacks_settle(struct record_stacks *stacks)
{
	if (stacks && stacks->sync)
		table_sync_settle(stacks->sync, SETTLE_NS);
}

/* The kernel part is to know at once. */
static void sync(struct record_stacks *stacks, const struct perf_event_header *header)
{
	struct err ignored = { 0 }; /* the file has the record as it came */
	struct event event;

	if (stacks->sync && !perf_record_decode(stacks->events, header, &event, &ignored))
		table_sync_event(stacks->sync, &event);
}

void record_stacks_take(struct record_stacks *stacks, const struct perf_event_header *header)
{
	uint64_t time_ns;

	if (header->type == RECORD_RAW_TYPE)
		time_ns = ((const struct raw_record *)(const void *)header)->time_ns;
	else if (!record_processes_is_news(header) ||
		 is_too_much(stacks,
			     header->type == PERF_RECORD_MMAP || header->type == PERF_RECORD_MMAP2))
		return;
	else if (!perf_record_time(stacks->events, header, &time_ns))
		time_ns = 0;
	if (header->type != RECORD_RAW_TYPE)
		sync(stacks, header);
	if (stacks->child)
		finisher_child_take(stacks->child, header, time_ns);
	else
		stack_finisher_take(stacks->finisher, header, time_ns);
}

void record_stacks_run(struct record_stacks *stacks, uint64_t until_ns, struct buf *ret)
{
	struct stack_finished finished = { 0 };

	if (stacks->sync)
		table_sync_tick(stacks->sync, clock_ns(CLOCK_MONOTONIC));
	if (stacks->child)
		finisher_child_run(stacks->child, until_ns, ret, &finished);
	else
		stack_finisher_run(stacks->finisher, until_ns, ret, &finished);
	stacks->left_out += finished.left_out;
	if (finished.fault_pid)
		page_recall(&stacks->recall, finished.fault_pid, finished.fault);
}

int record_stacks_python(void *context, const struct module *module, uint64_t pgoff,
			 struct python_found *ret)
{
	struct record_stacks *stacks = context;

	return stacks->child ? finisher_child_python(stacks->child, module, pgoff, ret)
			     : python_find(module, pgoff, ret);
}

bool record_stacks_python_read(void *context, const struct python_source *source, uint64_t code,
			       struct python_read *ret)
{
	struct record_stacks *stacks = context;

	return stacks->child ? finisher_child_python_read(stacks->child, source, code, ret)
			     : python_read_here(source, code, ret);
}

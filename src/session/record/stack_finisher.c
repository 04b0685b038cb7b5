/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unwinding of what waits (see stack_finisher.h). */
#include "session/record/stack_finisher.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/memory_limit.h"
#include "event/desc.h"
#include "event/event.h"
#include "event/perf_record.h"
#include "event/stop.h"
#include "format/perf_data/perf_data_write_record.h"
#include "session/capture.h"
#include "session/record/raw_record.h"
#include "session/record/record_held.h"
#include "unwind/unwind.h"

#define FORGET_NS   ((uint64_t)10 * 1000000000)
#define CHAIN_WORDS (CAPTURE_MAX_CHAIN + UNWIND_MAX_FRAMES + STACK_STOP_WORDS + 1)

struct stack_finisher {
	const struct event_set *events;
	struct capture capture;
	struct unwinder *unwinder;
	struct unwind_cache *cache;
	struct record_held held;
	uint64_t forgot_ns;		/* CLOCK_MONOTONIC: pages of files were released */
	struct stack_finished finished; /* since the last run */
	uint64_t chain[CHAIN_WORDS];
};

struct stack_finisher *stack_finisher_new(const struct event_set *events)
{
	struct stack_finisher *finisher = mem_zalloc(sizeof(*finisher));

	finisher->events = events;
	capture_open(&finisher->capture);
	proc_table_forget_ended(finisher->capture.procs);
	finisher->unwinder = unwinder_new(NULL);
	finisher->cache = unwind_cache_new();
	return finisher;
}

void stack_finisher_free(struct stack_finisher *finisher)
{
	if (!finisher)
		return;
	unwind_cache_free(finisher->cache);
	unwinder_free(finisher->unwinder);
	capture_close(&finisher->capture);
	record_held_done(&finisher->held);
	free(finisher);
}

/* Mappings are as many, and their paths as long, as programs like. */
static bool is_too_much(struct stack_finisher *finisher, bool map)
{
	bool full = map && memory_limit_full();

	finisher->finished.left_out += full;
	return full;
}

void stack_finisher_event(struct stack_finisher *finisher, const struct event *event)
{
	if (!is_too_much(finisher, event->type == EVENT_MMAP))
		proc_table_apply(finisher->capture.procs, event);
}

void stack_finisher_take(struct stack_finisher *finisher, const struct perf_event_header *header,
			 uint64_t time_ns)
{
	if (!is_too_much(finisher,
			 header->type == PERF_RECORD_MMAP || header->type == PERF_RECORD_MMAP2))
		record_held_add(&finisher->held, header, time_ns);
}

static const uint8_t *payload_of(const struct raw_record *record)
{
	return (const uint8_t *)(record + 1) + record->chain_len * sizeof(uint64_t);
}

/* The kernel's part as it came, the user's as it was unwound, and why that ended. */
static uint32_t unwind(struct stack_finisher *finisher, const struct raw_record *record)
{
	struct thread *thread =
		proc_table_thread(finisher->capture.procs, record->pid, record->tid);
	const uint64_t *kernel = (const uint64_t *)(const void *)(record + 1);
	const struct unwind_input input = {
		.space = thread->process->space,
		.mask = record->user_mask,
		.regs = record->user_reg,
		.stack = payload_of(record) + raw_record_align(record->payload_len),
		.stack_skip = record->stack_skip,
		.stack_len = record->stack_len,
		.in_syscall = record->in_syscall,
	};
	struct unwind_result result = { 0 };
	uint64_t *chain = finisher->chain;
	size_t len = record->chain_len;

	if (len)
		memcpy(chain, kernel, len * sizeof(*chain));
	chain[len] = (uint64_t)PERF_CONTEXT_USER;
	unwinder_walk(finisher->unwinder, finisher->cache, &input, chain + len + 1, &result);
	if (record->stack_fault && !finisher->finished.fault_pid &&
	    (result.stop == STACK_STOP_READ_FAULT || result.stop == STACK_STOP_BEYOND_COPY)) {
		finisher->finished.fault_pid = record->pid;
		finisher->finished.fault = record->stack_fault;
	}
	if (!result.count)
		return (uint32_t)len;
	len += 1 + result.count;
	return (uint32_t)(len + stack_stop_put(result.stop, chain + len));
}

static void finish(struct stack_finisher *finisher, const struct raw_record *record,
		   struct buf *ret)
{
	struct event event = {
		.type = EVENT_SAMPLE,
		.misc = record->header.misc,
		.pid = record->pid,
		.tid = record->tid,
		.cpu = record->cpu,
		.has_time = true,
		.time_ns = record->time_ns,
		.id = record->id,
		.desc = finisher->events->desc.item[record->desc],
		.sample = { .ip = record->ip,
			    .addr = record->addr,
			    .data_src = record->data_src,
			    .period = record->period,
			    .weight = record->weight,
			    .data_page_size = record->page_bytes,
			    .chain = finisher->chain,
			    .chain_len = unwind(finisher, record),
			    .raw = payload_of(record),
			    .raw_len = record->payload_len },
	};
	static const char zero[64];
	size_t bytes = perf_data_sample_bytes(&event), at = ret->len;

	while (ret->len < at + bytes) {
		size_t left = at + bytes - ret->len;

		(void)buf_append(ret, zero, left < sizeof(zero) ? left : sizeof(zero));
	}
	if (bytes)
		perf_data_put_sample(&event, ret->data + at);
}

/* A recording that goes on for long does not keep all that it read once. */
static void release_pages(struct stack_finisher *finisher)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	if (!finisher->forgot_ns)
		finisher->forgot_ns = now;
	if (now - finisher->forgot_ns < FORGET_NS)
		return;
	finisher->forgot_ns = now;
	unwinder_forget(finisher->unwinder);
}

void stack_finisher_run(struct stack_finisher *finisher, uint64_t until_ns, struct buf *ret,
			struct stack_finished *ret_finished)
{
	size_t count = 0;

	record_held_sort(&finisher->held);
	for (; count < finisher->held.item.count; count++) {
		const struct perf_event_header *header = record_held_get(&finisher->held, count);
		struct err ignored = { 0 }; /* the file has the record as it came */
		struct event event;

		if (finisher->held.item.item[count].time_ns > until_ns)
			break;
		if (header->type == RECORD_RAW_TYPE)
			finish(finisher, (const void *)header, ret);
		else if (!perf_record_decode(finisher->events, header, &event, &ignored))
			proc_table_apply(finisher->capture.procs, &event);
	}
	record_held_drop(&finisher->held, count);
	release_pages(finisher);
	*ret_finished = finisher->finished;
	finisher->finished = (struct stack_finished){ 0 };
}

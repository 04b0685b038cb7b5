/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unwinding while recording (see record_stacks.h). */
#include "session/record/record_stacks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/memory_limit.h"
#include "base/vec.h"
#include "bpf/arch/registers.h"
#include "event/desc.h"
#include "event/event.h"
#include "event/perf_record.h"
#include "event/stop.h"
#include "event/walk_cost.h"
#include "format/perf_data/perf_data_write_record.h"
#include "session/capture.h"
#include "session/record/record_held.h"
#include "session/record/record_processes.h"
#include "session/unwind/page_recall.h"
#include "session/unwind/table_sync.h"
#include "unwind/unwind.h"

#define RAW_REGISTERS CPU_REGISTERS
#define CHAIN_WORDS   (CAPTURE_MAX_CHAIN + UNWIND_MAX_FRAMES + STACK_STOP_WORDS + 1)

/* Followed by chain_len words, payload_len bytes up to a whole word, and stack_len bytes. */
struct raw_record {
	struct perf_event_header header;
	uint64_t time_ns, id, ip, addr, data_src, period;
	uint32_t pid, tid, cpu;
	uint32_t desc; /* index of the event */
	uint64_t user_mask;
	uint64_t user_reg[RAW_REGISTERS];
	uint32_t chain_len, stack_len;
	uint32_t in_syscall, stack_skip;
	uint64_t stack_fault;
	uint32_t payload_len, unused;
};

struct record_stacks {
	const struct event_set *events;
	struct capture capture;
	struct table_sync *sync; /* NULL = no tables */
	struct unwinder *unwinder;
	struct unwind_cache *cache;
	struct page_recall recall;
	struct record_held held;
	uint64_t left_out; /* mappings, for lack of memory */
	uint64_t chain[CHAIN_WORDS];
};

static size_t align(size_t size)
{
	return (size + 7) & ~(size_t)7;
}

size_t record_raw_bytes(const struct event *event)
{
	const struct event_sample *sample = &event->sample;
	size_t bytes = align(sizeof(struct raw_record) + sample->chain_len * sizeof(uint64_t) +
			     align(sample->raw_len) + sample->stack_len);

	return bytes <= UINT16_MAX ? bytes : 0;
}

void record_raw_put(const struct event *event, void *place)
{
	const struct event_sample *sample = &event->sample;
	size_t registers = (size_t)__builtin_popcountll(sample->user_mask);
	struct raw_record *record = place;
	uint8_t *at = (uint8_t *)(record + 1);

	*record = (struct raw_record){
		.header = { .type = RECORD_RAW_TYPE,
			    .misc = event->misc,
			    .size = (uint16_t)record_raw_bytes(event) },
		.time_ns = event->time_ns,
		.id = event->id,
		.ip = sample->ip,
		.addr = sample->addr,
		.data_src = sample->data_src,
		.period = sample->period,
		.pid = event->pid,
		.tid = event->tid,
		.cpu = event->cpu,
		.desc = event->desc->index,
		.user_mask = sample->user_mask,
		.chain_len = sample->chain_len,
		.stack_len = (uint32_t)sample->stack_len,
		.in_syscall = sample->user_in_syscall,
		.stack_skip = (uint32_t)sample->stack_skip,
		.stack_fault = sample->stack_fault,
		.payload_len = sample->raw_len,
	};
	if (registers > RAW_REGISTERS)
		BUG("raw record: too many registers");
	memcpy(record->user_reg, sample->user_regs, registers * sizeof(uint64_t));
	if (sample->chain_len)
		memcpy(at, sample->chain, sample->chain_len * sizeof(uint64_t));
	at += sample->chain_len * sizeof(uint64_t);
	if (sample->raw_len)
		memcpy(at, sample->raw, sample->raw_len);
	at += align(sample->raw_len);
	if (sample->stack_len)
		memcpy(at, sample->stack, sample->stack_len);
}

int record_stacks_open(const struct event_set *events, const struct unwind_pool_maps *tables,
		       bool eager, struct record_stacks **ret, struct err *err)
{
	struct record_stacks *stacks = mem_zalloc(sizeof(*stacks));
	struct table_sync_options options = { .eager = eager };
	int code = 0;

	if (tables) {
		options.maps = *tables;
		code = table_sync_open(&options, &stacks->sync, err);
	}
	if (code) {
		free(stacks);
		return err_wrap(err, "unwind tables");
	}
	stacks->events = events;
	capture_open(&stacks->capture);
	proc_table_forget_ended(stacks->capture.procs);
	stacks->unwinder = unwinder_new(NULL);
	stacks->cache = unwind_cache_new();
	*ret = stacks;
	return 0;
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
	unwind_cache_free(stacks->cache);
	unwinder_free(stacks->unwinder);
	capture_close(&stacks->capture);
	record_held_done(&stacks->held);
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
	proc_table_apply(stacks->capture.procs, event);
	if (stacks->sync)
		table_sync_event(stacks->sync, event);
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
	record_held_add(&stacks->held, header, time_ns);
}

static const uint8_t *payload_of(const struct raw_record *record)
{
	return (const uint8_t *)(record + 1) + record->chain_len * sizeof(uint64_t);
}

/* The kernel's part as it came, the user's as it was unwound, and why that ended. */
static uint32_t unwind(struct record_stacks *stacks, const struct raw_record *record)
{
	struct thread *thread = proc_table_thread(stacks->capture.procs, record->pid, record->tid);
	const uint64_t *kernel = (const uint64_t *)(const void *)(record + 1);
	const struct unwind_input input = {
		.space = thread->process->space,
		.mask = record->user_mask,
		.regs = record->user_reg,
		.stack = payload_of(record) + align(record->payload_len),
		.stack_skip = record->stack_skip,
		.stack_len = record->stack_len,
		.in_syscall = record->in_syscall,
	};
	struct unwind_result result = { 0 };
	uint64_t *chain = stacks->chain;
	size_t len = record->chain_len;

	if (len)
		memcpy(chain, kernel, len * sizeof(*chain));
	chain[len] = (uint64_t)PERF_CONTEXT_USER;
	unwinder_walk(stacks->unwinder, stacks->cache, &input, chain + len + 1, &result);
	if (record->stack_fault &&
	    (result.stop == STACK_STOP_READ_FAULT || result.stop == STACK_STOP_BEYOND_COPY))
		page_recall(&stacks->recall, record->pid, record->stack_fault);
	if (!result.count)
		return (uint32_t)len;
	len += 1 + result.count;
	return (uint32_t)(len + stack_stop_put(result.stop, chain + len));
}

static void finish(struct record_stacks *stacks, const struct raw_record *record, struct buf *ret)
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
		.desc = stacks->events->desc.item[record->desc],
		.sample = { .ip = record->ip,
			    .addr = record->addr,
			    .data_src = record->data_src,
			    .period = record->period,
			    .chain = stacks->chain,
			    .chain_len = unwind(stacks, record),
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

void record_stacks_run(struct record_stacks *stacks, uint64_t until_ns, struct buf *ret)
{
	size_t count = 0;

	if (stacks->sync)
		table_sync_tick(stacks->sync, clock_ns(CLOCK_MONOTONIC));
	record_held_sort(&stacks->held);
	for (; count < stacks->held.item.count; count++) {
		const struct perf_event_header *header = record_held_get(&stacks->held, count);
		struct err ignored = { 0 }; /* the file has the record as it came */
		struct event event;

		if (stacks->held.item.item[count].time_ns > until_ns)
			break;
		if (header->type == RECORD_RAW_TYPE)
			finish(stacks, (const void *)header, ret);
		else if (!perf_record_decode(stacks->events, header, &event, &ignored))
			proc_table_apply(stacks->capture.procs, &event);
	}
	record_held_drop(&stacks->held, count);
}

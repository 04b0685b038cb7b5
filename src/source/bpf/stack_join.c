/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See stack_join.h. Both kinds are kept until the end of a round, then sorted by CPU and time. */
#include "source/bpf/stack_join.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/vec.h"
#include "bpf/cpu.h"
#include "event/desc.h"
#include "event/event.h"
#include "event/perf_record.h"
#include "event/stop.h"

#define CHAIN_WORDS (3 * CPU_FRAMES)

/* Of either kind. */
struct place {
	uint64_t time_ns;
	uint32_t cpu, tid;
};

struct sample {
	struct place place;
	size_t at; /* of its record in `held` */
	uint64_t config;
	uint32_t index; /* of its event */
	bool old;	/* of the round before */
	bool done;
};

struct stack {
	struct place place;
	struct event event; /* its pointers are offsets into `held` */
	uint64_t after_ns;
	size_t chain_at, regs_at, stack_at;
	bool old, done;
};

struct stack_join {
	const struct event_set *events;
	VEC(struct sample) sample;
	VEC(struct stack) stack;
	struct buf held; /* records, chains, registers, bytes of stacks */
	uint64_t missing;
	struct sink *to; /* of the round */
	struct err *err;
	uint64_t chain[CHAIN_WORDS];
};

struct stack_join *stack_join_new(const struct event_set *events)
{
	struct stack_join *join = mem_zalloc(sizeof(*join));

	join->events = events;
	return join;
}

void stack_join_free(struct stack_join *join)
{
	if (!join)
		return;
	vec_done(&join->sample);
	vec_done(&join->stack);
	buf_done(&join->held);
	free(join);
}

/* A copy, on whole words. */
static size_t hold(struct buf *held, const void *data, size_t len)
{
	size_t at = held->len;

	if (len)
		(void)buf_append(held, data, len); /* no limit that rings reach */
	(void)buf_pad(held, 0, -held->len & 7);
	return at;
}

void stack_join_sample(struct stack_join *join, const struct perf_event_header *header)
{
	struct sample sample = { .at = join->held.len };
	struct err ignored = { 0 }; /* what the kernel writes decodes */
	struct event event;

	if (perf_record_decode(join->events, header, &event, &ignored) || !event.desc)
		return;
	sample.place = (struct place){ event.time_ns, event.cpu, event.tid };
	sample.config = event.desc->attr.config;
	sample.index = event.desc->index;
	(void)hold(&join->held, header, header->size);
	vec_push(&join->sample, sample);
}

void stack_join_stack(struct stack_join *join, const struct event *event)
{
	const struct event_sample *from = &event->sample;
	size_t registers = (size_t)__builtin_popcountll(from->user_mask);
	struct stack stack = { .place = { event->time_ns, event->cpu, event->tid },
			       .event = *event };

	if (from->raw_len < sizeof(stack.after_ns))
		return;
	memcpy(&stack.after_ns, from->raw, sizeof(stack.after_ns));
	stack.chain_at = hold(&join->held, from->chain, from->chain_len * sizeof(uint64_t));
	stack.regs_at = hold(&join->held, from->user_regs,
			     from->user_regs ? registers * sizeof(uint64_t) : 0);
	stack.stack_at = hold(&join->held, from->stack, from->stack_len);
	vec_push(&join->stack, stack);
}

static int compare_places(const struct place *x, const struct place *y)
{
	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	return (x->time_ns > y->time_ns) - (x->time_ns < y->time_ns);
}

static int compare_samples(const void *a, const void *b)
{
	const struct sample *x = a, *y = b;
	int order = compare_places(&x->place, &y->place);

	return order ? order : (x->at > y->at) - (x->at < y->at);
}

static int compare_stacks(const void *a, const void *b)
{
	const struct stack *x = a, *y = b;

	return compare_places(&x->place, &y->place);
}

/* The kernel's frames and the user's. */
static void join_chains(struct stack_join *join, struct event_sample *sample,
			const struct stack *stack)
{
	const struct event_sample *user = &stack->event.sample;
	uint32_t kernel = sample->chain_len < CHAIN_WORDS ? sample->chain_len : CHAIN_WORDS;
	uint32_t more = user->chain_len < CHAIN_WORDS - kernel ? user->chain_len
							       : CHAIN_WORDS - kernel;

	if (kernel)
		memcpy(join->chain, sample->chain, kernel * sizeof(*join->chain));
	if (more)
		memcpy(join->chain + kernel, join->held.data + stack->chain_at,
		       more * sizeof(*join->chain));
	sample->chain = join->chain;
	sample->chain_len = kernel + more;
}

/* What user space has to unwind. */
static void join_raw(const struct stack_join *join, struct event_sample *sample,
		     const struct stack *stack)
{
	const struct event_sample *user = &stack->event.sample;
	const char *held = join->held.data;

	if (!user->user_regs)
		return;
	sample->user_abi = user->user_abi;
	sample->user_mask = user->user_mask;
	sample->user_regs = (const uint64_t *)(const void *)(held + stack->regs_at);
	sample->user_in_syscall = user->user_in_syscall;
	sample->stack = (const uint8_t *)held + stack->stack_at;
	sample->stack_skip = user->stack_skip;
	sample->stack_fault = user->stack_fault;
	sample->stack_len = user->stack_len;
}

/* There is no user frame. */
static void put_reason(struct stack_join *join, struct event_sample *sample)
{
	uint32_t len = sample->chain_len < CHAIN_WORDS - STACK_STOP_WORDS
			       ? sample->chain_len
			       : CHAIN_WORDS - STACK_STOP_WORDS;

	if (len)
		memcpy(join->chain, sample->chain, len * sizeof(*join->chain));
	len += stack_stop_put(STACK_STOP_NOT_TAKEN, join->chain + len);
	sample->chain = join->chain;
	sample->chain_len = len;
}

static int deliver(struct stack_join *join, struct sample *sample, const struct stack *stack)
{
	const struct perf_event_header *header = (const void *)(join->held.data + sample->at);
	struct event event;
	int code = perf_record_decode(join->events, header, &event, join->err);

	if (code)
		return code;
	sample->done = true;
	event.raw = NULL;
	if (stack) {
		join_chains(join, &event.sample, stack);
		join_raw(join, &event.sample, stack);
	} else {
		join->missing++;
		put_reason(join, &event.sample);
	}
	return join->to->event(join->to, &event, join->err);
}

/* The samples in [from, to) are this CPU's up to the stack's time. A hit makes one sample of each
 * event that is of its tracepoint. */
static int match(struct stack_join *join, struct stack *stack, size_t from, size_t to)
{
	uint64_t config = 0, events = 0;
	int code = 0;

	for (size_t i = to; !code && i-- > from;) {
		struct sample *sample = &join->sample.item[i];
		uint64_t bit = 1ull << (sample->index & 63);

		if (sample->place.time_ns <= stack->after_ns)
			break;
		if (sample->done || sample->place.tid != stack->place.tid)
			continue;
		if (events && (sample->config != config || events & bit))
			break;
		code = deliver(join, sample, stack);
		stack->done = true;
		config = sample->config;
		events |= bit;
	}
	return code;
}

static int match_all(struct stack_join *join)
{
	size_t first = 0, behind = 0, count = join->sample.count;
	uint32_t cpu = 0;
	int code = 0;

	for (size_t i = 0; !code && i < join->stack.count; i++) {
		struct stack *stack = &join->stack.item[i];

		if (!i || stack->place.cpu != cpu) {
			cpu = stack->place.cpu;
			for (first = behind;
			     first < count && join->sample.item[first].place.cpu < cpu; first++)
				;
			behind = first;
		}
		while (behind < count &&
		       compare_places(&join->sample.item[behind].place, &stack->place) <= 0)
			behind++;
		code = match(join, stack, first, behind);
	}
	return code;
}

/* What waits for its other half, in memory of its own. */
static void keep_rest(struct stack_join *join)
{
	struct buf held = { 0 };
	size_t samples = 0, stacks = 0;

	for (size_t i = 0; i < join->sample.count; i++) {
		struct sample sample = join->sample.item[i];
		const struct perf_event_header *header =
			(const void *)(join->held.data + sample.at);

		if (sample.done)
			continue;
		sample.old = true;
		sample.at = hold(&held, header, header->size);
		join->sample.item[samples++] = sample;
	}
	for (size_t i = 0; i < join->stack.count; i++) {
		struct stack stack = join->stack.item[i];
		const struct event_sample *from = &stack.event.sample;
		const char *data = join->held.data;
		size_t registers = (size_t)__builtin_popcountll(from->user_mask);

		if (stack.done || stack.old)
			continue;
		stack.old = true;
		stack.chain_at =
			hold(&held, data + stack.chain_at, from->chain_len * sizeof(uint64_t));
		stack.regs_at = hold(&held, data + stack.regs_at,
				     from->user_regs ? registers * sizeof(uint64_t) : 0);
		stack.stack_at = hold(&held, data + stack.stack_at, from->stack_len);
		join->stack.item[stacks++] = stack;
	}
	join->sample.count = samples;
	join->stack.count = stacks;
	buf_done(&join->held);
	join->held = held;
}

int stack_join_round(struct stack_join *join, bool last, struct sink *to, struct err *err)
{
	int code;

	if (join->sample.count > 1)
		qsort(join->sample.item, join->sample.count, sizeof(*join->sample.item),
		      compare_samples);
	if (join->stack.count > 1)
		qsort(join->stack.item, join->stack.count, sizeof(*join->stack.item),
		      compare_stacks);
	join->to = to;
	join->err = err;
	code = match_all(join);
	for (size_t i = 0; !code && i < join->sample.count; i++) {
		struct sample *sample = &join->sample.item[i];

		if (!sample->done && (sample->old || last))
			code = deliver(join, sample, NULL);
	}
	keep_rest(join);
	return code;
}

uint64_t stack_join_missing(const struct stack_join *join)
{
	return join->missing;
}

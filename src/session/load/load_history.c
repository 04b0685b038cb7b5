/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Chains with branches (see load_history.h). Kernel addresses come first in a chain: where the
 * program went into the kernel and back, the history ends. */
#include "session/load/load_history.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/vec.h"
#include "event/event.h"

#define CALL_BYTES 8 /* no call is longer */

typedef VEC(uint64_t) words;

struct load_history {
	words part[2]; /* kernel, user: branches and the callers that are left */
	words chain;
};

struct load_history *load_history_new(void)
{
	return mem_zalloc(sizeof(struct load_history));
}

void load_history_free(struct load_history *history)
{
	if (!history)
		return;
	vec_done(&history->part[0]);
	vec_done(&history->part[1]);
	vec_done(&history->chain);
	free(history);
}

static bool is_user(uint64_t pc)
{
	return (int64_t)pc >= 0;
}

/* Returns the number of branches that are taken. */
static uint64_t take_branches(struct load_history *history, const struct event_sample *sample)
{
	bool user = is_user(sample->ip);
	uint64_t i;

	for (i = 0; i < sample->branch_len; i++) {
		uint64_t to = sample->branch[i].to, from = sample->branch[i].from;

		if ((user && !is_user(to)) || (is_user(to) && !is_user(from)))
			break;
		vec_push(&history->part[is_user(to)], to);
		vec_push(&history->part[is_user(from)], from);
		user = is_user(from);
	}
	return i;
}

/* Whether the call that returns to pc is among the branches from *next on, which it then follows.
 */
static bool is_among(const struct event_sample *sample, uint64_t count, uint64_t pc, uint64_t *next)
{
	for (uint64_t i = *next; i < count; i++) {
		uint64_t from = sample->branch[i].from;

		if (from < pc && pc - from <= CALL_BYTES) {
			*next = i + 1;
			return true;
		}
	}
	return false;
}

/* Markers at the end say why the chain ends (event/stop.h): they stay. */
static void take_callers(struct load_history *history, const struct event_sample *sample,
			 uint64_t count, words *ret_end)
{
	uint64_t next = 0;
	bool leaf = true;

	for (uint32_t i = 0; i < sample->chain_len; i++) {
		uint64_t pc = sample->chain[i];

		if (pc >= (uint64_t)PERF_CONTEXT_MAX) {
			vec_push(ret_end, pc);
			continue;
		}
		ret_end->count = 0;
		if (!leaf && !is_among(sample, count, pc, &next))
			vec_push(&history->part[is_user(pc)], pc - 1);
		leaf = false;
	}
}

static void put_part(struct load_history *history, bool user)
{
	const words *part = &history->part[user];

	for (size_t i = 0; i < part->count; i++)
		vec_push(&history->chain, part->item[i]);
}

void load_history_set(struct load_history *history, const struct event *event, struct event *ret)
{
	const struct event_sample *sample = &event->sample;
	words end = { 0 };
	uint64_t count;

	history->part[0].count = history->part[1].count = history->chain.count = 0;
	vec_push(&history->part[is_user(sample->ip)], sample->ip);
	count = take_branches(history, sample);
	take_callers(history, sample, count, &end);
	vec_push(&history->chain, (uint64_t)PERF_CONTEXT_KERNEL);
	put_part(history, false);
	vec_push(&history->chain, (uint64_t)PERF_CONTEXT_USER);
	put_part(history, true);
	for (size_t i = 0; i < end.count && history->part[1].count; i++)
		vec_push(&history->chain, end.item[i]);
	vec_done(&end);
	*ret = *event;
	ret->sample.chain = history->chain.item;
	ret->sample.chain_len = (uint32_t)history->chain.count;
	ret->sample.stack_len = 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System calls by caller (see syscall_callers.h). */
#include "profile/syscall_callers.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "event/syscall_frame.h"
#include "profile/syscall_sums.h"

uint64_t syscall_state_ns(const uint64_t ns[LEDGER_ACCOUNTS], enum ledger_state state)
{
	uint64_t sum = state == LEDGER_STATE_RUNNING_KERNEL ? ns[LEDGER_RUNNING] : 0;

	for (int i = LEDGER_RUNNING + 1; i < LEDGER_ACCOUNTS; i++)
		if (ledger_state_of((enum ledger_account)i) == state)
			sum += ns[i];
	return sum;
}

/* The address of a node's frame, if it has no name. */
static uint64_t address_of(const struct profile *profile, stack_id stack)
{
	const struct frame *frame;

	if (!stack.v)
		return 0;
	frame = &profile->frames.item[profile->nodes.item[stack.v].frame.v];
	return frame->kind == FRAME_KERNEL ? frame->pc : 0;
}

static struct syscall_caller *find_row(struct syscall_callers *callers, struct map *known,
				       uint32_t call, stack_id stack)
{
	bool added;
	uint64_t *index = map_add(known, (uint64_t)stack.v << 32 | call, &added);

	if (added) {
		*index = callers->row.count;
		vec_push(&callers->row, ((struct syscall_caller){ .call = call, .stack = stack }));
	}
	return &callers->row.item[*index];
}

/* One sample: the ns of an account, or the calls of a length. */
static void add(struct syscall_callers *callers, struct syscall_caller *row, uint64_t what,
		const struct profile_sample *sample)
{
	uint64_t place = what - SYSCALL_FRAME_ACCOUNT;

	row->stop = sample->stop;
	if (place < LEDGER_ACCOUNTS) {
		row->ns[place] += sample->weight;
		callers->ns[place] += sample->weight;
		return;
	}
	place = what - SYSCALL_FRAME_LENGTH;
	if (place >= SYSCALL_BUCKETS)
		return;
	row->bucket[place] += sample->weight;
	row->calls += sample->weight;
	callers->calls += sample->weight;
	if (sample->stop == STACK_STOP_ROOT)
		callers->whole += sample->weight;
}

static uint64_t cost(const struct syscall_caller *row)
{
	uint64_t sum = 0;

	for (int i = 0; i < LEDGER_ACCOUNTS; i++)
		if (ledger_state_of((enum ledger_account)i) != LEDGER_STATE_IDLE)
			sum += row->ns[i];
	return sum;
}

static int compare_rows(const void *left, const void *right)
{
	const struct syscall_caller *a = left, *b = right;
	uint64_t a_ns = cost(a), b_ns = cost(b);

	if (a_ns != b_ns)
		return a_ns > b_ns ? -1 : 1;
	if (a->calls != b->calls)
		return a->calls > b->calls ? -1 : 1;
	return a->stack.v < b->stack.v ? -1 : a->stack.v > b->stack.v;
}

void syscall_callers_collect(const struct profile *profile,
			     const char *(*call_label)(uint32_t call, char buf[48]),
			     struct syscall_callers *ret)
{
	struct map known = { 0 };

	*ret = (struct syscall_callers){ 0 };
	for (size_t i = 0; i < profile->samples.count; i++) {
		const struct profile_sample *sample = &profile->samples.item[i];
		stack_id at = sample->stack;
		uint64_t what = address_of(profile, at), call;

		if (what < SYSCALL_FRAME_ACCOUNT || what >= SYSCALL_FRAME_END)
			continue;
		at = profile->nodes.item[at.v].parent;
		call = address_of(profile, at);
		if (call < SYSCALL_FRAME_CALL || call >= SYSCALL_FRAME_ACCOUNT)
			continue;
		at = profile->nodes.item[at.v].parent;
		add(ret, find_row(ret, &known, syscall_frame_call(call), at), what, sample);
	}
	for (size_t i = 0; i < ret->row.count; i++) {
		struct syscall_caller *row = &ret->row.item[i];

		(void)call_label(row->call, row->name);
		row->p50_ns = syscall_quantile(row->bucket, 50, 0, UINT64_MAX);
		row->p99_ns = syscall_quantile(row->bucket, 99, 0, UINT64_MAX);
	}
	if (ret->row.count)
		qsort(ret->row.item, ret->row.count, sizeof(*ret->row.item), compare_rows);
	map_done(&known);
}

void syscall_callers_done(struct syscall_callers *callers)
{
	vec_done(&callers->row);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is noted about code while it is followed (see code_flow.h). */
#include "unwind/bare/code_flow.h"

#include <stdlib.h>

#include "base/arena.h"
#include "proc/elf_file.h"
#include "unwind/table_private.h"

/* More code than this is left alone: six bytes of memory are needed for each. */
#define MAX_BYTES      (16u << 20)
#define TRIES_PER_BYTE 8u

static void index_gaps(struct code_flow *flow)
{
	uint32_t gap = 0;

	flow->gap_of_block =
		mem_zalloc((flow->bytes / FLOW_BLOCK + 1) * sizeof(*flow->gap_of_block));
	for (uint32_t at = 0; at < flow->bytes; at += FLOW_BLOCK) {
		while (at - flow->gaps.item[gap].first >= flow->gaps.item[gap].len)
			gap++;
		flow->gap_of_block[at / FLOW_BLOCK] = gap;
	}
}

bool code_flow_open(const struct unwind_table *table, const struct code_starts *starts,
		    struct code_flow *ret)
{
	*ret = (struct code_flow){ .starts = starts };
	for (size_t i = 0; i < starts->gaps.count; i++) {
		struct code_span span = starts->gaps.item[i];
		struct flow_gap gap = { .addr = span.from, .first = ret->bytes };
		size_t len;

		if (!elf_file_at(table->elf, span.from, &gap.code, &len))
			continue;
		if (span.to - span.from > len)
			span.to = span.from + len;
		if (span.to - span.from > MAX_BYTES - ret->bytes) {
			ret->bytes = 0;
			break;
		}
		gap.len = (uint32_t)(span.to - span.from);
		ret->bytes += gap.len;
		vec_push(&ret->gaps, gap);
	}
	if (!ret->bytes) {
		vec_done(&ret->gaps);
		return false;
	}
	ret->state = mem_zalloc(ret->bytes * sizeof(*ret->state));
	ret->owner = mem_zalloc(ret->bytes * sizeof(*ret->owner));
	index_gaps(ret);
	ret->budget = (uint64_t)ret->bytes * TRIES_PER_BYTE;
	return true;
}

void code_flow_close(struct code_flow *flow)
{
	vec_done(&flow->gaps);
	free(flow->state);
	free(flow->owner);
	free(flow->gap_of_block);
	vec_done(&flow->states);
	map_done(&flow->state_index);
	vec_done(&flow->units);
	map_done(&flow->unit_at);
	vec_done(&flow->waiters);
	vec_done(&flow->work);
	vec_done(&flow->tried);
	vec_done(&flow->met);
	vec_done(&flow->unsettled);
	map_done(&flow->settled);
	map_done(&flow->labels);
}

uint32_t code_flow_index(const struct code_flow *flow, uint64_t addr)
{
	size_t low = 0, high = flow->gaps.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (flow->gaps.item[middle].addr <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || addr - flow->gaps.item[low - 1].addr >= flow->gaps.item[low - 1].len)
		return FLOW_NONE;
	return flow->gaps.item[low - 1].first + (uint32_t)(addr - flow->gaps.item[low - 1].addr);
}

const struct flow_gap *code_flow_gap(const struct code_flow *flow, uint32_t index)
{
	const struct flow_gap *gap = &flow->gaps.item[flow->gap_of_block[index / FLOW_BLOCK]];

	while (index - gap->first >= gap->len && index < flow->bytes)
		gap++;
	return gap;
}

uint16_t code_flow_intern(struct code_flow *flow, const struct code_state *state)
{
	bool added;
	uint64_t *index = map_add(&flow->state_index, hash_bytes(state, sizeof(*state)), &added);

	if (added) {
		if (flow->states.count + FLOW_STATES > UINT16_MAX)
			return FLOW_FAILED;
		*index = flow->states.count + FLOW_STATES;
		vec_push(&flow->states, *state);
	}
	return *index ? (uint16_t)*index : FLOW_FAILED;
}

uint32_t code_flow_add(struct code_flow *flow, uint32_t entry, uint32_t end)
{
	struct flow_unit unit = { .parent = (uint32_t)flow->units.count,
				  .entry = entry,
				  .end = end,
				  .waiters = FLOW_NONE };

	vec_push(&flow->units, unit);
	return unit.parent;
}

uint32_t code_flow_group(struct code_flow *flow, uint32_t unit)
{
	struct flow_unit *units = flow->units.item;

	while (units[unit].parent != unit)
		unit = units[unit].parent = units[units[unit].parent].parent;
	return unit;
}

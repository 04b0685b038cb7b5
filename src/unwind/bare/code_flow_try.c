/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Code that no jump or call was seen to lead to: labels of jump tables, functions that only
 * pointers lead to. It is followed from a state that it may have been entered with, and that is
 * kept only if nothing contradicts it: its returns are at the depth of a function's start, and its
 * jumps agree with what is known. */
#include <string.h>

#include "unwind/arch/arch.h"
#include "unwind/bare/code_flow.h"

static void forget_tried(struct code_flow *flow)
{
	for (size_t i = 0; i < flow->tried.count; i++) {
		uint32_t at = flow->tried.item[i];

		do
			flow->state[at++] = FLOW_UNSEEN;
		while (at < flow->bytes && flow->state[at] == FLOW_INSIDE);
	}
}

struct trial {
	uint32_t at;
	uint16_t state;
	bool surely;	  /* the code must also confirm the state */
	uint32_t part_of; /* a unit; FLOW_NONE = a function of its own */
};

static void run_trial(struct code_flow *flow, const struct trial *trial, uint32_t *ret_unit)
{
	uint32_t unit = code_flow_add(flow, trial->at, 0);

	if (trial->part_of != FLOW_NONE) {
		const struct flow_unit *like = &flow->units.item[trial->part_of];

		flow->units.item[unit].entry = like->entry;
		flow->units.item[unit].end = like->end;
		memcpy(flow->units.item[unit].indirect, like->indirect, sizeof(like->indirect));
	}
	flow->trying = true;
	flow->anchored = flow->contradicts = false;
	flow->calls_aligned = flow->calls_askew = flow->calls_own_askew = false;
	flow->tried.count = flow->unsettled.count = flow->met.count = 0;
	code_flow_explore(flow, trial->at, unit, trial->state);
	flow->trying = false;
	*ret_unit = unit;
}

/* What is called by code that was kept are functions, too, also if they never return. */
static void keep(struct code_flow *flow, uint32_t unit)
{
	for (size_t i = 0; i < flow->met.count; i++)
		code_flow_join(flow, unit, flow->met.item[i]);
	for (size_t i = 0; i < flow->tried.count; i++) {
		uint32_t at = flow->tried.item[i], callee;

		if (code_flow_callee(flow, code_flow_gap(flow, at), at, &callee))
			(void)code_flow_function(flow, callee);
	}
	flow->tried.count = 0;
	code_flow_explore(flow, FLOW_NONE, 0, FLOW_UNSEEN);
}

static bool is_aligned(const struct code_flow *flow, uint32_t at)
{
	const struct flow_gap *gap = code_flow_gap(flow, at);

	return (gap->addr + (at - gap->first)) % 16 == 0;
}

/* A function that never returns shows itself by its calls: in the midst of a function the stack is
 * half of the alignment off. */
static bool is_function(const struct code_flow *flow, uint32_t at)
{
	if (flow->calls_own_askew && (!is_aligned(flow, at) || !flow->anchored))
		return false;
	return !flow->contradicts && !flow->calls_askew && (flow->anchored || flow->calls_aligned);
}

/* Tries a function's start, and before it those that it calls. */
static void settle(struct code_flow *flow, uint32_t entry)
{
	struct code_state start = code_state_entry();
	struct trial trial = { .state = code_flow_intern(flow, &start),
			       .surely = true,
			       .part_of = FLOW_NONE };
	VEC(uint32_t) stack = { 0 };
	uint64_t known;
	uint32_t unit;

	vec_push(&stack, entry);
	while (stack.count && flow->budget) {
		trial.at = *vec_last(&stack);
		map_set(&flow->settled, trial.at, FLOW_SETTLING);
		if (map_get(&flow->unit_at, trial.at, &known) ||
		    flow->state[trial.at] != FLOW_UNSEEN) {
			stack.count--;
			continue;
		}
		run_trial(flow, &trial, &unit);
		if (flow->unsettled.count && !flow->contradicts) {
			forget_tried(flow);
			for (size_t i = 0; i < flow->unsettled.count; i++)
				vec_push(&stack, flow->unsettled.item[i]);
			continue;
		}
		stack.count--;
		if (!is_function(flow, trial.at)) {
			forget_tried(flow);
			map_set(&flow->settled, trial.at, FLOW_NO_RETURN);
			continue;
		}
		map_set(&flow->unit_at, trial.at, unit);
		flow->units.item[unit].is_start = is_aligned(flow, trial.at) &&
						  flow->calls_aligned && !flow->calls_own_askew;
		keep(flow, unit);
	}
	vec_done(&stack);
}

static bool try_state(struct code_flow *flow, const struct trial *trial)
{
	VEC(uint32_t) callees = { 0 };
	uint32_t unit;

	if (trial->state < FLOW_STATES)
		return false;
	for (;;) {
		if (!flow->budget)
			return false;
		run_trial(flow, trial, &unit);
		if (flow->contradicts || !flow->unsettled.count)
			break;
		forget_tried(flow);
		for (size_t i = 0; i < flow->unsettled.count; i++)
			vec_push(&callees, flow->unsettled.item[i]);
		while (callees.count)
			settle(flow, callees.item[--callees.count]);
		if (flow->state[trial->at] != FLOW_UNSEEN)
			break;
	}
	vec_done(&callees);
	if (flow->state[trial->at] != FLOW_UNSEEN && flow->owner[trial->at] != unit)
		return true; /* one of them leads here */
	if (flow->contradicts ||
	    (trial->surely && (flow->calls_askew || flow->calls_own_askew || !flow->anchored))) {
		forget_tried(flow);
		return false;
	}
	if (flow->units.item[unit].returns)
		code_flow_set_returns(flow, trial->part_of);
	keep(flow, unit);
	return true;
}

/* By its symbol. */
static bool holds(const struct flow_unit *unit, uint32_t at)
{
	return at >= unit->entry && at < unit->end;
}

/* Of the code before: labels of its jump tables. */
static bool try_labels(struct code_flow *flow, uint32_t at, uint32_t before)
{
	const struct flow_unit unit = flow->units.item[before];
	bool bad = flow->units.item[code_flow_group(flow, before)].bad;
	bool several = unit.indirect[1] != FLOW_UNSEEN;
	struct trial trial = { .at = at,
			       .surely = !holds(&unit, at) || bad || several,
			       .part_of = before };

	for (size_t i = 0; i < FLOW_INDIRECT; i++) {
		trial.state = unit.indirect[i];
		if (try_state(flow, &trial))
			return true;
	}
	return false;
}

static bool is_call(const struct code_flow *flow, uint32_t at)
{
	const struct flow_gap *gap = code_flow_gap(flow, at);
	struct instruction instruction;

	at -= gap->first;
	return instruction_decode(gap->code + at, gap->len - at, &instruction) &&
	       instruction.kind == INSTRUCTION_CALL;
}

/* Goes by `last`, the last instruction seen before; FLOW_NONE = there is none in this gap. */
static bool try_at(struct code_flow *flow, uint32_t at, uint32_t last)
{
	struct trial trial = { .at = at, .surely = true };
	uint64_t ignored;
	bool found;

	if (!map_get(&flow->labels, at, &ignored) &&
	    (last == FLOW_NONE || !holds(&flow->units.item[flow->owner[last]], at))) {
		settle(flow, at);
		if (flow->state[at] != FLOW_UNSEEN)
			return true;
	}
	if (last == FLOW_NONE)
		return false;
	/* behind a call of which it is not known whether it returns */
	trial.state = flow->state[last];
	trial.part_of = flow->owner[last];
	if (is_call(flow, last) && try_state(flow, &trial))
		return true;
	if (try_labels(flow, at, flow->owner[last]))
		return true;
	flow->tries_labels = true;
	found = is_call(flow, last) && try_state(flow, &trial);
	flow->tries_labels = false;
	return found;
}

static void note_label(struct code_flow *flow, const struct flow_gap *gap, uint32_t at,
		       const struct instruction *instruction)
{
	uint32_t target;

	if (instruction->kind != INSTRUCTION_BRANCH)
		return;
	target = code_flow_index(flow,
				 gap->addr + (at - gap->first) + (uint64_t)instruction->target);
	if (target != FLOW_NONE)
		map_set(&flow->labels, target, 1);
}

/* Gives up the instructions from there to the next jump. */
static uint32_t give_up(struct code_flow *flow, const struct flow_gap *gap, uint32_t at)
{
	struct instruction instruction;
	bool goes_on = true;

	while (goes_on && at < gap->first + gap->len && flow->state[at] == FLOW_UNSEEN) {
		uint32_t left = gap->first + gap->len - at, len = 1;

		goes_on = instruction_decode(gap->code + (at - gap->first), left, &instruction);
		if (goes_on) {
			len = instruction.len;
			note_label(flow, gap, at, &instruction);
		}
		goes_on &= instruction.kind != INSTRUCTION_JUMP &&
			   instruction.kind != INSTRUCTION_RETURN &&
			   instruction.kind != INSTRUCTION_STOP;
		while (len-- && flow->state[at] == FLOW_UNSEEN)
			flow->state[at++] = FLOW_FAILED;
	}
	return at;
}

static size_t padding(const struct flow_gap *gap, uint32_t at)
{
	struct arch_code code = { gap->code, gap->code + (at - gap->first), gap->code + gap->len };

	return arch_padding(&code);
}

static void try_gap(struct code_flow *flow, const struct flow_gap *gap)
{
	uint32_t last = FLOW_NONE, at = gap->first;

	while (at < gap->first + gap->len && flow->budget) {
		size_t skip;

		if (flow->state[at] != FLOW_UNSEEN) {
			if (flow->state[at] >= FLOW_STATES)
				last = at;
			at++;
		} else if ((skip = padding(gap, at)) != 0) {
			at += (uint32_t)skip;
		} else if (!try_at(flow, at, last)) {
			at = give_up(flow, gap, at);
			if (last != FLOW_NONE && !holds(&flow->units.item[flow->owner[last]], at))
				last = FLOW_NONE;
		}
	}
}

void code_flow_try_rest(struct code_flow *flow)
{
	for (size_t i = 0; i < flow->gaps.count; i++)
		try_gap(flow, &flow->gaps.item[i]);
}

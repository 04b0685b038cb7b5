/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Chooses the place of a probe in a function (see probe_placement.h). */
#include "source/probe/probe_placement.h"

#include "source/probe/arch/probe_arch.h"
#include "unwind/arch/instruction.h"

#define MAX_MOVED 8 /* instructions */

const char *probe_cost_name(enum probe_cost cost)
{
	static const char *const name[] = {
		[PROBE_COST_EMULATED] = "emulated",
		[PROBE_COST_STEPPED] = "single-stepped",
		[PROBE_COST_UNKNOWN] = "of unknown cost",
		[PROBE_COST_REFUSED] = "not to be probed",
	};

	return name[cost];
}

/* Whether nothing jumps behind the function's first byte, up to `last`. NULL, or why not. */
static const char *jumped_to(const struct probe_code *part, const struct probe_code *function,
			     uint32_t last)
{
	for (size_t at = 0; at < part->len;) {
		struct instruction decoded;
		uint64_t target;

		if (!instruction_decode(part->code + at, part->len - at, &decoded))
			return "its code cannot be decoded";
		target = part->address + at + (uint64_t)decoded.target;
		if (decoded.kind == INSTRUCTION_JUMP && !decoded.has_target &&
		    probe_arch_is_switch(part->code + at, decoded.len, function))
			return "it jumps through a table";
		if (decoded.has_target && target > function->address &&
		    target <= function->address + last)
			return "it jumps back to there";
		at += decoded.len;
	}
	return NULL;
}

static uint32_t cheapest(const struct probe_code *function, enum probe_cost *cost)
{
	uint32_t at = 0, best = 0;

	for (unsigned i = 0; i < MAX_MOVED && *cost != PROBE_COST_EMULATED; i++) {
		const uint8_t *code = function->code + at;
		size_t left = function->len - at;
		struct instruction decoded;
		enum probe_cost here;

		if (!probe_arch_is_neutral(code, left) ||
		    !instruction_decode(code, left, &decoded) || decoded.len >= left)
			break;
		at += decoded.len;
		here = probe_cost(function->code + at, left - decoded.len, NULL);
		if (here < *cost) {
			*cost = here;
			best = at;
		}
	}
	return best;
}

bool probe_is_start(const struct probe_code *function, uint64_t offset, uint64_t ret[2])
{
	struct instruction decoded;

	ret[0] = ret[1] = 0;
	while (ret[1] < offset) {
		if (!instruction_decode(function->code + ret[1], function->len - ret[1], &decoded))
			return false;
		ret[0] = ret[1];
		ret[1] += decoded.len;
	}
	return ret[1] == offset && offset < function->len;
}

enum probe_cost probe_cost(const uint8_t *code, size_t len, const char **ret_instruction)
{
	const char *instruction;

	return probe_arch_cost(code, len, ret_instruction ? ret_instruction : &instruction);
}

void probe_place(const struct probe_code *part, size_t count, struct probe_placement *ret)
{
	const struct probe_code *function = &part[0];
	enum probe_cost cost;
	uint32_t best;

	*ret = (struct probe_placement){ 0 };
	ret->cost = cost = probe_cost(function->code, function->len, &ret->instruction);
	best = cheapest(function, &cost);
	for (size_t i = 0; best && !ret->stays && i < count; i++)
		ret->stays = jumped_to(&part[i], function, best);
	if (!best || ret->stays)
		return;
	ret->offset = best;
	ret->cost = probe_cost(function->code + best, function->len - best, &ret->instruction);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See probe_flow.h. */
#include "source/probe/probe_flow.h"

#include "source/probe/arch/probe_arch.h"
#include "source/probe/probe_placement.h"
#include "unwind/arch/instruction.h"

struct reading {
	struct probe_flow *flow;
	const struct probe_code *part;
	size_t parts;
};

static bool is_inside(const struct reading *reading, uint64_t address)
{
	for (size_t i = 0; i < reading->parts; i++)
		if (address - reading->part[i].address < reading->part[i].len)
			return true;
	return false;
}

static void take_direct_jump(struct reading *reading, uint64_t address,
			     const struct instruction *decoded)
{
	const struct probe_jump jump = { address, address + (uint64_t)decoded->target,
					 decoded->kind == INSTRUCTION_BRANCH };

	if (!is_inside(reading, jump.target))
		vec_push(&reading->flow->jumps, jump);
}

/* A jump through a table of the function stays in it. */
static void take_indirect_jump(struct reading *reading, uint64_t address, const uint8_t *code,
			       size_t len)
{
	if (!probe_arch_is_switch(code, len, reading->part))
		vec_push(&reading->flow->indirect, address);
	else if (!probe_arch_is_marked(code, len))
		vec_push(&reading->flow->doubtful, address);
}

static void take(struct reading *reading, uint64_t address, const uint8_t *code,
		 const struct instruction *decoded)
{
	struct probe_flow *flow = reading->flow;

	switch (decoded->kind) {
	case INSTRUCTION_RETURN:
		vec_push(&flow->returns, address);
		break;
	case INSTRUCTION_CALL:
		if (decoded->has_target)
			vec_push(&flow->calls, address + (uint64_t)decoded->target);
		else
			flow->calls_unknown = true;
		break;
	case INSTRUCTION_JUMP:
	case INSTRUCTION_BRANCH:
		if (decoded->has_target)
			take_direct_jump(reading, address, decoded);
		else
			take_indirect_jump(reading, address, code, decoded->len);
		break;
	default:
		break;
	}
}

/* Calls at the end are of functions that do not return. */
static bool goes_on_behind(const struct instruction *last)
{
	return last->kind != INSTRUCTION_RETURN && last->kind != INSTRUCTION_JUMP &&
	       last->kind != INSTRUCTION_STOP && last->kind != INSTRUCTION_CALL;
}

static bool read_part(struct reading *reading, const struct probe_code *part)
{
	struct instruction last = { .kind = INSTRUCTION_STOP };

	for (size_t at = 0; at < part->len;) {
		struct instruction decoded;

		if (!instruction_decode(part->code + at, part->len - at, &decoded))
			return false;
		take(reading, part->address + at, part->code + at, &decoded);
		if (!probe_arch_is_neutral(part->code + at, part->len - at))
			last = decoded;
		at += decoded.len;
	}
	reading->flow->goes_on |= goes_on_behind(&last);
	return true;
}

bool probe_flow_read(const struct probe_code *part, size_t count, struct probe_flow *ret)
{
	struct reading reading = { ret, part, count };

	*ret = (struct probe_flow){ 0 };
	for (size_t i = 0; i < count; i++)
		if (!read_part(&reading, &part[i]))
			return false;
	return true;
}

void probe_flow_done(struct probe_flow *flow)
{
	vec_done(&flow->returns);
	vec_done(&flow->calls);
	vec_done(&flow->jumps);
	vec_done(&flow->indirect);
	vec_done(&flow->doubtful);
	*flow = (struct probe_flow){ 0 };
}

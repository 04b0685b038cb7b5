/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Code behind a call is reached only if the callee returns, which a stripped file does not say: it
 * may be another function, or a part of one with another stack. So what was followed is kept only
 * if it is *sure*: reached from a function's start without a call that may not return; or if it
 * *confirms* itself: it leads to a return with the stack of a function's start, or into sure code
 * with the same stack. A function returns if such a path from its start does; an import does if
 * code that only a call of it leads to confirms itself. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "unwind/arch/arch.h"
#include "unwind/bare/code_flow.h"

#define SURE	  1u
#define CONFIRMED 2u
#define LABEL	  4u /* a jump leads there, or a function starts */
#define PLAIN	  8u /* the next instruction follows, with the same stack */

/* What is not confirmed by then is given up; so the work stays linear. */
#define ROUNDS 8
#define SWEEPS 4

struct confirm {
	struct code_flow *flow;
	uint8_t *marks;	       /* of bytes at which instructions start */
	struct map returning;  /* callees, by key_of() */
	VEC(uint32_t) open;    /* not confirmed yet, ascending */
	VEC(uint32_t) reached; /* sure, to be followed */
	VEC(uint32_t) calls;   /* sure ones of callees that may not return */
	VEC(uint32_t) tails;   /* jumps from function to function */
	bool changed;
};

struct site {
	uint32_t at, next, target; /* FLOW_NONE = outside, or nowhere */
	struct instruction instruction;
	struct code_state before, after;
	bool is_entry; /* the stack is that of a function's start */
};

static struct code_state state_at(const struct code_flow *flow, uint32_t at)
{
	return flow->states.item[flow->state[at] - FLOW_STATES];
}

/* Where the next instruction starts; FLOW_NONE = it is the last one of its gap. */
static uint32_t next_of(const struct flow_gap *gap, uint32_t at, uint32_t len)
{
	return len < gap->len - (at - gap->first) ? at + len : FLOW_NONE;
}

static void look_plain(const struct code_flow *flow, const struct flow_gap *gap, struct site *ret)
{
	uint32_t len = 1;

	while (ret->at + len < flow->bytes && flow->state[ret->at + len] == FLOW_INSIDE)
		len++;
	ret->next = next_of(gap, ret->at, len);
	ret->after = ret->before;
}

static bool look(const struct confirm *c, uint32_t at, struct site *ret)
{
	const struct code_flow *flow = c->flow;
	const struct flow_gap *gap = code_flow_gap(flow, at);
	uint32_t offset = at - gap->first;
	struct instruction *instruction = &ret->instruction;

	*ret = (struct site){ .at = at, .next = FLOW_NONE, .target = FLOW_NONE };
	ret->before = state_at(flow, at);
	ret->is_entry = ret->before.depth == ARCH_ENTRY_CFA;
	if (c->marks[at] & PLAIN) {
		look_plain(flow, gap, ret);
		return true;
	}
	if (!instruction_decode(gap->code + offset, gap->len - offset, instruction))
		return false;
	if (instruction->has_target)
		ret->target =
			code_flow_index(flow, gap->addr + offset + (uint64_t)instruction->target);
	ret->next = next_of(gap, at, instruction->len);
	if (instruction->kind == INSTRUCTION_CALL && instruction->has_target &&
	    instruction->target == instruction->len)
		instruction->kind = INSTRUCTION_PUSH; /* its own address */
	ret->after = code_state_after(ret->before, instruction);
	return true;
}

/* Whether code was followed with the stack that this way to it leaves. */
static bool agrees(const struct code_flow *flow, uint32_t at, const struct code_state *state)
{
	struct code_state known;

	if (at == FLOW_NONE || flow->state[at] < FLOW_STATES)
		return false;
	known = state_at(flow, at);
	return known.depth == state->depth || (known.depth < 0 && known.base == state->base);
}

static void reach(struct confirm *c, uint32_t at, const struct code_state *state)
{
	if (!agrees(c->flow, at, state) || c->marks[at] & SURE)
		return;
	c->marks[at] |= SURE;
	c->changed = true;
	vec_push(&c->reached, at);
}

/* The slot of an import, or the function itself. 0 = not known: through a pointer. */
static uint64_t key_of(const struct code_flow *flow, const struct site *site)
{
	const struct flow_gap *gap = code_flow_gap(flow, site->at);
	uint64_t here = gap->addr + (site->at - gap->first), slot;

	if (site->target != FLOW_NONE)
		return code_flow_stub(flow, site->target, &slot) ? slot << 1 | 1
								 : (uint64_t)site->target << 1;
	if (site->instruction.has_target)
		return (here + (uint64_t)site->instruction.target) << 1 | 1;
	if (site->instruction.has_address)
		return (here + (uint64_t)site->instruction.address) << 1 | 1;
	return 0;
}

/* What is behind the call may be something else: a label, or another function. */
static bool may_end_here(const struct confirm *c, const struct site *site)
{
	return c->marks[site->next] & LABEL ||
	       code_flow_may_start(code_flow_gap(c->flow, site->next), site->next);
}

static void set_returning(struct confirm *c, uint64_t key)
{
	bool added;

	*map_add(&c->returning, key, &added) = 1;
	c->changed |= added;
}

static bool returns(const struct confirm *c, const struct site *site)
{
	uint64_t ignored;

	return map_get(&c->returning, key_of(c->flow, site), &ignored);
}

static const struct flow_unit *unit_of(const struct confirm *c, const struct site *site)
{
	return &c->flow->units.item[c->flow->owner[site->at]];
}

/* The function that the code belongs to returns here. */
static void note_return(struct confirm *c, const struct site *site)
{
	if (site->is_entry)
		set_returning(c, (uint64_t)unit_of(c, site)->entry << 1);
}

/* A jump to another function, or through a pointer, with the stack of a start. */
static void note_tail(struct confirm *c, const struct site *site)
{
	if (!site->is_entry || (site->target == FLOW_NONE && !key_of(c->flow, site)) ||
	    returns(c, site))
		note_return(c, site);
	else
		vec_push(&c->tails, site->at);
}

/* What is behind the call confirms itself. That says that an import returns, unless it is a label
 * of something else. */
static void note_import(struct confirm *c, const struct site *site)
{
	uint64_t key = key_of(c->flow, site);

	if (key & 1 && !code_flow_may_exit(c->flow, key >> 1) && !may_end_here(c, site) &&
	    unit_of(c, site)->indirect[0] == FLOW_UNSEEN)
		set_returning(c, key);
}

static void reach_callee(struct confirm *c, const struct site *site)
{
	const struct code_state start = code_state_entry();

	if (site->target != FLOW_NONE)
		reach(c, site->target, &start);
}

static void follow_call(struct confirm *c, const struct site *site)
{
	reach_callee(c, site);
	if (returns(c, site))
		reach(c, site->next, &site->after);
	else
		vec_push(&c->calls, site->at);
}

static void note_end(struct confirm *c, const struct site *site)
{
	uint64_t callee;

	if (site->instruction.kind == INSTRUCTION_RETURN)
		note_return(c, site);
	else if (site->instruction.kind == INSTRUCTION_JUMP && site->is_entry &&
		 (site->target == FLOW_NONE || code_flow_stub(c->flow, site->target, &callee) ||
		  map_get(&c->flow->unit_at, site->target, &callee)))
		note_tail(c, site);
}

static void follow(struct confirm *c, uint32_t at)
{
	struct site site;

	if (!look(c, at, &site))
		return;
	switch ((enum instruction_kind)site.instruction.kind) {
	case INSTRUCTION_RETURN:
		note_end(c, &site);
		break;
	case INSTRUCTION_STOP:
		break;
	case INSTRUCTION_CALL:
		follow_call(c, &site);
		break;
	case INSTRUCTION_JUMP:
		reach(c, site.target, &site.after);
		note_end(c, &site);
		break;
	case INSTRUCTION_BRANCH:
		reach(c, site.target, &site.after);
		reach(c, site.next, &site.after);
		break;
	default:
		reach(c, site.next, &site.after);
	}
}

static void follow_all(struct confirm *c)
{
	while (c->reached.count)
		follow(c, c->reached.item[--c->reached.count]);
}

/* Calls that turned out to return. */
static void retry_calls(struct confirm *c)
{
	size_t count = c->calls.count;

	for (size_t i = 0; i < count; i++) {
		struct site site;

		if (look(c, c->calls.item[i], &site) && agrees(c->flow, site.next, &site.after) &&
		    c->marks[site.next] & CONFIRMED)
			note_import(c, &site);
	}
	c->calls.count = 0;
	for (size_t i = 0; i < count; i++)
		follow(c, c->calls.item[i]); /* puts it back, at a place that was read already */
	count = c->tails.count;
	c->tails.count = 0;
	for (size_t i = 0; i < count; i++) {
		struct site site;

		if (look(c, c->tails.item[i], &site))
			note_tail(c, &site);
	}
}

static bool is_good(const struct confirm *c, uint32_t at, const struct code_state *state)
{
	return agrees(c->flow, at, state) && c->marks[at] & (SURE | CONFIRMED);
}

static bool confirms(const struct confirm *c, const struct site *site)
{
	uint64_t ignored;

	switch ((enum instruction_kind)site->instruction.kind) {
	case INSTRUCTION_RETURN:
		return site->is_entry;
	case INSTRUCTION_STOP:
		return false;
	case INSTRUCTION_JUMP:
		if (site->target == FLOW_NONE ||
		    map_get(&c->flow->unit_at, site->target, &ignored) ||
		    code_flow_stub(c->flow, site->target, &ignored))
			return site->is_entry;
		return is_good(c, site->target, &site->after);
	case INSTRUCTION_BRANCH:
		return is_good(c, site->target, &site->after) ||
		       is_good(c, site->next, &site->after);
	case INSTRUCTION_CALL:
		return is_good(c, site->next, &site->after) &&
		       (returns(c, site) || !may_end_here(c, site));
	default:
		return is_good(c, site->next, &site->after);
	}
}

/* Backwards, as most paths lead forwards. False: nothing new. */
static bool sweep(struct confirm *c)
{
	size_t kept = c->open.count;

	for (size_t i = c->open.count; i--;) {
		uint32_t at = c->open.item[i];
		struct site site;

		if (!look(c, at, &site) || !confirms(c, &site)) {
			c->open.item[--kept] = at;
			continue;
		}
		c->marks[at] |= CONFIRMED;
		if (site.instruction.kind == INSTRUCTION_CALL)
			note_import(c, &site);
		reach(c, at, &site.before);
	}
	if (!kept)
		return false;
	memmove(c->open.item, c->open.item + kept, (c->open.count - kept) * sizeof(*c->open.item));
	c->open.count -= kept;
	return true;
}

/* Functions that the file names, with their ends, hold no others. */
static bool is_named(const struct code_flow *flow, uint32_t at)
{
	const struct flow_unit *unit = &flow->units.item[flow->owner[at]];

	return at >= unit->entry && at < unit->end;
}

static void note_marks(struct confirm *c)
{
	struct site site;

	for (uint32_t at = 0; at < c->flow->bytes; at++) {
		if (c->flow->state[at] < FLOW_STATES || !look(c, at, &site))
			continue;
		if (site.instruction.kind == INSTRUCTION_PLAIN)
			c->marks[at] |= PLAIN;
		else if ((site.instruction.kind == INSTRUCTION_BRANCH ||
			  site.instruction.kind == INSTRUCTION_JUMP) &&
			 site.target != FLOW_NONE)
			c->marks[site.target] |= LABEL;
	}
	for (size_t i = 0; i < c->flow->units.count; i++)
		c->marks[c->flow->units.item[i].entry] |= LABEL;
}

static void start(struct confirm *c)
{
	for (uint32_t at = 0; at < c->flow->bytes; at++) {
		if (c->flow->state[at] < FLOW_STATES || !is_named(c->flow, at))
			continue;
		c->marks[at] |= SURE;
		follow(c, at);
	}
	for (size_t i = 0; i < c->flow->units.count; i++) {
		const struct flow_unit *unit = &c->flow->units.item[i];
		uint32_t at = unit->entry;

		if (unit->is_start && c->flow->state[at] >= FLOW_STATES && !(c->marks[at] & SURE)) {
			c->marks[at] |= SURE;
			vec_push(&c->reached, at);
		}
	}
	follow_all(c);
}

static bool all_named(const struct code_flow *flow)
{
	for (uint32_t at = 0; at < flow->bytes; at++)
		if (flow->state[at] >= FLOW_STATES && !is_named(flow, at))
			return false;
	return true;
}

/* False: all is sure. */
static bool find_open(struct confirm *c)
{
	bool ret = false;

	for (uint32_t at = 0; at < c->flow->bytes; at++)
		if (c->flow->state[at] >= FLOW_STATES) {
			vec_push(&c->open, at);
			ret |= !(c->marks[at] & SURE);
		}
	return ret;
}

static void run_rounds(struct confirm *c)
{
	for (unsigned i = 0; i < ROUNDS; i++) {
		c->changed = false;
		for (unsigned j = 0; j < SWEEPS && sweep(c); j++)
			c->changed = true;
		retry_calls(c);
		follow_all(c);
		if (!c->changed)
			break;
	}
}

void code_flow_confirm(struct code_flow *flow)
{
	struct confirm c = { .flow = flow };

	if (all_named(flow))
		return;
	c.marks = mem_zalloc(flow->bytes);
	note_marks(&c);
	start(&c);
	if (find_open(&c))
		run_rounds(&c);
	for (uint32_t at = 0; at < flow->bytes; at++)
		if (flow->state[at] >= FLOW_STATES && !(c.marks[at] & (SURE | CONFIRMED)) &&
		    state_at(flow, at).depth != CODE_ROOT)
			flow->state[at] = FLOW_FAILED;
	free(c.marks);
	map_done(&c.returning);
	vec_done(&c.open);
	vec_done(&c.reached);
	vec_done(&c.calls);
	vec_done(&c.tails);
}

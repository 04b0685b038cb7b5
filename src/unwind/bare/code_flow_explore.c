/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The paths through code (see code_flow.h). */
#include "unwind/arch/arch.h"
#include "unwind/bare/code_flow.h"

static const struct code_state *state_of(const struct code_flow *flow, uint16_t index)
{
	return &flow->states.item[index - FLOW_STATES];
}

static void push_work(struct code_flow *flow, uint32_t at, uint32_t unit, uint16_t state,
		      bool after_call)
{
	vec_push(&flow->work, ((struct flow_work){ at, unit, state, after_call }));
}

/* The function returns: the paths that wait for that go on. */
void code_flow_set_returns(struct code_flow *flow, uint32_t unit)
{
	VEC(uint32_t) list = { 0 };

	vec_push(&list, unit);
	while (list.count) {
		struct flow_unit *one = &flow->units.item[list.item[--list.count]];
		uint32_t next = one->waiters;

		if (one->returns)
			continue;
		one->returns = true;
		one->waiters = FLOW_NONE;
		for (; next != FLOW_NONE; next = flow->waiters.item[next].next) {
			const struct flow_waiter *waiter = &flow->waiters.item[next];

			if (waiter->at == FLOW_NONE)
				vec_push(&list, waiter->unit);
			else
				push_work(flow, waiter->at, waiter->unit, waiter->state, true);
		}
	}
	vec_done(&list);
}

static void wait_for(struct code_flow *flow, uint32_t callee, struct flow_waiter waiter)
{
	struct flow_unit *unit = &flow->units.item[callee];

	if (unit->returns) {
		if (waiter.at == FLOW_NONE)
			code_flow_set_returns(flow, waiter.unit);
		else
			push_work(flow, waiter.at, waiter.unit, waiter.state, true);
		return;
	}
	waiter.next = unit->waiters;
	unit->waiters = (uint32_t)flow->waiters.count;
	vec_push(&flow->waiters, waiter);
}

void code_flow_join(struct code_flow *flow, uint32_t unit, uint32_t with)
{
	uint32_t x = code_flow_group(flow, with), y = code_flow_group(flow, unit);

	if (flow->trying) {
		flow->anchored = true;
		vec_push(&flow->met, with);
		return;
	}
	wait_for(flow, with, (struct flow_waiter){ 0, FLOW_NONE, unit, 0 });
	if (x == y)
		return;
	flow->units.item[y].parent = x;
	flow->units.item[x].bad |= flow->units.item[y].bad;
}

static void contradict(struct code_flow *flow, uint32_t unit)
{
	if (flow->trying)
		flow->contradicts = true;
	else
		flow->units.item[code_flow_group(flow, unit)].bad = true;
}

static bool is_entry(const struct code_flow *flow, uint16_t index)
{
	const struct code_state entry = code_state_entry();

	return index >= FLOW_STATES && code_state_equal(state_of(flow, index), &entry);
}

/* At the end of a function the stack is as at its start. What is unknown is no contradiction, nor
 * is in assembly a frame pointer that was not restored. */
static bool may_end(const struct code_flow *flow, uint16_t index)
{
	const struct code_state *state = state_of(flow, index);

	return state->depth < 0 ||
	       (state->depth == ARCH_ENTRY_CFA && (!flow->trying || !state->bp_saved));
}

static bool surely_ends(const struct code_flow *flow, uint16_t index)
{
	return is_entry(flow, index);
}

/* Leaves the function; whether that agrees with how it was entered. */
static bool end(struct code_flow *flow, const struct flow_work *from)
{
	if (!may_end(flow, from->state)) {
		contradict(flow, from->unit);
		return false;
	}
	flow->anchored |= surely_ends(flow, from->state);
	return true;
}

uint32_t code_flow_function(struct code_flow *flow, uint32_t entry)
{
	struct code_state start = code_state_entry();
	uint64_t unit;

	if (map_get(&flow->unit_at, entry, &unit))
		return (uint32_t)unit;
	unit = code_flow_add(flow, entry, 0);
	map_set(&flow->unit_at, entry, unit);
	push_work(flow, entry, (uint32_t)unit, code_flow_intern(flow, &start), false);
	return (uint32_t)unit;
}

/* Whether a slot is filled with a function that does not return. */
static bool exits_by_slot(const struct code_flow *flow, uint64_t slot)
{
	uint64_t how;

	return map_get(&flow->starts->exits, slot, &how) && how == CODE_EXITS;
}

bool code_flow_may_exit(const struct code_flow *flow, uint64_t slot)
{
	uint64_t ignored;

	return map_get(&flow->starts->exits, slot, &ignored);
}

/* A jump or fall into what was seen before. */
static void meet(struct code_flow *flow, const struct flow_work *work, uint16_t *goes_on)
{
	uint16_t seen = flow->state[work->at];
	uint32_t owner = flow->owner[work->at];
	struct code_state merged;

	*goes_on = FLOW_UNSEEN;
	if (seen == work->state) {
		if (owner != work->unit)
			code_flow_join(flow, work->unit, owner);
		return;
	}
	if (seen < FLOW_STATES || flow->trying) {
		/* the call before it does not return */
		if (!work->after_call || owner == work->unit)
			contradict(flow, work->unit);
		return;
	}
	if (owner != work->unit)
		code_flow_join(flow, work->unit, owner);
	if (!code_state_merge(state_of(flow, seen), state_of(flow, work->state), &merged))
		contradict(flow, work->unit);
	else
		*goes_on = code_flow_intern(flow, &merged);
	if (*goes_on == seen)
		*goes_on = FLOW_UNSEEN;
	else if (*goes_on >= FLOW_STATES)
		flow->state[work->at] = *goes_on;
}

/* Marks the bytes of an instruction; false if another one overlaps it. */
static bool claim(struct code_flow *flow, const struct flow_work *work, uint32_t len)
{
	for (uint32_t i = 1; i < len; i++)
		if (flow->state[work->at + i] != FLOW_UNSEEN)
			return false;
	for (uint32_t i = 0; i < len; i++) {
		flow->state[work->at + i] = i ? FLOW_INSIDE : work->state;
		flow->owner[work->at + i] = work->unit;
	}
	if (flow->trying)
		vec_push(&flow->tried, work->at);
	return true;
}

/* Where an instruction of a gap leads. */
struct transfer {
	struct flow_work from; /* its state is that before the instruction */
	struct instruction instruction;
	const struct flow_gap *gap;
	uint16_t after;
};

static uint64_t address_of(const struct transfer *t, int64_t relative)
{
	return t->gap->addr + (t->from.at - t->gap->first) + (uint64_t)relative;
}

/* Through a table of labels, the first of which is mostly next, or to a function. */
static void jump_indirect(struct code_flow *flow, const struct transfer *t)
{
	uint16_t *indirect = flow->units.item[t->from.unit].indirect;

	code_flow_set_returns(flow, t->from.unit);
	if (t->instruction.has_address && surely_ends(flow, t->from.state)) {
		flow->anchored = true; /* through an import's slot */
		return;
	}
	if (flow->trying && flow->tries_labels &&
	    t->from.at + t->instruction.len < flow->units.item[t->from.unit].end)
		push_work(flow, t->from.at + t->instruction.len, t->from.unit, t->from.state,
			  false);
	for (size_t i = 0; i < FLOW_INDIRECT; i++) {
		if (indirect[i] == FLOW_UNSEEN)
			indirect[i] = t->from.state;
		if (indirect[i] == t->from.state)
			return;
	}
}

bool code_flow_stub(const struct code_flow *flow, uint32_t target, uint64_t *slot)
{
	const struct flow_gap *gap = code_flow_gap(flow, target);
	struct instruction instruction;
	uint32_t at = target - gap->first;

	for (unsigned i = 0; i < 2 && at < gap->len; i++) {
		if (!instruction_decode(gap->code + at, gap->len - at, &instruction))
			return false;
		if (instruction.kind == INSTRUCTION_JUMP) {
			*slot = gap->addr + at + (uint64_t)instruction.address;
			return instruction.has_address;
		}
		at += instruction.len; /* endbr64 */
	}
	return false;
}

static void jump(struct code_flow *flow, const struct transfer *t)
{
	uint32_t target = code_flow_index(flow, address_of(t, t->instruction.target));
	uint64_t callee, slot = 0;

	if (target == FLOW_NONE || code_flow_stub(flow, target, &slot)) {
		if (end(flow, &t->from) && !exits_by_slot(flow, slot))
			code_flow_set_returns(flow, t->from.unit);
	} else if (map_get(&flow->unit_at, target, &callee) && callee != t->from.unit) {
		if (end(flow, &t->from))
			wait_for(flow, (uint32_t)callee,
				 (struct flow_waiter){ 0, FLOW_NONE, t->from.unit, 0 });
	} else {
		push_work(flow, target, t->from.unit, t->from.state, false);
	}
}

static bool call_exits(const struct code_flow *flow, const struct transfer *t, uint32_t target)
{
	uint64_t slot;

	if (!t->instruction.has_target)
		return t->instruction.has_address &&
		       exits_by_slot(flow, address_of(t, t->instruction.address));
	return target != FLOW_NONE && code_flow_stub(flow, target, &slot) &&
	       exits_by_slot(flow, slot);
}

bool code_flow_may_start(const struct flow_gap *gap, uint32_t at)
{
	uint32_t offset = at - gap->first;
	struct arch_code code = { gap->code, gap->code + offset, gap->code + gap->len };

	return (gap->addr + offset) % 16 == 0 || arch_padding(&code);
}

/* Another function may start behind the call, if it does not return: that is tried later. */
static bool may_be_last(const struct transfer *t)
{
	return code_flow_may_start(t->gap, t->from.at + t->instruction.len);
}

/* While trying: a function that is not known yet is tried first. */
static void call_untried(struct code_flow *flow, const struct transfer *t, uint32_t target)
{
	uint64_t settled = FLOW_OPEN;

	(void)map_get(&flow->settled, target, &settled);
	if (settled == FLOW_OPEN)
		vec_push(&flow->unsettled, target);
	else if (settled == FLOW_SETTLING && !may_be_last(t))
		push_work(flow, t->from.at + t->instruction.len, t->from.unit, t->after, true);
}

/* Compilers align the stack to 16 bytes at calls, but for functions of their own that need not. */
static void note_alignment(struct code_flow *flow, uint16_t state, bool own)
{
	int32_t depth = state_of(flow, state)->depth;

	flow->calls_aligned |= depth >= 0 && depth % 16 == 0;
	flow->calls_askew |= depth >= 0 && depth % 16 != 0 && !own;
	flow->calls_own_askew |= depth >= 0 && depth % 16 != 0 && own;
}

static void call(struct code_flow *flow, const struct transfer *t)
{
	uint32_t next = t->from.at + t->instruction.len, target = FLOW_NONE, callee;
	uint64_t known, slot;

	if (t->instruction.has_target)
		target = code_flow_index(flow, address_of(t, t->instruction.target));
	note_alignment(flow, t->from.state,
		       target != FLOW_NONE && map_get(&flow->unit_at, target, &known) &&
			       flow->units.item[known].returns &&
			       !code_flow_stub(flow, target, &slot));
	if (call_exits(flow, t, target))
		return;
	if (target == FLOW_NONE || code_flow_stub(flow, target, &known)) {
		if (!may_be_last(t))
			push_work(flow, next, t->from.unit, t->after, true);
		return;
	}
	if (flow->trying && !map_get(&flow->unit_at, target, &known)) {
		call_untried(flow, t, target);
		return;
	}
	callee = code_flow_function(flow, target);
	wait_for(flow, callee, (struct flow_waiter){ 0, next, t->from.unit, t->after });
}

bool code_flow_callee(const struct code_flow *flow, const struct flow_gap *gap, uint32_t at,
		      uint32_t *ret)
{
	struct transfer t = { .from.at = at, .gap = gap };
	uint32_t offset = at - gap->first;
	uint64_t slot;

	if (!instruction_decode(gap->code + offset, gap->len - offset, &t.instruction) ||
	    t.instruction.kind != INSTRUCTION_CALL || !t.instruction.has_target ||
	    t.instruction.target == t.instruction.len)
		return false;
	*ret = code_flow_index(flow, address_of(&t, t.instruction.target));
	return *ret != FLOW_NONE && !code_flow_stub(flow, *ret, &slot);
}

static void end_function(struct code_flow *flow, const struct transfer *t)
{
	if (t->instruction.value)
		contradict(flow, t->from.unit);
	else if (end(flow, &t->from))
		code_flow_set_returns(flow, t->from.unit);
}

/* A call of the next instruction only pushes its address. */
static bool pushes_pc(const struct instruction *instruction)
{
	return instruction->kind == INSTRUCTION_CALL && instruction->has_target &&
	       instruction->target == instruction->len;
}

/* Follows an instruction that does not just go on to the next one. */
static bool follow(struct code_flow *flow, struct transfer *t)
{
	switch ((enum instruction_kind)t->instruction.kind) {
	case INSTRUCTION_CALL:
		call(flow, t);
		return true;
	case INSTRUCTION_JUMP:
		if (t->instruction.has_target)
			jump(flow, t);
		else
			jump_indirect(flow, t);
		return true;
	case INSTRUCTION_RETURN:
		end_function(flow, t);
		return true;
	case INSTRUCTION_STOP:
		return true;
	case INSTRUCTION_BRANCH:
		jump(flow, t);
		return false;
	default:
		return false;
	}
}

static uint16_t root_state(struct code_flow *flow)
{
	struct code_state root = { .depth = CODE_ROOT };

	return code_flow_intern(flow, &root);
}

/* The call with which musl's clone() starts a thread's function: nothing called this. */
static bool starts_thread(const struct transfer *t)
{
	const uint8_t *start = t->gap->code, *end = start + t->gap->len;
	struct arch_code code = { start, start + (t->from.at - t->gap->first) + t->instruction.len,
				  end };

	return t->instruction.kind == INSTRUCTION_CALL && arch_thread_start(&code);
}

static uint16_t state_after(struct code_flow *flow, const struct transfer *t)
{
	struct instruction instruction = t->instruction;
	struct code_state state;

	if (instruction.kind == INSTRUCTION_PLAIN || instruction.kind == INSTRUCTION_BRANCH)
		return t->from.state;
	if (instruction.kind == INSTRUCTION_CALL || instruction.kind == INSTRUCTION_JUMP) {
		if (!pushes_pc(&instruction))
			return t->from.state;
		instruction.kind = INSTRUCTION_PUSH;
	}
	state = code_state_after(*state_of(flow, t->from.state), &instruction);
	return code_flow_intern(flow, &state);
}

/* Off the stack: the return address and more. */
static bool takes_too_much(const struct code_flow *flow, const struct transfer *t)
{
	return (t->instruction.kind == INSTRUCTION_POP || t->instruction.kind == INSTRUCTION_ADD) &&
	       state_of(flow, t->from.state)->depth >= 0 && state_of(flow, t->after)->depth < 0;
}

/* A fall into the start of another function: in assembly, or after a call that does not return. */
static bool falls_into_function(struct code_flow *flow, const struct flow_work *work)
{
	uint64_t unit;

	if (!map_get(&flow->unit_at, work->at, &unit) || unit == work->unit)
		return false;
	if (!work->after_call && !is_entry(flow, work->state))
		contradict(flow, work->unit);
	if (!work->after_call)
		wait_for(flow, (uint32_t)unit, (struct flow_waiter){ 0, FLOW_NONE, work->unit, 0 });
	return true;
}

static bool is_padding(const struct transfer *t)
{
	const uint8_t *start = t->gap->code;
	struct arch_code code = { start, start + (t->from.at - t->gap->first),
				  start + t->gap->len };

	return arch_padding(&code);
}

/* One instruction; true: work is the next one in line. */
static bool step(struct code_flow *flow, struct flow_work *work)
{
	struct transfer t = { .gap = code_flow_gap(flow, work->at) };
	uint32_t at = work->at - t.gap->first;
	uint16_t goes_on;

	if (work->state < FLOW_STATES) {
		contradict(flow, work->unit);
		return false;
	}
	if (falls_into_function(flow, work))
		return false;
	if (!instruction_decode(t.gap->code + at, t.gap->len - at, &t.instruction)) {
		contradict(flow, work->unit);
		return false;
	}
	if (flow->state[work->at] != FLOW_UNSEEN) {
		meet(flow, work, &goes_on);
		if (goes_on < FLOW_STATES)
			return false;
		work->state = goes_on;
	} else if (!claim(flow, work, t.instruction.len)) {
		contradict(flow, work->unit);
		return false;
	}
	t.from = *work;
	if (starts_thread(&t)) {
		flow->state[work->at] = root_state(flow);
		return false;
	}
	t.after = state_after(flow, &t);
	if (t.after < FLOW_STATES || takes_too_much(flow, &t)) {
		contradict(flow, work->unit);
		return false;
	}
	if (!pushes_pc(&t.instruction) && follow(flow, &t))
		return false;
	work->at += t.instruction.len;
	work->state = t.after;
	work->after_call &= is_padding(&t);
	return at + t.instruction.len < t.gap->len;
}

void code_flow_explore(struct code_flow *flow, uint32_t at, uint32_t unit, uint16_t state)
{
	if (at != FLOW_NONE)
		push_work(flow, at, unit, state, false);
	while (flow->work.count) {
		struct flow_work work = flow->work.item[--flow->work.count];
		const struct flow_gap *gap;

		if (work.at >= flow->bytes || (flow->trying && flow->contradicts))
			continue;
		gap = code_flow_gap(flow, work.at);
		if (work.after_call && work.at == gap->first)
			continue; /* the call was the last one of its gap */
		while (step(flow, &work))
			if (flow->trying && !flow->budget--) {
				flow->budget = 0;
				flow->contradicts = true;
				break;
			}
	}
}

static void add_functions(struct code_flow *flow)
{
	for (size_t i = 0; i < flow->starts->functions.count; i++) {
		const struct code_function *function = &flow->starts->functions.item[i];
		uint32_t entry = code_flow_index(flow, function->start), unit;

		if (entry == FLOW_NONE)
			continue;
		unit = code_flow_add(flow, entry, 0);
		if (function->size && function->size < flow->bytes - entry)
			flow->units.item[unit].end = entry + (uint32_t)function->size;
		flow->units.item[unit].is_start = true;
		map_set(&flow->unit_at, entry, unit);
	}
}

void code_flow_run(struct code_flow *flow, uint64_t root)
{
	struct code_state start = code_state_entry();
	uint16_t entry = code_flow_intern(flow, &start), bottom = root_state(flow);
	uint32_t at = root ? code_flow_index(flow, root) : FLOW_NONE;
	size_t known;

	add_functions(flow);
	if (at != FLOW_NONE) {
		uint64_t unit;

		if (!map_get(&flow->unit_at, at, &unit)) {
			unit = code_flow_add(flow, at, 0);
			map_set(&flow->unit_at, at, unit);
		}
		flow->units.item[unit].is_start = true;
	}
	known = flow->units.count;
	for (size_t i = 0; i < known; i++)
		code_flow_explore(flow, flow->units.item[i].entry, (uint32_t)i,
				  flow->units.item[i].entry == at ? bottom : entry);
}

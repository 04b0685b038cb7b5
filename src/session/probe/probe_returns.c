/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See probe_returns.h. */
#include "session/probe/probe_returns.h"

#include "base/map.h"
#include "proc/elf_file.h"
#include "session/probe/probe_binary.h"
#include "source/probe/probe_flow.h"
#include "source/probe/probe_placement.h"
#include "unwind/table.h"

#define MAX_EXITS   512
#define MAX_VISITED 64 /* pieces of code */
#define MAX_DEPTH   8  /* jumps from function to function */

struct search {
	struct probe_binary *binary;
	const struct probe_code *part;
	size_t parts;
	VEC(struct probe_code) others; /* that were looked at */
	struct probe_returns *ret;
};

static bool holds(const struct probe_code *code, size_t count, uint64_t address)
{
	for (size_t i = 0; i < count; i++)
		if (address - code[i].address < code[i].len)
			return true;
	return false;
}

static bool is_own(const struct search *search, uint64_t address)
{
	return holds(search->part, search->parts, address);
}

static bool is_visited(const struct search *search, uint64_t address)
{
	return is_own(search, address) || holds(search->others.item, search->others.count, address);
}

/* The code at an address that the search has not seen; false: there is none, or it is too much. */
static bool visit(struct search *search, uint64_t address, struct probe_code *ret)
{
	if (search->others.count == MAX_VISITED ||
	    !probe_binary_code_at(search->binary, address, ret))
		return false;
	vec_push(&search->others, *ret);
	return true;
}

static bool row_at(const struct search *search, uint64_t address, struct cfi_vm *vm)
{
	struct unwind_place place = { 0 };
	struct cfi_fde fde;
	uint64_t vaddr;

	return elf_file_offset(search->binary->elf, address, &place.offset) &&
	       unwind_table_row(probe_binary_unwind(search->binary), place, &fde, vm, &vaddr) &&
	       vm->row.cfa.kind == CFI_REGISTER;
}

/* A jump while the function still has a frame goes through a table of its own. */
static bool stay_inside(const struct search *search, const struct probe_code *code,
			const struct probe_flow *flow)
{
	struct cfi_vm entry, here;

	if (!flow->doubtful.count)
		return true;
	if (!row_at(search, code->address, &entry))
		return false;
	for (size_t i = 0; i < flow->doubtful.count; i++)
		if (!row_at(search, flow->doubtful.item[i], &here) ||
		    (here.row.cfa.reg == entry.row.cfa.reg &&
		     here.row.cfa.value == entry.row.cfa.value))
			return false;
	return true;
}

static bool calls_known_only(struct search *search, const struct probe_code *part, size_t parts);

static bool leads_to_known(struct search *search, uint64_t target)
{
	struct probe_code code;

	if (target == search->part->address)
		return false; /* it calls itself */
	return is_visited(search, target) ||
	       (visit(search, target, &code) && calls_known_only(search, &code, 1));
}

/* Whether all that this code calls is in the file, and none of it is the function itself. */
static bool calls_known_only(struct search *search, const struct probe_code *part, size_t parts)
{
	struct probe_flow flow;
	bool known = probe_flow_read(part, parts, &flow) && !flow.calls_unknown && !flow.goes_on &&
		     !flow.indirect.count && stay_inside(search, part, &flow);

	for (size_t i = 0; known && i < flow.calls.count; i++)
		known = leads_to_known(search, flow.calls.item[i]);
	for (size_t i = 0; known && i < flow.jumps.count; i++)
		known = leads_to_known(search, flow.jumps.item[i].target);
	probe_flow_done(&flow);
	return known;
}

static bool add_exits(struct search *search, const struct probe_code *part, size_t parts,
		      unsigned depth);

/* Adds the exits of what is jumped to. */
static bool follow(struct search *search, uint64_t target, unsigned depth)
{
	size_t exits = search->ret->exits.count, others = search->others.count;
	struct probe_code code;

	if (is_visited(search, target))
		return true;
	if (depth < MAX_DEPTH && visit(search, target, &code) &&
	    add_exits(search, &code, 1, depth + 1))
		return true;
	search->ret->exits.count = exits;
	search->others.count = others;
	return false;
}

/* Only the function itself may end at jumps to anywhere. */
static bool add_jumps(struct search *search, const struct probe_flow *flow, unsigned depth)
{
	for (size_t i = 0; i < flow->jumps.count; i++) {
		const struct probe_jump *jump = &flow->jumps.item[i];

		if (follow(search, jump->target, depth))
			continue;
		if (depth || jump->conditional)
			return false;
		vec_push(&search->ret->jumps, jump->address);
	}
	for (size_t i = 0; i < flow->indirect.count; i++)
		vec_push(&search->ret->jumps, flow->indirect.item[i]);
	return !depth || !flow->indirect.count;
}

static bool can_be_probed(const struct search *search, uint64_t address)
{
	const uint8_t *code;
	size_t len;

	return elf_file_at(search->binary->elf, address, &code, &len) &&
	       probe_cost(code, len, NULL) != PROBE_COST_REFUSED;
}

static bool add_exits(struct search *search, const struct probe_code *part, size_t parts,
		      unsigned depth)
{
	struct probe_flow flow;
	bool sure = probe_flow_read(part, parts, &flow) && !flow.goes_on &&
		    stay_inside(search, part, &flow) &&
		    flow.returns.count + search->ret->exits.count <= MAX_EXITS;

	for (size_t i = 0; sure && i < flow.returns.count; i++) {
		sure = can_be_probed(search, flow.returns.item[i]);
		vec_push(&search->ret->exits, flow.returns.item[i]);
	}
	sure = sure && add_jumps(search, &flow, depth);
	probe_flow_done(&flow);
	return sure;
}

static enum probe_returns_way way_of(struct search *search)
{
	bool harmless = calls_known_only(search, search->part, search->parts);

	search->others.count = 0;
	if (harmless)
		return PROBE_RETURNS_ADDRESS;
	if (!add_exits(search, search->part, search->parts, 0))
		return PROBE_RETURNS_UNSURE;
	for (size_t i = 0; i < search->ret->jumps.count; i++)
		if (!can_be_probed(search, search->ret->jumps.item[i]))
			return PROBE_RETURNS_UNSURE;
	if (search->ret->jumps.count)
		return PROBE_RETURNS_JUMPS;
	return search->others.count ? PROBE_RETURNS_SHARED : PROBE_RETURNS_EXITS;
}

void probe_returns_find(struct probe_binary *binary, const struct probe_code *part, size_t parts,
			struct probe_returns *ret)
{
	struct search search = { .binary = binary, .part = part, .parts = parts, .ret = ret };

	*ret = (struct probe_returns){ 0 };
	ret->way = way_of(&search);
	vec_done(&search.others);
}

void probe_returns_done(struct probe_returns *returns)
{
	vec_done(&returns->exits);
	vec_done(&returns->jumps);
	*returns = (struct probe_returns){ 0 };
}

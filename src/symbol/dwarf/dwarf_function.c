// SPDX-License-Identifier: GPL-2.0-or-later
/* One pass over the DIEs of a unit (see dwarf_function.h): subprograms and inlined subroutines with
 * code become scopes, their ranges are cut into a sorted list where the innermost scope wins. DIEs
 * of types and variables are only stepped over. Format: DWARF 5, section 3.3. */
#include "symbol/dwarf/dwarf_function.h"

#include <dwarf.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/map.h"
#include "base/vec.h"
#include "symbol/demangle.h"
#include "symbol/dwarf/dwarf_range.h"
#include "symbol/dwarf/dwarf_unit.h"

/* Nesting of DIEs; inlining in C++ and Rust reaches about a hundred. */
#define MAX_DEPTH 1024
/* DIEs between an inlined function and its name: origin, specification, and the same again. */
#define MAX_HOPS 16

struct function {
	struct dwarf_file *file;
	uint64_t die;
	_Atomic(const char *) name; /* NULL = not looked up yet, "" = has none */
	_Atomic(char *) demangled;  /* what name points at, unless that is in the file */
};

struct dwarf_functions {
	VEC(struct dwarf_scope) scopes;
	VEC(struct function) list;
	struct dwarf_cuts cuts;	     /* owner = innermost scope */
	struct dwarf_cuts real_cuts; /* owner = scope that is a real function */
};

/* The attributes of a DIE that make it a scope. */
struct scope_die {
	struct dwarf_extent extent;
	struct dwarf_value origin;
	uint64_t call_file, call_line;
};

struct walk {
	const struct dwarf_unit *unit;
	const struct dwarf_abbrevs *abbrevs;
	struct dwarf_functions *functions;
	struct dwarf_ranges ranges, real_ranges;
	struct map known; /* DIE → index of its function */
};

static void read_scope_die(struct reader *r, const struct walk *walk,
			   const struct dwarf_abbrev *abbrev, struct scope_die *ret)
{
	const struct dwarf_attr *attr = walk->abbrevs->attr + abbrev->first;

	*ret = (struct scope_die){ 0 };
	for (uint32_t i = 0; i < abbrev->count && !r->failed; i++) {
		struct dwarf_value value = { 0 };

		dwarf_read_form(r, walk->unit->encoding, &attr[i], &value);
		switch (attr[i].name) {
		case DW_AT_low_pc:
			ret->extent.low_pc = value;
			break;
		case DW_AT_high_pc:
			ret->extent.high_pc = value;
			break;
		case DW_AT_ranges:
			ret->extent.ranges = value;
			break;
		case DW_AT_abstract_origin:
			ret->origin = value;
			break;
		case DW_AT_call_file:
			ret->call_file = value.number;
			break;
		case DW_AT_call_line:
			ret->call_line = value.number;
			break;
		default:
			break;
		}
	}
}

static uint32_t add_function(struct walk *walk, struct dwarf_file *file, uint64_t die)
{
	uint64_t key = die << 1 | (file != walk->unit->file);
	bool added;
	uint64_t *index = map_add(&walk->known, key, &added);

	if (added) {
		struct function function = { .file = file, .die = die };

		*index = walk->functions->list.count;
		vec_push(&walk->functions->list, function);
	}
	return (uint32_t)*index;
}

/* Makes a scope of a subprogram or inlined subroutine; without code it is none, and what is inlined
 * in it has `parent` around it. */
static uint32_t add_scope(struct walk *walk, uint64_t offset, const struct scope_die *die,
			  bool inlined, uint32_t parent)
{
	struct dwarf_functions *functions = walk->functions;
	uint32_t index = (uint32_t)functions->scopes.count;
	size_t before = walk->ranges.list.count;
	struct dwarf_file *file = walk->unit->file;
	struct dwarf_scope scope = { .parent = DWARF_NO_SCOPE };

	dwarf_add_ranges(walk->unit, &die->extent, index, &walk->ranges);
	if (walk->ranges.list.count == before)
		return inlined ? parent : DWARF_NO_SCOPE;
	if (inlined) {
		scope.parent = parent;
		scope.call_file = (uint32_t)die->call_file;
		scope.call_line = (uint32_t)die->call_line;
		if (!dwarf_value_ref(walk->unit, &die->origin, &file, &offset))
			file = walk->unit->file;
	} else {
		for (size_t i = before; i < walk->ranges.list.count; i++)
			vec_push(&walk->real_ranges.list, walk->ranges.list.item[i]);
	}
	scope.function = add_function(walk, file, offset);
	vec_push(&functions->scopes, scope);
	return index;
}

/* No subtree can be left out: GCC puts the code of lambdas below the abstract instance of the
 * function around them, Rust that of methods below types. */
static void walk_dies(struct walk *walk)
{
	const uint8_t *info = walk->unit->file->sections.section[DWARF_INFO].data;
	struct reader r = dwarf_unit_reader(walk->unit, walk->unit->die);
	uint32_t scope_at[MAX_DEPTH] = { DWARF_NO_SCOPE };
	size_t depth = 0;

	while (reader_left(&r) && walk->ranges.left) {
		uint64_t offset = (uint64_t)(r.pos - info);
		uint64_t code = read_uleb(&r);
		uint32_t scope = scope_at[depth];
		const struct dwarf_abbrev *abbrev;
		struct scope_die die;

		if (!code) {
			if (!depth--)
				return;
			continue;
		}
		abbrev = dwarf_abbrev_find(walk->abbrevs, code);
		if (!abbrev)
			return;
		if (abbrev->tag == DW_TAG_subprogram || abbrev->tag == DW_TAG_inlined_subroutine) {
			bool inlined = abbrev->tag == DW_TAG_inlined_subroutine;

			read_scope_die(&r, walk, abbrev, &die);
			scope = add_scope(walk, offset, &die, inlined, scope);
		} else {
			dwarf_skip_attrs(&r, walk->unit, walk->abbrevs, abbrev);
		}
		if (!abbrev->children)
			continue;
		if (++depth == MAX_DEPTH)
			return;
		scope_at[depth] = scope;
	}
}

struct dwarf_functions *dwarf_functions_read(const struct dwarf_unit *unit, _Atomic int64_t *budget)
{
	struct dwarf_functions *functions = mem_zalloc(sizeof(*functions));
	struct walk walk = { .unit = unit, .functions = functions };
	int64_t left = atomic_load(budget) / (int64_t)(4 * sizeof(struct dwarf_range));

	left = left > 0 ? left : 0;
	walk.abbrevs = dwarf_unit_abbrevs(unit);
	walk.ranges.left = (size_t)left;
	walk_dies(&walk);
	dwarf_cut_ranges(&walk.ranges, &functions->cuts);
	dwarf_cut_ranges(&walk.real_ranges, &functions->real_cuts);
	/* skipped entries are charged as well, because they cost time */
	atomic_fetch_sub(budget, (left - (int64_t)walk.ranges.left) * (int64_t)sizeof(uint64_t));
	vec_done(&walk.ranges.list);
	vec_done(&walk.real_ranges.list);
	map_done(&walk.known);
	vec_trim(&functions->scopes);
	vec_trim(&functions->list);
	vec_trim(&functions->cuts.list);
	vec_trim(&functions->real_cuts.list);
	atomic_fetch_sub(budget, (int64_t)(functions->scopes.capacity * sizeof(struct dwarf_scope) +
					   functions->list.capacity * sizeof(struct function) +
					   (functions->cuts.list.capacity +
					    functions->real_cuts.list.capacity) *
						   sizeof(struct dwarf_cut)));
	return functions;
}

void dwarf_functions_free(struct dwarf_functions *functions)
{
	if (!functions)
		return;
	for (size_t i = 0; i < functions->list.count; i++)
		free(atomic_load(&functions->list.item[i].demangled));
	vec_done(&functions->scopes);
	vec_done(&functions->list);
	vec_done(&functions->cuts.list);
	vec_done(&functions->real_cuts.list);
	free(functions);
}

const struct dwarf_scope *dwarf_functions_find(const struct dwarf_functions *functions,
					       uint64_t address)
{
	uint32_t index = dwarf_cut_find(&functions->cuts, address);

	return index == DWARF_NO_OWNER ? NULL : &functions->scopes.item[index];
}

const struct dwarf_scope *dwarf_scope_parent(const struct dwarf_functions *functions,
					     const struct dwarf_scope *scope)
{
	return scope->parent == DWARF_NO_SCOPE ? NULL : &functions->scopes.item[scope->parent];
}

/* The naming attributes of a DIE. */
struct name_die {
	struct dwarf_value name, linkage_name, next; /* next: origin or specification */
};

static bool read_name_die(const struct dwarf_unit *unit, uint64_t offset, struct name_die *ret)
{
	const struct dwarf_abbrevs *abbrevs = dwarf_unit_abbrevs(unit);
	struct reader r = dwarf_unit_reader(unit, offset);
	const struct dwarf_abbrev *abbrev = dwarf_abbrev_find(abbrevs, read_uleb(&r));

	*ret = (struct name_die){ 0 };
	if (!abbrev)
		return false;
	for (uint32_t i = 0; i < abbrev->count && !r.failed; i++) {
		const struct dwarf_attr *attr = &abbrevs->attr[abbrev->first + i];
		struct dwarf_value value = { 0 };

		dwarf_read_form(&r, unit->encoding, attr, &value);
		if (attr->name == DW_AT_name)
			ret->name = value;
		else if (attr->name == DW_AT_linkage_name || attr->name == DW_AT_MIPS_linkage_name)
			ret->linkage_name = value;
		else if (attr->name == DW_AT_abstract_origin || attr->name == DW_AT_specification)
			ret->next = value;
	}
	return !r.failed;
}

/* The linkage name of a function, which is complete, else its plain name; follows the references
 * from an instance to the function and from there to its declaration. */
static const char *find_name(struct dwarf_file *file, uint64_t offset, bool *ret_linkage)
{
	const char *plain = NULL;

	*ret_linkage = false;
	for (int hop = 0; hop < MAX_HOPS; hop++) {
		const struct dwarf_unit *unit = dwarf_file_unit(file, offset);
		struct name_die die;
		const char *name;

		if (!unit || !read_name_die(unit, offset, &die))
			break;
		name = dwarf_value_string(unit, &die.linkage_name);
		if (name && *name) {
			*ret_linkage = true;
			return name;
		}
		if (!plain)
			plain = dwarf_value_string(unit, &die.name);
		if (!dwarf_value_ref(unit, &die.next, &file, &offset))
			break;
	}
	return plain;
}

const char *dwarf_scope_name(struct dwarf_functions *functions, const struct dwarf_scope *scope,
			     bool mangled)
{
	struct function *function = &functions->list.item[scope->function];
	const char *name = atomic_load_explicit(&function->name, memory_order_acquire);
	char *demangled, *none = NULL;
	bool linkage;

	if (name)
		return *name ? name : NULL;
	name = find_name(function->file, function->die, &linkage);
	demangled = name && linkage && !mangled ? demangle(name) : NULL;
	if (demangled) {
		/* the first thread's copy stays, so that returned pointers stay valid */
		if (!atomic_compare_exchange_strong(&function->demangled, &none, demangled)) {
			free(demangled);
			demangled = none;
		}
		name = demangled;
	}
	atomic_store_explicit(&function->name, name ? name : "", memory_order_release);
	return name && *name ? name : NULL;
}

bool dwarf_functions_range(const struct dwarf_functions *functions, uint64_t address,
			   uint64_t *ret_start, uint64_t *ret_end)
{
	const struct dwarf_cut *cut = functions->real_cuts.list.item;
	size_t index = dwarf_cut_index(&functions->real_cuts, address);

	/* the last cut is the gap at the end */
	if (index + 1 >= functions->real_cuts.list.count || cut[index].owner == DWARF_NO_OWNER)
		return false;
	*ret_start = cut[index].start;
	*ret_end = cut[index + 1].start;
	return true;
}

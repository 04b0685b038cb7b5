/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the places that specifications of probes mean (see probe_set.h). */
#include "session/probe/probe_set.h"

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "proc/elf_file.h"
#include "proc/usdt.h"
#include "session/probe/debug_info.h"
#include "session/probe/kernel_functions.h"
#include "session/probe/probe_binary.h"
#include "session/probe/probe_returns.h"
#include "session/probe/probe_signature.h"
#include "source/event_spec/name_list.h"
#include "source/event_spec/tracepoint.h"
#include "source/probe/probe_placement.h"
#include "symbol/symbol_name.h"

#define MAX_PARTS 16

/* What one specification is looked up with. */
struct search {
	struct probe_set *set;
	const struct probe_spec *spec;
	const struct probe_set_options *options;
	struct probe_binary *binary;
	uint32_t index; /* of the binary */
	VEC(const struct elf_function *) cold, matched;
	size_t found, indirect, refused, unsure, astray;
	const struct elf_function *first_astray; /* no instruction of it starts at the offset */
	const struct elf_function *first_found;
	struct probe_returns returns; /* of a function */
	size_t ends_early;	      /* at jumps to other functions */
};

/* It is reached by its mapping. */
static void note_replaced(struct search *search)
{
	uint64_t mapping[2];
	int pid = search->options->pid;

	if (pid && probe_binary_replaced(search->binary, pid, mapping))
		(void)buf_printf(&search->set->notes,
				 "%s: process %d runs a file that this one has replaced: name "
				 "/proc/%d/map_files/%" PRIx64 "-%" PRIx64 " instead\n",
				 search->binary->path, pid, pid, mapping[0], mapping[1]);
}

static int open_binary(struct search *search, struct err *err)
{
	struct probe_set *set = search->set;
	struct probe_binary *binary;
	int code = probe_binary_open(search->spec->binary, search->options->pid, &binary, err);

	if (code)
		return code;
	for (size_t i = 0; i < set->binaries.count; i++)
		if (strcmp(set->binaries.item[i]->path, binary->path) == 0) {
			probe_binary_close(binary);
			search->binary = set->binaries.item[i];
			search->index = (uint32_t)i;
			return 0;
		}
	search->index = (uint32_t)set->binaries.count;
	search->binary = binary;
	vec_push(&set->binaries, binary);
	vec_push(&set->choice.binaries, binary->path);
	note_replaced(search);
	return 0;
}

static const char *file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static uint32_t number_in(struct search *search, const char *name)
{
	struct buf whole = { 0 };
	uint32_t number;

	if (search->options->whole_name)
		(void)buf_printf(&whole, "%s:", file_name(search->binary->path));
	(void)buf_puts(&whole, name);
	number = probe_set_number(search->set, whole.data, search->index + 1);
	buf_done(&whole);
	return number;
}

/* Whether that place is new. */
static bool is_new(struct search *search, uint64_t offset)
{
	bool added;

	(void)map_add(&search->set->seen, hash_u64(offset) ^ hash_u64(~(uint64_t)search->index),
		      &added);
	return added;
}

static size_t get_parts(const struct search *search, const struct elf_function *function,
			struct probe_code ret[MAX_PARTS])
{
	size_t len = strlen(function->name), count = 1;

	probe_binary_code(search->binary, function, &ret[0]);
	for (size_t i = 0; i < search->cold.count && count < MAX_PARTS; i++)
		if (strncmp(search->cold.item[i]->name, function->name, len) == 0 &&
		    strncmp(search->cold.item[i]->name + len, ".cold", 5) == 0)
			probe_binary_code(search->binary, search->cold.item[i], &ret[count++]);
	return count;
}

static void tell_place(struct search *search, const char *name, uint32_t offset,
		       const struct probe_placement *placement)
{
	struct buf *out = &search->set->placed;

	(void)buf_printf(out, "%s:%s", search->binary->path, name);
	if (offset)
		(void)buf_printf(out, "+%" PRIu32, offset);
	if (placement->cost != PROBE_COST_UNKNOWN)
		(void)buf_printf(out, ": %s%s%s", placement->instruction,
				 placement->instruction[0] ? ", " : "",
				 probe_cost_name(placement->cost));
	if (placement->stays)
		(void)buf_printf(out, "; not further: %s", placement->stays);
	(void)buf_putc(out, '\n');
}

static bool add_place(struct search *search, const char *name, uint64_t offset, uint64_t semaphore)
{
	if (!is_new(search, offset))
		return false;
	vec_push(&search->set->choice.places,
		 ((struct probe_place){ .number = number_in(search, name),
					.binary = search->index,
					.offset = offset,
					.semaphore = semaphore }));
	return true;
}

static bool wants_returns(const struct search *search)
{
	return search->spec->kind == PROBE_RETURN || search->options->returns;
}

/* False: its returns cannot be probed without harm. */
static bool find_returns(struct search *search, const struct probe_code *part, size_t parts)
{
	struct probe_returns *returns = &search->returns;

	probe_returns_done(returns);
	if (!wants_returns(search))
		return true;
	probe_returns_find(search->binary, part, parts, returns);
	if (returns->way < PROBE_RETURNS_JUMPS)
		return true;
	if (!search->binary->may_throw) {
		returns->way = PROBE_RETURNS_ADDRESS;
		return true;
	}
	return returns->way == PROBE_RETURNS_JUMPS && search->options->times;
}

static void add_exits(struct search *search)
{
	const struct probe_returns *returns = &search->returns;
	struct probe_choice *choice = &search->set->choice;
	struct probe_place *entry = vec_last(&choice->places), place;

	if (!wants_returns(search) || returns->way == PROBE_RETURNS_ADDRESS)
		return;
	entry->has_exits = true;
	entry->shares_exits = returns->way == PROBE_RETURNS_SHARED;
	place = *entry;
	place.entry = entry->offset;
	for (size_t i = 0; i < returns->exits.count; i++)
		if (elf_file_offset(search->binary->elf, returns->exits.item[i], &place.offset))
			vec_push(&choice->exits, place);
	for (size_t i = 0; i < returns->jumps.count; i++)
		if (elf_file_offset(search->binary->elf, returns->jumps.item[i], &place.offset))
			vec_push(&choice->exits, place);
	search->ends_early += returns->jumps.count != 0;
}

/* In assembly, functions may be entered behind their start. */
static void place(struct search *search, const struct probe_code *part, size_t parts,
		  struct probe_placement *ret)
{
	uint64_t start = part[0].address;

	probe_place(part, parts, ret);
	if (!ret->offset || !probe_binary_jumps_between(search->binary, start, start + ret->offset))
		return;
	*ret = (struct probe_placement){ .stays = "other code may jump to there" };
	ret->cost = probe_cost(part[0].code, part[0].len, &ret->instruction);
}

/* With parameters, if they chose it. */
static char *shown_name(const struct search *search, const struct elf_function *function)
{
	const char *wanted = search->spec->function;
	char *name = wanted && probe_has_signature(wanted) ? probe_signature(function->name) : NULL;

	return name ? name : symbol_name_present(function->name, "", true);
}

static void add_function(struct search *search, const struct elf_function *function)
{
	struct probe_code part[MAX_PARTS];
	size_t parts = get_parts(search, function, part);
	struct probe_placement placement = { 0 };
	uint32_t behind = (uint32_t)search->spec->offset;
	uint64_t offset, nearest[2];
	char *name;

	if (!part[0].len || !elf_file_offset(search->binary->elf, function->address, &offset))
		return; /* not code of this file */
	if (!probe_is_start(&part[0], search->spec->offset, nearest)) {
		if (!search->astray++)
			search->first_astray = function;
		return;
	}
	placement.cost =
		probe_cost(part[0].code + behind, part[0].len - behind, &placement.instruction);
	/* Go passes arguments in other registers. */
	if (!behind && !search->options->at_start && !search->binary->is_go)
		place(search, part, parts, &placement);
	if (placement.cost == PROBE_COST_REFUSED) {
		search->refused++;
		return;
	}
	if ((wants_returns(search) && probe_returns_elsewhere(function->name)) ||
	    !find_returns(search, part, parts)) {
		search->unsure++;
		return;
	}
	if (!search->found++)
		search->first_found = function;
	vec_push(&search->matched, function);
	search->set->others += behind != 0;
	name = shown_name(search, function);
	tell_place(search, name, behind + placement.offset, &placement);
	if (add_place(search, name, offset + behind + placement.offset, 0))
		add_exits(search);
	free(name);
}

static void match_functions(struct search *search, bool demangled)
{
	const struct elf_functions *all = &search->binary->functions;
	const struct elf_function *best = NULL;

	for (size_t i = 0; i < all->item.count; i++) {
		const struct elf_function *function = &all->item.item[i];

		if (best && best->address != function->address) {
			add_function(search, best);
			best = NULL;
		}
		if (function->imported ||
		    !probe_name_matches(function->name, search->spec->function, demangled))
			continue;
		if (function->indirect)
			search->indirect++;
		else if (!best || probe_name_is_better(function, best))
			best = function;
	}
	if (best)
		add_function(search, best);
}

static void find_cold(struct search *search)
{
	const struct elf_functions *all = &search->binary->functions;

	for (size_t i = 0; i < all->item.count; i++)
		if (strstr(all->item.item[i].name, ".cold"))
			vec_push(&search->cold, &all->item.item[i]);
}

static int refuse_indirect(const struct search *search, struct err *err)
{
	const char *name = search->spec->function;

	(void)err_set(err, -EOPNOTSUPP,
		      "%s: %s has several versions, one for each kind of CPU (IFUNC)",
		      search->binary->path, name);
	(void)err_hint(err, "the versions are functions of their own: probe '%s:__%s_*'%s",
		       search->spec->binary, name,
		       search->binary->functions.complete ? "" : ", with debug symbols installed");
	return err->code;
}

/* A probe at a return changes the word on the stack that is the return address only at the
 * function's start. */
static int check_returns(const struct search *search, struct err *err)
{
	if (!wants_returns(search))
		return 0;
	if (search->binary->is_go)
		return err_set(err, -EOPNOTSUPP,
			       "%s: returns of Go functions cannot be probed: Go moves its stacks, "
			       "and with them the addresses that the kernel changed",
			       search->binary->path);
	if (!search->binary->elf->is_64)
		return err_set(err, -EOPNOTSUPP,
			       "%s: returns in programs of 32 bits are not measured",
			       search->binary->path);
	if (search->spec->offset)
		return err_usage(err, "'%s+%" PRIu64 "': only whole functions have returns",
				 search->spec->function, search->spec->offset);
	return 0;
}

static void note_left_out(struct search *search)
{
	if (search->found && search->indirect && !probe_is_glob(search->spec->function))
		(void)buf_printf(&search->set->notes,
				 "%s: %s has several versions, one for each kind of CPU (IFUNC), "
				 "which are not probed: name '%s:__%s_*' for them\n",
				 search->binary->path, search->spec->function, search->spec->binary,
				 search->spec->function);
	else if (search->found && search->indirect)
		(void)buf_printf(&search->set->notes,
				 "%s: %zu functions with a version for each kind of CPU (IFUNC) "
				 "were left out\n",
				 search->binary->path, search->indirect);
	if (search->found && search->refused)
		(void)buf_printf(&search->set->notes,
				 "%s: %zu functions were left out: the kernel probes no "
				 "instruction like their first one\n",
				 search->binary->path, search->refused);
	if (search->unsure)
		(void)buf_printf(&search->set->notes,
				 "%s: %zu functions were left out: it is not clear where they "
				 "return, or they return twice or on another stack\n",
				 search->binary->path, search->unsure);
	if (search->ends_early)
		(void)buf_printf(&search->set->notes,
				 "%s: %zu of the functions may end with a jump to another file: "
				 "what follows is not in their times\n",
				 search->binary->path, search->ends_early);
	if (search->found && search->astray)
		(void)buf_printf(&search->set->notes,
				 "%s: %zu functions were left out: no instruction of theirs starts "
				 "at +%" PRIu64 "\n",
				 search->binary->path, search->astray, search->spec->offset);
}

static int end_search(struct search *search, const char *name, struct err *err)
{
	note_left_out(search);
	if (search->found)
		probe_note_clones(search->binary, name, &search->set->notes);
	if (!probe_is_glob(name) && !probe_has_signature(name))
		probe_note_overloads(name, search->matched.item, search->matched.count,
				     &search->set->notes);
	if (search->found && !probe_is_glob(name) && !search->spec->offset)
		probe_note_inlined(search->binary, search->first_found->name, &search->set->notes);
	if (search->found)
		return 0;
	if (search->unsure)
		return probe_set_refuse_returns(search->binary, name, err);
	if (search->refused)
		return probe_set_refuse(search->binary, name, err);
	if (search->astray)
		return probe_set_refuse_astray(search->binary, search->first_astray,
					       search->spec->offset, err);
	return search->indirect ? refuse_indirect(search, err)
				: probe_set_missing(search->binary, name, err);
}

static int add_functions(struct search *search, struct err *err)
{
	const char *name = search->spec->function;

	find_cold(search);
	match_functions(search, probe_is_glob(name));
	if (!search->found && !search->indirect && !search->refused && !search->unsure &&
	    !search->astray)
		match_functions(search, true);
	vec_done(&search->cold);
	return end_search(search, name, err);
}

static int add_code(struct search *search, const char *name, uint64_t address, struct err *err)
{
	const struct elf_function *function =
		probe_binary_function_at(search->binary, address, err);
	struct probe_placement placement = { 0 };
	uint64_t offset, nearest[2];
	struct probe_code whole;
	const uint8_t *code;
	size_t len;

	if (!function)
		return err->code;
	if (wants_returns(search)) {
		if (function->address != address)
			return err_usage(err, "'%s': only whole functions have returns", name);
		add_function(search, function);
		return end_search(search, name, err);
	}
	probe_binary_code(search->binary, function, &whole);
	if (!probe_is_start(&whole, address - function->address, nearest))
		return probe_set_refuse_astray(search->binary, function,
					       address - function->address, err);
	if (!elf_file_at(search->binary->elf, address, &code, &len) ||
	    !elf_file_offset(search->binary->elf, address, &offset))
		return err_set(err, -ENOENT, "%s: no code at 0x%" PRIx64, search->binary->path,
			       address);
	search->set->others++;
	placement.cost = probe_cost(code, len, &placement.instruction);
	tell_place(search, name, 0, &placement);
	add_place(search, name, offset, 0);
	return 0;
}

static int add_address(struct search *search, struct err *err)
{
	char name[32];

	(void)snprintf(name, sizeof(name), "0x%" PRIx64, search->spec->address);
	return add_code(search, name, search->spec->address, err);
}

static int add_whole_function(struct search *search, uint64_t address, struct err *err)
{
	const struct elf_function *function =
		probe_binary_function_at(search->binary, address, err);

	if (!function)
		return err->code;
	add_function(search, function);
	return 0;
}

/* The functions of a source file that a glob names: "GLOB@FILE". */
static int add_functions_of_file(struct search *search, const struct debug_places *places,
				 struct err *err)
{
	int code = 0;

	find_cold(search);
	for (size_t i = 0; !code && i < places->list.count; i++)
		code = add_whole_function(search, places->list.item[i].entry, err);
	vec_done(&search->cold);
	return code ? code : end_search(search, search->spec->source, err);
}

/* A line may have code at several places: they count together. */
static int add_source(struct search *search, struct err *err)
{
	const char *place = search->spec->source;
	struct debug_places places = { 0 };
	struct debug_info info;
	int code = debug_info_open(search->binary->path, &info, err);

	if (code)
		return code;
	info.sources = search->options->sources;
	code = debug_info_find(&info, place, &places, err);
	if (!code && strchr(place, '@') && probe_is_glob(place))
		code = add_functions_of_file(search, &places, err);
	else
		for (size_t i = 0; !code && i < places.list.count; i++)
			code = add_code(search, place, places.list.item[i].address, err);
	debug_places_done(&places);
	debug_info_done(&info);
	return code;
}

static bool usdt_matches(const struct probe_spec *spec, const struct usdt_probe *probe)
{
	return (!spec->provider || fnmatch(spec->provider, probe->provider, 0) == 0) &&
	       fnmatch(spec->function, probe->name, 0) == 0;
}

static void add_usdt_probe(struct search *search, const struct usdt_probe *probe)
{
	const struct elf_file *elf = search->binary->elf;
	struct buf name = { 0 };
	uint64_t offset, semaphore = 0;
	const uint8_t *code;
	size_t len;

	if (elf_file_at(elf, probe->address, &code, &len) &&
	    probe_cost(code, len, NULL) == PROBE_COST_REFUSED) {
		search->refused++;
		return;
	}
	if (!elf_file_offset(elf, probe->address, &offset) ||
	    (probe->semaphore && !elf_file_offset(elf, probe->semaphore, &semaphore)))
		return;
	search->found++;
	search->set->others++;
	(void)buf_printf(&name, "%s:%s", probe->provider, probe->name);
	add_place(search, name.data, offset, semaphore);
	buf_done(&name);
}

static int add_usdt(struct search *search, struct err *err)
{
	struct usdt_list list;

	usdt_read(search->binary->elf, &list);
	for (size_t i = 0; i < list.probe.count; i++)
		if (usdt_matches(search->spec, &list.probe.item[i]))
			add_usdt_probe(search, &list.probe.item[i]);
	if (!search->found && search->refused)
		(void)probe_set_refuse(search->binary, search->spec->function, err);
	else if (!search->found)
		(void)probe_set_missing_static(search->binary, search->spec->function, &list, err);
	usdt_done(&list);
	return search->found ? 0 : err->code;
}

static int add(struct search *search, struct err *err)
{
	const struct probe_spec *spec = search->spec;
	int code;

	if (spec->kind == PROBE_TRACEPOINT)
		return probe_set_add_tracepoints(search->set, spec, err);
	if (!spec->binary)
		return probe_set_add_kernel(search->set, spec, search->options, err);
	code = open_binary(search, err);
	if (code)
		return code;
	if (spec->kind == PROBE_USDT)
		return add_usdt(search, err);
	code = check_returns(search, err);
	if (code)
		return code;
	if (spec->source)
		return add_source(search, err);
	return spec->has_address ? add_address(search, err) : add_functions(search, err);
}

int probe_set_add(struct probe_set *set, const char *text, const struct probe_set_options *options,
		  struct err *err)
{
	struct search search = { .set = set, .options = options };
	struct probe_spec spec;
	int code = probe_spec_parse(text, &spec, err);

	if (code)
		return code;
	search.spec = &spec;
	code = add(&search, err);
	probe_returns_done(&search.returns);
	vec_done(&search.matched);
	probe_spec_done(&spec);
	return code;
}

void probe_set_done(struct probe_set *set)
{
	for (size_t i = 0; i < set->binaries.count; i++)
		probe_binary_close(set->binaries.item[i]);
	vec_done(&set->binaries);
	vec_done(&set->choice.binaries);
	vec_done(&set->choice.places);
	vec_done(&set->choice.exits);
	vec_done(&set->choice.tracepoints);
	vec_done(&set->choice.kernel);
	vec_done(&set->choice.names);
	map_done(&set->seen);
	buf_done(&set->placed);
	buf_done(&set->notes);
	arena_done(&set->arena);
	*set = (struct probe_set){ 0 };
}

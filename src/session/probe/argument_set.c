/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the places of argdist and compiles what is fetched there (see argument_set.h). */
#include "session/probe/argument_set.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "proc/elf_file.h"
#include "proc/usdt.h"
#include "session/probe/debug_info.h"
#include "session/probe/fetch_type.h"
#include "session/probe/probe_binary.h"

#define MAX_PLACES 4096

/* Debug info of a binary, opened once; NULL without. */
static struct debug_info *debug_info_of(struct argument_set *set, const char *path)
{
	struct err ignored = { 0 };
	struct debug_info *info;

	for (size_t i = 0; i < set->infos.count; i++)
		if (!strcmp(set->infos.item[i]->path, path))
			return set->infos.item[i]->dwarf ? set->infos.item[i] : NULL;
	info = arena_new(&set->arena, struct debug_info);
	if (debug_info_open(path, info, &ignored))
		*info = (struct debug_info){ 0 };
	info->path = arena_strdup(&set->arena, path);
	vec_push(&set->infos, info);
	return info->dwarf ? info : NULL;
}

const char *argument_set_usdt(const struct elf_file *elf, uint64_t wanted, struct arena *arena)
{
	const char *ret = "";
	struct usdt_list list;
	uint64_t offset;

	usdt_read(elf, &list);
	for (size_t i = 0; i < list.probe.count; i++)
		if (elf_file_offset(elf, list.probe.item[i].address, &offset) && offset == wanted)
			ret = arena_strdup(arena, list.probe.item[i].arguments);
	usdt_done(&list);
	return ret;
}

/* "type" of BCC is how the value is shown, and a cast. */
static const char *with_type(struct argument_set *set, const char *type, const char *expression)
{
	struct fetch_type parsed;
	size_t len = fetch_type_parse(type, &parsed);
	size_t room = strlen(type) + strlen(expression) + 5;
	char *text;

	if (!len || type[len] || parsed.type.kind == DWARF_VOID)
		return NULL;
	text = arena_alloc(&set->arena, room);
	(void)snprintf(text, room, "(%s)(%s)", type, expression);
	return text;
}

static int compile_value(struct argument_set *set, const struct fetch_scope *scope,
			 struct argument_collection *collection, size_t i, struct fetch_code *code)
{
	const struct argument_spec *spec = &collection->spec;
	const char *text = with_type(set, spec->type[i], spec->expression[i]);

	if (!text)
		return err_usage(code->err, "'%s': unknown type '%s'", spec->label, spec->type[i]);
	return fetch_compile(scope, text, code, &collection->output[i], code->err);
}

static int compile(struct argument_set *set, const struct fetch_scope *scope,
		   struct argument_collection *collection, struct err *err)
{
	const struct argument_spec *spec = &collection->spec;
	struct fetch_code code = { .err = err };
	struct probe_values_way way = { .collection = (uint32_t)set->collections.count - 1,
					.histogram = collection->histogram };
	int result = 0;

	if (spec->filter)
		result = fetch_compile_condition(scope, spec->filter, &code, err);
	for (size_t i = 0; !result && i < spec->expressions; i++)
		result = compile_value(set, scope, collection, i, &code);
	if (!result && !spec->expressions)
		result = fetch_compile(scope, spec->kind == 'r' ? "retval" : "1", &code,
				       &collection->output[0], err);
	if (result)
		return result;
	for (uint32_t i = 0; i < code.program.count; i++)
		if (code.program.step[i].op == FETCH_STRING)
			code.program.step[i].size = set->string_bytes;
	vec_push(&set->programs, code.program);
	way.is_signed = collection->output[0].as == FETCH_AS_SIGNED;
	vec_push(&set->ways, way);
	return 0;
}

static int compile_place(struct argument_set *set, struct argument_collection *collection,
			 const struct probe_place *place, struct err *err)
{
	const struct probe_binary *binary = collection->set.binaries.item[place->binary];
	struct debug_info *info = debug_info_of(set, binary->path);
	struct fetch_scope scope = { .parameter = collection->spec.parameter,
				     .parameters = collection->spec.parameters };
	struct dwarf_die function;

	if (!binary->elf->is_64)
		return err_set(err, -EOPNOTSUPP,
			       "%s: arguments of programs of 32 bits are not read: they are on the "
			       "stack",
			       binary->path);
	scope.place.at_return = collection->spec.kind == 'r';
	scope.at_entry = !collection->set.others && collection->spec.kind == 'p';
	if (collection->spec.kind == 'u')
		scope.usdt = argument_set_usdt(binary->elf, place->offset, &set->arena);
	fetch_place_find(info, binary->elf, place->offset, &function, &scope.place);
	return compile(set, &scope, collection, err);
}

/* The places of one specification, each with a program of its own: variables are elsewhere. */
static int add_places(struct argument_set *set, struct argument_collection *collection,
		      struct err *err)
{
	struct probe_choice *all = collection->spec.kind == 'r' ? &set->values.returns
								: &set->values.entries;
	const struct probe_choice *found = &collection->set.choice;
	uint32_t binaries = (uint32_t)all->binaries.count;
	int code = 0;

	if (found->places.count > MAX_PLACES)
		return err_set(err, -E2BIG, "'%s': %zu places are too many", collection->spec.label,
			       found->places.count);
	for (size_t i = 0; i < found->binaries.count; i++)
		vec_push(&all->binaries, found->binaries.item[i]);
	for (size_t i = 0; !code && i < found->places.count; i++) {
		code = compile_place(set, collection, &found->places.item[i], err);
		probe_choice_add(all, found, i, (uint32_t)set->programs.count - 1, binaries);
	}
	return code;
}

int argument_set_add(struct argument_set *set, const char *text, bool histogram,
		     const struct probe_set_options *options, struct err *err)
{
	struct argument_collection *collection = arena_new(&set->arena, struct argument_collection);
	int code = argument_spec_parse(text, &set->arena, &collection->spec, err);

	if (code)
		return code;
	if (histogram && collection->spec.expressions > 1)
		return err_usage(err, "'%s': a histogram has one expression", text);
	collection->histogram = histogram;
	vec_push(&set->collections, collection);
	code = probe_set_add(&collection->set, collection->spec.place, options, err);
	return code ? code : add_places(set, collection, err);
}

void argument_set_finish(struct argument_set *set)
{
	set->values.program = set->programs.item;
	set->values.way = set->ways.item;
	set->values.count = set->programs.count;
}

void argument_set_done(struct argument_set *set)
{
	for (size_t i = 0; i < set->collections.count; i++)
		probe_set_done(&set->collections.item[i]->set);
	for (size_t i = 0; i < set->infos.count; i++)
		debug_info_done(set->infos.item[i]);
	vec_done(&set->collections);
	vec_done(&set->infos);
	vec_done(&set->programs);
	vec_done(&set->ways);
	vec_done(&set->values.entries.binaries);
	vec_done(&set->values.entries.places);
	vec_done(&set->values.returns.binaries);
	vec_done(&set->values.returns.places);
	vec_done(&set->values.returns.exits);
	arena_done(&set->arena);
}

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
#include "session/probe/tracepoint_fields.h"

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

	if (fetch_type_is_float(type)) /* no cast: it is shown as it is */
		return expression;
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
	const char *text = spec->expression[i];

	if (spec->type[i])
		text = with_type(set, spec->type[i], text);
	if (!text)
		return err_usage(code->err, "'%s': unknown type '%s'", spec->label, spec->type[i]);
	return fetch_compile(scope, text, code, &collection->output[i], code->err);
}

static uint32_t add_program(struct argument_set *set, struct probe_values_way way,
			    struct fetch_code *code)
{
	for (uint32_t i = 0; i < code->program.count; i++)
		if (code->program.step[i].op == FETCH_STRING)
			code->program.step[i].size = set->string_bytes;
	vec_push(&set->programs, code->program);
	vec_push(&set->ways, way);
	return (uint32_t)set->programs.count;
}

/* What is fetched at one place, and if it is a return, where the call begins. */
static int compile(struct argument_set *set, const struct fetch_scope *scope,
		   struct argument_collection *collection, struct err *err)
{
	const struct argument_spec *spec = &collection->spec;
	struct fetch_code code = { .err = err };
	struct probe_values_way way = { .collection = (uint32_t)set->collections.count - 1,
					.histogram = collection->histogram,
					.unit = collection->unit,
					.from = collection->from,
					.step = collection->step };
	int result = 0;

	if (spec->filter)
		result = fetch_compile_condition(scope, spec->filter, &code, err);
	for (size_t i = 0; !result && i < spec->expressions; i++)
		result = compile_value(set, scope, collection, i, &code);
	if (!result && !spec->expressions)
		result = fetch_compile(scope, spec->kind == 'r' ? "retval" : "1", &code,
				       &collection->output[0], err);
	if (!result && collection->histogram && collection->output[0].as >= FETCH_AS_FLOAT)
		result = err_set(err, -ENOTSUP, "'%s': a histogram is of integers: count with -C",
				 spec->label);
	if (result)
		return result;
	if (scope->entered && scope->entered->needed)
		way.entry = add_program(set, (struct probe_values_way){ 0 }, &scope->entered->code);
	way.is_signed = collection->output[0].as == FETCH_AS_SIGNED;
	(void)add_program(set, way, &code);
	return 0;
}

/* Makes it the scope of the return; entered: of where the call began, as it was. */
static void make_return(struct fetch_scope *scope, struct fetch_entered *entered)
{
	*entered = (struct fetch_entered){ .scope = *scope };
	scope->entered = entered;
	scope->at_entry = false;
	scope->place.at_return = true;
}

static int compile_place(struct argument_set *set, struct argument_collection *collection,
			 const struct probe_place *place, struct err *err)
{
	const struct probe_binary *binary = collection->set.binaries.item[place->binary];
	struct debug_info *info = debug_info_of(set, binary->path);
	struct fetch_scope scope = { .parameter = collection->spec.parameter,
				     .parameters = collection->spec.parameters };
	struct fetch_entered entered;
	struct dwarf_die function;

	if (!binary->elf->is_64)
		return err_set(err, -EOPNOTSUPP,
			       "%s: arguments of programs of 32 bits are not read: they are on the "
			       "stack",
			       binary->path);
	scope.at_entry = !collection->set.others;
	if (collection->spec.kind == 'u')
		scope.usdt = argument_set_usdt(binary->elf, place->offset, &set->arena);
	fetch_place_find(info, binary->elf, place->offset, &function, &scope.place);
	if (collection->spec.kind == 'r')
		make_return(&scope, &entered);
	return compile(set, &scope, collection, err);
}

/* Arguments are those of the signature, or numbers in registers. */
static int compile_kernel(struct argument_set *set, struct argument_collection *collection,
			  struct err *err)
{
	struct fetch_scope scope = { .parameter = collection->spec.parameter,
				     .parameters = collection->spec.parameters,
				     .at_entry = true };
	struct fetch_entered entered;

	if (collection->spec.kind == 'r')
		make_return(&scope, &entered);
	return compile(set, &scope, collection, err);
}

static int compile_tracepoint(struct argument_set *set, struct argument_collection *collection,
			      const struct probe_tracepoint *point, struct err *err)
{
	struct tracepoint_fields fields = { 0 };
	struct fetch_scope scope = { .fields = &fields };
	int code = tracepoint_fields_read(point->category, point->name, &set->arena, &fields, err);

	if (!code)
		code = compile(set, &scope, collection, err);
	tracepoint_fields_done(&fields);
	return code;
}

static int add_in_kernel(struct argument_set *set, struct argument_collection *collection,
			 struct probe_choice *all, struct err *err)
{
	const struct probe_choice *found = &collection->set.choice;
	int code = 0;

	for (size_t i = 0; !code && i < found->kernel.count; i++) {
		struct probe_kernel_function function = found->kernel.item[i];

		code = compile_kernel(set, collection, err);
		function.number = (uint32_t)set->programs.count - 1;
		vec_push(&all->kernel, function);
	}
	for (size_t i = 0; !code && i < found->tracepoints.count; i++) {
		struct probe_tracepoint point = found->tracepoints.item[i];

		code = compile_tracepoint(set, collection, &point, err);
		point.number = (uint32_t)set->programs.count - 1;
		vec_push(&all->tracepoints, point);
	}
	return code;
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

	if (found->places.count + found->kernel.count + found->tracepoints.count > MAX_PLACES)
		return err_set(err, -E2BIG, "'%s': more than %u places are too many",
			       collection->spec.label, MAX_PLACES);
	for (size_t i = 0; i < found->binaries.count; i++)
		vec_push(&all->binaries, found->binaries.item[i]);
	for (size_t i = 0; !code && i < found->places.count; i++) {
		code = compile_place(set, collection, &found->places.item[i], err);
		probe_choice_add(all, found, i, (uint32_t)set->programs.count - 1, binaries);
	}
	return code ? code : add_in_kernel(set, collection, all, err);
}

int argument_set_add(struct argument_set *set, const struct argument_collection *wanted,
		     const struct probe_set_options *options, struct err *err)
{
	struct argument_collection *collection = arena_new(&set->arena, struct argument_collection);
	struct probe_set_options how = *options;
	int code;

	how.kernel = true;
	*collection = *wanted;
	vec_push(&set->collections, collection);
	code = probe_set_add(&collection->set, wanted->spec.place, &how, err);
	return code ? code : add_places(set, collection, err);
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
	vec_done(&set->values.entries.kernel);
	vec_done(&set->values.entries.tracepoints);
	vec_done(&set->values.returns.binaries);
	vec_done(&set->values.returns.places);
	vec_done(&set->values.returns.kernel);
	vec_done(&set->values.returns.tracepoints);
	vec_done(&set->values.returns.exits);
	arena_done(&set->arena);
}

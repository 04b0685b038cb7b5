/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See probe_define.h. */
#include "session/probe/probe_define.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/confined.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/packing.h"
#include "proc/elf_file.h"
#include "session/probe/argument_set.h"
#include "session/probe/debug_info.h"
#include "session/probe/fetch_expression.h"
#include "session/probe/probe_arguments.h"
#include "session/probe/probe_binary.h"
#include "session/probe/probe_definitions.h"
#include "session/probe/probe_request.h"
#include "session/probe/probe_set.h"
#include "source/event_spec/name_list.h"
#include "source/event_spec/probe_text.h"
#include "source/event_spec/tracepoint.h"
#include "source/probe/probe_spec.h"

/* What one definition is checked with. */
struct check {
	struct probe_request request;
	const char *path, *sources;
	struct probe_set set;
	struct debug_info info; /* dwarf NULL = none */
	struct probe_arguments arguments;
	struct arena arena;
};

static void check_done(struct check *check)
{
	probe_arguments_done(&check->arguments);
	debug_info_done(&check->info);
	probe_set_done(&check->set);
	arena_done(&check->arena);
}

static int find_places(struct check *check, const char *spec, struct err *err)
{
	const struct probe_set_options options = { .sources = check->sources, .kernel = true };
	struct err ignored = { 0 };
	int code = probe_set_add(&check->set, spec, &options, err);

	if (!code && check->path && debug_info_open(check->path, &check->info, &ignored))
		check->info = (struct debug_info){ 0 };
	return code;
}

static int check_of_kernel(struct check *check, struct err *err)
{
	struct fetch_scope scope = { .at_entry = true };
	int code;

	scope.place.at_return = strstr(check->request.place, "%return") != NULL;
	code = probe_arguments_parse(check->request.arguments, &scope, &check->arena,
				     &check->arguments, err);
	return code ? code : probe_arguments_check(&check->arguments, &scope, err);
}

/* Arguments must be there at each of the places; $params are those of the first. */
static int check_arguments(struct check *check, struct err *err)
{
	const struct probe_choice *found = &check->set.choice;
	const struct elf_file *elf;
	int code = 0;

	if (!*check->request.arguments)
		return 0;
	if (!check->path)
		return check_of_kernel(check, err);
	elf = check->set.binaries.item[0]->elf;
	for (size_t i = 0; !code && i < found->places.count; i++) {
		struct fetch_scope scope = { 0 };
		struct dwarf_die function;

		scope.place.at_return = strstr(check->request.place, "%return") != NULL;
		if (check->request.is_static)
			scope.usdt =
				argument_set_usdt(elf, found->places.item[i].offset, &check->arena);
		fetch_place_find(check->info.dwarf ? &check->info : NULL, elf,
				 found->places.item[i].offset, &function, &scope.place);
		if (!i)
			code = probe_arguments_parse(check->request.arguments, &scope,
						     &check->arena, &check->arguments, err);
		if (!code)
			code = probe_arguments_check(&check->arguments, &scope, err);
	}
	if (code && found->places.count > 1 && check->set.notes.len)
		(void)err_hint(err, "%.*s", (int)strcspn(check->set.notes.data, "\n"),
			       check->set.notes.data);
	return code;
}

/* What is behind a point in a name of Go is a part of it, not the kind of a clone. */
static const char *whole_go_name(const char *name, struct arena *arena)
{
	char *ret = arena_strdup(arena, name);

	for (char *at = ret; *at; at++)
		if (*at == '.')
			*at = '_';
	return ret;
}

static const char *function_at(struct check *check)
{
	const struct probe_binary *binary;
	const struct elf_function *function;
	struct err ignored = { 0 };
	uint64_t address;

	if (!check->path)
		return NULL;
	binary = check->set.binaries.item[0];
	if (!elf_file_vaddr(binary->elf, check->set.choice.places.item[0].offset, &address))
		return NULL;
	function = probe_binary_function_at(binary, address, &ignored);
	if (function && binary->is_go)
		return whole_go_name(function->name, &check->arena);
	return function ? function->name : NULL;
}

/* The file's name is a part of a line of text, between colons and a blank. */
static int find_file(struct check *check, const char *binary, struct err *err)
{
	AUTO_FREE char *found = NULL, *path = NULL;
	int code = probe_binary_find(binary, 0, &found, err);

	if (code)
		return code;
	path = realpath(found, NULL);
	check->path = arena_strdup(&check->arena, path ? path : found);
	if (strpbrk(check->path, ": \t\n"))
		return err_set(err, -EINVAL,
			       "%s: a file with a blank or a colon in its name cannot be kept in a "
			       "definition",
			       check->path);
	return 0;
}

/* In -e, a name stands for one event. */
static int check_name(struct check *check, const char *name, struct err *err)
{
	struct name_list found = { 0 };
	struct err ignored = { 0 };
	const char *tracefs;
	bool exists;

	exists = tracefs_find("", &check->arena, &tracefs, &ignored) == 0 &&
		 tracepoint_match(tracefs, name, &check->arena, &found, &ignored) == 0 &&
		 found.count;
	name_list_done(&found);
	if (!exists)
		return 0;
	(void)err_set(err, -EEXIST, "%s: the kernel has an event of this name", name);
	return err_hint(err, "give another one: GROUP:EVENT=%s", check->request.place);
}

static int define(struct check *check, struct probe_defined *ret, struct err *err)
{
	int code;

	if (check->path)
		(void)buf_printf(&ret->spec, "%s:%s:%s",
				 check->request.is_static ? "usdt" : "probe", check->path,
				 check->request.place);
	else
		(void)buf_printf(&ret->spec, "kprobe:%s", check->request.place);
	code = find_places(check, ret->spec.data, err);
	if (!code)
		code = check_arguments(check, err);
	if (code)
		return code;
	for (size_t i = 0; i < check->arguments.item.count; i++)
		(void)buf_printf(&ret->spec, " %s=%s", check->arguments.item.item[i].name,
				 check->arguments.item.item[i].expression);
	probe_request_name(&check->request, check->path, function_at(check), &ret->name);
	code = check_name(check, ret->name.data, err);
	if (code)
		return code;
	(void)buf_append(&ret->placed, check->set.placed.data, check->set.placed.len);
	(void)buf_append(&ret->notes, check->set.notes.data, check->set.notes.len);
	(void)buf_append(&ret->notes, check->arguments.left_out.data,
			 check->arguments.left_out.len);
	return 0;
}

struct definition {
	const char *binary, *text, *sources;
};

static void defined_done(struct probe_defined *defined)
{
	buf_done(&defined->name);
	buf_done(&defined->spec);
	buf_done(&defined->placed);
	buf_done(&defined->notes);
}

static void pack_defined(struct probe_defined *defined, struct buf *ret)
{
	pack_put_string(ret, defined->name.data);
	pack_put_string(ret, defined->spec.data);
	pack_put_string(ret, defined->placed.data);
	pack_put_string(ret, defined->notes.data);
	defined_done(defined);
}

static int begin_check(const struct definition *definition, const char *text, struct check *check,
		       struct err *err)
{
	int code = probe_request_parse(text, &check->arena, &check->request, err);

	return code || !definition->binary ? code : find_file(check, definition->binary, err);
}

static int define_one(const struct definition *definition, const char *text, struct buf *ret,
		      struct err *err)
{
	struct check check = { .sources = definition->sources };
	struct probe_defined defined = { 0 };
	int code = begin_check(definition, text, &check, err);

	if (!code)
		code = define(&check, &defined, err);
	if (!code)
		pack_defined(&defined, ret);
	defined_done(&defined);
	check_done(&check);
	return code;
}

/* What is typed for one of the functions: "%return" and an offset are behind each. */
static void put_text(const struct probe_request *request, const char *function, struct buf *ret)
{
	const char *behind = strstr(request->place, "%return");

	if (!behind)
		behind = strrchr(request->place, '+');
	buf_clear(ret);
	if (request->group)
		(void)buf_printf(ret, "%s:", request->group);
	if (request->event)
		(void)buf_printf(ret, "%s=", request->event);
	(void)buf_printf(ret, "%s%s %s", function, behind ? behind : "", request->arguments);
}

/* Functions where the arguments are not there, for example, are left out with the reason. */
static int define_named(const struct definition *definition, struct check *check, struct buf *ret,
			struct err *err)
{
	struct probe_defined left_out = { 0 };
	struct buf text = { 0 };
	size_t count = check->set.choice.names.count, made = 0;
	struct err reason = { 0 };

	for (size_t i = 0; i < count; i++) {
		const char *name = check->set.choice.names.item[i];

		put_text(&check->request, name, &text);
		reason = (struct err){ 0 };
		if (probe_is_glob(name))
			(void)err_set(&reason, -EINVAL, "its name has characters of globs");
		if (!reason.code && define_one(definition, text.data, ret, &reason) == 0)
			made++;
		else
			(void)buf_printf(&left_out.notes, "%s: left out: %s\n", name, reason.msg);
	}
	buf_done(&text);
	if (made && left_out.notes.len)
		pack_defined(&left_out, ret);
	defined_done(&left_out);
	if (!made)
		*err = reason;
	return made ? 0 : err->code;
}

static int define_all(const struct definition *definition, struct check *check, struct buf *ret,
		      struct err *err)
{
	struct buf spec = { 0 };
	size_t count;
	int code;

	if (check->path)
		(void)buf_printf(&spec, "%s:%s:%s", check->request.is_static ? "usdt" : "probe",
				 check->path, check->request.place);
	else
		(void)buf_printf(&spec, "kprobe:%s", check->request.place);
	code = find_places(check, spec.data, err);
	buf_done(&spec);
	count = check->set.choice.names.count;
	if (!code && check->request.is_static)
		return err_usage(err, "'%s': one static probe: without * and ?", definition->text);
	if (!code && count > PROBE_DEFINE_MAX) {
		(void)err_set(err, -E2BIG, "'%s': %zu functions: a definition is of %d at most",
			      definition->text, count, PROBE_DEFINE_MAX);
		return err_hint(err, "all of them as one event: -e 'probe:FILE:GLOB'");
	}
	return code ? code : define_named(definition, check, ret, err);
}

static int define_apart(void *context, struct buf *ret, struct err *err)
{
	const struct definition *definition = context;
	struct check check = { .sources = definition->sources };
	int code = begin_check(definition, definition->text, &check, err);

	if (!code && check.request.is_glob)
		code = define_all(definition, &check, ret, err);
	else if (!code)
		code = define_one(definition, definition->text, ret, err);
	check_done(&check);
	return code;
}

static void unpack_one(struct unpack *from, struct arena *arena, struct probe_defined_list *ret)
{
	const char *name = unpack_string(from, true, arena);

	if (*name || !ret->item.count)
		vec_push(&ret->item, (struct probe_defined){ 0 });
	(void)buf_puts(&vec_last(&ret->item)->name, name);
	(void)buf_puts(&vec_last(&ret->item)->spec, unpack_string(from, true, arena));
	(void)buf_puts(&vec_last(&ret->item)->placed, unpack_string(from, false, arena));
	(void)buf_puts(&vec_last(&ret->item)->notes, unpack_string(from, false, arena));
}

int probe_define(const char *binary, const char *text, const char *sources,
		 struct probe_defined_list *ret, struct err *err)
{
	struct definition definition = { binary, text, sources };
	struct buf bytes = { 0 };
	struct unpack from = { 0 };
	struct arena arena = { 0 };
	int code = confined_call("cupel-reader", define_apart, &definition, &bytes, err);

	if (!code) {
		from.data = (const uint8_t *)bytes.data;
		from.len = bytes.len;
		do
			unpack_one(&from, &arena, ret);
		while (!from.damaged && from.at < from.len);
		if (!unpack_end(&from) || ret->item.count > PROBE_DEFINE_MAX)
			code = err_set(err, -EINVAL,
				       "the process that reads binaries sent no probe");
	}
	buf_done(&bytes);
	arena_done(&arena);
	return code;
}

int probe_define_again(const char *spec, struct err *err)
{
	const char *place = probe_spec_place(spec);
	const char *file = strchr(spec, ':') + 1;
	struct probe_defined_list ignored = { 0 };
	struct buf binary = { 0 }, typed = { 0 };
	int code;

	if (!probe_spec_is_of_kernel(spec))
		(void)buf_append(&binary, file, (size_t)(place - 1 - file));
	(void)buf_printf(&typed, "%s%s", strncmp(spec, "usdt:", 5) == 0 ? "%" : "", place);
	code = probe_define(binary.data, typed.data, NULL, &ignored, err);
	buf_done(&typed);
	buf_done(&binary);
	probe_defined_list_done(&ignored);
	return code;
}

void probe_defined_list_done(struct probe_defined_list *list)
{
	for (size_t i = 0; i < list->item.count; i++)
		defined_done(&list->item.item[i]);
	vec_done(&list->item);
}

void probe_spec_put(const char *spec, struct buf *ret)
{
	const char *place = probe_spec_place(spec), *file = strchr(spec, ':') + 1;
	size_t len = probe_text_place(place);

	(void)buf_printf(ret, " (on %s%.*s", strncmp(spec, "usdt:", 5) == 0 ? "%" : "", (int)len,
			 place);
	if (!probe_spec_is_of_kernel(spec))
		(void)buf_printf(ret, " in %.*s", (int)(place - 1 - file), file);
	if (place[len])
		(void)buf_printf(ret, " with%s", place + len);
	(void)buf_putc(ret, ')');
}

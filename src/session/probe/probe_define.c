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

static const char *function_at(const struct check *check)
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

static int define_apart(void *context, struct buf *ret, struct err *err)
{
	const struct definition *definition = context;
	struct check check = { .sources = definition->sources };
	struct probe_defined defined = { 0 };
	int code = probe_request_parse(definition->text, &check.arena, &check.request, err);

	if (!code && definition->binary)
		code = find_file(&check, definition->binary, err);
	if (!code)
		code = define(&check, &defined, err);
	pack_put_string(ret, defined.name.data);
	pack_put_string(ret, defined.spec.data);
	pack_put_string(ret, defined.placed.data);
	pack_put_string(ret, defined.notes.data);
	probe_defined_done(&defined);
	check_done(&check);
	return code;
}

int probe_define(const char *binary, const char *text, const char *sources,
		 struct probe_defined *ret, struct err *err)
{
	struct definition definition = { binary, text, sources };
	struct buf bytes = { 0 };
	struct unpack from = { 0 };
	struct arena arena = { 0 };
	int code = confined_call("cupel-reader", define_apart, &definition, &bytes, err);

	if (!code) {
		from.data = (const uint8_t *)bytes.data;
		from.len = bytes.len;
		(void)buf_puts(&ret->name, unpack_string(&from, true, &arena));
		(void)buf_puts(&ret->spec, unpack_string(&from, true, &arena));
		(void)buf_puts(&ret->placed, unpack_string(&from, false, &arena));
		(void)buf_puts(&ret->notes, unpack_string(&from, false, &arena));
		if (!unpack_end(&from))
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
	struct probe_defined ignored = { 0 };
	struct buf binary = { 0 }, typed = { 0 };
	int code;

	if (!probe_spec_is_of_kernel(spec))
		(void)buf_append(&binary, file, (size_t)(place - 1 - file));
	(void)buf_printf(&typed, "%s%s", strncmp(spec, "usdt:", 5) == 0 ? "%" : "", place);
	code = probe_define(binary.data, typed.data, NULL, &ignored, err);
	buf_done(&typed);
	buf_done(&binary);
	probe_defined_done(&ignored);
	return code;
}

void probe_defined_done(struct probe_defined *defined)
{
	buf_done(&defined->name);
	buf_done(&defined->spec);
	buf_done(&defined->placed);
	buf_done(&defined->notes);
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

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Debug info of a binary (see debug_info.h). */
#include "session/probe/debug_info.h"

#include <dwarf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/suggest.h"
#include "proc/elf_file.h"
#include "symbol/dwarf/dwarf.h"
#include "symbol/dwarf/dwarf_source.h"
#include "symbol/dwarf/dwarf_variable.h"
#include "symbol/elf/debug_file.h"
#include "unwind/table.h"

static int open_dwarf(const char *path, struct debug_info *info, struct err *err)
{
	struct dwarf_options options = { .variables = true };
	struct err ignored = { 0 };
	int code;

	code = dwarf_open(info->elf, &options, &info->dwarf, err);
	if (code || info->dwarf)
		return code;
	if (!debug_file_open(info->elf, NULL, &info->debug, &ignored)) {
		info->bias = debug_file_bias(info->elf, info->debug);
		code = dwarf_open(info->debug, &options, &info->dwarf, err);
		if (code || info->dwarf)
			return code;
	}
	(void)err_set(err, -ENODATA, "%s: no debug info", path);
	return err_hint(err,
			"install its debug package (-dbgsym, -debuginfo), or build it with -g");
}

int debug_info_open(const char *path, struct debug_info *ret, struct err *err)
{
	struct debug_info info = { .path = path };
	int code = elf_file_open(path, &info.elf, err);

	if (!code)
		code = open_dwarf(path, &info, err);
	if (code) {
		debug_info_done(&info);
		return code;
	}
	info.table = unwind_table_of_elf(info.elf);
	*ret = info;
	return 0;
}

void debug_info_done(struct debug_info *info)
{
	unwind_table_close(info->table);
	dwarf_close(info->dwarf);
	elf_file_close(info->debug);
	elf_file_close(info->elf);
	*info = (struct debug_info){ 0 };
}

struct function_search {
	const struct debug_info *info;
	struct debug_places *places;
	bool inlined;
};

static bool take_function(void *context, const struct dwarf_die *function)
{
	struct function_search *search = context;
	struct debug_place place = { .function = *function };

	search->inlined = search->inlined || dwarf_die_number(function, DW_AT_inline);
	if (!dwarf_die_entry(function, &place.entry))
		return true;
	place.entry += search->info->bias;
	place.address = place.entry;
	vec_push(&search->places->list, place);
	return true;
}

static void offer_functions(const struct debug_info *info, struct suggest *suggest)
{
	for (size_t i = 0; i < dwarf_unit_count(info->dwarf); i++) {
		const struct dwarf_unit *unit = dwarf_unit_dies(info->dwarf, i);
		struct dwarf_walk walk;
		struct dwarf_die die;

		if (!unit || !dwarf_walk_unit(&walk, unit))
			continue;
		while (dwarf_walk_next(&walk, &die)) {
			const char *name;

			if (die.tag != DW_TAG_namespace)
				dwarf_walk_skip(&walk);
			name = die.tag == DW_TAG_subprogram ? dwarf_die_name(&die) : NULL;
			if (name)
				suggest_offer(suggest, name);
		}
	}
}

int debug_info_functions(const struct debug_info *info, const char *name, struct debug_places *ret,
			 struct err *err)
{
	struct debug_places places = { 0 };
	struct function_search search = { .info = info, .places = &places };
	struct suggest suggest = { .word = name };
	char names[160];

	dwarf_function_each(info->dwarf, name, take_function, &search);
	if (places.list.count) {
		*ret = places;
		return 0;
	}
	if (search.inlined) {
		(void)err_set(err, -ENOENT, "%s: function '%s' is inlined everywhere", info->path,
			      name);
		return err_hint(err, "probe a line of it: FILE:LINE");
	}
	(void)err_set(err, -ENOENT, "%s: debug info has no function '%s'", info->path, name);
	offer_functions(info, &suggest);
	if (*suggest_text(&suggest, names, sizeof(names)))
		(void)err_hint(err, "did you mean %s?", names);
	return err->code;
}

void debug_places_done(struct debug_places *places)
{
	vec_done(&places->list);
}

struct line_search {
	const struct debug_info *info;
	struct debug_places *places;
	uint32_t line;	  /* wanted */
	const char *path; /* of the function; NULL = any */
	bool own;	  /* only places that have this line alone */
};

static bool take_line(void *context, const struct dwarf_source_line *line)
{
	struct line_search *search = context;
	struct debug_place place = { .address = line->address + search->info->bias };

	if (line->line != search->line || (search->path && strcmp(line->path, search->path) != 0) ||
	    search->own != line->own)
		return true;
	for (size_t i = 0; i < search->places->list.count; i++)
		if (search->places->list.item[i].address == place.address)
			return true;
	if (dwarf_function_at(search->info->dwarf, line->address, &place.function) &&
	    dwarf_die_entry(&place.function, &place.entry))
		place.entry += search->info->bias;
	vec_push(&search->places->list, place);
	return true;
}

/* A line of a function, counted from its declaration. */
static int find_function_line(const struct debug_info *info, uint32_t line, const char *text,
			      struct debug_places *places, struct err *err)
{
	struct debug_places found = { 0 };
	struct line_search search = { .info = info, .places = &found, .own = true };
	struct dwarf_source_line declared;

	for (int pass = 0; pass < 2 && !found.list.count; pass++, search.own = false)
		for (size_t i = 0; i < places->list.count; i++) {
			const struct dwarf_die *function = &places->list.item[i].function;

			if (!dwarf_declaration(info->dwarf, function, &declared))
				continue;
			search.line = declared.line + line;
			search.path = declared.path;
			dwarf_function_lines(info->dwarf, function, take_line, &search);
		}
	debug_places_done(places);
	*places = found;
	if (found.list.count)
		return 0;
	(void)err_set(err, -ENOENT, "%s: %s: no code begins at this line", info->path, text);
	return err_hint(err, "lines with code: cupel probe -x %s -L %.*s", info->path,
			(int)strcspn(text, ":"), text);
}

static bool take_any(void *context, const char *path)
{
	suggest_offer(context, strrchr(path, '/') ? strrchr(path, '/') + 1 : path);
	return true;
}

static int find_file_line(const struct debug_info *info, const char *file, uint32_t line,
			  struct debug_places *ret, struct err *err)
{
	struct debug_places found = { 0 };
	struct line_search search = { info, &found, line, NULL, true };
	struct suggest suggest = { .word = file };
	char names[160];

	for (int pass = 0; pass < 2 && !found.list.count; pass++, search.own = false)
		dwarf_file_lines(info->dwarf, file, take_line, &search);
	if (found.list.count) {
		*ret = found;
		return 0;
	}
	(void)err_set(err, -ENOENT, "%s: no code begins at %s:%u", info->path, file, line);
	dwarf_each_file(info->dwarf, take_any, &suggest);
	if (*suggest_text(&suggest, names, sizeof(names)))
		(void)err_hint(err, "lines with code: cupel probe -x %s -L %s:%u-%u; files: %s",
			       info->path, file, line, line + 20, names);
	return err->code;
}

int debug_info_find(const struct debug_info *info, const char *text, struct debug_places *ret,
		    struct err *err)
{
	const char *mark = text + strcspn(text, ":+@");
	struct debug_places places = { 0 };
	char name[256];
	char *end = NULL;
	unsigned long number = 0;
	int code;

	while (mark[0] == ':' && mark[1] == ':') /* C++ */
		mark += 2 + strcspn(mark + 2, ":+@");
	if (*mark == ':' || *mark == '+')
		number = strtoul(mark + 1, &end, 0);
	if (snprintf(name, sizeof(name), "%.*s", (int)(mark - text), text) >= (int)sizeof(name) ||
	    (end && (*end || end == mark + 1 || number > UINT32_MAX)))
		return err_usage(err,
				 "invalid place '%s': expected FUNCTION, FUNCTION+OFFSET, "
				 "FUNCTION:LINE or FILE:LINE",
				 text);
	if (*mark == ':' && strchr(name, '.'))
		return find_file_line(info, name, (uint32_t)number, ret, err);
	code = debug_info_functions(info, name, &places, err);
	if (code)
		return code;
	for (size_t i = 0; *mark == '+' && i < places.list.count; i++)
		places.list.item[i].address += number;
	if (*mark == ':') {
		code = find_function_line(info, (uint32_t)number, text, &places, err);
		if (code)
			return code;
	}
	*ret = places;
	return 0;
}

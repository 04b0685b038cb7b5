/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Debug info of a binary (see debug_info.h). */
#include "session/probe/debug_info.h"

#include <dwarf.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/suggest.h"
#include "proc/elf_file.h"
#include "session/probe/probe_signature.h"
#include "session/probe/probe_source.h"
#include "symbol/dwarf/dwarf.h"
#include "symbol/dwarf/dwarf_source.h"
#include "symbol/dwarf/dwarf_variable.h"
#include "symbol/elf/debug_file.h"
#include "unwind/table.h"

#define MAX_SITES 8 /* of an inlined function, that are offered */

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
	const char *name;
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

/* All functions, those of namespaces as well, also without code. */
static void each_function(const struct debug_info *info,
			  void (*visit)(void *context, const struct dwarf_die *function),
			  void *context)
{
	for (size_t i = 0; i < dwarf_unit_count(info->dwarf); i++) {
		const struct dwarf_unit *unit = dwarf_unit_dies(info->dwarf, i);
		struct dwarf_walk walk;
		struct dwarf_die die;

		if (!unit || !dwarf_walk_unit(&walk, unit))
			continue;
		while (dwarf_walk_next(&walk, &die)) {
			if (die.tag != DW_TAG_namespace)
				dwarf_walk_skip(&walk);
			if (die.tag == DW_TAG_subprogram)
				visit(context, &die);
		}
	}
}

static void offer_function(void *context, const struct dwarf_die *function)
{
	const struct suggest *suggest = context;
	const char *name = dwarf_die_name(function);

	if (name && strcmp(name, suggest->word) != 0) /* else it has no code here */
		suggest_offer(context, name);
}

/* Whether it is an instance of a function of that name, or that linkage name where it has one. */
static bool is_instance(const struct dwarf_die *die, const char *name, const char *symbol)
{
	struct dwarf_value value;
	struct dwarf_die named;
	const char *found;

	if (symbol && dwarf_die_with(die, DW_AT_linkage_name, &named) &&
	    dwarf_die_attr(&named, DW_AT_linkage_name, &value)) {
		found = dwarf_value_string(named.unit, &value);
		name = symbol;
	} else {
		found = dwarf_die_name(die);
	}
	return found && strcmp(found, name) == 0;
}

/* "main+46, work+62": the places of an inlined function's code. */
static size_t put_inlined(const struct debug_info *info, const char *name, const char *symbol,
			  struct buf *ret)
{
	size_t sites = 0;

	for (size_t i = 0; i < dwarf_unit_count(info->dwarf); i++) {
		const struct dwarf_unit *unit = dwarf_unit_dies(info->dwarf, i);
		struct dwarf_die die, outer;
		struct dwarf_walk walk;
		uint64_t address, entry;

		if (!unit || !dwarf_walk_unit(&walk, unit))
			continue;
		while (dwarf_walk_next(&walk, &die)) {
			if (die.tag != DW_TAG_inlined_subroutine ||
			    !is_instance(&die, name, symbol) || !dwarf_die_entry(&die, &address) ||
			    !dwarf_function_at(info->dwarf, address, &outer) ||
			    !dwarf_die_entry(&outer, &entry) || sites++ >= MAX_SITES)
				continue;
			(void)buf_printf(ret, "%s%s+%llu", sites > 1 ? ", " : "",
					 dwarf_die_name(&outer),
					 (unsigned long long)(address - entry));
		}
	}
	if (sites > MAX_SITES)
		(void)buf_puts(ret, ", ...");
	return sites;
}

uint64_t debug_info_bytes(const struct debug_info *info)
{
	const struct elf_section *section =
		elf_file_section(info->debug ? info->debug : info->elf, ".debug_info");

	return section ? section->size : 0;
}

size_t debug_info_inlined(const struct debug_info *info, const char *symbol, struct buf *ret)
{
	return put_inlined(info, symbol, symbol, ret);
}

static int refuse_inlined(const struct debug_info *info, const char *name, struct err *err)
{
	struct buf text = { 0 };
	size_t sites = put_inlined(info, name, NULL, &text);

	(void)err_set(err, -EOPNOTSUPP, "%s: function '%s' is inlined everywhere", info->path,
		      name);
	if (sites)
		(void)err_hint(err, "probe where its code is: %s", text.data);
	else
		(void)err_hint(err, "probe a line of it: FILE:LINE");
	buf_done(&text);
	return err->code;
}

/* With its namespace and class, perhaps with parameters: by its linkage name. */
static void take_whole_name(void *context, const struct dwarf_die *function)
{
	struct function_search *search = context;
	struct dwarf_value value;
	struct dwarf_die named;
	const char *symbol;

	if (!dwarf_die_with(function, DW_AT_linkage_name, &named) ||
	    !dwarf_die_attr(&named, DW_AT_linkage_name, &value))
		return;
	symbol = dwarf_value_string(named.unit, &value);
	if (symbol && probe_name_matches(symbol, search->name, true))
		(void)take_function(search, function);
}

int debug_info_functions(const struct debug_info *info, const char *name, struct debug_places *ret,
			 struct err *err)
{
	struct debug_places places = { 0 };
	struct function_search search = { .info = info, .places = &places, .name = name };
	struct suggest suggest = { .word = name };
	char names[160];

	dwarf_function_each(info->dwarf, name, take_function, &search);
	if (!places.list.count && (strstr(name, "::") || probe_has_signature(name)))
		each_function(info, take_whole_name, &search);
	if (places.list.count) {
		*ret = places;
		return 0;
	}
	if (search.inlined)
		return refuse_inlined(info, name, err);
	(void)err_set(err, -ENOENT, "%s: debug info has no function '%s'", info->path, name);
	each_function(info, offer_function, &suggest);
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

static void add_line_place(const struct debug_info *info, const struct dwarf_source_line *line,
			   struct debug_places *places)
{
	struct debug_place place = { .address = line->address + info->bias };

	for (size_t i = 0; i < places->list.count; i++)
		if (places->list.item[i].address == place.address)
			return;
	if (dwarf_function_at(info->dwarf, line->address, &place.function) &&
	    dwarf_die_entry(&place.function, &place.entry))
		place.entry += info->bias;
	vec_push(&places->list, place);
}

static bool take_line(void *context, const struct dwarf_source_line *line)
{
	struct line_search *search = context;

	if (line->line == search->line &&
	    (!search->path || strcmp(line->path, search->path) == 0) && search->own == line->own)
		add_line_place(search->info, line, search->places);
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

/* Lines by their text. */
struct pattern_search {
	const struct debug_info *info;
	struct debug_places *places;
	const char *glob;
	const char *only;  /* the function's file; NULL = any */
	const char *path;  /* that was read last */
	VEC(bool) matches; /* by line of that file, from 0 */
	int code;
	struct err *err;
};

static int mark_matches(struct pattern_search *search, const char *path)
{
	struct buf text = { 0 };
	int code = probe_source_read(path, search->info->sources, &text, search->err);

	search->matches.count = 0;
	search->path = path;
	for (const char *line = text.data; !code && line && *line;) {
		const char *end = strchr(line, '\n');

		vec_push(&search->matches, probe_source_matches(line, search->glob));
		line = end ? end + 1 : NULL;
	}
	buf_done(&text);
	return code;
}

static bool take_matching(void *context, const struct dwarf_source_line *line)
{
	struct pattern_search *search = context;

	if (search->only && strcmp(line->path, search->only) != 0)
		return true;
	if (!search->path || strcmp(line->path, search->path) != 0)
		search->code = mark_matches(search, line->path);
	if (!search->code && line->own && line->line && line->line <= search->matches.count &&
	    search->matches.item[line->line - 1])
		add_line_place(search->info, line, search->places);
	return !search->code;
}

static int find_pattern(const struct debug_info *info, const char *name, const char *glob,
			struct debug_places *ret, struct err *err)
{
	struct debug_places functions = { 0 }, found = { 0 };
	struct pattern_search search = { info, &found, glob, .err = err };
	struct dwarf_source_line declared;

	if (strchr(name, '.'))
		dwarf_file_lines(info->dwarf, name, take_matching, &search);
	else
		search.code = debug_info_functions(info, name, &functions, err);
	for (size_t i = 0; !search.code && i < functions.list.count; i++) {
		const struct dwarf_die *function = &functions.list.item[i].function;

		search.only = dwarf_declaration(info->dwarf, function, &declared) ? declared.path
										  : NULL;
		dwarf_function_lines(info->dwarf, function, take_matching, &search);
	}
	debug_places_done(&functions);
	vec_done(&search.matches);
	if (!search.code && !found.list.count) {
		search.code = err_set(err, -ENOENT, "%s: no line of %s with code matches '%s'",
				      info->path, name, glob);
		(void)err_hint(err,
			       "lines with code: cupel probe -x %s -L %s; the pattern is for "
			       "the whole line, blanks aside%s%s%s",
			       info->path, name, *glob == '*' ? "" : ": '*",
			       *glob == '*' ? "" : glob, *glob == '*' ? "" : "*'");
	}
	if (search.code)
		debug_places_done(&found);
	else
		*ret = found;
	return search.code;
}

/* FUNCTION@FILE */
static int keep_file(const struct debug_info *info, const char *file, struct debug_places *places,
		     struct err *err)
{
	struct dwarf_source_line declared;
	size_t kept = 0;

	for (size_t i = 0; i < places->list.count; i++)
		if (dwarf_declaration(info->dwarf, &places->list.item[i].function, &declared) &&
		    dwarf_path_matches(declared.path, file))
			places->list.item[kept++] = places->list.item[i];
	places->list.count = kept;
	return kept ? 0 : err_set(err, -ENOENT, "%s: %s has no such function", info->path, file);
}

static int bad_place(const char *text, struct err *err)
{
	return err_usage(err,
			 "invalid place '%s': expected FUNCTION[@FILE], FUNCTION+OFFSET, "
			 "FUNCTION:LINE, FILE:LINE, FUNCTION;PATTERN or FILE;PATTERN",
			 text);
}

/* What is behind the name. */
static int find_in_functions(const struct debug_info *info, const char *text, const char *mark,
			     struct debug_places *places, struct err *err)
{
	char *end = NULL;
	unsigned long number = 0;

	if (*mark == '@')
		return keep_file(info, mark + 1, places, err);
	if (!*mark)
		return 0;
	number = strtoul(mark + 1, &end, 0);
	if (*end || end == mark + 1 || number > UINT32_MAX)
		return bad_place(text, err);
	for (size_t i = 0; *mark == '+' && i < places->list.count; i++) {
		struct debug_place *place = &places->list.item[i];

		place->address += number;
		if (!dwarf_die_covers(&place->function, place->address - info->bias, true))
			return err_set(err, -ENOENT, "%s: %s is behind the function's end",
				       info->path, text);
	}
	return *mark == ':' ? find_function_line(info, (uint32_t)number, text, places, err) : 0;
}

struct file_search {
	const struct debug_info *info;
	const char *glob, *file;
	struct debug_places *places;
	bool has_file;
};

static void take_function_of_file(void *context, const struct dwarf_die *die)
{
	struct file_search *search = context;
	struct debug_place place = { .function = *die };
	const char *name = dwarf_die_name(die);
	struct dwarf_source_line declared;

	if (!name || !dwarf_die_entry(die, &place.entry) ||
	    !dwarf_declaration(search->info->dwarf, die, &declared) ||
	    !dwarf_path_matches(declared.path, search->file))
		return;
	search->has_file = true;
	if (fnmatch(search->glob, name, 0) != 0)
		return;
	place.entry += search->info->bias;
	place.address = place.entry;
	vec_push(&search->places->list, place);
}

/* "GLOB@FILE" */
static int find_functions_of_file(const struct debug_info *info, const char *glob, const char *file,
				  struct debug_places *ret, struct err *err)
{
	struct file_search search = { info, glob, file, ret, false };

	each_function(info, take_function_of_file, &search);
	if (ret->list.count)
		return 0;
	if (search.has_file)
		return err_set(err, -ENOENT, "%s: %s has no function '%s' with code", info->path,
			       file, glob);
	return err_set(err, -ENOENT, "%s: debug info has no functions of a file %s", info->path,
		       file);
}

int debug_info_find(const struct debug_info *info, const char *text, struct debug_places *ret,
		    struct err *err)
{
	const char *mark = text + strcspn(text, ":+@;");
	struct debug_places places = { 0 };
	char name[256], *end;
	unsigned long line;
	int code;

	while (mark[0] == ':' && mark[1] == ':') /* C++ */
		mark += 2 + strcspn(mark + 2, ":+@;");
	if (snprintf(name, sizeof(name), "%.*s", (int)(mark - text), text) >= (int)sizeof(name) ||
	    !*name)
		return bad_place(text, err);
	if (*mark == ';')
		return find_pattern(info, name, mark + 1, ret, err);
	if (*mark == ':' && strchr(name, '.')) {
		line = strtoul(mark + 1, &end, 0);
		if (*end || end == mark + 1 || line > UINT32_MAX)
			return bad_place(text, err);
		return find_file_line(info, name, (uint32_t)line, ret, err);
	}
	if (*mark == '@' && strpbrk(name, "*?["))
		return find_functions_of_file(info, name, mark + 1, ret, err);
	code = debug_info_functions(info, name, &places, err);
	if (!code)
		code = find_in_functions(info, text, mark, &places, err);
	if (code)
		debug_places_done(&places);
	else
		*ret = places;
	return code;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Source lines that have code (see dwarf_source.h). */
#include "symbol/dwarf/dwarf_source.h"

#include <dwarf.h>
#include <string.h>

#include "base/map.h"
#include "symbol/dwarf/dwarf.h"
#include "symbol/dwarf/dwarf_die.h"
#include "symbol/dwarf/dwarf_line.h"

/* The line table that the file numbers of a DIE refer to; NULL for DIEs of a supplementary file. */
static struct dwarf_lines *lines_of(struct dwarf *dwarf, const struct dwarf_die *die)
{
	for (size_t i = 0; i < dwarf_unit_count(dwarf); i++)
		if (dwarf_unit_dies(dwarf, i) == die->unit)
			return dwarf_unit_lines(dwarf, i);
	return NULL;
}

bool dwarf_declaration(struct dwarf *dwarf, const struct dwarf_die *die,
		       struct dwarf_source_line *ret)
{
	struct dwarf_source_line line = { 0 };
	struct dwarf_die owner;
	struct dwarf_lines *lines;

	if (!dwarf_die_with(die, DW_AT_decl_line, &owner))
		return false;
	line.line = (uint32_t)dwarf_die_number(&owner, DW_AT_decl_line);
	/* a definition may lack the file when it is that of the declaration */
	if (!dwarf_die_with(&owner, DW_AT_decl_file, &owner))
		return false;
	lines = lines_of(dwarf, &owner);
	line.path = lines ? dwarf_lines_path(lines, dwarf_die_number(&owner, DW_AT_decl_file))
			  : NULL;
	if (!line.path || !line.line)
		return false;
	*ret = line;
	return true;
}

bool dwarf_path_matches(const char *path, const char *file)
{
	size_t path_len = strlen(path), file_len = strlen(file);

	if (file_len > path_len || strcmp(path + path_len - file_len, file))
		return false;
	return file_len == path_len || path[path_len - file_len - 1] == '/';
}

struct row_visit {
	struct dwarf_lines *lines;
	const char *file;		  /* NULL = all */
	const struct dwarf_die *function; /* NULL = all */
	uint32_t last_file;		  /* the one that was compared last, and the result */
	bool last_matches, over;
	struct map entries;    /* of functions */
	uint64_t last_address; /* of a statement */
	bool (*visit)(void *context, const struct dwarf_source_line *line);
	void *context;
};

static bool file_matches(struct row_visit *v, uint32_t file)
{
	const char *path;

	if (!v->file || file == v->last_file)
		return !v->file || v->last_matches;
	path = dwarf_lines_path(v->lines, file);
	v->last_file = file;
	v->last_matches = path && dwarf_path_matches(path, v->file);
	return v->last_matches;
}

/* Of several statements at one address the first has it. */
static bool is_own(struct row_visit *v, const struct dwarf_row *row)
{
	bool first = row->address != v->last_address;
	uint64_t ignored;

	v->last_address = row->address;
	return first && !map_get(&v->entries, row->address, &ignored);
}

static bool visit_row(void *context, const struct dwarf_row *row)
{
	struct row_visit *v = context;
	struct dwarf_source_line line = { .line = row->line, .address = row->address };

	if (!row->statement || row->end || !row->address)
		return true;
	line.own = is_own(v, row);
	if (!row->line || !file_matches(v, row->file))
		return true;
	if (v->function && !dwarf_die_covers(v->function, row->address, false))
		return true;
	line.path = dwarf_lines_path(v->lines, row->file);
	v->over = line.path && !v->visit(v->context, &line);
	return !v->over;
}

static bool has_file(struct dwarf_lines *lines, const char *file)
{
	for (size_t i = 0; i < dwarf_lines_files(lines); i++) {
		const char *path = dwarf_lines_path(lines, i);

		if (path && dwarf_path_matches(path, file))
			return true;
	}
	return false;
}

/* The line of a function's declaration stands for its entry. */
static void visit_entry(struct row_visit *v, struct dwarf *dwarf, const struct dwarf_die *function)
{
	struct dwarf_source_line line;
	uint64_t entry;

	if (!dwarf_die_entry(function, &entry))
		return;
	map_set(&v->entries, entry, 1);
	if (!dwarf_declaration(dwarf, function, &line) ||
	    (v->file && !dwarf_path_matches(line.path, v->file)))
		return;
	line.address = entry;
	line.own = true;
	v->over = !v->visit(v->context, &line);
}

static void visit_entries(struct row_visit *v, struct dwarf *dwarf, const struct dwarf_unit *unit)
{
	struct dwarf_walk walk;
	struct dwarf_die die;

	if (!unit || !dwarf_walk_unit(&walk, unit))
		return;
	while (!v->over && dwarf_walk_next(&walk, &die))
		if (die.tag == DW_TAG_subprogram)
			visit_entry(v, dwarf, &die);
}

void dwarf_file_lines(struct dwarf *dwarf, const char *file,
		      bool (*visit)(void *context, const struct dwarf_source_line *line),
		      void *context)
{
	struct row_visit v = { .file = file, .visit = visit, .context = context };

	for (size_t i = 0; i < dwarf_unit_count(dwarf) && !v.over; i++) {
		v.lines = dwarf_unit_lines(dwarf, i);
		v.last_file = UINT32_MAX;
		v.last_matches = false;
		if (!has_file(v.lines, file))
			continue;
		visit_entries(&v, dwarf, dwarf_unit_dies(dwarf, i));
		if (!v.over)
			dwarf_lines_each(v.lines, visit_row, &v);
	}
	map_done(&v.entries);
}

/* A line that calls an inlined function has no row when all its code is that of the function. */
static void visit_calls(struct row_visit *v)
{
	struct dwarf_walk walk;
	struct dwarf_die die;

	dwarf_walk_start(&walk, v->function);
	while (!v->over && dwarf_walk_next(&walk, &die)) {
		struct dwarf_source_line line = { .own = true };

		if (die.tag != DW_TAG_inlined_subroutine || !dwarf_die_entry(&die, &line.address))
			continue;
		line.line = (uint32_t)dwarf_die_number(&die, DW_AT_call_line);
		line.path = dwarf_lines_path(v->lines, dwarf_die_number(&die, DW_AT_call_file));
		if (line.line && line.path)
			v->over = !v->visit(v->context, &line);
	}
}

void dwarf_function_lines(struct dwarf *dwarf, const struct dwarf_die *function,
			  bool (*visit)(void *context, const struct dwarf_source_line *line),
			  void *context)
{
	struct row_visit v = { .function = function, .visit = visit, .context = context };

	v.lines = lines_of(dwarf, function);
	if (!v.lines)
		return;
	visit_entry(&v, dwarf, function);
	if (!v.over)
		dwarf_lines_each(v.lines, visit_row, &v);
	if (!v.over)
		visit_calls(&v);
	map_done(&v.entries);
}

void dwarf_each_file(struct dwarf *dwarf, bool (*visit)(void *context, const char *path),
		     void *context)
{
	for (size_t i = 0; i < dwarf_unit_count(dwarf); i++) {
		struct dwarf_lines *lines = dwarf_unit_lines(dwarf, i);

		for (size_t file = 0; file < dwarf_lines_files(lines); file++) {
			const char *path = dwarf_lines_path(lines, file);

			if (path && !visit(context, path))
				return;
		}
	}
}

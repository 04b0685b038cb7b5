/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Source lines that have code, by file and by function. */
#ifndef SYMBOL_DWARF_SOURCE_H
#define SYMBOL_DWARF_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

struct dwarf;
struct dwarf_die;

struct dwarf_source_line {
	const char *path; /* until dwarf_close() */
	uint32_t line;
	uint64_t address; /* where a statement of it begins */
	bool own;	  /* the address has this line: the entry of a function has that of its
			     declaration, another place the first of several */
};

/* Where a function, or what a DIE says to be declared, is in the source. */
bool dwarf_declaration(struct dwarf *dwarf, const struct dwarf_die *die,
		       struct dwarf_source_line *ret);
/* Whether a path is the file that a user means: the same, or ends in "/file". */
bool dwarf_path_matches(const char *path, const char *file);
/* The statements of a file, unit by unit, in order of addresses within a sequence, and the
 * declarations of functions with code. Lines occur more than once. Until visit() returns false. */
void dwarf_file_lines(struct dwarf *dwarf, const char *file,
		      bool (*visit)(void *context, const struct dwarf_source_line *line),
		      void *context);
/* The statements of a function's code, also of what is inlined into it. */
void dwarf_function_lines(struct dwarf *dwarf, const struct dwarf_die *function,
			  bool (*visit)(void *context, const struct dwarf_source_line *line),
			  void *context);
/* All source files with code; a file occurs more than once. */
void dwarf_each_file(struct dwarf *dwarf, bool (*visit)(void *context, const char *path),
		     void *context);

#endif

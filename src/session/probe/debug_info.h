/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The debug info of one binary, of the file or of its debug file, for what is asked about its
 * functions: lines, variables, arguments. Addresses are linked ones of the binary. */
#ifndef SESSION_PROBE_DEBUG_INFO_H
#define SESSION_PROBE_DEBUG_INFO_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "symbol/dwarf/dwarf_die.h"

struct buf;
struct dwarf;
struct elf_file;
struct err;
struct unwind_table;

struct debug_info {
	const char *path;
	struct elf_file *elf, *debug; /* debug: NULL = the same file */
	struct dwarf *dwarf;
	uint64_t bias; /* address in the binary - address in the DWARF */
	struct unwind_table *table;
	const char *sources; /* a folder to look for source files in; NULL = none; the user's */
};

/* -ENODATA without debug info, with what to install as hint. */
int debug_info_open(const char *path, struct debug_info *ret, struct err *err);
void debug_info_done(struct debug_info *info);

/* "FUNCTION", "FUNCTION@FILE" with globs of functions, too, "FUNCTION+OFFSET", "FUNCTION:LINE"
 * (lines behind its declaration), "FILE:LINE"; "FUNCTION;PATTERN", "FILE;PATTERN": the lines with a
 * text that matches the glob, blanks aside. */
struct debug_place {
	struct dwarf_die function; /* tag 0 = only a line of a file */
	uint64_t address;	   /* in the binary */
	uint64_t entry;		   /* of the function */
};

struct debug_places {
	VEC(struct debug_place) list;
};

/* All places that the text means: several for a name that several files use for a function, or a
 * line with code at several addresses. -ENOENT with the nearest names as hint. */
int debug_info_find(const struct debug_info *info, const char *text, struct debug_places *ret,
		    struct err *err);
/* The functions with code of a name alone, as places. */
int debug_info_functions(const struct debug_info *info, const char *name, struct debug_places *ret,
			 struct err *err);
void debug_places_done(struct debug_places *places);

/* How much there is to read. */
uint64_t debug_info_bytes(const struct debug_info *info);
/* Where a function with that symbol is inlined, "main+46, work+62, ..."; returns how often. It
 * reads all of the debug info. */
size_t debug_info_inlined(const struct debug_info *info, const char *symbol, struct buf *ret);

#endif

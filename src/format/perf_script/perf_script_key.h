/* SPDX-License-Identifier: GPL-2.0-or-later */
/* 64-bit keys of call chain lines, which identify lines without parsing them. Pure functions of
 * bytes except for a cache of modules; not thread-safe. */
#ifndef FORMAT_PERF_SCRIPT_PERF_SCRIPT_KEY_H
#define FORMAT_PERF_SCRIPT_PERF_SCRIPT_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/perf_script/perf_script_line.h"

#define SCRIPT_MODULE_ENDS 64

/* Zero-initialise but for merge_names. */
struct script_line_keys {
	bool merge_names; /* lines that differ in nothing but addresses are the same line */
	struct script_module_end {
		uint64_t key;
		ptrdiff_t len; /* 0 = free */
		char text[112];
	} module_end[SCRIPT_MODULE_ENDS]; /* " (module)", the ends of recent lines */
	/* How the last line with an unknown function went on behind its pc, with the newline. Such
	 * lines come in rows, and their pcs do not matter where names are merged. */
	struct script_unknown_end {
		uint64_t key;
		size_t len; /* 0 = none yet */
		char text[112];
	} unknown_end;
};

/* Lines with equal keys have the same frames. Without addresses, the key of a line covers only name
 * and module. */
uint64_t script_line_key(struct script_line_keys *keys, struct slice line);
/* The same, quick, and finer: of the text as it stands, but for the pc of unknown functions. */
uint64_t script_text_key(const struct script_line_keys *keys, struct slice line);
/* The text key of the line at `at`, which ends with a newline; returns where the next one begins.
 */
const char *script_next_key(struct script_line_keys *keys, const char *at, const char *end,
			    uint64_t *ret_key);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Perf maps, /tmp/perf-PID.map: "START SIZE NAME" per line in hexadecimal, written by runtimes
 * that compile code while they run. Format: tools/perf/Documentation/jit-interface.txt in Linux. */
#ifndef SYMBOL_PERFMAP_H
#define SYMBOL_PERFMAP_H

#include <stddef.h>
#include <stdint.h>

#include "symbol/range_table.h"

struct err;
struct symbol_options;

struct perfmap {
	struct range_table ranges;
	char *text;
	size_t malformed; /* lines that were skipped */
};

/* The perf map of a process: a descriptor, or -errno (-ENOENT: it has none). */
int perfmap_open_file(uint32_t pid, const struct symbol_options *options, struct err *err);
/* Takes over the text (malloc'd, with a byte to spare at text[len]); its lines are cut up in place.
 * Of two entries for one address the later line counts. */
void perfmap_parse(char *text, size_t len, struct perfmap *ret);
void perfmap_done(struct perfmap *perfmap);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How much of each mapping of a process was touched: the accessed bits of its pages, which can be
 * cleared. Format: "smaps" and "clear_refs" in proc_pid_smaps(5). */
#ifndef PROC_REFERENCED_MAP_H
#define PROC_REFERENCED_MAP_H

#include <stdint.h>
#include <sys/types.h>

#include "base/strtab.h"
#include "base/vec.h"

struct err;

/* All mappings of one file or kind. */
struct referenced_mapping {
	string_id path;				/* "" = anonymous memory */
	uint64_t count;				/* mappings */
	uint64_t resident, referenced, swapped; /* bytes */
};

struct referenced_map {
	struct strtab *strings;
	VEC(struct referenced_mapping) item; /* the one with the most cold bytes first */
	uint64_t resident, referenced, swapped;
};

/* Clears the accessed bits of all pages. */
int referenced_map_clear(pid_t pid, struct err *err);
int referenced_map_read(pid_t pid, struct referenced_map *ret, struct err *err);
/* The text of smaps. Lines that are not understood are skipped. */
void referenced_map_parse(const char *text, size_t len, struct referenced_map *ret);
void referenced_map_done(struct referenced_map *map);

#endif

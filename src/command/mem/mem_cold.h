/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `cupel mem --cold` has of mappings, and of blocks. */
#ifndef COMMAND_MEM_MEM_COLD_H
#define COMMAND_MEM_MEM_COLD_H

#include <sys/types.h>

#include "command/mem/mem_look.h"

struct buf;
struct err;
struct referenced_map;

#define MEM_COLD_NS 10000000000ull /* without -d */

int mem_cold_process(const char *text, pid_t *ret, struct err *err);
void mem_cold_warn(const char *pid); /* NULL = of a program */
void mem_cold_text(const struct mem_look *look, const struct referenced_map *map, double seconds,
		   struct buf *out);
/* member: more of the object, "" = none. */
void mem_cold_json(const struct referenced_map *map, double seconds, const char *member,
		   struct buf *out);
/* Of blocks, by the stack that allocated them, and of mappings. */
int mem_cold_sites_run(struct mem_look *look, char **argv, struct err *err);

#endif

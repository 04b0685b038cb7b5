/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `cupel mem --stalls`, `--watch` and `--cold` have in common. */
#ifndef COMMAND_MEM_MEM_LOOK_H
#define COMMAND_MEM_MEM_LOOK_H

#include <stdbool.h>
#include <stdint.h>

#include "command/output.h"
#include "command/picture_options.h"

struct err;

struct mem_look {
	bool stalls, cold, sites, heap, inlines, reads;
	const char *watch;
	const char *pid;
	uint64_t duration_ns, after_ns, rows, rate;
	struct output_options output;
	const char *flame_graph, *save;
	struct picture_options picture;
};

/* Each returns an exit status, or -1 with err filled. */
int mem_stalls_run(struct mem_look *look, char **argv, struct err *err);
int mem_watch_run(struct mem_look *look, char **argv, struct err *err);
int mem_cold_run(struct mem_look *look, struct err *err);
/* The words of a cache line of a process. */
int mem_watch_line_run(struct mem_look *look, struct err *err);
/* Of the line that threads wait for. */
int c2c_find_run(struct mem_look *look, struct err *err);
/* Watches a line, and shows it. shared: it is shown only if several threads write to it, which is
 * returned; NULL = in any case. */
int mem_watch_line(const struct mem_look *look, uint64_t line, const char *name, bool *shared,
		   struct err *err);

#endif

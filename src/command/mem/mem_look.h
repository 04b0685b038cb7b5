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
	bool stalls, cold, heap, inlines, reads;
	const char *watch;
	const char *pid;
	uint64_t duration_ns, rows, rate;
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

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tools with BCC's names share: the threads they watch, printing every interval, and heat
 * maps. */
#ifndef COMMAND_LATENCY_TOOL_H
#define COMMAND_LATENCY_TOOL_H

#include <stdbool.h>
#include <stdint.h>

#include "command/option/option.h"

struct buf;
struct err;
struct latency_map;
struct latency_map_options;

struct tool_threads {
	const char *pids, *tids, *comm, *cgroup;
};

/* For OPT_INCLUDE. */
extern const struct option_def tool_thread_rows[];
/* 0 or the status of wrong usage. */
int tool_threads_check(const struct tool_threads *threads, struct err *err);
/* Of a folder of cgroups version 2; path NULL = 0. */
int tool_cgroup(const char *path, uint64_t *ret, struct err *err);

struct tool_interval {
	uint64_t ns;   /* between two looks; 0 = one, at the end */
	uint64_t left; /* distributions to print; 0 = no limit */
	bool prints;   /* at every look, not at the end alone */
};

/* words: [interval [count]], in seconds or with a unit. map_ns: between looks for a heat map, 0 =
 * there is none. 0 or the status of wrong usage. */
int tool_interval_parse(struct option_words words, uint64_t map_ns, struct tool_interval *ret,
			struct err *err);
/* Counts a printed one. True if it was the last requested one. */
bool tool_interval_ends(struct tool_interval *interval);
/* What stands before a distribution: a line, and the time of day if asked for. */
void tool_put_head(bool timestamp, struct buf *out);
void tool_put_time(struct buf *out);
/* Prints the first line at once, so that the user sees what runs. */
void tool_announce(const char *line);
/* path NULL: there is none to be drawn. */
int tool_write_map(const char *path, const struct latency_map *map,
		   const struct latency_map_options *options, struct err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tools with BCC's names. A tool is a const struct tool and the functions that are its own;
 * tool_main() has the rest: words, options, the run of its source, intervals, output, heat maps.
 * There are two kinds: tools that count print at every interval and at the end (runqlen), others
 * print a line for each event (runqslower). */
#ifndef COMMAND_TOOL_H
#define COMMAND_TOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "command/command.h"
#include "command/option/option.h"
#include "event/sink.h"
#include "session/watch.h"
#include "view/latency/latency_map.h"

struct err;
struct event;

struct tool_threads {
	const char *pids, *tids, *comm, *cgroup;
};

/* The options of a tool begin with these. */
struct tool_options {
	struct tool_threads threads;
	const char *heat_map;
	bool json, timestamp;
	uint64_t duration_ns;
};

/* For OPT_INCLUDE: of a struct tool_threads; and at the end of the rows of tools that count, of
 * those that list events. */
extern const struct option_def tool_thread_rows[];
extern const struct option_def tool_count_rows[], tool_list_rows[];

struct tool_interval {
	uint64_t ns;   /* between two looks; 0 = one, at the end */
	uint64_t left; /* distributions to print; 0 = no limit */
	bool prints;   /* at every look, not at the end alone */
};

/* A tool at work; its own state begins with this. */
struct tool_run {
	struct sink sink; /* first */
	const struct tool *tool;
	const void *options; /* the tool's own, which begin with struct tool_options */
	struct watch watch;  /* its options are those of the source */
	struct tool_interval interval;
	uint64_t looks;
	/* The source's counters, and what came since the look before; of tools without take(). */
	uint64_t *all, *fresh;
	size_t cells;
	struct latency_map map;
	struct latency_map_options map_view;
	struct buf out; /* text that is printed next */
};

struct tool {
	const char *source;		/* the name of the producer */
	const char *tracing;		/* the first line of text: "Tracing off-CPU time" */
	size_t state_size;		/* 0: a struct tool_run is all */
	bool own_words;			/* set_up() takes the words, and sets run->interval */
	bool own_head;			/* print() puts what stands before it */
	struct latency_map_options map; /* --heatmap */
	uint64_t map_column_ns;
	/* Checks the tool's own options and words, and sets what the source needs besides the
	 * threads. 0, an exit status, or -1 with err set. NULL = nothing to do. */
	int (*set_up)(struct tool_run *run, struct option_words words, struct err *err);
	void (*put_head)(const struct tool_run *run, struct buf *out); /* instead of tracing */
	/* From the source. Tools that list events put a line into run->out. NULL: each event is an
	 * array of counters (uint64_t) that only grow. */
	void (*take)(struct tool_run *run, const struct event *event);
	/* Of tools that count. All was taken that came since the look before; NULL = nothing to
	 * do. */
	void (*look)(struct tool_run *run);
	/* Puts that into run->map, for --heatmap. */
	void (*draw)(struct tool_run *run, uint64_t time_ns);
	/* Prints that, or without intervals what came since the beginning. NULL: the tool lists
	 * events. */
	void (*print)(const struct tool_run *run, struct buf *out);
	void (*done)(struct tool_run *run); /* NULL = nothing to free */
};

/* The options are the tool's own. Returns an exit status, or -1 with err set. */
int tool_main(const struct tool *tool, const void *options, struct option_words words,
	      struct err *err);

/* A tool's command, cmd_NAME: call(tool, …) runs it, and the members of struct command that follow
 * are its own. */
#define TOOL_COMMAND(title, call, tool, ...)                                          \
	static int title##_run(void *options, int argc, char **argv, struct err *err) \
	{                                                                             \
		return call(tool, options, (struct option_words){ argc, argv }, err); \
	}                                                                             \
	const struct command cmd_##title = { .name = #title, .run = title##_run, __VA_ARGS__ }

/* 0 or the status of wrong usage. */
int tool_threads_check(const struct tool_threads *threads, struct err *err);
/* Of a folder of cgroups version 2; path NULL = 0. */
int tool_cgroup(const char *path, uint64_t *ret, struct err *err);
/* words: [interval [count]], in seconds or with a unit. map_ns: between looks for a heat map, 0 =
 * there is none. 0 or the status of wrong usage. */
int tool_interval_parse(struct option_words words, uint64_t map_ns, struct tool_interval *ret,
			struct err *err);
/* Counts a printed one. True if it was the last requested one. */
bool tool_interval_ends(struct tool_interval *interval);
/* What stands before a distribution: a line, and the time of day if asked for. */
void tool_put_head(bool timestamp, struct buf *out);
/* "12:34:56", in buf. */
#define TOOL_TIME_SIZE 16
const char *tool_time(char buf[TOOL_TIME_SIZE]);
/* Adds an event to the heat map; length_ns in units of map_view.unit_ns. Nothing without
 * --heatmap. */
void tool_map_add(struct tool_run *run, uint64_t time_ns, uint64_t length_ns);
/* path NULL: there is none to be drawn. options->about: what was watched; the host is added. */
int tool_write_map(const char *path, const struct latency_map *map,
		   const struct latency_map_options *options, struct err *err);

#endif

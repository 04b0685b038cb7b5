/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tools over the source "activity" (event/activity.h). A tool is a declaration: kinds, what makes a
 * sum, columns, option rows; activity_tool_main() has the rest. There are three shapes: lists print
 * a line for each activity (opensnoop), tables print the largest sums at every interval (biotop),
 * distributions print histograms (biolatency). */
#ifndef COMMAND_TOOL_ACTIVITY_TOOL_H
#define COMMAND_TOOL_ACTIVITY_TOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "command/tool/tool.h"
#include "event/activity.h"
#include "source/activity/activity_source.h"
#include "symbol/kernel/kallsyms.h"

/* Of all these tools; each has rows for some. */
struct activity_options {
	struct tool_options tool; /* first */
	/* columns */
	bool time, seconds, uid, extended, full_path, queue, pattern, wide, csv, local_port,
		sequence, label_given, dns, call_name;
	/* what is shown */
	bool failed, all_files, ipv4, ipv6, per_thread, quote, no_summary, latency, milliseconds,
		microseconds, by_process, disks, flags, totals, list, min_ms_given, nanoseconds,
		counts, histograms, read_only, write_only;
	const char *disk, *name, *line, *user, *local_ports, *remote_ports, *error, *call, *type,
		*label, *cpu;
	struct option_list open_flags;
	uint64_t max_rows, signal, target, ppid, interval_ns, min_ms;
	unsigned int sort;
};

#define ACTIVITY(name) OPT(activity_options, name)

struct activity_run;
struct activity_column;
struct dns_column;

typedef void activity_put(const struct activity_run *run, const struct activity_column *column,
			  const struct activity *from, struct buf *out);

struct activity_column {
	const char *head, *key; /* of JSON; NULL = text only */
	int width;		/* as printf's: negative = left */
	int most;		/* bytes; 0 = no limit */
	activity_put *put;
	uint8_t number;	   /* for put functions: a place in number[], */
	uint8_t decimals;  /* and how it is printed */
	uint32_t unit;	   /* it is divided by this; 0 = 1 */
	size_t only_with;  /* offset of a flag of the options + 1; 0 = always shown */
	size_t not_with;   /* likewise: not shown with it */
	activity_put *raw; /* JSON's number or quoted text, if it is not put()'s as text */
};

#define ACTIVITY_ONLY(name)  .only_with = ACTIVITY(name) + 1
#define ACTIVITY_NEVER(name) .not_with = ACTIVITY(name) + 1

enum activity_words {
	ACTIVITY_NO_WORDS,
	ACTIVITY_MIN_MS,       /* [min_ms], 10 */
	ACTIVITY_INTERVAL,     /* [interval [count]], one at the end */
	ACTIVITY_EVERY_SECOND, /* the same, 1 */
};

struct activity_tool {
	struct tool tool; /* first */
	const char *name;
	struct activity_rules rules;
	enum activity_words words;
	const struct activity_column *column; /* up to one without a head */
	const char *comma;		      /* between columns; NULL = " " */
	/* What the tool's options mean. 0, an exit status, or -1 with err set. NULL = nothing. */
	int (*choose)(const struct activity_options *options, struct activity_choice *choice,
		      struct err *err);
	/* Whether it is shown, for what the kernel part does not decide. NULL = it is. */
	bool (*wants)(const struct activity_options *options, const struct activity *activity);
	/* Of a sum: what the kernel part cannot leave out of the key. NULL = nothing. */
	void (*reduce)(struct activity *sum);
	/* What stands before lists and tables, below it. NULL = nothing. */
	void (*put_first)(const struct activity_run *run, struct buf *out);
	/* Behind the columns of a line, with its newline. */
	activity_put *put_rest;
	/* Tables: qsort's order; NULL = by count. */
	int (*order)(const void *a, const void *b);
	int (*(*choose_order)(const struct activity_options *options))(const void *, const void *);
	void (*put_above)(const struct activity_run *run, struct buf *out); /* each table */
	bool screens;  /* each table is on a screen of its own, below the load average */
	bool always;   /* there is a line even if nothing happened */
	uint64_t rows; /* of a table; 0 = all, else the default of max_rows */
	/* Distributions: of what, and what a histogram is of. */
	const char *unit;
	const char *section; /* NULL = there is one, */
	const char *(*choose_section)(const struct activity_options *options); /* or as this says */
	activity_put *put_section;					       /* its value */
	bool sections_are_stacks; /* printed above, not as a title */
};

struct activity_run {
	struct tool_run run; /* first */
	struct activity_choice choice;
	const struct activity_tool *tool;
	const struct activity_options *options;
	VEC(struct activity) rows;
	uint64_t start_ns;
	struct kallsyms kernel;
	bool has_kernel;
	struct dns_column *dns; /* with the option; NULL = not wanted */
	char time[TOOL_TIME_SIZE];
	bool headed;
};

/* Rows for OPT_INCLUDE: -p, --tid, --comm, --cgroup; -d of lists; --json and --heatmap. */
extern const struct option_def activity_thread_rows[], activity_output_rows[];

/* For the member tool. */
#define ACTIVITY_TOOL(about)                                                                     \
	{                                                                                        \
		.source = "activity", .state_size = sizeof(struct activity_run),                 \
		.own_words = true, .own_head = true, .tracing = (about),                         \
		.set_up = activity_set_up, .put_head = activity_put_head, .take = activity_take, \
		.done = activity_done,                                                           \
		.map = { .title = (about), .thing = "events", .unit_ns = 1000 },                 \
		.map_column_ns = 100000000                                                       \
	}
#define ACTIVITY_SUMS(about)                                                                     \
	{                                                                                        \
		.source = "activity", .state_size = sizeof(struct activity_run),                 \
		.own_words = true, .own_head = true, .tracing = (about),                         \
		.set_up = activity_set_up, .put_head = activity_put_head, .take = activity_take, \
		.draw = activity_draw, .print = activity_print, .done = activity_done,           \
		.map = { .title = (about), .thing = "events", .unit_ns = 1000 },                 \
		.map_column_ns = 250000000                                                       \
	}
#define ACTIVITY_COMMAND(title, ...)                                      \
	TOOL_COMMAND(title, tool_main, &title.tool, .keeps_dashes = true, \
		     .options_size = sizeof(struct activity_options), __VA_ARGS__)

int activity_set_up(struct tool_run *run, struct option_words words, struct err *err);
void activity_put_head(const struct tool_run *run, struct buf *out);
void activity_take(struct tool_run *run, const struct event *event);
void activity_draw(struct tool_run *run, uint64_t time_ns);
void activity_print(const struct tool_run *run, struct buf *out);
void activity_done(struct tool_run *run);

/* Values of columns. */
activity_put put_time, put_seconds, put_age, put_pid, put_tid, put_ppid, put_uid, put_comm,
	put_operation, put_text, put_number, put_signed_int, put_scaled, put_ns, put_count,
	put_average, put_letter, put_errno, put_major, put_minor;
/* Of TCP: IP version, addresses and ports. */
activity_put put_ip, put_local, put_remote, put_local_port, put_remote_port, put_local_pair,
	put_remote_pair, put_tcp_state, put_tcp_flags;
/* Raw values for JSON. */
activity_put raw_ns, raw_number;

/* "tcp_v4_rcv+0x123"; the address, if it has no name. */
void activity_put_symbol(const struct activity_run *run, uint64_t address, bool offset,
			 struct buf *out);
/* How many frames of the kernel's stack, which is at that place of the text, are those of watching.
 */
size_t activity_own_frames(const struct activity_run *run, const struct activity *from, size_t at);
/* A path from its names, the last first, each with a NUL behind it. */
void activity_put_names(const char *names, size_t len, struct buf *out);
/* The set() of a list of ports, "80,443": refuses what is none. */
int activity_set_ports(void *field, const char *value, bool negated, struct err *err);
/* Such a list has the port; NULL has all. */
bool activity_has_port(const char *list, uint32_t port);
/* By -4 and -6. */
bool activity_has_family(const struct activity_options *options, const struct activity *activity);
/* The table or a list line, for tests: pure functions. */
void activity_put_heads(const struct activity_run *run, struct buf *out);
void activity_put_line(const struct activity_run *run, const struct activity *from,
		       struct buf *out);
void activity_put_json(const struct activity_run *run, const struct activity *from,
		       struct buf *out);

#endif

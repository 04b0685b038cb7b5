/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options of the commands `cupel ftrace`, and what they share. */
#ifndef COMMAND_FTRACE_OPTIONS_H
#define COMMAND_FTRACE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "command/option/option.h"
#include "command/output.h"
#include "profile/function_times.h"
#include "session/ftrace/ftrace_watch.h"

struct ftrace_command_event {
	VEC(struct ftrace_event) item;
};

struct ftrace_command {
	struct ftrace_watch_options watch;
	struct output_options output;
	struct option_list functions, no_functions, graph, no_graph, pair;
	struct ftrace_command_event events;
	uint64_t delay_ms;
	bool system_wide;
	/* trace */
	bool list;
	struct option_list globs; /* of -F */
	const char *binary;	  /* functions of a program, not of the kernel */
	bool folded;
	uint64_t max_cost; /* percent */
	/* latency */
	bool nanoseconds, hide_empty;
	struct latency_counts latency;
	/* profile */
	enum function_times_order order;
};

/* For OPT_INCLUDE: all commands; those that choose functions; options of function_graph. */
extern const struct option_def ftrace_common_rows[];
extern const struct option_def ftrace_function_rows[];
extern const struct option_def ftrace_graph_rows[];

/* Fills in watch.setup. 0, or an exit status with err set. */
int ftrace_command_setup(struct ftrace_command *command, char **argv, struct err *err);
/* Runs it and says what was lost. Returns 0 or -errno; *ret_status is that of the command. */
int ftrace_command_run(struct ftrace_command *command, char **argv, uint64_t *ret_lost,
		       int *ret_status, struct err *err);
/* For struct command. */
void ftrace_command_done(void *options);
/* Calls add() for each line. */
struct ftrace_line;
void ftrace_command_lines(const char *lines, size_t len,
			  void (*add)(void *context, const struct ftrace_line *line),
			  void *context);

#endif

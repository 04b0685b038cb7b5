/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tools with BCC's names that show stacks, such as offcputime. They record into memory, until a
 * program ends, the duration is over or Ctrl-C, and print at the end. A tool is a const struct
 * stack_tool; stack_tool_main() has the rest. */
#ifndef COMMAND_TOOL_STACK_TOOL_H
#define COMMAND_TOOL_STACK_TOOL_H

#include <stdbool.h>

#include "command/tool/tool.h"

struct err;
struct profile;
struct profile_sample;
struct recording_options;

/* The options of a tool begin with these. */
struct stack_tool_options {
	struct tool_threads threads;
	bool user_stacks, kernel_stacks, folded, delimited, inlines, json;
	const char *output, *heat_map;
};

/* For OPT_INCLUDE, at the end of the tool's rows. */
extern const struct option_def stack_tool_rows[];
void stack_tool_defaults(struct stack_tool_options *options);

struct stack_tool {
	const char *event; /* what is recorded: "off-cpu,wakeup" */
	const char *what;  /* what is shown: "off-CPU time" */
	const char *thing; /* what the heat map counts: "waits" */
	/* Checks the tool's own options and sets what they mean for the recording. 0, an exit
	 * status, or -1 with err set. */
	int (*set_up)(const struct stack_tool *tool, const void *options,
		      struct recording_options *record, struct err *err);
	/* "all threads by user + kernel stack"; in the first line. */
	void (*put_subject)(const struct stack_tool *tool, const void *options, bool program,
			    struct buf *out);
	void (*print)(const struct stack_tool *tool, const void *options,
		      const struct profile *profile, struct buf *out);
	/* Whether a sample is in the heat map. */
	bool (*draws)(const void *options, const struct profile *profile,
		      const struct profile_sample *sample);
};

/* words: [duration | -- program arguments]. Returns an exit status, or -1 with err set. */
int stack_tool_main(const struct stack_tool *tool, const void *options, struct option_words words,
		    struct err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by offcputime, wakeuptime and offwaketime: BCC's options, a temporary recording, and its
 * output. */
#ifndef COMMAND_LATENCY_WAIT_TOOL_H
#define COMMAND_LATENCY_WAIT_TOOL_H

#include <stdbool.h>
#include <stdint.h>

#include "command/option/option.h"
#include "command/tool/tool.h"
#include "profile/waits/waits.h"
#include "view/wait_stacks.h"

struct err;
struct recording_off_cpu;

struct wait_tool_state {
	bool given;
	uint32_t mask;
};

struct wait_tool_options {
	struct tool_threads threads;
	bool user_threads, kernel_threads, user_stacks, kernel_stacks;
	struct wait_tool_state state;
	uint64_t min_us, max_us;
	bool inlines, json;
	struct wait_stacks_options view;
	const char *output, *heat_map;
};

/* Rows for OPT_INCLUDE: the selection, and the output. */
extern const struct option_def wait_tool_selection_rows[], wait_tool_output_rows[];

struct wait_tool_subject {
	enum waits_by by;
	const char *what;  /* "off-CPU time" */
	const char *event; /* "off-cpu,wakeup" */
};

extern const struct wait_tool_subject offcputime, wakeuptime, offwaketime;

void wait_tool_defaults(struct wait_tool_options *options);
/* Sets which waits the kernel reports. */
int wait_tool_choose(const struct wait_tool_options *options,
		     const struct wait_tool_subject *subject, struct recording_off_cpu *ret,
		     struct err *err);
/* words: [duration | -- program arguments]. Returns an exit status, or -1 with err set. */
int wait_tool_run(const struct wait_tool_options *options, const struct wait_tool_subject *subject,
		  struct option_words words, struct err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What offcputime, wakeuptime and offwaketime ask of the kernel. */
#ifndef COMMAND_TOOL_WAIT_TOOLS_H
#define COMMAND_TOOL_WAIT_TOOLS_H

#include "command/tool/stack_tool.h"

struct recording_off_cpu;

struct wait_tool_options {
	struct stack_tool_options stacks; /* first */
	bool user_threads, kernel_threads;
	struct wait_tool_state {
		bool given;
		uint32_t mask;
	} state;
	uint64_t min_us, max_us;
};

extern const struct stack_tool offcputime, wakeuptime, offwaketime;

/* Sets which waits the kernel reports. */
int wait_tool_choose(const struct stack_tool *tool, const struct wait_tool_options *options,
		     struct recording_off_cpu *ret, struct err *err);

#endif

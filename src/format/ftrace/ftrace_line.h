/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of ftrace's text: the files trace and trace_pipe of tracefs, and what trace-cmd report
 * prints. Any tracer's lines are understood as far as they have the common form. */
#ifndef FORMAT_FTRACE_LINE_H
#define FORMAT_FTRACE_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ftrace_line_kind {
	FTRACE_LINE_OTHER,    /* comments, headings, anything else */
	FTRACE_LINE_EVENT,    /* name: arguments */
	FTRACE_LINE_FUNCTION, /* name <-parent */
	FTRACE_LINE_ENTRY,    /* name() { */
	FTRACE_LINE_EXIT,     /* } */
	FTRACE_LINE_LEAF,     /* name(); */
	FTRACE_LINE_STACK,    /* frames follow */
	FTRACE_LINE_FRAME,    /* => name */
	FTRACE_LINE_SWITCH,   /* function_graph: another thread on this CPU */
	FTRACE_LINE_LOST,     /* count events */
};

struct ftrace_text {
	const char *data; /* in the line */
	size_t len;
};

/* What a line has; the rest is zero, or -1 for cpu and pid; prefix is not NULL. */
struct ftrace_line {
	enum ftrace_line_kind kind;
	struct ftrace_text comm, name, args, parent;
	const char *prefix; /* of the name: the kernel writes sys_read(…) for sys_enter_read */
	int32_t pid, cpu;
	uint64_t time_ns;
	bool has_time, has_duration;
	uint64_t duration_ns;
	uint32_t depth; /* of functions in a graph */
	uint64_t count; /* LOST */
};

bool ftrace_line_is(const struct ftrace_line *line, const char *name);
void ftrace_line_parse(const char *line, size_t len, struct ftrace_line *ret);
/* The last words of a thread in a line, "comm-123". False: it is none. */
bool ftrace_line_thread(const char *text, size_t len, struct ftrace_line *ret);

#endif

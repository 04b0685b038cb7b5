/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of ftrace's text as JSON, one object a line:
 * {"cupel":1,"type":"function","cpu":n,"comm":"…","tid":n,"time_ns":n,"name":"…","parent":"…"}
 * Types are event (with "arguments"), function, entry, exit and leaf (with "depth", "duration_ns"),
 * stack (with "frames", of the object before), and lost (with "count"). Members that the text does
 * not have are left out. */
#ifndef FORMAT_FTRACE_JSON_H
#define FORMAT_FTRACE_JSON_H

#include <stdbool.h>

#include "base/buf.h"

struct ftrace_line;

struct ftrace_json {
	struct buf frames; /* of the stack that is being read */
	bool in_stack;
};

void ftrace_json_add(struct ftrace_json *json, const struct ftrace_line *line, struct buf *out);
/* What was not written yet. */
void ftrace_json_end(struct ftrace_json *json, struct buf *out);

#endif

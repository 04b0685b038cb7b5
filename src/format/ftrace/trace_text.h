/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftrace's text as a recording: the file trace of tracefs, and what trace-cmd report prints. Lines
 * are read by ftrace_line.h; here are the fields in the text of an event. */
#ifndef FORMAT_TRACE_TEXT_H
#define FORMAT_TRACE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/ftrace/ftrace_line.h"

#define TRACE_TEXT_FIELDS 32 /* further ones are left out */

struct trace_text_field {
	struct ftrace_text name, value;
};

bool trace_text_is(const uint8_t *head, size_t len);
/* The next line of *text, without its end; false: there is none. */
bool trace_text_next(struct ftrace_text *text, struct ftrace_text *ret);
/* "prev_comm=a b prev_pid=1 ...", and trace-cmd's form of the scheduler's events: "a b:1 [120] S
 * ==>
 * ...". Returns how many there are. */
size_t trace_text_fields(const struct ftrace_line *line,
			 struct trace_text_field ret[TRACE_TEXT_FIELDS]);
/* Decimal, with 0x hexadecimal; states of threads as the kernel's bits. */
bool trace_text_number(const struct trace_text_field *field, int64_t *ret);
/* The subsystem that an event belongs to, "trace" if that is not known: its name is not in the
 * text. */
const char *trace_text_system(const char *event);

#endif

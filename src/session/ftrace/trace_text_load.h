/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftrace's text (format/ftrace/trace_text.h) as a recording: events are tracepoints with the fields
 * of their text, and the text itself; functions have addresses of no kernel, and their names. */
#ifndef SESSION_TRACE_TEXT_LOAD_H
#define SESSION_TRACE_TEXT_LOAD_H

#include <stddef.h>
#include <stdint.h>

struct err;

/* The descriptor of an unnamed perf.data, or -errno. */
int trace_text_load(const uint8_t *data, size_t len, struct err *err);

#endif

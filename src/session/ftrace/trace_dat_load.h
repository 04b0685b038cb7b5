/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A file of trace-cmd as a recording: its events are tracepoints with their payloads and stacks, a
 * graph of functions becomes samples of the event function-time. */
#ifndef SESSION_TRACE_DAT_LOAD_H
#define SESSION_TRACE_DAT_LOAD_H

#include <stddef.h>
#include <stdint.h>

struct err;

/* The descriptor of an unnamed perf.data, or -errno. */
int trace_dat_load(const uint8_t *data, size_t len, struct err *err);

#endif

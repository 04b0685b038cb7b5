/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The payload of tracepoint samples as text, by the format descriptions a recording carries in its
 * TRACING_DATA section. Not thread-safe. */
#ifndef FORMAT_TRACE_PRINT_H
#define FORMAT_TRACE_PRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/trace/trace_field.h"

struct buf;
struct event;
struct event_desc;
struct perf_data;
struct trace_print;

/* Never fails: without descriptions nothing can be printed. The recording must outlive it. */
struct trace_print *trace_print_new(const struct perf_data *data);
void trace_print_free(struct trace_print *print); /* NULL is fine */

/* Names kernel addresses in payloads ("%pS"). The name is borrowed until the next call; NULL =
 * unknown. */
struct trace_resolver {
	const char *(*name)(struct trace_resolver *resolver, uint64_t *address);
};

void trace_print_resolver(struct trace_print *print, struct trace_resolver *resolver);

/* Field names, separated by commas. False when the event has no description. */
bool trace_print_names(struct trace_print *print, const struct event_desc *desc, struct buf *ret);
/* False when the event has no description or no such field. */
bool trace_print_field(struct trace_print *print, const struct event_desc *desc, const char *name,
		       struct trace_field *ret);
/* One sample's payload: "prev_comm=w prev_pid=7 …", no newline, tidy. False when the event has no
 * description or the sample no payload. */
bool trace_print_event(struct trace_print *print, const struct event *event, struct buf *ret);
/* The same with plain values: " prev_comm=w prev_pid=7 …" of all the fields of the event's own. */
bool trace_print_raw(struct trace_print *print, const struct event *event, struct buf *ret);
/* One field of a sample's payload, as the event's own text has it ("R" for prev_state, where it has
 * it), or as the plain value (raw). False when the event has no such field or the sample no
 * payload.
 */
bool trace_print_field_text(struct trace_print *print, const struct event *event, const char *name,
			    bool raw, struct buf *ret);
/* "system:name" of the tracepoint with that id; NULL = unknown. Borrowed. */
const char *trace_print_event_name(struct trace_print *print, uint64_t id);

#endif

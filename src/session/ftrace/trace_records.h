/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A recording (perf.data) that is made of another trace: events that a tracer of the kernel wrote,
 * with names of functions that came with them. All events are added before begin(), everything else
 * afterwards, in order of time. */
#ifndef SESSION_TRACE_RECORDS_H
#define SESSION_TRACE_RECORDS_H

#include <stddef.h>
#include <stdint.h>

struct err;
struct trace_records;

struct trace_record {
	size_t event; /* from trace_records_add_event() */
	uint32_t tid, cpu;
	uint64_t time_ns, period;
	const uint64_t *frame; /* addresses in the kernel, leaf first */
	size_t frames;
	const uint64_t *user_frame;
	size_t user_frames;
	const void *raw; /* a tracepoint's payload */
	uint32_t raw_len;
};

struct trace_records *trace_records_new(void);
void trace_records_free(struct trace_records *records); /* NULL is fine */
/* A tracepoint, or with id 0 the time in functions of the kernel. */
size_t trace_records_add_event(struct trace_records *records, const char *name, uint64_t id);
/* tracing_data: descriptions of the tracepoints (see struct perf_data_facts), borrowed; may be
 * NULL. text_start: the address of the kernel's code, which tells it from the one that runs; 0 =
 * unknown. */
int trace_records_begin(struct trace_records *records, const void *tracing_data, size_t len,
			uint64_t text_start, struct err *err);
int trace_records_comm(struct trace_records *records, uint32_t tid, const char *comm,
		       struct err *err);
int trace_records_sample(struct trace_records *records, const struct trace_record *record,
			 struct err *err);
int trace_records_lost(struct trace_records *records, uint64_t count, struct err *err);
/* A function at [start, end). */
void trace_records_name(struct trace_records *records, uint64_t start, uint64_t end,
			const char *name);
/* Completes the recording. The descriptor of an unnamed file, or -errno. */
int trace_records_finish(struct trace_records *records, struct err *err);

#endif

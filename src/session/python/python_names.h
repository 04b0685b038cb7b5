/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Python functions during recording: registers processes with a CPython runtime with the kernel
 * part, and converts the words it puts into stacks (bpf/python/python.h) to places
 * (symbol/python/python_place.h), announcing each as a mapping before its first use. Names are read
 * from the process's memory immediately, once per function; a code object is checked again from
 * time to time, because its memory may be reused. The process is not stopped. Used from one thread,
 * except python_names_due_ns(). */
#ifndef SESSION_PYTHON_PYTHON_NAMES_H
#define SESSION_PYTHON_PYTHON_NAMES_H

#include <stdint.h>

struct err;
struct event;
struct event_set;
struct perf_event_header;
struct python_finder;
struct python_names;
struct sink;

struct python_names_stats {
	uint64_t frames, unread; /* in samples; without a name, because the process was gone */
	uint32_t processes;	 /* with a runtime that is known */
	uint32_t refused;	 /* with one that is not */
	uint32_t functions;
};

/* map_fd: python_processes of bpf/python/python_state.bpf.h. */
struct python_names *python_names_new(const struct event_set *events, int map_fd,
				      const struct python_finder *finder);
void python_names_free(struct python_names *names); /* NULL is fine */

/* Handles events about processes; ignores others. */
void python_names_event(struct python_names *names, const struct event *event);
/* A record of the kernel, in place: news are taken note of, words of a sample replaced. Mappings go
 * to `to` with times from_ns or later, which is not later than the sample's. */
int python_names_record(struct python_names *names, struct perf_event_header *header,
			uint64_t from_ns, struct sink *to, struct err *err);
/* When samples should be taken out of the rings, as new functions may be in them (CLOCK_MONOTONIC);
 * 0 = at any time. */
uint64_t python_names_due_ns(const struct python_names *names);
/* From here on everything has to be announced again. */
void python_names_new_file(struct python_names *names);
void python_names_stats(const struct python_names *names, struct python_names_stats *ret);

#endif

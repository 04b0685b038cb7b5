/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The part of record_stacks.h that unwinds, and reads binaries for it: samples wait here until
 * everything that happened before them has come, so that the process is seen as it was. */
#ifndef SESSION_RECORD_STACK_FINISHER_H
#define SESSION_RECORD_STACK_FINISHER_H

#include <stdint.h>

struct buf;
struct event;
struct event_set;
struct perf_event_header;
struct stack_finisher;

struct stack_finished {
	uint64_t left_out;  /* mappings, for lack of memory */
	uint32_t fault_pid; /* of a page that the kernel part could not read; 0 = none */
	uint32_t unused;
	uint64_t fault; /* its address */
};

/* events is borrowed. */
struct stack_finisher *stack_finisher_new(const struct event_set *events);
void stack_finisher_free(struct stack_finisher *finisher); /* NULL is fine */
/* What existed before the recording. */
void stack_finisher_event(struct stack_finisher *finisher, const struct event *event);
/* A record of the kernel, or of record_raw_put(). */
void stack_finisher_take(struct stack_finisher *finisher, const struct perf_event_header *header,
			 uint64_t time_ns);
/* Unwinds samples up to until_ns; appends them as perf.data records. */
void stack_finisher_run(struct stack_finisher *finisher, uint64_t until_ns, struct buf *ret,
			struct stack_finished *ret_finished);

#endif

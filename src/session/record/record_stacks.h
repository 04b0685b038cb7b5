/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finishes user stacks that the kernel part could not walk, while the recording runs. Such a sample
 * travels with its registers and stack bytes from the thread that reads the rings to the one that
 * writes, as a record of our own (raw_record.h) in between those of the kernel, and from there to a
 * child in the sandbox (base/confined.h), which may read binaries. There it waits until everything
 * that happened before it has been read, so that the process is seen as it was. */
#ifndef SESSION_RECORD_STACKS_H
#define SESSION_RECORD_STACKS_H

#include <stdbool.h>
#include <stdint.h>

struct buf;
struct err;
struct event;
struct event_set;
struct module;
struct perf_event_header;
struct python_found;
struct python_read;
struct python_source;
struct record_stacks;
struct unwind_pool_maps;
struct walk_cost;

struct record_stacks_options {
	const struct unwind_pool_maps *tables; /* NULL: no one unwinds in the kernel */
	uint64_t table_bytes;		       /* in the kernel, at most; 0 = 64 MiB */
	bool eager; /* build tables of all mappings, not only of those with samples */
};

/* The writer's side, which also updates the kernel part's tables. events and tables must outlive
 * it. */
int record_stacks_open(const struct event_set *events, const struct record_stacks_options *options,
		       struct record_stacks **ret, struct err *err);
void record_stacks_free(struct record_stacks *stacks); /* NULL is fine */
/* Ends the threads that load tables; samples are still unwound. */
void record_stacks_stop(struct record_stacks *stacks);
/* What of the tables was not as it should be. */
void record_stacks_say(struct record_stacks *stacks, void (*say)(const char *line));
/* Mappings that were left out, because the recorder has as much memory as it may. */
uint64_t record_stacks_left_out(const struct record_stacks *stacks);
/* Samples that were not unwound, because the process that does it ended. */
uint64_t record_stacks_lost(const struct record_stacks *stacks);
/* What existed before the recording. */
void record_stacks_event(struct record_stacks *stacks, const struct event *event);
/* Waits until what existed has its tables, for two seconds at most: stacks that the kernel counts
 * by are whole only if it can walk them. Before the writer thread is there. NULL is fine. */
void record_stacks_settle(struct record_stacks *stacks);
/* A record of the kernel, or of record_raw_put(). */
void record_stacks_take(struct record_stacks *stacks, const struct perf_event_header *header);
/* python_find() in a process that may read binaries; context: the struct record_stacks. */
int record_stacks_python(void *context, const struct module *module, uint64_t pgoff,
			 struct python_found *ret);
/* python_read_here() in such a process. */
bool record_stacks_python_read(void *context, const struct python_source *source, uint64_t code,
			       struct python_read *ret);
/* The cost of the tables. */
void record_stacks_cost(struct record_stacks *stacks, struct walk_cost *ret);
/* Unwinds samples up to until_ns; appends those of this run or of the one before as perf.data
 * records. At UINT64_MAX, all. */
void record_stacks_run(struct record_stacks *stacks, uint64_t until_ns, struct buf *ret);

#endif

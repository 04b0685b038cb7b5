/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A stack_finisher in a child in the sandbox: the same functions, over a socket. What comes back
 * are whole records of samples. A child that ends takes the samples that it has with it; they are
 * counted. */
#ifndef SESSION_RECORD_FINISHER_CHILD_H
#define SESSION_RECORD_FINISHER_CHILD_H

#include <stdbool.h>
#include <stdint.h>

struct buf;
struct err;
struct event;
struct event_set;
struct finisher_child;
struct module;
struct perf_event_header;
struct python_found;
struct python_read;
struct python_source;
struct stack_finished;

/* events is borrowed. Call it before starting threads. */
int finisher_child_start(const struct event_set *events, struct finisher_child **ret,
			 struct err *err);
void finisher_child_end(struct finisher_child *child); /* NULL is fine */
void finisher_child_event(struct finisher_child *child, const struct event *event);
void finisher_child_take(struct finisher_child *child, const struct perf_event_header *header,
			 uint64_t time_ns);
/* Returns what the run before has finished, so the recorder does not wait for a child that waits
 * for a CPU. At UINT64_MAX it waits for all. */
void finisher_child_run(struct finisher_child *child, uint64_t until_ns, struct buf *ret,
			struct stack_finished *ret_finished);
/* python_find() in the child; -ECHILD when it has ended. */
int finisher_child_python(struct finisher_child *child, const struct module *module, uint64_t pgoff,
			  struct python_found *ret);
/* python_read_here() of bytes that are read here and taken apart in the child. */
bool finisher_child_python_read(struct finisher_child *child, const struct python_source *source,
				uint64_t code, struct python_read *ret);
uint64_t finisher_child_lost(const struct finisher_child *child); /* samples */

#endif

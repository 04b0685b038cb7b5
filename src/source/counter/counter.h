/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counting events: opened for every thread, CPU or cgroup of a target, read at any time. Nothing is
 * sampled, so there are no rings and no records. An event that the machine does not have is not an
 * error: it keeps the errno, and the others are counted. */
#ifndef SOURCE_COUNTER_H
#define SOURCE_COUNTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "source/perf_event/perf_event.h"

struct err;
struct event_list;
struct event_spec;
struct source_options;

/* As read, since the event was opened. */
struct counter_reading {
	uint64_t value, enabled_ns, running_ns;
};

struct counter {
	const struct event_spec *spec;
	const char *name;   /* the spec's, or narrowed to user code: "cycles:u" */
	const char *cgroup; /* as given; NULL = any */
	int cgroup_fd;	    /* -1 = any, or the root */
	int error;	    /* why it cannot be counted here; 0 = it is */
	int *fd;	    /* [slot]; -1 = not open there */
};

/* A slot is a combination of thread and CPU: cpu index * threads + thread index. */
struct counter_set {
	struct perf_target target;
	VEC(struct counter) counter;
	VEC(int) first_in_cgroup; /* descriptors of dummies */
	size_t slots;
	bool user_only; /* the kernel may not be counted */
	bool inherit, on_exec;
	struct arena arena; /* names */
};

struct counter_options {
	const struct source_options *source; /* target and modifiers; NULL strings = not given */
	bool each_cgroup; /* every event in every cgroup, instead of one for each event */
};

/* Opens the events of the list, disabled; those of a program start with its exec unless
 * source->delayed. *ret must be closed in any case; the list must outlive it. */
int counter_set_open(struct counter_set *ret, const struct event_list *list,
		     const struct counter_options *options, struct err *err);
int counter_set_enable(const struct counter_set *set, bool on, struct err *err);
/* Those of this name that can be switched alone. *ret_known: there are any. */
int counter_set_enable_event(const struct counter_set *set, const char *name, bool on,
			     bool *ret_known, struct err *err);
/* False: it is not open there, or a time that the caller knows (event_spec.tool). */
bool counter_read(const struct counter *counter, size_t slot, struct counter_reading *ret);
/* Says why a counter with an error is not counted. */
void counter_explain(const struct counter_set *set, const struct counter *counter, struct err *err);
/* The clocks, which count ns. */
bool counter_is_clock(const struct counter *counter);
/* The name of a thread; empty if it has ended. */
void counter_thread_comm(int thread, char ret[16]);
void counter_set_close(struct counter_set *set);

static inline int counter_slot_cpu(const struct counter_set *set, size_t slot)
{
	return set->target.cpu.item[slot / set->target.pid.count];
}

static inline pid_t counter_slot_thread(const struct counter_set *set, size_t slot)
{
	return set->target.pid.item[slot % set->target.pid.count];
}

#endif

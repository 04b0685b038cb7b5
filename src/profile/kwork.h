/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the kernel does besides threads: interrupts, soft interrupts and work of its queues, with
 * how long each took and waited, from the tracepoints of a recording; and, with those of switches,
 * what that leaves to threads. */
#ifndef PROFILE_KWORK_H
#define PROFILE_KWORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"
#include "profile/profile.h"

enum kwork_class {
	KWORK_IRQ,
	KWORK_SOFTIRQ,
	KWORK_WORKQUEUE,
	KWORK_SCHED, /* threads */
	KWORK_CLASSES,
};

struct kwork_sum {
	uint64_t ns, count, max_ns, max_start_ns, max_end_ns;
};

/* An interrupt, a vector or a function, on one CPU. */
struct kwork_row {
	enum kwork_class class;
	string_id name; /* "virtio3-rx:41", "(s)RCU:9", "(w)vmstat_update" */
	uint32_t cpu;
	struct kwork_sum run, delay;
};

/* One run. delay_ns is UINT64_MAX when it is not known. */
struct kwork_run {
	uint32_t row;
	uint64_t start_ns, end_ns, delay_ns;
};

struct kwork_task {
	uint32_t tid;
	string_id comm;
	uint64_t ns;
};

struct kwork_cpu {
	uint64_t idle_ns, irq_ns, softirq_ns;
	uint64_t seen_ns;     /* its last switch; 0 = none yet */
	uint32_t running_tid; /* since then */
	bool used;
};

struct kwork {
	VEC(struct kwork_row) row;
	VEC(struct kwork_run) run; /* in order of their ends */
	VEC(struct kwork_task) task;
	VEC(struct kwork_cpu) cpu; /* by number */
	struct kwork_cpu beyond;   /* with a number that cannot be */
	uint64_t first_ns, last_ns;
	uint64_t unpaired;	    /* ends without a beginning */
	struct map by_key, task_of; /* private */
};

/* In the order of struct load_values. */
enum kwork_value {
	KWORK_FUNCTION,
	KWORK_IRQ_NUMBER,
	KWORK_VECTOR,
	KWORK_WORK,
	KWORK_IRQ_NAME, /* string_id */
	KWORK_NEXT_TID,
	KWORK_NEXT_COMM, /* string_id */
	KWORK_VALUES,
};
#define KWORK_VALUE_NAMES                                                           \
	{                                                                           \
		"function", "irq", "vec", "work", "$name", "next_pid", "$next_comm" \
	}

/* classes: bits of enum kwork_class. name: a part of the names that count; NULL = all. */
void kwork_fill(struct kwork *kwork, struct profile *profile, unsigned classes, const char *name);

enum kwork_order {
	KWORK_BY_TIME,
	KWORK_BY_MAX,
	KWORK_BY_COUNT,
	KWORK_BY_AVERAGE,
};

/* Orders rows, by their delays or by their runs, and tasks by their time. */
void kwork_sort(struct kwork *kwork, bool delays, enum kwork_order order);
void kwork_done(struct kwork *kwork);

/* The events of a class, separated by commas. */
const char *kwork_events(enum kwork_class class);
/* "irq", "softirq", "workqueue", "sched". */
const char *kwork_class_name(enum kwork_class class);

#endif

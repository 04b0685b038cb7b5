/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of kernel types of perf events that our programs read (see bpf/kernel.h). */
#ifndef BPF_PERF_EVENT_BPF_H
#define BPF_PERF_EVENT_BPF_H

#include <linux/types.h>

#include "bpf/kernel.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct perf_event_attr {
	__u64 freq : 1;
};

struct hw_perf_event {
	__u64 sample_period;
};

typedef struct {
	atomic_long_t a;
} local_t;

struct perf_buffer {  /* a ring of records */
	local_t head; /* where the next one will be */
};

struct perf_event {
	struct perf_buffer *rb;	   /* that its records go to */
	struct perf_event *parent; /* an inherited one's; what user space opened has none */
	struct perf_event_attr attr;
	struct hw_perf_event hw;
	__u64 id;
};

/* What a perf_event program's context really is. */
struct bpf_perf_event_data_kern {
	struct perf_event *event;
};

/* Of BPF_MAP_TYPE_PERF_EVENT_ARRAY. */
struct bpf_event_entry {
	struct perf_event *event;
};

struct bpf_array {
	void *ptrs[0];
};

#pragma clang attribute pop

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of kernel types of perf events that our programs read (see bpf/kernel.h). */
#ifndef BPF_PERF_EVENT_BPF_H
#define BPF_PERF_EVENT_BPF_H

#include <linux/types.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct perf_event_attr {
	__u64 freq : 1;
};

struct hw_perf_event {
	__u64 sample_period;
};

struct perf_event {
	struct perf_event *parent; /* an inherited one's; what user space opened has none */
	struct perf_event_attr attr;
	struct hw_perf_event hw;
	__u64 id;
};

/* What a perf_event program's context really is. */
struct bpf_perf_event_data_kern {
	struct perf_event *event;
};

#pragma clang attribute pop

#endif

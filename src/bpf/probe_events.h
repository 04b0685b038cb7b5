/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The interface between bpf/probe_events.bpf.c and source/probe/probe_events_source.c, besides the
 * records of bpf/cpu.h. The payload of a sample is laid out like the data of a tracepoint. */
#ifndef BPF_PROBE_EVENTS_H
#define BPF_PROBE_EVENTS_H

#include <linux/types.h>

#define PROBE_EVENTS_CPUS 4096u /* at most; a power of two */

/* An event, by its number among those of probes. */
struct probe_event {
	__u64 id;     /* of its samples */
	__s64 period; /* hits for each sample */
	__s64 unsent; /* hits that no sample stands for; below 0: CPUs were too fast */
	__u32 type;   /* at the beginning of the payload */
	__u32 unused;
};

/* Data of a sample, as a tracepoint's format describes them. Where values are fetched, struct
 * fetch_result follows, up to the end of its text. */
struct probe_event_data {
	__u16 type;
	__u8 flags, preempt_count;
	__u32 pid; /* the thread */
	__u64 pc;
};

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Software events of a followed program: page faults, context switches. The kernel's own periods
 * are those of a CPU, with all programs on it, and it finds them by the time between single hits.
 * So each hit of these events comes here, and every nth one of the program's becomes a sample that
 * stands for n. */
#ifndef BPF_HITS_BPF_H
#define BPF_HITS_BPF_H

#include <linux/bpf.h>
#include <stdbool.h>

#include "bpf/cpu.h"

#include <bpf/bpf_helpers.h>

#define HITS_WINDOW_NS	    10000000u /* in which a rate is measured, at least */
#define HITS_WINDOW_SAMPLES 10u	      /* that a window is long enough for */
#define HITS_SECOND_NS	    1000000000ull

/* User space sets these: whether there are such events; how much the budget slows them down, in
 * parts of 256. */
const volatile bool any_counted;
__u32 slow_256ths = 256;

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* events of this kind, on each CPU */
	__type(key, __u64);	/* id of the event, which is on one CPU */
	__type(value, struct cpu_hits);
} counted SEC(".maps");

/* Follows the rate, once for each window: up at once, down by half at most. */
static __always_inline void end_window(struct cpu_hits *hits, __u64 elapsed, __u64 now)
{
	__u64 period, hz = hits->hz * 256 / slow_256ths;

	elapsed = elapsed < HITS_SECOND_NS ? elapsed : HITS_SECOND_NS;
	period = hits->window_hits * HITS_SECOND_NS / (elapsed * (hz ? hz : 1));
	if (period < hits->period / 2)
		period = hits->period / 2;
	hits->period = period ? period : 1;
	hits->window_ns = now;
	hits->window_hits = hits->window_samples = 0;
}

/* The nth hit of each period, so which ones become samples does not depend on when they come. */
static __always_inline void follow_rate(struct cpu_hits *hits, __u64 now)
{
	__u64 elapsed = now - hits->window_ns;
	__u64 window = HITS_WINDOW_SAMPLES * HITS_SECOND_NS / hits->hz;

	if (elapsed > (window > HITS_WINDOW_NS ? window : HITS_WINDOW_NS)) {
		end_window(hits, elapsed, now);
	} else if (hits->window_samples >= 2 * HITS_WINDOW_SAMPLES) { /* a burst */
		hits->period *= 2;
		hits->window_samples = 0;
	}
}

/* A hit of the program. Returns what its sample stands for; 0 = it is no sample. */
static __always_inline __u64 take_hit(struct cpu_hits *hits)
{
	__u64 weight;

	hits->hits++;
	hits->window_hits++;
	if (hits->hz)
		follow_rate(hits, bpf_ktime_get_ns());
	if (hits->hits < hits->period)
		return 0;
	weight = hits->hits;
	hits->hits = 0;
	hits->window_samples++;
	return weight;
}

#endif

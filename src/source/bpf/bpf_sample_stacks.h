/* SPDX-License-Identifier: GPL-2.0-or-later */
/* User stacks of the samples that perf takes at tracepoints (perf_selected.walked), for the bpf_cpu
 * source: loads bpf/sample_stack.bpf.c, attaches it behind perf, joins both. */
#ifndef SOURCE_BPF_BPF_SAMPLE_STACKS_H
#define SOURCE_BPF_BPF_SAMPLE_STACKS_H

#include <stdbool.h>
#include <stdint.h>

struct bpf_cpu;
struct err;
struct perf_event_header;
struct perf_ring;
struct sample_stacks;
struct sink;
struct source;
struct walk_cost;

/* For events that are open, with their rings. */
int sample_stacks_open(struct sample_stacks **ret, const struct bpf_cpu *sampler, struct err *err);
/* At the end: no more stacks are walked. */
void sample_stacks_detach(struct sample_stacks *stacks);
void sample_stacks_close(struct sample_stacks *stacks); /* NULL is fine */
int sample_stacks_fd(const struct sample_stacks *stacks);
/* Attaches; perf has attached before. A tracepoint that takes no program is noted. */
void sample_stacks_start(struct sample_stacks *stacks, struct source *notes);
/* A CPU's records go to this ring from now on. */
void sample_stacks_ring(struct sample_stacks *stacks, const struct perf_ring *ring);
/* A sample of an event that is walked. */
void sample_stacks_take(struct sample_stacks *stacks, const struct perf_event_header *sample);
/* perf's rings were read: delivers whole samples. last: perf has stopped. Returns bytes or -errno.
 */
int64_t sample_stacks_round(struct sample_stacks *stacks, bool last, struct sink *to,
			    struct err *err);
/* Adds what the program did. */
void sample_stacks_counts(const struct sample_stacks *stacks, struct walk_cost *cost);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The part of the bpf_cpu source that makes the samples of -e off-cpu and -e wakeup: stacks of
 * threads that waited and of those who woke them, weighted by nanoseconds (bpf/off_cpu.bpf.c). The
 * events themselves are perf_event's, which count nothing but have ids, and it follows processes.
 */
#ifndef SOURCE_BPF_BPF_OFF_CPU_H
#define SOURCE_BPF_BPF_OFF_CPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bpf_cpu_settings;
struct bpf_off_cpu;
struct err;
struct perf_source;
struct source_options;
struct sink;
struct unwind_pool_maps;
struct walk_cost;

struct bpf_off_cpu_options {
	const struct source_options *record;
	const struct perf_source *rings; /* with its events open */
	const struct bpf_cpu_settings *settings;
	const struct unwind_pool_maps *tables;
	int python_fd; /* map of processes with a Python runtime */
	size_t cpus;
};

int bpf_off_cpu_open(const struct bpf_off_cpu_options *options, struct bpf_off_cpu **ret,
		     struct err *err);
void bpf_off_cpu_close(struct bpf_off_cpu *self); /* NULL is fine */
int bpf_off_cpu_fd(const struct bpf_off_cpu *self);
/* Begins to watch. Samples begin with bpf_off_cpu_enable(), with which waits that are on begin to
 * count, or the exec of the program that waits. */
int bpf_off_cpu_start(struct bpf_off_cpu *self, struct err *err);
int bpf_off_cpu_enable(struct bpf_off_cpu *self, bool on, struct err *err);
/* Delivers what is there: one round. Returns bytes or -errno. */
int64_t bpf_off_cpu_drain(struct bpf_off_cpu *self, struct sink *sink, struct err *err);
/* Watches no more: waits that are on end now. What is left is delivered by one more
 * bpf_off_cpu_drain(). */
int bpf_off_cpu_stop(struct bpf_off_cpu *self, uint64_t now_ns, struct err *err);
/* Samples that a CPU lost; what its programs did is added to the cost. */
uint64_t bpf_off_cpu_counts(const struct bpf_off_cpu *self, uint32_t cpu, struct walk_cost *cost);

#endif

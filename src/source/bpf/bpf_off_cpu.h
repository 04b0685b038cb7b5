/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside the off_cpu source: what its files share. The source (bpf_off_cpu.c) delivers what the
 * programs of bpf/off_cpu.bpf.c tell; bpf_off_cpu_load.c sets them up for a sampler, which is the
 * bpf_cpu source. */
#ifndef SOURCE_BPF_BPF_OFF_CPU_H
#define SOURCE_BPF_BPF_OFF_CPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/vec.h"
#include "bpf/cpu.h"
#include "bpf/off_cpu.h"
#include "event/walk_cost.h"
#include "source/source.h"

struct bpf_cpu;
struct bpf_stacks;
struct err;
struct off_cpu_bpf;
struct raw_waits;
struct ring_reader;
struct sum_maps;

#define OFF_CPU_RING_BYTES (512u << 10)

struct off_cpu_ring {
	struct bpf_off_cpu *owner;
	int cpu, fd;
};

/* A sample with a raw stack that has not arrived yet. */
struct raw_sample {
	struct cpu_sample head;
	uint64_t id, ns;
	int cpu;
	unsigned tries;
};

struct bpf_off_cpu {
	struct source source; /* first */
	const struct bpf_cpu *sampler;
	struct off_cpu_bpf *program;
	struct off_cpu_ring *ring;
	size_t cpus;
	struct ring_reader *reader;
	struct bpf_stacks *stacks;
	bool many_events;
	uint64_t off_cpu_id, wakeup_id;
	bool enabled;
	struct raw_waits *raw;
	VEC(struct raw_sample) raw_samples;
	VEC(struct off_cpu_rest) rest; /* waits that are on at the end, which is end_ns */
	uint64_t end_ns;
	bool stopped;
	struct sum_maps *sums;
	struct sum_maps *calls; /* instead of waits; NULL = waits */
	struct buf call_record; /* being made */
	uint64_t raw_lost;
	struct source_loss *loss; /* by CPU */
	struct walk_cost cost;
	/* During a drain. */
	struct sink *sink;
	struct err *err;
	int error;
};

/* Loads the programs for self->sampler and its targets. */
int bpf_off_cpu_load(struct bpf_off_cpu *self, const struct source_options *options,
		     struct err *err);

/* With options.syscalls: reads the sums of system calls by caller, and delivers them as samples
 * (event/syscall_frame.h). */
void bpf_off_cpu_open_calls(struct bpf_off_cpu *self);
int bpf_off_cpu_take_calls(struct bpf_off_cpu *self);

extern const struct source_ops source_off_cpu;

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Private to the bpf_cpu source. The source (bpf_cpu.c) lets perf_event open events and rings,
 * attaches the program of bpf/cpu.bpf.c, which bpf_cpu_load.c loads with its maps, to the events,
 * and reads the program's rings along with the others. */
#ifndef SOURCE_BPF_BPF_CPU_H
#define SOURCE_BPF_BPF_CPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "event/event.h"
#include "event/walk_cost.h"
#include "source/bpf/unwind_pool.h"
#include "source/options.h"
#include "source/perf_event/perf_event.h"
#include "source/source.h"

struct bpf_stacks;
struct cpu_bpf;
struct err;
struct ring_reader;
struct sample_stacks;

/* One CPU's ring of samples. */
struct bpf_cpu_ring {
	struct bpf_cpu *owner;
	int cpu;
	int fd; /* of the map; -1 = this CPU is not sampled */
};

struct bpf_cpu_settings {
	uint64_t seed;
	uint32_t max_frames;
	uint32_t program; /* sample it and its descendants; 0: as the events specify */
	uint32_t tick_ns; /* cost of an interrupt */
	uint32_t counted; /* events with hits that the program sees, on one CPU */
	bool with_kernel, with_user, with_addr, with_registers, with_faults, many_events, boottime;
	size_t ring_bytes;
};

/* What sampling had taken when it was last compared with the budget. */
struct bpf_cpu_used {
	uint64_t at_ns, threads_ns;		/* CPU time of the reading and writing threads */
	uint64_t ticks, samples, raw, spent_ns; /* of struct cpu_counts, all CPUs */
};

struct bpf_cpu {
	struct source source;
	struct source_options options; /* with the program's requirements added */
	struct source *rings;	       /* perf_event's */
	struct perf_hooks hooks;
	struct bpf_cpu_settings settings;
	struct cpu_bpf *program;
	struct unwind_pool_maps tables;
	int first_shard_fd;	   /* -1 = none */
	struct bpf_cpu_ring *ring; /* by CPU, cpus of them */
	size_t cpus;
	struct ring_reader *reader;
	struct bpf_stacks *stacks;
	struct sample_stacks *walked; /* stacks of perf's own samples; NULL = there are none */
	/* Others that work for this one: event_spec.served_by. */
	VEC(struct source *) helper;
	int epoll_fd;
	struct sink tee; /* between the rings and the caller */
	struct sink *to;
	struct buf span; /* scratch */
	int sink_error;	 /* of a delivery from inside the reader */
	struct err *err;
	struct bpf_cpu_used used;
	bool stopped;
	unsigned owed_rounds; /* to be delivered even if there was no data */
	struct source_loss *loss;
	struct walk_cost cost;
};

/* Loads the program, with a ring for each CPU of the list (all CPUs when count is 0), which
 * self->reader is to read. */
int bpf_cpu_load(struct bpf_cpu *self, const int *cpu, size_t count, struct err *err);
/* Follows the program's processes and threads from its exec on. */
int bpf_cpu_follow(struct bpf_cpu *self, struct err *err);
/* An event of which the program counts hits was opened; it finds it by its id, on this CPU. */
int bpf_cpu_count(const struct bpf_cpu *self, const struct perf_selected *selected, int fd,
		  struct err *err);
/* Applies the budget's rate to events with hits that the program counts. */
void bpf_cpu_slow_counted(struct bpf_cpu *self, const struct perf_source *rings);
void bpf_cpu_unload(struct bpf_cpu *self);

extern const struct source_ops source_bpf_cpu;

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Private to the perf_event source: selection, targets, attributes, open descriptors, rings, each
 * in a file of that name, and the source itself (perf_event.c).
 *
 * Each CPU (or thread, without CPUs) has one ring, owned by a carrier: an event that counts
 * nothing. All other events of that CPU write their records to it (SET_OUTPUT). So a ring can be
 * replaced by a larger one while events keep running, and ten thousand threads share a ring. */
#ifndef SOURCE_PERF_EVENT_H
#define SOURCE_PERF_EVENT_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/vec.h"
#include "event/desc.h"
#include "event/walk_cost.h"
#include "source/event_spec/event_parse.h"
#include "source/perf_event/perf_event_budget.h"
#include "source/sampling_budget.h"
#include "source/source.h"

struct err;
struct perf_source;
struct source_options;
struct sink;

/* Targets: every combination of pid and CPU is opened. */
struct perf_target {
	VEC(pid_t) pid; /* threads; one entry -1 = everybody */
	VEC(int) cpu;	/* one entry -1 = wherever the thread runs */
	VEC(int)
	sampled;	    /* -C: of `cpu` those that are sampled; none = all. Programs start and
			       map their code on the others as well */
	VEC(int) cgroup_fd; /* -G; owned */
	bool attach;	    /* existing threads rather than a program of ours */
};

int perf_target_open(struct perf_target *target, const struct source_options *options,
		     struct err *err);
void perf_target_done(struct perf_target *target);
/* An event to open: the user's spec with all other settings decided. */
struct perf_selected {
	const struct event_spec *spec; /* NULL for the tracker */
	struct perf_event_attr attr;
	struct event_desc *desc;
	int cgroup_fd;	/* -1 = none */
	bool by_bpf;	/* a BPF program takes its samples, with their stacks */
	bool walked;	/* perf takes its samples, a BPF program behind perf their user stacks */
	bool by_cpu;	/* CPUs are sampled; the BPF program selects the target's samples */
	bool counted;	/* the BPF program sees each hit, and takes samples of some */
	uint64_t asked; /* attr.sample_freq or sample_period, before the budget lowered it */
	bool backward;	/* goes to the self-overwriting ring */
	int *fd;	/* [cpu index * pids + pid index], -1 = not open */
};

/* How: fills every attr. tracker: a separate event follows names and maps. */
struct perf_attr_plan {
	const struct source_options *options;
	bool tracker;
	bool program;	/* a program of ours is followed from its exec on */
	bool on_exec;	/* and sampled at once */
	bool user_only; /* the kernel is off limits */
	bool many;	/* more than one event: records need ids */
	bool per_cpu;	/* events are bound to CPUs */
	bool follow;	/* a BPF program can distinguish the target's threads */
	uint64_t frequency_hz;
};

int perf_attr_frequency(const struct source_options *options, bool system_wide, uint64_t *ret,
			struct source *notes, struct err *err);
void perf_attr_fill(struct perf_selected *selected, const struct event_list *list,
		    const struct perf_attr_plan *plan);
void perf_attr_fill_tracker(struct perf_selected *tracker, const struct perf_selected *first,
			    const struct perf_attr_plan *plan);
bool perf_attr_is_clock(const struct perf_event_attr *attr);
/* Whether the kernel counts it in software: page faults, context switches. */
bool perf_attr_is_count(const struct perf_event_attr *attr);
/* Samples each second, as far as that can be known beforehand: 0 = not. */
double perf_attr_rate(const struct perf_event_attr *attr);
/* Sets the rate to `asked`, divided by `slow`. */
void perf_attr_slow(struct perf_event_attr *attr, uint64_t asked, double slow);
/* Layout bits that all events of one recording must share. */
void perf_attr_unify(struct perf_selected *selected, size_t count);
/* Clears the newest optional feature still set in the attr, for older kernels; returns false if
 * none is left. None of them changes the meaning of a sample. */
bool perf_attr_step_back(struct perf_event_attr *attr);

/* Events in rings. */
struct perf_ring {
	int fd; /* the carrier */
	int cpu;
	pid_t pid;	  /* of the carrier; 0: this process, which works on every CPU */
	size_t cpu_index; /* in the target */
	size_t pid_index; /* in the target, when cpu is -1 */
	bool backward;
	struct perf_event_mmap_page *page;
	uint8_t *data;
	size_t bytes; /* of data, a power of two */
	uint64_t tail;
	uint64_t changed_at; /* where the samples of the current rate begin */
	bool cramped;	     /* was more than half full when read, or lost something */
};

struct perf_ring_options {
	size_t bytes, least_bytes;
	bool prompt; /* each record wakes the reader */
	bool use_clockid;
	int32_t clockid;
};

/* Opens the carrier and maps the ring; uses a smaller one, down to least_bytes, if the limit on
 * locked memory requires it. cpu, pid and backward are set. */
int perf_ring_open(struct perf_ring *ring, const struct perf_ring_options *options,
		   struct err *err);
void perf_ring_close(struct perf_ring *ring);
/* Delivers all records and frees their space. Returns bytes or -errno. */
int64_t perf_ring_drain(struct perf_ring *ring, struct sink *sink, struct err *err);
/* Delivers a backward ring's contents, newest first as stored by the kernel; pauses output
 * meanwhile. */
int64_t perf_ring_snapshot(struct perf_ring *ring, struct sink *sink, struct err *err);

/* What another source adds to the events that are opened for it. Children that a process forks have
 * the events as they are then, so nothing may come between opening and adding. */
struct perf_hooks {
	void *context;
	/* All that is to be opened is known. May be called again. */
	int (*ready)(void *context, const struct perf_source *source, struct err *err);
	bool follow; /* the owner can identify options->program's threads */
	/* One event of those by_bpf was opened. */
	int (*opened)(void *context, const struct perf_selected *selected, int fd, struct err *err);
	void (*replaced)(void *context, const struct perf_ring *ring); /* another of its CPU */
};

struct perf_source {
	struct source source;
	const struct perf_hooks *hooks; /* NULL = none */
	const struct source_options *options;
	struct event_list list;
	struct perf_target target;
	struct event_set events;
	struct perf_selected *selected;
	size_t selected_count; /* without the tracker */
	struct perf_selected tracker;
	bool has_tracker;
	struct perf_attr_plan plan;
	struct perf_ring *ring; /* forward rings first, then backward ones */
	size_t ring_count, forward_count;
	size_t ring_limit; /* bytes a ring may grow to */
	int epoll_fd;
	struct source_loss *loss;
	struct buf tracing_data;
	struct sampling_budget budget;
	uint64_t tick_ns; /* what an interrupt takes */
	/* Without hooks: the budget is kept here. */
	struct sink counter, *to;
	const struct perf_ring *drained; /* at the moment */
	struct perf_rate rate;
	struct buf corrected; /* records with the period of now */
	struct perf_used used, used_before;
	struct walk_cost cost; /* the rate alone */
};

/* Whether CPUs are sampled and options->program is followed by the hooks' owner. */
bool perf_source_by_cpu(const struct perf_source *source);
/* Sets the initial rate before events are opened: a lower one if the requested rate is known to
 * exceed the budget. */
void perf_source_begin_rate(struct perf_source *source);
/* Applies the budget's current rate. */
int perf_source_slow_down(struct perf_source *source, struct err *err);
/* Notes that the rate was lowered, if it was. */
void perf_source_put_rate(const struct perf_source *source, struct walk_cost *ret);
void perf_source_note_rate(const struct perf_source *source, struct source *notes);
/* The current rate of all events together, in samples per second of CPU time; 0: unknown. */
double perf_source_rate(const struct perf_source *source);
/* The requested rate of the first event that has one. */
double perf_source_asked(const struct perf_source *source);
void perf_source_note_limits(struct perf_source *source);
int perf_source_open(struct source **ret, const struct source_options *options,
		     const struct perf_hooks *hooks, struct err *err);
/* Opens every descriptor of every event, or none. -EAGAIN: the plan or the groups were changed
 * (with a note), all attrs must be filled again. */
int perf_open_all(struct perf_source *source, struct err *err);
void perf_close_all(struct perf_source *source);
/* Calls the ioctl on every descriptor of one event; the first failure is returned. */
int perf_ioctl_all(struct perf_source *source, const struct perf_selected *selected,
		   unsigned long request, unsigned long argument);
/* Sends the records of all events on ring's CPU (or thread) to it. */
int perf_redirect(struct perf_source *source, const struct perf_ring *ring, struct err *err);

int perf_event_open(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
		    unsigned long flags);

extern const struct source_ops source_perf_event;

#endif

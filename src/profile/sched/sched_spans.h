/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The activity of threads over time, as spans: on a CPU, waiting for a CPU, or blocked with the
 * reason. The reason is derived from the kernel's functions in the call chain, and from what the
 * recording tells about locks; without either only the kind of sleep is known. */
#ifndef PROFILE_SCHED_SPANS_H
#define PROFILE_SCHED_SPANS_H

#include <stdint.h>

#include "base/vec.h"
#include "profile/sched/sched.h"
#include "profile/sched/sched_lanes.h"

/* name, description */
#define SCHED_DOINGS(X)                                     \
	X(RUNNING, "running")                               \
	X(WOKEN, "runnable: woken")                         \
	X(PREEMPTED, "runnable: preempted")                 \
	X(LOCK, "blocked: lock")                            \
	X(DISK, "blocked: disk")                            \
	X(NET, "blocked: net")                              \
	X(PIPE, "blocked: pipe")                            \
	X(CHILD, "blocked: child")                          \
	X(TIMER, "blocked: sleep")                          \
	X(STOPPED, "blocked: stopped")                      \
	X(UNINTERRUPTIBLE, "blocked: uninterruptible")      \
	X(POLL, "idle: poll")                               \
	X(TERMINAL, "idle: terminal")                       \
	X(SLEEPING, "blocked or idle: interruptible sleep") \
	X(READ, "I/O: read")                                \
	X(WRITE, "I/O: write")                              \
	X(READ_WRITE, "I/O: read and write")                \
	X(SYNC, "I/O: sync")                                \
	X(RECEIVE, "I/O: receive")                          \
	X(SEND, "I/O: send")                                \
	X(WAIT, "I/O: poll")                                \
	X(ERROR, "I/O: error")                              \
	X(INTERRUPT, "interrupt: hard")                     \
	X(SOFT_INTERRUPT, "interrupt: soft")

enum sched_doing {
#define X(name, text) SCHED_DOING_##name,
	SCHED_DOINGS(X)
#undef X
		SCHED_DOING_COUNT,
};

struct sched_span {
	uint64_t start_ns, end_ns;
	uint32_t task;	  /* sched_task.index */
	uint16_t cpu;	  /* of a span on a CPU */
	uint8_t doing;	  /* enum sched_doing */
	const char *lock; /* it waits for, "[lock NAME]", the reader's; NULL = not known */
};

/* Current activity of a thread. */
struct sched_present {
	const struct sched_task *task; /* NULL: never seen */
	uint64_t since_ns;	       /* 0 = not known */
	uint16_t cpu;		       /* while it runs */
	uint8_t doing;
	const char *lock;
};

struct sched_spans {
	struct sched_sink sink;		   /* first */
	VEC(struct sched_span) span;	   /* in order of their ends; idle tasks have none */
	VEC(struct sched_present) present; /* by sched_task.index */
	VEC(uint32_t) running;		   /* by CPU: index + 1 of the thread it was given to */
	struct sched_lanes lanes;
	uint64_t first_ns, last_ns;
	uint32_t cpus; /* the highest seen, plus 1 */
	uint64_t lost;
};

const char *sched_doing_text(enum sched_doing doing);
void sched_spans_init(struct sched_spans *spans);
/* Ends all open spans. */
void sched_spans_finish(struct sched_spans *spans);
void sched_spans_done(struct sched_spans *spans);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Decoded scheduler events: switches and wakeups of threads. All views of scheduler recordings
 * (delays, history, map) use them. Source of the fields: events/sched/NAME/format in
 * tracefs. */
#ifndef PROFILE_SCHED_H
#define PROFILE_SCHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SCHED_COMM_MAX 32 /* TASK_COMM_LEN is 16 so far */

/* A thread from its fork to its exit. The idle task is one thread per machine; views that need it
 * per CPU create their own. Owned by the reader and valid until reading has ended. */
struct sched_task {
	uint32_t index; /* dense: 0, 1, 2, … in order of first mention */
	uint32_t pid, tid;
	int32_t ppid;	  /* -1 = unknown */
	const char *comm; /* its latest name */
	bool exited;
	bool renamed; /* since it was last asked: the map shows names again then */
};

enum sched_kind {
	SCHED_SWITCH,
	SCHED_WAKEUP,
	SCHED_MIGRATE,
	SCHED_RUNTIME,
	SCHED_LOST, /* count records did not fit into the kernel's buffer */
	SCHED_STEP, /* of an activity besides threads' states: see sched_lanes.h */
};

enum sched_lane_kind {
	SCHED_LANE_INTERRUPTS, /* of a CPU */
	SCHED_LANE_DISK,
	SCHED_LANE_SENT, /* packets of a network device */
	SCHED_LANE_RECEIVED,
	SCHED_LANE_CALLS, /* system calls of a thread that do I/O */
};

/* What begins or ends. */
struct sched_step {
	enum sched_lane_kind lane;
	bool begins, ends; /* a packet does both */
	uint8_t doing;	   /* enum sched_doing */
	uint32_t number;   /* interrupt, vector, device, system call */
	uint64_t place;	   /* sector, file descriptor */
	int64_t value;	   /* bytes, or less than 0: the error */
	const char *name;  /* of name_len bytes: of the call, interrupt or device; or letters that
			      tell reading from writing. NULL = unknown */
	size_t name_len;
};

struct sched_event {
	enum sched_kind kind;
	uint32_t cpu;
	uint64_t time_ns;
	struct sched_task *current; /* the running thread; of a switch: the one that leaves */
	union {
		struct {
			struct sched_task *next;
			const char *next_comm; /* at that moment, as the kernel wrote it */
			int32_t prev_priority, next_priority; /* kernel's: 120 = nice 0 */
			char state; /* the state it leaves in: R, S, D, T, t, X, Z, P, I as in ps(1)
				     */
			const char *chain; /* call chain "f <- g <- h"; NULL = none recorded */
			const char *lock;  /* it waits for "[lock NAME]"; NULL = not known to wait
					      for one. The reader's. */
		} leave;
		struct {
			struct sched_task *task;
		} wakeup;
		struct {
			struct sched_task *task;
			int32_t from_cpu, to_cpu;
		} migrate;
		struct {
			struct sched_task *task;
			uint64_t ns;
		} runtime;
		uint64_t lost;
		struct sched_step step;
	};
};

/* The idle task of any CPU. */
static inline bool sched_is_idle(const struct sched_task *task)
{
	return task->tid == 0;
}

/* Receives events in time order. */
struct sched_sink {
	void (*event)(struct sched_sink *sink, const struct sched_event *event);
};

/* Faults of the recording itself. */
struct sched_faults {
	uint64_t events;     /* scheduler events read */
	uint64_t lost;	     /* records that the kernel dropped, */
	uint64_t lost_at;    /* in so many places */
	uint64_t malformed;  /* samples without the fields they should have */
	uint64_t mismatched; /* switches away from a thread that had not been switched to */
	uint64_t switches;
};

#endif

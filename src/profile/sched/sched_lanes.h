/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What happens besides the states of threads, as spans in lanes: interrupts of a CPU, requests of a
 * disk, packets of a network device, system calls of a thread that do I/O.
 *
 * A disk's span lasts as long as it has requests of one kind; count and bytes are those of the
 * requests that ended in it. An interrupt in a soft interrupt divides that. Packets of one
 * direction at most 1 ms apart are one span. Calls of a thread are spans with their file
 * descriptor. */
#ifndef PROFILE_SCHED_LANES_H
#define PROFILE_SCHED_LANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "base/strtab.h"
#include "base/vec.h"
#include "profile/sched/sched.h"

#define SCHED_DEVICE_MINOR_BITS 20
#define SCHED_PACKET_NS		1000 /* shown length of a single packet */

struct sched_lane_span {
	uint64_t start_ns, end_ns, bytes;
	uint32_t lane;
	uint32_t count; /* calls, requests, packets or interrupts */
	uint8_t doing;	/* enum sched_doing */
	int32_t error;	/* errno of a call; 0 = none */
	int32_t fd;	/* -1 = none */
	string_id name; /* of the call or interrupt */
};

struct sched_lane {
	enum sched_lane_kind kind;
	uint32_t number;	       /* CPU, or device with its minor number in the low bits */
	const char *name;	       /* of a device; NULL = it has none but its number */
	const struct sched_task *task; /* of calls */
	/* While reading: what is open. */
	uint64_t since_ns, soft_since_ns; /* 0 = nothing */
	uint32_t reads, writes, syncs;	  /* in flight */
	uint32_t last;			  /* its latest span, + 1; 0 = none */
	bool in_soft;			  /* perhaps interrupted */
	bool sees_ends;			  /* of a disk's requests */
	struct sched_step step;
	string_id open_name, soft_name;
};

/* How calls become spans. */
struct sched_lane_options {
	uint64_t merge_ns; /* same calls at most so far apart are one span */
	bool skip_eagain;
};

/* Zero-initialise, but for the options. */
struct sched_lanes {
	struct sched_lane_options options;
	VEC(struct sched_lane) lane;
	VEC(struct sched_lane_span) span; /* of one lane in order of time */
	struct strtab *names;		  /* NULL = none yet */
	struct map by_key, in_flight;
	uint64_t unpaired; /* ends without a beginning */
	uint64_t beyond;   /* steps of lanes that are too many */
};

/* A SCHED_STEP. */
void sched_lanes_take(struct sched_lanes *lanes, const struct sched_event *event);
/* After lost records: what is open may have ended. */
void sched_lanes_forget(struct sched_lanes *lanes);
/* Ends all open spans. */
void sched_lanes_finish(struct sched_lanes *lanes, uint64_t last_ns);
void sched_lanes_done(struct sched_lanes *lanes);

#endif

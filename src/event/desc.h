/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Descriptions of events: one event_desc per event of a recording (perf: evsel), and the set of
 * them with the table that maps ids to events. Owned by the creator of the set. */
#ifndef EVENT_DESC_H
#define EVENT_DESC_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"
#include "event/kind.h"

struct err;

/* Where things lie in the records of one event, in 8-byte words; -1 = not there. Worked out once,
 * so that decoding does not test twenty bits per record. */
struct perf_record_plan {
	/* From the start of a sample's body. */
	int8_t identifier, ip, tid, time, addr, id, stream_id, cpu, period;
	uint8_t fixed_words; /* words before the parts of variable length */
	bool tail;	     /* there are parts of variable length, */
	bool only_raw;	     /* and they are nothing but a tracepoint's payload */
	uint8_t user_regs, intr_regs;
	/* From the start of the trailer of every other record (attr.sample_id_all). */
	uint8_t trailer_words; /* 0 = no trailer */
	int8_t trailer_tid, trailer_time, trailer_id, trailer_stream_id, trailer_cpu,
		trailer_identifier;
};

struct event_desc {
	const char *name;	     /* "cpu-clock", "sched:sched_switch", "cycles:u" */
	enum event_kind kind;	     /* what it is about */
	enum event_unit unit;	     /* of the samples' periods */
	struct perf_event_attr attr; /* host-endian; fields past attr.size are 0; not to be
					changed after event_set_add() */
	struct perf_record_plan plan;
	uint32_t index;	      /* position in the set */
	int32_t group_leader; /* index of the group's leader, itself when alone */
	VEC(uint64_t) ids;
};

struct event_set {
	struct arena arena;
	VEC(struct event_desc *) desc;
	struct map by_id;     /* id → index + 1 */
	uint64_t first_id;    /* the kernel counts ids up, so that most lie close together: */
	VEC(uint32_t) near;   /* index + 1 of the id first_id + i; 0 = look in by_id */
	uint64_t sample_type; /* common bits of all attrs */
	bool mixed; /* attrs differ in sample_type: IDENTIFIER needed to tell them apart */
	/* The words of a sample's body that hold its time and its id; -1 = none, or not the same
	 * for all events. */
	int8_t sample_time, sample_id;
};

/* Adds a copy of *attr under a copy of name (may be NULL: then made up from type and config). */
struct event_desc *event_set_add(struct event_set *set, const struct perf_event_attr *attr,
				 const char *name);
/* An id may be claimed once; later claims are ignored. */
void event_set_add_id(struct event_set *set, struct event_desc *desc, uint64_t id);
/* Renames the event and updates its kind. */
void event_set_rename(struct event_set *set, struct event_desc *desc, const char *name);
/* event_set_find() for ids that are far from others. */
const struct event_desc *event_set_find_far(const struct event_set *set, uint64_t id);

/* The event an id belongs to; the only event when there is just one; NULL = unknown. */
static inline const struct event_desc *event_set_find(const struct event_set *set, uint64_t id)
{
	uint64_t near = id - set->first_id;

	if (set->desc.count == 1)
		return set->desc.item[0];
	if (near < set->near.count && set->near.item[near])
		return set->desc.item[set->near.item[near] - 1];
	return event_set_find_far(set, id);
}
void event_set_done(struct event_set *set);

/* Canonical name of a hardware, software or cache event; NULL for other types. */
const char *event_attr_name(const struct perf_event_attr *attr, char *buffer, size_t size);
/* A name for any attr, with modifiers: "cycles:u", "raw 0x1c2". Returns buffer. */
const char *event_attr_full_name(const struct perf_event_attr *attr, char *buffer, size_t size);

#endif

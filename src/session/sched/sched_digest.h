/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of a sample that the scheduler's views need, in the 16 bytes of a digest (see
 * sink.make_digest). Names are not included: they are read from the sample when a thread first
 * appears. */
#ifndef SESSION_SCHED_DIGEST_H
#define SESSION_SCHED_DIGEST_H

#include <assert.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "event/event.h"
#include "session/sched/sched_plan.h"

struct sched_fact {
	enum sched_tracepoint is;
	char state;	/* of a switch: see sched_event.leave */
	uint32_t cpu;	/* UINT32_MAX = unknown */
	uint32_t tid;	/* the thread that leaves the CPU; of other events, the running one */
	uint32_t other; /* the next thread on the CPU; the thread that the event is about */
	union {
		int32_t prev_priority, from_cpu;
	};
	union {
		int32_t next_priority, to_cpu;
	};
	uint64_t runtime_ns; /* apart, so that the compiler can keep all of this in registers */
};

struct sched_digest {
	uint8_t is; /* enum sched_tracepoint, never 0 */
	char state; /* of a switch */
	uint16_t cpu;
	uint32_t tid, other;
	union {
		int16_t half[2]; /* priorities or CPUs */
		uint32_t runtime_ns;
	};
};

static_assert(sizeof(struct sched_digest) == sizeof(((struct timed_record *)NULL)->digest),
	      "it fills the digest");

static inline uint32_t sched_digest_word(const void *record, uint16_t offset)
{
	uint32_t word;

	memcpy(&word, (const uint8_t *)record + offset, sizeof(word));
	return word;
}

/* Decodes a sample without testing its kind: the plan gives the position of each word of the
 * digest. Returns false if the sample has an unusual shape or a value is implausibly large; decode
 * it completely then. The record has at least its header. */
static inline bool sched_digest_read(const struct sched_plan *plan,
				     const struct perf_event_header *record, uint64_t ret[2])
{
	const struct sched_words *at = &plan->words;
	uint32_t len, cpu, first, second;
	struct sched_digest digest;

	if (!at->least || record->size < at->least)
		return false;
	len = sched_digest_word(record, at->payload_len);
	if (len < at->payload_least || len > (uint32_t)(record->size - at->least))
		return false;
	cpu = sched_digest_word(record, at->cpu);
	first = sched_digest_word(record, at->first) & at->mask;
	second = sched_digest_word(record, at->second) & at->mask;
	digest.is = (uint8_t)plan->is;
	digest.state = sched_state_letter(sched_digest_word(record, at->state) & at->state_mask);
	digest.cpu = (uint16_t)cpu;
	digest.tid = sched_digest_word(record, at->tid);
	digest.other = sched_digest_word(record, at->other);
	if (plan->is == TRACEPOINT_RUNTIME) {
		digest.runtime_ns = first;
		first = second; /* the upper half */
	} else {
		digest.half[0] = (int16_t)first;
		digest.half[1] = (int16_t)second;
		first = (first ^ (uint32_t)digest.half[0]) | (second ^ (uint32_t)digest.half[1]);
	}
	memcpy(ret, &digest, sizeof(digest));
	return !first && cpu == digest.cpu;
}

/* Fields that the kind of fact does not have are undefined. */
static inline void sched_fact_of_digest(const uint64_t from[2], struct sched_fact *ret)
{
	struct sched_digest digest;

	memcpy(&digest, from, sizeof(digest));
	*ret = (struct sched_fact){
		.is = (enum sched_tracepoint)digest.is,
		.state = digest.state,
		.cpu = digest.cpu,
		.tid = digest.tid,
		.other = digest.other,
		.prev_priority = digest.half[0], /* or from_cpu, */
		.next_priority = digest.half[1], /* to_cpu */
		.runtime_ns = digest.runtime_ns,
	};
}

/* From a sample that was decoded in full. */
static inline void sched_fact_of_sample(const struct sched_sample *sample, struct sched_fact *ret)
{
	const int64_t *number = sample->number;

	*ret = (struct sched_fact){ .is = sample->plan->is,
				    .cpu = sample->cpu,
				    .tid = sample->tid,
				    .other = (uint32_t)number[TASK_TID] };
	switch (ret->is) {
	case TRACEPOINT_SWITCH:
		ret->tid = (uint32_t)number[SWITCH_PREV];
		ret->other = (uint32_t)number[SWITCH_NEXT];
		ret->state = sched_state_letter(number[SWITCH_STATE]);
		ret->prev_priority = (int32_t)number[SWITCH_PREV_PRIO];
		ret->next_priority = (int32_t)number[SWITCH_NEXT_PRIO];
		break;
	case TRACEPOINT_MIGRATE:
		ret->from_cpu = (int32_t)number[MIGRATE_FROM];
		ret->to_cpu = (int32_t)number[MIGRATE_TO];
		break;
	case TRACEPOINT_RUNTIME:
		ret->runtime_ns = (uint64_t)number[RUNTIME_NS];
		break;
	default:
		break;
	}
}

#endif

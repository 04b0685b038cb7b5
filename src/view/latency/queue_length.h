/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lengths of run queues in the shapes of BCC's runqlen, or as JSON. */
#ifndef VIEW_QUEUE_LENGTH_H
#define VIEW_QUEUE_LENGTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct latency_map;

/* How often each length occurred, by CPU: `lengths` numbers for each. */
struct queue_lengths {
	const uint64_t *count;
	uint32_t cpus, lengths;
};

/* Adds the counts of all CPUs at that time; rows are lengths. */
void queue_lengths_map(const struct queue_lengths *queues, uint64_t time_ns,
		       struct latency_map *map);

struct queue_length_options {
	bool per_cpu;
	bool occupancy; /* the share of samples in which a thread waited, no distribution */
};

void queue_length_text(const struct queue_lengths *queues,
		       const struct queue_length_options *options, struct buf *ret);
/* {"cupel":1,"what":"run queue length","queues":[{"cpu":n,"samples":n,"occupancy":x,
 * "lengths":[{"length":n,"count":n}]}]}; without per_cpu one queue that has no "cpu". */
void queue_length_json(const struct queue_lengths *queues,
		       const struct queue_length_options *options, struct buf *ret);

#endif

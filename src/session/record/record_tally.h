/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Statistics of a recording: counts of samples, loss and throttling, first and last time. Reads
 * only record headers, plus a few bytes of those counted by content. */
#ifndef SESSION_RECORD_TALLY_H
#define SESSION_RECORD_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct event_set;

#define RECORD_TALLY_CPUS 4096 /* higher ones are counted with the last */

struct record_tally {
	uint64_t samples, records;
	uint64_t lost_records, lost_samples, throttled;
	uint64_t *lost_by_cpu, *throttled_by_cpu; /* cpus entries */
	size_t cpus;
	size_t time_offset; /* of the time in a sample, 0 = samples have none */
	uint64_t first_ns, last_ns;
};

/* Counts of one file or of all; every chunk of the ring's content is counted once. */
void record_tally_open(struct record_tally *tally, const struct event_set *events);
void record_tally_close(struct record_tally *tally);
/* Adds all counts of `more`. */
void record_tally_sum(struct record_tally *tally, const struct record_tally *more);
/* A new file begins. */
void record_tally_reset(struct record_tally *tally);
/* The kernel's own count of losses on a CPU, which includes those after the last record; `counted`
 * is the sum from the records of all files. */
void record_tally_lost(struct record_tally *tally, int cpu, uint64_t lost, uint64_t counted);
/* A sample that did not come from a ring. */
void record_tally_sample(struct record_tally *tally, uint64_t time_ns);
/* Whole records from one CPU's ring. True when there are MMAP2 records with a build id. */
bool record_tally_add(struct record_tally *tally, int cpu, const uint8_t *data, size_t len);

#endif

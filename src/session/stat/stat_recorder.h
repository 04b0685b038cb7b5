/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes counts into perf.data: every round all counts as they were read. */
#ifndef SESSION_STAT_RECORDER_H
#define SESSION_STAT_RECORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "event/desc.h"

struct counter_reading;
struct counter_set;
struct perf_data_writer;
struct stat_options;

struct stat_recorder {
	struct perf_data_writer *writer; /* NULL: not open */
	struct event_set events;
	uint64_t *id; /* [event * slots + slot] */
	int fd;
	struct err failed; /* the first failure to write; no more is written then */
};

/* The counters are open. options->record is the file, "-" is a pipe. */
int stat_recorder_open(struct stat_recorder *recorder, const struct counter_set *set,
		       const struct stat_options *options, struct err *err);
/* All counts at one time since the start. */
struct stat_round {
	const struct counter_reading *reading; /* [event * slots + slot] */
	uint64_t time_ns;
	bool final;
};

/* Does nothing when not open. */
void stat_recorder_round(struct stat_recorder *recorder, const struct counter_set *set,
			 const struct stat_round *round);
/* *ret_failed is set if not all was written. */
void stat_recorder_close(struct stat_recorder *recorder, struct err *ret_failed);

#endif

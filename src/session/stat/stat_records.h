/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records of counts in perf.data, as perf stat record writes them. Types and layouts:
 * tools/lib/perf/include/perf/event.h of the Linux kernel. */
#ifndef SESSION_STAT_RECORDS_H
#define SESSION_STAT_RECORDS_H

#include <stdint.h>

enum stat_record_type {
	STAT_RECORD_THREADS = 73,
	STAT_RECORD_CPUS = 74,
	STAT_RECORD_CONFIG = 75,
	STAT_RECORD_COUNT = 76,
	STAT_RECORD_ROUND = 77,
	STAT_RECORD_UPDATE = 78,
};

enum { STAT_UPDATE_UNIT, STAT_UPDATE_SCALE };
enum { STAT_CONFIG_AGGR, STAT_CONFIG_INTERVAL, STAT_CONFIG_SCALE };
enum { STAT_ROUND_INTERVAL, STAT_ROUND_FINAL };
enum { STAT_CPUS_LIST, STAT_CPUS_MASK, STAT_CPUS_RANGE };

/* What follows the record's header. */
struct stat_thread_body {
	uint64_t pid;
	char comm[16];
};

struct stat_count_body {
	uint64_t id;
	uint32_t cpu, thread; /* thread: index into THREADS */
	uint64_t value, enabled_ns, running_ns;
};

struct stat_round_body {
	uint64_t type, time_ns;
};

struct stat_config_body {
	uint64_t tag, value;
};

struct stat_update_body {
	uint64_t type, id; /* the unit's text or the scale follows */
};

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums of times of calls (bpf/call_times.bpf.h), for the sources that have them. */
#ifndef SOURCE_PROBE_PROBE_TIMES_READ_H
#define SOURCE_PROBE_PROBE_TIMES_READ_H

#include <stdint.h>

struct err;
struct probe_times;
struct source;

/* Adds those of all CPUs to ret, by number. */
int probe_times_read(int map_fd, uint32_t cpus, uint32_t numbers, struct probe_times *ret,
		     struct err *err);
/* Notes how many calls have no time. */
void probe_times_note(const struct probe_times *sum, uint32_t numbers, struct source *source);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf script text of scheduler tracepoints → time off the CPU. Slots of struct format_ops. */
#ifndef FORMAT_PERF_SCRIPT_PERF_SCHED_READ_H
#define FORMAT_PERF_SCRIPT_PERF_SCHED_READ_H

#include <stddef.h>
#include <stdint.h>

struct err;
struct input;
struct profile;

/* Sure of text with sched_stat_sleep or sched_stat_blocked and no event but the scheduler's: the
 * input of FlameGraph's stackcollapse-perf-sched.awk. */
int perf_sched_sniff(const uint8_t *head, size_t len);
/* A thread's stack is that of the sched_switch with which it left the CPU; PROFILE_KEEP_WAKER and
 * PROFILE_KEEP_WAKERS put who woke it on top. Events that say nothing about a wait, and waits whose
 * beginning is not in the text, are counted in meta.unknown_records. */
int perf_sched_read(struct input *input, struct profile *profile, struct err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The wall-clock time of threads by stack: on-CPU and off-CPU time in one event. */
#ifndef PROFILE_WALL_TIME_H
#define PROFILE_WALL_TIME_H

#include <stdbool.h>

struct profile;

#define WALL_TIME_EVENT "wall-time"

/* Adds the event WALL_TIME_EVENT (ns) from the samples of the first CPU time event (cpu-clock,
 * task-clock), without idle CPUs, and of off-CPU time. Returns false without changes if one of the
 * events is missing; an event without samples is fine. */
bool wall_time_add(struct profile *profile);

#endif

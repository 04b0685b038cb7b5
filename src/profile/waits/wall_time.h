/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Time on CPUs and time off them in one: the wall-clock time of threads, by stack. */
#ifndef PROFILE_WALL_TIME_H
#define PROFILE_WALL_TIME_H

#include <stdbool.h>

struct profile;

#define WALL_TIME_EVENT "wall-time"

/* Adds the event WALL_TIME_EVENT (ns), made of the samples of the first event of CPU time
 * (cpu-clock, task-clock), without those of idle CPUs, and of off-CPU time. False, and nothing is
 * added, when one of both is not there; having no samples is fine. */
bool wall_time_add(struct profile *profile);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Live bytes over time, by stack: for pages where a range of time is chosen. */
#ifndef PROFILE_HEAP_OVER_TIME_H
#define PROFILE_HEAP_OVER_TIME_H

struct heap_lives;
struct profile;

/* Bytes times milliseconds, so that those of several parts of the time add up. */
#define HEAP_OVER_TIME_EVENT "heap-live-time"

/* Adds the event to a profile with PROFILE_KEEP_TIME: for each stack and process a sample in each
 * part of the time in which it held something, parts being 20 ms or more. */
void heap_add_over_time(struct profile *profile, const struct heap_lives *lives);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recordings of blocks of memory (heap-alloc, heap-free): what was live when, and what that makes
 * of the other events, is known after all samples. */
#ifndef SESSION_LOAD_HEAP_H
#define SESSION_LOAD_HEAP_H

#include <stdbool.h>

struct err;
struct event_set;
struct load_options;
struct profile;

/* Whether blocks are to be followed: the recording has them, and the caller keeps nothing else in
 * their place. Then *options become those to read with. */
bool load_heap_begin(const struct event_set *events, struct load_options *options);
/* Enum profile_keep, for reading. */
unsigned load_heap_keeps(void);
/* Sums up what was read. Unless the sums are asked for, samples then keep only what `asked` keeps,
 * and only the events that it names stay. */
int load_heap_finish(const struct event_set *events, const char *name,
		     const struct load_options *asked, struct profile *profile, struct err *err);

#endif

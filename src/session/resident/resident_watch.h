/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records a program or a process to account for its resident memory (profile/resident.h): page
 * faults with their stacks, calls that move or fill pages, and the pages themselves, when it is
 * attached to and at the end. */
#ifndef SESSION_RESIDENT_RESIDENT_WATCH_H
#define SESSION_RESIDENT_RESIDENT_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "event/page_map.h"
#include "profile/resident.h"
#include "session/record/recorder.h"

struct err;
struct profile;

struct resident_watch_options {
	const char *pid; /* NULL: a program */
	uint64_t duration_ns;
	bool inlines;
	const char *save; /* keep the recording in this file; NULL = no */
	const char *const *words;
	size_t word_count;
};

struct resident_watch {
	struct recording_result recording;
	struct profile *profile; /* as resident_sum_up() leaves it */
	struct resident resident;
	struct page_map before, after; /* before: empty for a program */
	uint32_t pid;
};

/* resident_watch_done() in any case. */
int resident_watch(const struct resident_watch_options *options, char **argv,
		   struct resident_watch *ret, struct err *err);
void resident_watch_done(struct resident_watch *watch);

#endif

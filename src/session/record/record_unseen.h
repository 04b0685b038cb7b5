/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether samples stand for the time that a program ran. */
#ifndef SESSION_RECORD_UNSEEN_H
#define SESSION_RECORD_UNSEEN_H

#include <stdint.h>

struct recording_result;

/* What samples by threads should stand for. */
struct ran {
	uint64_t cpu_ns;   /* 0 = not known */
	const char *owner; /* "the program's" */
};

/* A clock of each thread starts anew with the thread, so threads that live for less than its period
 * have no samples. Adds a note if these are a good part of the time. */
void record_note_unseen(uint64_t thread_clock_ns, struct ran ran, struct recording_result *ret);

#endif

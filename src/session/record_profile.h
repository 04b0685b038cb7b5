/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records and loads in one: what commands do that show what they recorded. */
#ifndef SESSION_RECORD_PROFILE_H
#define SESSION_RECORD_PROFILE_H

#include "session/record/recorder.h"

struct err;
struct load_options;
struct profile;
struct recording_options;

struct recorded {
	struct recording_result result;
	struct profile *profile; /* NULL after a failure */
};

/* Records (argv: a program, NULL or empty = none) into record->output, or, if that is NULL, through
 * memory alone, and loads that. Without samples the profile is empty. Losses are in its meta.
 * recorded_done() in any case. */
int record_profile(struct recording_options *record, const struct load_options *load, char **argv,
		   struct recorded *ret, struct err *err);
void recorded_done(struct recorded *recorded);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which samples count: the lists and ranges of perf's --comms, --pid, --tid, --cpu and --time. */
#ifndef SESSION_FILTER_H
#define SESSION_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "event/kind.h"

struct err;
struct filter;
struct profile;

struct filter_spec {
	const char *comms, *pids, *tids, *cpus; /* NULL or "" = all */
	const char *time;
	/* Of filter_profile() only. */
	const char *event;    /* NULL = all */
	enum event_kind kind; /* EVENT_KIND_OTHER = all */
};

struct filter_subject {
	const char *comm;
	uint32_t pid, tid, cpu;
	bool has_time;
	uint64_t time_ns;
};

/* first_ns and last_ns are those of the recording's samples, needed for percentages and for times
 * from the start (those that are before the first sample); 0 = unknown. A range without any of the
 * recording is -ENODATA.
 * *ret is NULL when everything passes. */
int filter_parse(const struct filter_spec *spec, uint64_t first_ns, uint64_t last_ns,
		 struct filter **ret, struct err *err);
bool filter_match(const struct filter *filter,
		  const struct filter_subject *subject); /* NULL: true */
/* The first and last moment that pass, *to UINT64_MAX when open; all of time without --time. */
void filter_window(const struct filter *filter, uint64_t *from_ns, uint64_t *to_ns);
/* Finished profiles, which texts become: leaves out what does not pass. What their reader must keep
 * for it, enum profile_keep. */
unsigned filter_keeps(const struct filter_spec *spec);
int filter_profile(const struct filter_spec *spec, struct profile *profile, const char *path,
		   struct err *err);
void filter_free(struct filter *filter);

#endif

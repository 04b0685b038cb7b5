/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which samples count: the lists and ranges of perf's --comms, --pid, --tid, --cpu and --time. */
#ifndef SESSION_FILTER_H
#define SESSION_FILTER_H

#include <stdbool.h>
#include <stdint.h>

struct err;
struct filter;

struct filter_spec {
	const char *comms, *pids, *tids, *cpus; /* NULL or "" = all */
	const char *time;
};

struct filter_subject {
	const char *comm;
	uint32_t pid, tid, cpu;
	bool has_time;
	uint64_t time_ns;
};

/* first_ns and last_ns are those of the recording's samples, needed for percentages; 0 = unknown.
 * *ret is NULL when everything passes. */
int filter_parse(const struct filter_spec *spec, uint64_t first_ns, uint64_t last_ns,
		 struct filter **ret, struct err *err);
bool filter_match(const struct filter *filter,
		  const struct filter_subject *subject); /* NULL: true */
void filter_free(struct filter *filter);

#endif

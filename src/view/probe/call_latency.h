/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Distributions of the times that functions take, in the layout of BCC's funclatency or as JSON. */
#ifndef VIEW_PROBE_CALL_LATENCY_H
#define VIEW_PROBE_CALL_LATENCY_H

#include <stddef.h>
#include <stdint.h>

struct buf;

#define CALL_TIME_SLOTS 64

struct call_latency {
	const char *name; /* NULL = all functions */
	uint64_t calls, returned, total_ns;
	const uint64_t *slot; /* CALL_TIME_SLOTS */
};

struct call_latency_view {
	const char *unit; /* "nsecs" */
	uint64_t unit_ns;
	uint64_t from, step; /* step 0 = powers of two */
	const char *heading; /* in front of names; NULL = "Function = " */
	const char *more;    /* members of the JSON object, each behind a comma; NULL = none */
};

/* Functions without a call that returned are left out. */
void call_latency_text(const struct call_latency *times, size_t count,
		       const struct call_latency_view *view, struct buf *ret);
/* {"cupel":1,"what":"function latency","unit":"ns","functions":[{"name":s,"calls":n,"returned":n,
 * "total_ns":n,"buckets":[{"from":n,"to":n,"count":n}]}]}; "from" and "to" are in units. */
void call_latency_json(const struct call_latency *times, size_t count,
		       const struct call_latency_view *view, struct buf *ret);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The slowest calls of a profile that has single ones (PROFILE_KEEP_TIME), with their stacks. */
#ifndef VIEW_PROBE_SLOWEST_CALLS_H
#define VIEW_PROBE_SLOWEST_CALLS_H

#include <stddef.h>

struct buf;
struct call_latency_view;
struct profile;

/* The slowest first; at most that many. */
void slowest_calls_text(const struct profile *profile, size_t most,
			const struct call_latency_view *view, struct buf *ret);
/* ,"slowest":[{"ns":n,"comm":s,"pid":n,"tid":n,"stopped":s,"stack":[…]}]; a member of an object. */
void slowest_calls_json(const struct profile *profile, size_t most, struct buf *ret);

#endif

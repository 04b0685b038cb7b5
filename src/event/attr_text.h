/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A perf_event_attr as text, field by field, as `perf evlist -v` and the header of perf report
 * spell it. Fields that are 0 are left out. */
#ifndef EVENT_ATTR_TEXT_H
#define EVENT_ATTR_TEXT_H

struct buf;
struct perf_event_attr;

/* Appends "before NAME between VALUE" for every field: (", ", " = ") gives ", type = 1, …". */
int event_attr_text(const struct perf_event_attr *attr, const char *before, const char *between,
		    struct buf *ret);

#endif

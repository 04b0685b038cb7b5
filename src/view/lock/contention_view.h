/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Contention of the kernel's locks in the layouts of perf lock contention and perf lock report. */
#ifndef VIEW_LOCK_CONTENTION_VIEW_H
#define VIEW_LOCK_CONTENTION_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct contention;
struct profile;

struct contention_view {
	const struct profile *profile;
	const struct contention *contention;
	const struct contention *holds; /* of JSON; NULL = not measured */
	uint64_t entries;		/* rows; 0 = all */
	bool stacks;			/* below each row */
	size_t width;			/* columns of a terminal that lines fit in; 0 = as perf */
	const char *separator;		/* -x: values between these; NULL = a table */
	const char *const *words;
	size_t word_count;
};

void contention_text(const struct contention_view *view, struct buf *out);
/* { "cupel": 1, "command": [...], "contended", "total_ns", "bad", "rows": [ { "name", "type",
 * "tid", "address", "contended", "total_ns", "max_ns", "min_ns", "stack" } ],
 * "holds": the same with "held" }. */
void contention_json(const struct contention_view *view, struct buf *out);
/* perf lock report. */
void contention_report(const struct contention_view *view, struct buf *out);

#endif

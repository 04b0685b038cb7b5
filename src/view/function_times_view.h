/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Times of functions in the layouts of `perf ftrace profile` and `perf ftrace latency`, and as
 * JSON. Pure functions. */
#ifndef VIEW_FUNCTION_TIMES_VIEW_H
#define VIEW_FUNCTION_TIMES_VIEW_H

#include <stdbool.h>
#include <stddef.h>

struct buf;
struct function_times;
struct latency_counts;

struct function_times_view {
	const char *const *words; /* of the command line, for JSON */
	size_t word_count;
	bool hide_empty; /* buckets without a count */
};

void function_times_text(const struct function_times *times, struct buf *out);
void function_times_json(const struct function_times *times, const struct function_times_view *view,
			 struct buf *out);
void latency_counts_text(const struct latency_counts *counts,
			 const struct function_times_view *view, struct buf *out);
void latency_counts_json(const struct latency_counts *counts,
			 const struct function_times_view *view, struct buf *out);

#endif

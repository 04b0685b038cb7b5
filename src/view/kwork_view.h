/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Work of the kernel in the layouts of perf kwork, and as JSON. */
#ifndef VIEW_KWORK_KWORK_VIEW_H
#define VIEW_KWORK_KWORK_VIEW_H

#include <stdbool.h>
#include <stddef.h>

struct buf;
struct kwork;
struct profile;

struct kwork_view {
	const struct profile *profile;
	const struct kwork *kwork;
	bool summary;
	const char *const *words;
	size_t word_count;
};

void kwork_report_text(const struct kwork_view *view, struct buf *out);
void kwork_latency_text(const struct kwork_view *view, struct buf *out);
/* In the order of runs: before the rows are sorted. */
void kwork_timehist_text(const struct kwork_view *view, struct buf *out);
void kwork_top_text(const struct kwork_view *view, struct buf *out);
/* { "cupel": 1, "command": [...], "first_ns", "last_ns", "unpaired", "rows": [ { "class", "name",
 * "cpu", "run": { "ns", "count", "max_ns", "max_start_ns" }, "delay": {…} } ], "cpus": [ { "cpu",
 * "idle_ns", "irq_ns", "softirq_ns" } ], "tasks": [ { "tid", "comm", "ns" } ] }. */
void kwork_json(const struct kwork_view *view, struct buf *out);

#endif

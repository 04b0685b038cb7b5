/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The summary as JSON (see syscall_summary.h). */
#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "view/syscall/syscall_summary.h"

static void put(struct buf *out, const char *name, uint64_t value)
{
	(void)buf_printf(out, ", \"%s\": %" PRIu64, name, value);
}

static void put_times(struct buf *out, const struct syscall_sums *sums,
		      const struct syscall_total *line)
{
	put(out, "total_ns", line->total_ns);
	if (!sums->no_cpu)
		put(out, "cpu_ns", line->cpu_ns);
	put(out, "open_ns", line->open_ns);
	if (!line->timed)
		return;
	put(out, "timed", line->timed);
	put(out, "min_ns", line->min_ns);
	put(out, "avg_ns", line->total_ns / line->timed);
	put(out, "max_ns", line->max_ns);
	put(out, "p50_ns", line->quantile_ns[SYSCALL_P50]);
	put(out, "p90_ns", line->quantile_ns[SYSCALL_P90]);
	put(out, "p99_ns", line->quantile_ns[SYSCALL_P99]);
}

static void put_line(struct buf *out, const struct syscall_sums *sums,
		     const struct syscall_total *line)
{
	(void)buf_puts(out, "{ \"name\": ");
	(void)buf_put_json(out, line->name);
	put(out, "number", line->call & ~SYSCALL_COMPAT_BIT);
	put(out, "calls", line->calls);
	put(out, "errors", line->errors);
	if (!sums->counts_only)
		put_times(out, sums, line);
	(void)buf_puts(out, ", \"by_error\": {");
	for (size_t i = 0; i < line->error.count; i++)
		(void)buf_printf(out, "%s \"%s\": %" PRIu64, i ? "," : "", line->error.item[i].name,
				 line->error.item[i].count);
	(void)buf_puts(out, line->error.count ? " } }" : "} }");
}

static void put_group(struct buf *out, const struct syscall_sums *sums,
		      const struct syscall_group *group)
{
	char comm[sizeof(group->comm) + 1] = { 0 };

	(void)buf_puts(out, "    { ");
	if (group->pid) {
		memcpy(comm, group->comm, sizeof(group->comm));
		(void)buf_puts(out, "\"comm\": ");
		(void)buf_put_json(out, comm);
		put(out, "pid", group->pid);
		if (group->tid)
			put(out, "tid", group->tid);
		(void)buf_puts(out, ", ");
	}
	if (group->is_cgroup)
		(void)buf_printf(out, "\"cgroup_id\": %" PRIu64 ", ", group->cgroup);
	if (group->cgroup_name) {
		(void)buf_puts(out, "\"cgroup\": ");
		(void)buf_put_json(out, group->cgroup_name);
		(void)buf_puts(out, ", ");
	}
	(void)buf_printf(out, "\"calls\": %" PRIu64 ", \"errors\": %" PRIu64 ", \"syscalls\": [",
			 group->calls, group->errors);
	for (size_t i = 0; i < group->line.count; i++) {
		(void)buf_puts(out, i ? ",\n      " : "\n      ");
		put_line(out, sums, &group->line.item[i]);
	}
	(void)buf_puts(out, " ] }");
}

void syscall_summary_json(const struct syscall_sums *sums,
			  const struct syscall_summary_options *options, struct buf *out)
{
	static const char *const by[] = { "thread", "process", "total", "cgroup" };
	struct syscall_groups groups;
	bool first = true;

	syscall_groups_make(sums, options->by, &groups);
	(void)buf_puts(out, "{ \"cupel\": 1, \"command\": [");
	for (size_t i = 0; i < options->word_count; i++) {
		(void)buf_puts(out, i ? ", " : "");
		(void)buf_put_json(out, options->words[i]);
	}
	(void)buf_putc(out, ']');
	put(out, "duration_ns", sums->end_ns - sums->start_ns);
	put(out, "calls", groups.calls);
	put(out, "lost_calls", sums->counts.lost_calls);
	put(out, "lost_errors", sums->counts.lost_errors);
	put(out, "untracked_threads", sums->counts.untracked_threads);
	(void)buf_printf(out, ", \"by\": \"%s\",\n  \"groups\": [", by[options->by]);
	for (size_t i = 0; i < groups.group.count; i++) {
		if (!groups.group.item[i].line.count)
			continue;
		(void)buf_puts(out, first ? "\n" : ",\n");
		first = false;
		put_group(out, sums, &groups.group.item[i]);
	}
	(void)buf_puts(out, " ] }\n");
	syscall_groups_done(&groups);
}

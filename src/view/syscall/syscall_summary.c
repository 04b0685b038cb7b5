/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The summary as text (see syscall_summary.h). The columns before p50 are those of `perf trace -s`;
 * its last one, stddev, is not there. */
#include "view/syscall/syscall_summary.h"

#include <inttypes.h>

#include "base/buf.h"

static void put_ms(struct buf *out, uint64_t ns)
{
	(void)buf_printf(out, " %9.3f", (double)ns / 1e6);
}

/* Percentiles are known to a step of the histogram: two digits, but never outside the range. */
static void put_about(struct buf *out, const struct syscall_total *line, uint64_t ns)
{
	uint64_t unit = 1, about;

	while (ns / unit >= 100)
		unit *= 10;
	about = (ns + unit / 2) / unit * unit;
	if (about < line->min_ns)
		about = line->min_ns;
	put_ms(out, about > line->max_ns ? line->max_ns : about);
}

static void put_errors(struct buf *out, const struct syscall_total *line)
{
	for (size_t i = 0; i < line->error.count; i++)
		(void)buf_printf(out, "%s%s %" PRIu64, i ? ", " : "  ", line->error.item[i].name,
				 line->error.item[i].count);
}

static void put_times(struct buf *out, const struct syscall_sums *sums,
		      const struct syscall_total *line)
{
	(void)buf_printf(out, " %9.3f", (double)(line->total_ns + line->open_ns) / 1e6);
	put_ms(out, line->min_ns);
	put_ms(out, line->timed ? line->total_ns / line->timed : 0);
	put_ms(out, line->max_ns);
	put_about(out, line, line->quantile_ns[SYSCALL_P50]);
	put_about(out, line, line->quantile_ns[SYSCALL_P99]);
	if (!sums->no_cpu)
		put_ms(out, line->cpu_ns);
}

static void put_line(struct buf *out, const struct syscall_sums *sums,
		     const struct syscall_total *line)
{
	(void)buf_printf(out, "   %-18s %8" PRIu64 " %7" PRIu64, line->name, line->calls,
			 line->errors);
	if (!sums->counts_only)
		put_times(out, sums, line);
	put_errors(out, line);
	(void)buf_putc(out, '\n');
}

static void put_heading(struct buf *out, const struct syscall_sums *sums)
{
	if (sums->counts_only) {
		(void)buf_puts(out, "   syscall               calls  errors\n"
				    "   ------------------ -------- -------\n");
		return;
	}
	(void)buf_printf(
		out,
		"   syscall               calls  errors     total       min       avg       max"
		"       p50       p99%s\n"
		"                                          (msec)    (msec)    (msec)    (msec)"
		"    (msec)    (msec)%s\n"
		"   ------------------ -------- ------- --------- --------- --------- ---------"
		" --------- ---------%s\n",
		sums->no_cpu ? "" : "       cpu", sums->no_cpu ? "" : "    (msec)",
		sums->no_cpu ? "" : " ---------");
}

static void put_group(struct buf *out, const struct syscall_sums *sums,
		      const struct syscall_groups *groups, const struct syscall_group *group)
{
	if (group->cgroup_name) {
		(void)buf_putc(out, ' ');
		(void)buf_put_tidy(out, group->cgroup_name);
		(void)buf_puts(out, ", ");
	} else if (group->is_cgroup) {
		(void)buf_printf(out, " [cgroup %" PRIu64 "], ", group->cgroup);
	} else if (group->pid) {
		char comm[sizeof(group->comm) + 1] = { 0 };

		for (size_t i = 0; i < sizeof(group->comm); i++)
			comm[i] = group->comm[i];
		(void)buf_putc(out, ' ');
		(void)buf_put_tidy(out, comm);
		(void)buf_printf(out, " (%" PRIu32 "), ", group->tid ? group->tid : group->pid);
	} else {
		(void)buf_puts(out, " total, ");
	}
	(void)buf_printf(out, "%" PRIu64 " calls, %.1f%%\n\n", group->calls,
			 groups->calls ? 100 * (double)group->calls / (double)groups->calls : 0);
	put_heading(out, sums);
	for (size_t i = 0; i < group->line.count; i++)
		put_line(out, sums, &group->line.item[i]);
	(void)buf_puts(out, "\n\n");
}

static void put_losses(struct buf *out, const struct syscall_counts *counts)
{
	if (counts->lost_calls)
		(void)buf_printf(out, " %" PRIu64 " calls found no room and are missing above\n",
				 counts->lost_calls);
	if (counts->lost_errors)
		(void)buf_printf(out, " %" PRIu64 " errors are counted above, but not by name\n",
				 counts->lost_errors);
	if (counts->untracked_threads)
		(void)buf_printf(out, " %" PRIu64 " threads could not be followed\n",
				 counts->untracked_threads);
}

void syscall_summary_text(const struct syscall_sums *sums,
			  const struct syscall_summary_options *options, struct buf *out)
{
	struct syscall_groups groups;

	syscall_groups_make(sums, options->by, &groups);
	(void)buf_puts(out, "\n Summary of system calls:\n\n");
	for (size_t i = 0; i < groups.group.count; i++)
		if (groups.group.item[i].line.count)
			put_group(out, sums, &groups, &groups.group.item[i]);
	put_losses(out, &sums->counts);
	syscall_groups_done(&groups);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Figures by name (see stat_metrics.h). The names are those of perf's default metrics. What is
 * computed from the events is a row of profile/counts/count_metric.c. */
#include "command/stat/stat_metrics.h"

#include <errno.h>
#include <stddef.h>
#include <strings.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/suggest.h"

static const struct stat_metric metrics[] = {
	{ "CPUs_utilized", "task-clock" },
	{ "cs_per_second", "task-clock,context-switches" },
	{ "migrations_per_second", "task-clock,cpu-migrations" },
	{ "page_faults_per_second", "task-clock,page-faults" },
	{ "cycles_frequency", "task-clock,cycles" },
	{ "insn_per_cycle", "{cycles,instructions}" },
	{ "IPC", "{cycles,instructions}" },
	{ "branch_frequency", "task-clock,branches" },
	{ "branch_miss_rate", "{branches,branch-misses}" },
	{ "cache_miss_rate", "{cache-references,cache-misses}" },
	{ "frontend_cycles_idle", "{cycles,stalled-cycles-frontend}" },
	{ "backend_cycles_idle", "{cycles,stalled-cycles-backend}" },
	{ "l1d_miss_rate", "{L1-dcache-loads,L1-dcache-load-misses}" },
	{ "l1i_miss_rate", "{L1-icache-loads,L1-icache-load-misses}" },
	{ "llc_miss_rate", "{LLC-loads,LLC-load-misses}" },
	{ "dtlb_miss_rate", "{dTLB-loads,dTLB-load-misses}" },
	{ "itlb_miss_rate", "{iTLB-loads,iTLB-load-misses}" },
	{ "TopdownL1", "{slots,topdown-retiring,topdown-bad-spec,topdown-fe-bound,"
		       "topdown-be-bound}" },
};

const struct stat_metric *stat_metric_find(const char *name, struct err *err)
{
	struct suggest suggest = { .word = name };
	char near[256];

	for (size_t i = 0; i < sizeof(metrics) / sizeof(*metrics); i++) {
		if (strcasecmp(metrics[i].name, name) == 0)
			return &metrics[i];
		suggest_offer(&suggest, metrics[i].name);
	}
	(void)err_set(err, -EINVAL, "unknown metric '%s'", name);
	if (suggest.count)
		(void)err_hint(err, "did you mean %s?", suggest_text(&suggest, near, sizeof(near)));
	return NULL;
}

void stat_metric_words(struct buf *ret)
{
	for (size_t i = 0; i < sizeof(metrics) / sizeof(*metrics); i++)
		(void)buf_printf(ret, "%s%s", i ? ", " : "", metrics[i].name);
}

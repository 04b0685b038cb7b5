/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Figures by name (see stat_metrics.h). The names are those of perf's default metrics. What is
 * computed from the events is a row of profile/counts/count_metric.c. */
#include "session/stat/stat_metrics.h"

#include <errno.h>
#include <strings.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/suggest.h"

static const struct stat_metric metrics[] = {
	{ "CPUs_utilized", "task-clock", "CPUs that were busy on average" },
	{ "cs_per_second", "task-clock,context-switches",
	  "context switches in a second of CPU time" },
	{ "migrations_per_second", "task-clock,cpu-migrations",
	  "moves to another CPU in a second of CPU time" },
	{ "page_faults_per_second", "task-clock,page-faults",
	  "page faults in a second of CPU time" },
	{ "cycles_frequency", "task-clock,cycles", "the clock's speed, in GHz" },
	{ "insn_per_cycle", "{cycles,instructions}", "instructions in a cycle" },
	{ "IPC", "{cycles,instructions}", "instructions in a cycle" },
	{ "branch_frequency", "task-clock,branches", "branches in a second of CPU time" },
	{ "branch_miss_rate", "{branches,branch-misses}",
	  "share of branches that were predicted wrongly" },
	{ "cache_miss_rate", "{cache-references,cache-misses}",
	  "share of accesses that the last cache missed" },
	{ "frontend_cycles_idle", "{cycles,stalled-cycles-frontend}",
	  "share of cycles without instructions to start" },
	{ "backend_cycles_idle", "{cycles,stalled-cycles-backend}",
	  "share of cycles that waited for data or units" },
	{ "l1d_miss_rate", "{L1-dcache-loads,L1-dcache-load-misses}",
	  "share of reads that the first data cache missed" },
	{ "l1i_miss_rate", "{L1-icache-loads,L1-icache-load-misses}",
	  "share of reads that the first instruction cache missed" },
	{ "llc_miss_rate", "{LLC-loads,LLC-load-misses}",
	  "share of reads that the last cache missed" },
	{ "dtlb_miss_rate", "{dTLB-loads,dTLB-load-misses}",
	  "share of reads that the data TLB missed" },
	{ "itlb_miss_rate", "{iTLB-loads,iTLB-load-misses}",
	  "share of reads that the instruction TLB missed" },
	{ "TopdownL1",
	  "{slots,topdown-retiring,topdown-bad-spec,topdown-fe-bound,"
	  "topdown-be-bound}",
	  "how the slots of a core are used, on CPUs of Intel" },
};

const struct stat_metric *stat_metric_at(size_t n)
{
	return n < sizeof(metrics) / sizeof(*metrics) ? &metrics[n] : NULL;
}

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

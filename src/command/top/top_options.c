/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See top_options.h. */
#include "command/top/top_options.h"

#include <unistd.h>

#include "base/err.h"
#include "command/command.h"
#include "command/option/option.h"
#include "profile/recent.h"
#include "view/report/report_column.h"

#define DEFAULT_HZ	999
#define DEFAULT_DELAY	2000000000u /* ns */
#define DEFAULT_MOMENTS 5
#define GRAPH_THRESHOLD 0.5 /* percent, as in a report */

#define OWN(field) OPT(top_options, field)

const struct option_def top_option_rows[] = {
	{ "Screen", 0, OPT_GROUP, NULL, 0, NULL, NULL, NULL },
	{ "delay", 'd', OPT_DURATION, "TIME", OWN(delay_ns), "refresh interval (default 2 s)", NULL,
	  NULL },
	{ "moments", 0, OPT_UINT, "N", OWN(moments),
	  "show the samples of the last N refresh intervals (default 5)", NULL, NULL },
	{ "zero", 'z', OPT_FLAG, NULL, OWN(zero), "reset counts at each refresh (--moments 1)",
	  NULL, NULL },
	{ "entries", 'E', OPT_UINT, "N", OWN(entries), "maximum number of table rows", NULL, NULL },
	{ "stdio", 0, OPT_FLAG, NULL, OWN(stdio),
	  "print one table after the other (default if the output is not a terminal)", NULL, NULL },
	{ "sort", 's', OPT_STR, "KEYS", OWN(report.sort),
	  "group by: comm pid tid dso symbol (default dso,symbol)",
	  .choices = "comm pid tid dso symbol" },
	{ "fields", 0, OPT_STR, "KEYS", OWN(report.fields),
	  "columns: overhead overhead_children sample period and sort keys", NULL, NULL },
	{ "show-nr-samples", 'n', OPT_FLAG, NULL, OWN(report.show_nr_samples),
	  "add a column with the number of samples", NULL, NULL },
	{ "show-total-period", 0, OPT_FLAG, NULL, OWN(report.show_total_period),
	  "add a column with the sum of the periods", NULL, NULL },
	{ "children", 0, OPT_FLAG, NULL, OWN(report.children),
	  "add the cost of callees to each function", NULL, NULL },
	{ "no-interval", 0, OPT_FLAG, NULL, OWN(no_interval),
	  "do not show the 95% intervals of shares", NULL, NULL },
	{ "percent-limit", 0, OPT_DOUBLE, "PERCENT", OWN(report.percent_limit),
	  "hide rows below this percentage", NULL, NULL },
	{ "comms", 0, OPT_STR, "LIST", OWN(report.comms), "only these commands", NULL, NULL },
	{ "dsos", 0, OPT_STR, "LIST", OWN(report.dsos), "only these modules", NULL, NULL },
	{ "symbols", 0, OPT_STR, "LIST", OWN(report.symbols), "only these functions", NULL, NULL },
	{ "symbol-filter", 0, OPT_STR, "TEXT", OWN(report.symbol_filter),
	  "only functions with TEXT in their name", NULL, NULL },
	{ "hide_kernel_symbols", 'K', OPT_FLAG, NULL, OWN(hide_kernel), "hide kernel functions",
	  NULL, NULL },
	{ "hide_user_symbols", 'U', OPT_FLAG, NULL, OWN(hide_user), "hide user-space functions",
	  NULL, NULL },
	{ "idle", 0, OPT_FLAG, NULL, OWN(idle), "include idle CPUs, as kernel functions", NULL,
	  NULL },
	{ "demangle", 0, OPT_FLAG, NULL, OWN(live.symbol.demangle),
	  "demangle names (default; --no-demangle shows them raw)", NULL, NULL },
	{ "kallsyms", 0, OPT_STR, "FILE", OWN(live.symbol.kallsyms_path),
	  "kernel symbols (default /proc/kallsyms)", NULL, NULL },
	{ "vmlinux", 'k', OPT_STR, "FILE", OWN(live.symbol.vmlinux_path),
	  "kernel image with symbols", NULL, NULL },
	{ "recording", 0, OPT_INCLUDE, NULL, OWN(record), NULL, NULL, record_subject_rows },
	{ 0 },
};

void top_options_defaults(void *poptions)
{
	struct top_options *options = poptions;

	options->live.symbol.symfs = "";
	options->live.symbol.demangle = true;
	options->report.sort = "dso,symbol";
	options->report.brief = true;
	options->delay_ns = DEFAULT_DELAY;
	options->moments = DEFAULT_MOMENTS;
}

void top_show_children(struct report_options *report, bool shown)
{
	report->children = report->caller = shown;
}

int top_options_check(struct top_options *o, char *word, struct err *err)
{
	report_columns columns = { 0 };

	if (word)
		return command_usage(err, "unexpected argument '%s'", word);
	if (!o->delay_ns || o->delay_ns > 3600000000000ull)
		return command_usage(err, "-d: expected a delay above 0 and at most one hour");
	if (!o->moments || o->moments > RECENT_MOST)
		return command_usage(err, "--moments: expected 1 to %d", RECENT_MOST);
	if (o->hide_kernel && o->hide_user)
		return command_usage(err, "-K and -U cannot be combined: nothing would be left");
	if (recording_options_check(&o->record, false, err) ||
	    report_columns_parse(&o->report, &columns, err))
		return EXIT_STATUS_USAGE;
	vec_done(&columns);
	return 0;
}

void top_options_settle(struct top_options *o)
{
	struct recording_options *record = &o->record;
	struct report_options *report = &o->report;

	if (!record->source.pids && !record->source.tids && !record->source.user &&
	    !record->source.cpus)
		record->source.system_wide = true;
	if (!record->source.frequency.hz && !record->source.frequency.max &&
	    !record->source.period && !record->source.selector.count)
		record->source.frequency.hz = DEFAULT_HZ;
	o->live.stacks = record->source.call_graph.mode != RECORDING_CALL_GRAPH_NONE;
	if (record->source.call_graph.given && o->live.stacks)
		report->graph = REPORT_GRAPH_GRAPH;
	report->graph_threshold = GRAPH_THRESHOLD;
	top_show_children(report, report->children);
	report->interval = o->no_interval			? REPORT_INTERVAL_NONE
			   : isatty(STDOUT_FILENO) && !o->stdio ? REPORT_INTERVAL_COLUMNS
								: REPORT_INTERVAL_FACTS;
	if (o->zero)
		o->moments = 1;
}

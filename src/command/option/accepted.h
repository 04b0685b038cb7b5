/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options of perf, FlameGraph, inferno and BCC that Cupel accepts without effect, so that existing
 * scripts keep working. Only accepted.c has such rows; --help and the man page give the reason for
 * each. For OPT_INCLUDE, with any offset. */
#ifndef COMMAND_OPTION_ACCEPTED_H
#define COMMAND_OPTION_ACCEPTED_H

#include "command/option/option.h"

extern const struct option_def accepted_annotate_rows[];
/* What has its effect in the pager (command/pager.h). A row of accepted_reader_rows, too. */
extern const struct option_def pager_rows[];
extern const struct option_def accepted_probe_rows[]; /* and those of perf probe that are refused */
extern const struct option_def accepted_reader_rows[];
extern const struct option_def accepted_report_rows[];
extern const struct option_def accepted_script_rows[];
extern const struct option_def accepted_stat_rows[];
extern const struct option_def refused_stat_rows[];
extern const struct option_def refused_annotate_rows[];
extern const struct option_def refused_report_rows[];
extern const struct option_def refused_script_rows[];
extern const struct option_def accepted_sched_rows[]; /* perf sched's */
extern const struct option_def accepted_timechart_record_rows[];
extern const struct option_def refused_buildid_cache_rows[];
extern const struct option_def refused_inject_rows[];
extern const struct option_def accepted_trace_rows[];
extern const struct option_def refused_trace_rows[];
extern const struct option_def accepted_record_rows[];	 /* perf record's */
extern const struct option_def accepted_picture_rows[];	 /* flamegraph.pl's, inferno's */
extern const struct option_def accepted_collapse_rows[]; /* inferno-collapse-perf's */
extern const struct option_def accepted_ftrace_rows[];	 /* perf ftrace's */
extern const struct option_def accepted_ftrace_latency_rows[];
extern const struct option_def accepted_wait_rows[];	 /* offcputime's and its siblings' (BCC) */
extern const struct option_def accepted_activity_rows[]; /* those of tools like top (BCC) */
extern const struct option_def accepted_opensnoop_rows[];
extern const struct option_def accepted_execsnoop_rows[];
extern const struct option_def accepted_exitsnoop_rows[];
extern const struct option_def accepted_klockstat_rows[];
extern const struct option_def accepted_tcpretrans_rows[];
extern const struct option_def accepted_lock_report_rows[]; /* perf lock report's */
extern const struct option_def accepted_lock_contention_rows[];

#endif

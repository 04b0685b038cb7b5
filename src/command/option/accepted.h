/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options of perf, FlameGraph, inferno and BCC that Cupel takes and that change nothing here, so
 * that scripts and habits keep working. accepted.c is the only place that has such rows; each says
 * in --help and in the man page why it has no effect. For OPT_INCLUDE, with any offset. */
#ifndef COMMAND_OPTION_ACCEPTED_H
#define COMMAND_OPTION_ACCEPTED_H

#include "command/option/option.h"

extern const struct option_def accepted_reader_rows[];	 /* perf's commands that read a file */
extern const struct option_def accepted_sched_rows[];	 /* perf sched's */
extern const struct option_def accepted_record_rows[];	 /* perf record's */
extern const struct option_def accepted_picture_rows[];	 /* flamegraph.pl's, inferno's */
extern const struct option_def accepted_collapse_rows[]; /* inferno-collapse-perf's */
extern const struct option_def accepted_wait_rows[];	 /* offcputime's and its siblings' (BCC) */

#endif

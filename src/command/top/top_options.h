/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options of `cupel top`, with perf top's names. */
#ifndef COMMAND_TOP_TOP_OPTIONS_H
#define COMMAND_TOP_TOP_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "command/record/record_options.h"
#include "session/live.h"
#include "session/record/recorder.h"
#include "view/report/report.h"

struct err;

struct top_options {
	struct recording_options record;
	struct report_options report;
	struct live_options live;
	uint64_t delay_ns, entries, moments;
	bool no_interval, zero, hide_kernel, hide_user, idle, stdio;
};

extern const struct option_def top_option_rows[];

void top_options_defaults(void *options);
/* word: an argument that is no option; NULL = none. */
int top_options_check(struct top_options *options, char *word, struct err *err);
/* Fills what follows from the others. */
void top_options_settle(struct top_options *options);
/* The cost of callees. Then chains begin with the caller, as in a report. */
void top_show_children(struct report_options *report, bool shown);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options of cupel stat, and which of them go together. */
#ifndef COMMAND_STAT_OPTIONS_H
#define COMMAND_STAT_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "command/option/option.h"
#include "session/stat/stat_run.h"

struct err;

struct stat_command_options {
	struct stat_options stat;
	const char *separator; /* -x */
	bool json, no_big_num, metric_only, table, core_threads;
	bool append, summary, no_csv_summary, interval_clear, quiet;
	const char *output;
	uint64_t log_fd;
	unsigned verbose;
	const char *compare; /* the first program; the second is a word */
	double margin_percent;
	bool repeat_given;
};

extern const struct option_def stat_rows_table[];
/* Places: the offset is that of an enum counts_by. */
extern const struct option_def stat_place_rows[];
/* -x: "\t" as it is typed is a tab. */
int stat_set_separator(void *field, const char *value, bool negated, struct err *err);

void stat_options_defaults(void *options);
void stat_options_done(void *options);
/* Refuses what cannot be combined, and derives the rest. program = one was given. 0, or
 * command_usage(). */
int stat_options_check(struct stat_command_options *options, bool program, struct err *err);

#endif

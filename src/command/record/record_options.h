/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The option rows of everything that records, for OPT_INCLUDE: the including command embeds a
 * struct recording_options and points the row's offset at it. */
#ifndef COMMAND_RECORD_OPTIONS_H
#define COMMAND_RECORD_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "command/option/option.h"

struct err;
struct recording_options;
struct recording_result;

/* Events, rate, target, stacks. */
extern const struct option_def record_subject_rows[];
/* These, what else samples carry, and rings: what any command offers that records. */
extern const struct option_def record_option_rows[];
/* Output, file switching, control: `cupel record` alone. */
extern const struct option_def record_output_rows[];

/* For a row of struct record_call_graph_option (source/options.h). */
int record_set_call_graph(void *field, const char *value, bool negated, struct err *err);
/* Refuses options that cannot be combined; program = one was given after the options. */
int recording_options_check(const struct recording_options *options, bool program, struct err *err);
/* Frees what the rows allocated. */
void recording_options_done(struct recording_options *options);
/* Prints the summary on stderr: what was written and lost, or why there is nothing. */
void record_print_summary(const struct recording_options *options,
			  const struct recording_result *result);

#endif

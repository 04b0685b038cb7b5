/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The groups of record_options.h, a table for each, as help and the man page show them. */
#ifndef COMMAND_RECORD_OPTIONS_GROUPS_H
#define COMMAND_RECORD_OPTIONS_GROUPS_H

#include "command/option/option.h"

/* record_options_subject.c */
extern const struct option_def record_event_rows[];  /* Events */
extern const struct option_def record_target_rows[]; /* Targets */
extern const struct option_def record_stack_rows[];  /* Stacks */
/* record_options_contents.c */
extern const struct option_def record_content_rows[]; /* Sample contents */
extern const struct option_def record_other_rows[];   /* Other records */
extern const struct option_def record_buffer_rows[];  /* Buffers */
/* record_options_output.c */
extern const struct option_def record_duration_rows[]; /* Time */
extern const struct option_def record_delay_rows[];    /* the rest of Time */
extern const struct option_def record_file_rows[];     /* Output */

#endif

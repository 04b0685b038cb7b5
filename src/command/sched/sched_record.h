/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recording of scheduler events, for commands that record more than these. */
#ifndef COMMAND_SCHED_RECORD_H
#define COMMAND_SCHED_RECORD_H

#include <stdbool.h>

#include "command/option/option.h"

struct err;
struct recording_options;

/* Of a struct recording_options, for OPT_INCLUDE. */
extern const struct option_def sched_record_rows[];

/* The functions of the command. */
void sched_record_defaults(void *options);
int sched_record_run(void *options, int argc, char **argv, struct err *err);
void sched_record_done(void *options);
/* Waits for locks, as far as the kernel has them. Returns 0 or -errno. */
int sched_record_locks(struct recording_options *options, struct err *err);
/* Whether the kernel has a tracepoint: some are built without it. */
bool sched_record_is_here(const char *tracefs, const char *event);
/* All CPUs, every event, without stacks; no events yet. */
void sched_record_all(struct recording_options *options);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* OPT_CALL parsers for --off-cpu-thresh and --off-cpu-states; `field` is a struct
 * recording_off_cpu. */
#ifndef COMMAND_RECORD_OFF_CPU_OPTIONS_H
#define COMMAND_RECORD_OFF_CPU_OPTIONS_H

#include <stdbool.h>

struct err;

/* Milliseconds, as in perf, or with a unit: "500us". */
int off_cpu_set_thresh(void *field, const char *value, bool negated, struct err *err);
/* States and reasons of the ledger: "blocked,idle", "disk,lock". */
int off_cpu_set_states(void *field, const char *value, bool negated, struct err *err);

#endif

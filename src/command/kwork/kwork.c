/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel kwork: the commands about what the kernel does besides threads. */
#include "command/command.h"

/* A new one: one line here and one in the array. */
extern const struct command cmd_kwork_latency;
extern const struct command cmd_kwork_record;
extern const struct command cmd_kwork_report;
extern const struct command cmd_kwork_timehist;
extern const struct command cmd_kwork_top;

static const struct command *const commands[] = {
	&cmd_kwork_record,   &cmd_kwork_report, &cmd_kwork_latency,
	&cmd_kwork_timehist, &cmd_kwork_top,	NULL,
};

const struct command cmd_kwork = {
	.name = "kwork",
	.args = "COMMAND [options]",
	.summary = "record and show interrupts and work of the kernel's queues",
	.sub = commands,
};

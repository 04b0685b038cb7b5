/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel sched: the commands about the scheduler. */
#include "command/command.h"

/* A new one: one line here and one in the array. */
extern const struct command cmd_sched_latency;
extern const struct command cmd_sched_map;
extern const struct command cmd_sched_record;
extern const struct command cmd_sched_replay;
extern const struct command cmd_sched_script;
extern const struct command cmd_sched_stats;
extern const struct command cmd_sched_timehist;

static const struct command *const commands[] = {
	&cmd_sched_record, &cmd_sched_latency, &cmd_sched_timehist, &cmd_sched_map,
	&cmd_sched_replay, &cmd_sched_script,  &cmd_sched_stats,    NULL,
};

const struct command cmd_sched = {
	.name = "sched",
	.args = "COMMAND [options]",
	.summary = "record and show what the scheduler does",
	.sub = commands,
};

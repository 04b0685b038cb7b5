/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stat --compare: the gate's exit status is that of diff's rules. */
#ifndef COMMAND_STAT_COMPARE_RUN_H
#define COMMAND_STAT_COMPARE_RUN_H

struct err;
struct stat_command_options;

enum stat_compare_status {
	STAT_COMPARE_WORSE = 3,
	STAT_COMPARE_UNDECIDED = 4,
};

/* NULL: there is no second program. Returns the exit status, -1 with err, or command_usage(). */
int stat_compare_run(const struct stat_command_options *options, const char *second,
		     struct err *err);

#endif

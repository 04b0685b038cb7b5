/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options of commands that print text or JSON. Rows for a command's table (OPT_INCLUDE). The
 * functions that write are in command/command.h. */
#ifndef COMMAND_OUTPUT_H
#define COMMAND_OUTPUT_H

#include <stdbool.h>

#include "command/option/option.h"

struct output_options {
	const char *path; /* NULL = standard output */
	bool json;
};

extern const struct option_def output_option_rows[];

/* "[ cupel: … ]" on standard error, such as the last line of a command; tidied. */
void command_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif

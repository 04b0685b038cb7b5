/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where counts go: standard error, a file or a descriptor; each piece at once. */
#ifndef COMMAND_STAT_OUTPUT_H
#define COMMAND_STAT_OUTPUT_H

#include <stdbool.h>

struct buf;
struct err;
struct stat_command_options;

struct stat_output {
	int fd;
	bool owns;
	const char *name;
};

int stat_output_open(struct stat_output *output, const struct stat_command_options *options,
		     struct err *err);
/* Empties the buffer. */
int stat_output_write(const struct stat_output *output, struct buf *text, struct err *err);
/* Why some events were not counted: lines, NUL-terminated. They fit the terminal if it is one. */
void stat_output_put_notes(const struct stat_output *output, const char *notes, struct buf *text);
void stat_output_close(struct stat_output *output);

#endif

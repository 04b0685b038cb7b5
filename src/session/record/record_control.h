/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf's --control: commands, one per line, over a descriptor or FIFO, each answered with "ack\n"
 * on request. Spec: "fd:CTL[,ACK]" or "fifo:CTL[,ACK]". */
#ifndef SESSION_RECORD_CONTROL_H
#define SESSION_RECORD_CONTROL_H

#include <stdbool.h>
#include <stddef.h>

struct err;

enum record_command {
	RECORD_COMMAND_NONE,
	RECORD_COMMAND_UNKNOWN,
	RECORD_COMMAND_ENABLE,
	RECORD_COMMAND_DISABLE,
	RECORD_COMMAND_SNAPSHOT,
	RECORD_COMMAND_EVLIST,
	RECORD_COMMAND_STOP,
	RECORD_COMMAND_PING,
};

struct record_control {
	int fd, ack_fd; /* -1 = none */
	bool owns;
	char line[256];
	size_t len;
	char argument[256]; /* of the last command: "disable cycles"; "" = none */
};

int record_control_open(struct record_control *control, const char *spec, struct err *err);
void record_control_close(struct record_control *control);
/* The next complete command; NONE: there is none at the moment. Never blocks on a FIFO. At end of
 * file, fd becomes -1. */
enum record_command record_control_next(struct record_control *control);
void record_control_ack(struct record_control *control);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A program to watch: forked first and held before its exec, so that events can be attached to
 * it; it inherits everything as this process was given it (test/live/inherited.sh). */
#ifndef SESSION_PROGRAM_H
#define SESSION_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct err;
struct signals;

struct program {
	pid_t pid;    /* 0 = none */
	int go_fd;    /* closing it unwritten makes the child go away */
	int error_fd; /* brings errno when exec fails */
	bool reaped;
	int status; /* as from wait(2) */
	uint64_t cpu_ns;
	uint64_t user_ns, system_ns, peak_rss_bytes; /* of it and its children */
};

/* signals: taken; the program gets them as they were. stdout_to_stderr: our stdout is taken. */
int program_fork(char **argv, const struct signals *signals, bool stdout_to_stderr,
		 struct program *ret, struct err *err);
/* Lets it exec and waits for that. *ret_status is 127 or 126 on failure. */
int program_exec(struct program *program, const char *name, int *ret_status, struct err *err);
/* Collects the status; without `block` only when it has ended. True = it has ended. */
bool program_wait(struct program *program, bool block);
/* Before exec: makes the child go away. After it: nothing. */
void program_abandon(struct program *program);
/* As a shell reports it. */
int program_status(const struct program *program);

#endif

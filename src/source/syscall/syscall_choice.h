/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which system calls are traced: by names, globs, classes ("%file") and numbers, among all the ways
 * in which programs call this kernel. */
#ifndef SOURCE_SYSCALL_CHOICE_H
#define SOURCE_SYSCALL_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

#include "event/syscall.h"

struct err;

struct syscall_choice {
	bool counts_only; /* without times */
	bool lines;	  /* deliver calls one by one, */
	bool sums_too;	  /* and count them as well */
	bool only_errors; /* calls that fail */
	uint64_t min_ns;  /* calls that take this long */
	bool places;	  /* lines of threads that sleep at the start have struct syscall_place */
	bool given;	  /* by syscall_choice_add(); else all calls are wanted */
	bool unknown;	  /* calls with a number above the tables' */
	uint8_t wanted[SYSCALL_ABIS][SYSCALL_NUMBERS];
	/* With lines: calls that come even if they are not wanted, as unshown lines. */
	uint8_t followed[SYSCALL_ABIS][SYSCALL_NUMBERS];
};

void syscall_choice_all(struct syscall_choice *choice);
/* Whether any call is chosen. */
bool syscall_choice_any(const struct syscall_choice *choice);
/* Whether it is one of the chosen calls, fails, and takes long enough: for lines that do not come
 * from the kernel part, which chooses by itself. */
bool syscall_choice_accepts(const struct syscall_choice *choice, const struct syscall_line *line);
/* "openat,read", "%file", "read*", "39", "all"; '!' in front means all but these. The first list
 * takes the place of all calls, further ones are added or, with '!', taken away. As in strace a
 * list may begin with "trace=". -EINVAL when a word has no call. */
int syscall_choice_add(struct syscall_choice *choice, const char *list, struct err *err);

#endif

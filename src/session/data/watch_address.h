/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The address of data that is to be watched: a number, or a variable of a process or of a program
 * that is about to start. */
#ifndef SESSION_DATA_WATCH_ADDRESS_H
#define SESSION_DATA_WATCH_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct err;

struct watch_address {
	uint64_t address, size; /* size 0 = unknown */
	char name[128];		/* as given */
	bool fixed; /* of a program: it is right only if the program's place is not random */
};

/* "ADDRESS", "SYMBOL" or either with "+OFFSET". */
int watch_address_of_process(const char *text, pid_t pid, struct watch_address *ret,
			     struct err *err);
/* Its symbols are those of the program's own file. */
int watch_address_of_program(const char *text, const char *program, struct watch_address *ret,
			     struct err *err);
/* Programs that this process starts from now on have their fixed places, or random ones again.
 * Returns what to give back; -1 = the kernel refuses. */
int watch_address_fix(bool on, int before);

#endif

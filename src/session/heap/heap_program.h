/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Running a program with the library of heap/preload.c. */
#ifndef SESSION_HEAP_HEAP_PROGRAM_H
#define SESSION_HEAP_HEAP_PROGRAM_H

#include <limits.h>
#include <stdbool.h>

#include "source/heap/heap_choice.h"

struct err;

struct heap_program {
	struct heap_choice choice;
	struct guard *guard; /* removes the library, also after SIGKILL */
	char object[PATH_MAX];
	char *preload; /* LD_PRELOAD as it was; NULL = not set */
};

/* Programs that the library cannot be loaded into are refused with the reason (heap/target.h). One
 * that is not found is not refused here. */
int heap_program_check(const char *name, struct err *err);

/* Puts the library into a folder of its own, and into the environment of programs to be started.
 * alone: programs that they start are without it. Undone by heap_program_end(), also after a
 * failure. */
int heap_program_begin(struct heap_program *program, uint64_t rate, bool alone, struct err *err);
void heap_program_end(struct heap_program *program);

#endif

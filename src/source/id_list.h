/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists of numbers on the command line and in the kernel's files: ids of processes and threads
 * ("1,22,333"), and CPUs ("0-3,8"). */
#ifndef SOURCE_ID_LIST_H
#define SOURCE_ID_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/vec.h"

struct err;

#define CPU_LIST_MAX 65536

struct id_list {
	int *item;
	size_t count, capacity; /* a VEC(int) with a name */
};

/* One decimal number in [0, limit); moves *text behind it. */
bool id_take(const char **text, int limit, int *ret);
/* Appends the ids; `kind` is "process" or "thread". NULL as text: nothing. -EINVAL when malformed
 * (the list may then be partial). */
int id_list_parse(const char *text, const char *kind, struct id_list *list, struct err *err);
/* Appends the CPUs; -EINVAL when malformed or past CPU_LIST_MAX (the list may then be partial). */
int cpu_list_parse(const char *text, struct id_list *list);

#endif

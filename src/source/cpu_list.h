/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists of CPU numbers as the kernel and perf write them: "0-3,8". */
#ifndef SOURCE_CPU_LIST_H
#define SOURCE_CPU_LIST_H

#include <stddef.h>

#include "base/vec.h"

#define CPU_LIST_MAX 65536

struct cpu_list {
	int *item;
	size_t count, capacity; /* a VEC(int) with a name */
};

/* Appends the CPUs; -EINVAL when malformed or past CPU_LIST_MAX (the list may then be partial). */
int cpu_list_parse(const char *text, struct cpu_list *list);

#endif

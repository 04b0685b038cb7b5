/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processes that exist already and come from others: children, their children, and so on. */
#ifndef SOURCE_DESCENDANTS_H
#define SOURCE_DESCENDANTS_H

#include <stdbool.h>

struct id_list;

/* Appends those of processes, or of single threads, as far as /proc has them; but not us, who may
 * be the child of a traced shell. */
void descendants_add(const struct id_list *of, bool threads, struct id_list *ret);

#endif

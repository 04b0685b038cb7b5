/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The costs of the rows of a report: each sample belongs to the row of its function and, where the
 * options ask for children, to those of all callers, once in a recursion. */
#ifndef VIEW_REPORT_SUMS_H
#define VIEW_REPORT_SUMS_H

#include <stddef.h>

struct report_table;

/* Adds all samples of one of the table's events, and makes the rows that are missing. */
void report_sums_add(struct report_table *table, size_t member);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One event on several PMUs outside the cores, such as the memory controllers: a single row of
 * counts, or one of each PMU. */
#ifndef SESSION_STAT_MERGE_H
#define SESSION_STAT_MERGE_H

#include <stdbool.h>
#include <stddef.h>

struct counter_set;

/* Sets the row of every counter, [counter]; returns how many rows there are. A group of PMUs is
 * what one name in -e selected; the PMUs of hybrid cores are never added up. */
size_t stat_merge(const struct counter_set *set, bool apart, size_t *ret_row);
/* The name of a counter; if PMUs stay apart, with its PMU: "data_reads [uncore_imc_0]". Lives as
 * long as the set. */
const char *stat_merge_name(struct counter_set *set, size_t counter, bool apart);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Adding up answers of a store: for its variants (store.h). */
#ifndef STORE_TIMELINE_SUM_H
#define STORE_TIMELINE_SUM_H

#include <stdint.h>

struct label_set;
struct store_series;
struct store_series_list;
struct store_timeline;

/* The number of the line with that value of the label, which is made if it is missing. */
uint32_t timeline_line(struct store_timeline *timeline, const char *value);
/* What its weights are: "" when two differ. */
void timeline_unit(struct store_timeline *timeline, const char *unit);
void timeline_add(struct store_timeline *timeline, uint32_t line, uint64_t time_ns, uint64_t weight,
		  uint64_t count);
/* One more, or more of one that is there. */
void series_list_add(struct store_series_list *list, const struct label_set *labels,
		     const struct store_series *sum);

#endif

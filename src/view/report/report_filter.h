/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which samples a report's table counts: the lists, filters and zoom of its options. */
#ifndef VIEW_REPORT_FILTER_H
#define VIEW_REPORT_FILTER_H

#include <stdbool.h>

#include "profile/profile.h"

struct report_table;
struct report_zoom;

/* Whether a sample is of the thread that the reader has zoomed into. */
bool report_filter_has_thread(const struct report_zoom *zoom, const struct profile *profile,
			      const struct profile_sample *sample);

/* Whether the sample counts in the row of that frame; STACK_EMPTY for none. */
bool report_filter_passes(const struct report_table *table, const struct profile_sample *sample,
			  stack_id node);

#endif

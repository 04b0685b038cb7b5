/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes the table of an event from a profile: each sample belongs to the row of its function and,
 * where the options ask for children, to those of all callers, once in a recursion. */
#ifndef VIEW_REPORT_BUILD_H
#define VIEW_REPORT_BUILD_H

#include <stdbool.h>

#include "view/report/report_table.h"

void report_build(struct report_table *table, const struct report_context *context,
		  const struct report_options *options, const report_columns *columns,
		  uint16_t event);
/* Whether there is a table for the event: it is the first of its group, and the group has samples.
 */
bool report_has_table(const struct profile *profile, const struct report_options *options,
		      uint16_t event);

#endif

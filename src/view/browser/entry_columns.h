/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which columns of the list have room, and how wide they are. In little room the intervals go
 * first, then text gets narrower, then the command and the module go; the name stays. */
#ifndef VIEW_BROWSER_ENTRY_COLUMNS_H
#define VIEW_BROWSER_ENTRY_COLUMNS_H

#include <stdint.h>

struct report_page;

#define ENTRY_COLUMNS 64

struct entry_columns {
	uint32_t width[ENTRY_COLUMNS]; /* by column; 0 = not shown */
};

void entry_columns_fit(const struct report_page *page, uint32_t room, struct entry_columns *ret);

#endif

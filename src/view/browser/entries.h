/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The model of the list of entries: the rows of one event's table and the call chains below those
 * that are open, as lines. Chains of a row are collected when it is opened. */
#ifndef VIEW_BROWSER_ENTRIES_H
#define VIEW_BROWSER_ENTRIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "view/report/report.h"
#include "view/report/report_page.h"

struct browser_shared;
struct report_chains;

#define ENTRY_NO_SYMBOL UINT32_MAX

struct entry_line {
	uint32_t row;  /* in the table */
	uint32_t node; /* of the row's chains; 0 = the row itself */
	uint16_t depth;
	char sign;	/* '+', '-', or ' ' if nothing is below */
	double percent; /* of a branch; negative = it is not shown */
};

struct entries {
	const struct browser_shared *shared;
	struct report_options options; /* with the zoom and filter of this list */
	uint16_t event;
	struct report_page page;
	struct report_chains *chains; /* NULL = without chains */
	VEC(uint8_t) row_open;
	VEC(uint8_t) node_open;
	VEC(struct entry_line) lines;
};

void entries_init(struct entries *entries, const struct browser_shared *shared, uint16_t event);
void entries_done(struct entries *entries);
/* Makes the table again, after the options or the event have changed. Everything is closed. */
void entries_rebuild(struct entries *entries);
/* Opens or closes what is below a line. */
void entries_toggle(struct entries *entries, size_t line);
/* All chains of the line's row. Returns the line of the row. */
size_t entries_open_row(struct entries *entries, size_t line, bool open);
/* All chains of all rows. Returns the line of the row that `line` belonged to. */
size_t entries_open_all(struct entries *entries, size_t line, bool open);
/* The function of a line, in shared->context.symbols; ENTRY_NO_SYMBOL = none. */
uint32_t entries_symbol(const struct entries *entries, size_t line);
/* The value of a sort key of the line's row; false = the table does not have that key. */
bool entries_key(const struct entries *entries, size_t line, const char *name, uint64_t *ret);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of a report: the samples of one event grouped by the values of the sort keys, with self and
 * (when asked) inclusive cost. A function counts once per sample however often it recurs. */
#ifndef VIEW_REPORT_TABLE_H
#define VIEW_REPORT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "view/report/report_column.h"

struct report_options;

struct report_row {
	uint64_t self, total; /* weight */
	uint64_t samples, total_samples;
	uint32_t first; /* of its key values in table->values */
	uint32_t graph; /* root in the report_graph, 0 = none */
	uint32_t depth; /* longest chain above or below it, see report_graph.c */
	uint64_t seen;	/* private: last sample counted */
};

struct report_table {
	const struct report_context *context;
	const struct report_options *options;
	uint16_t event;
	report_columns keys; /* the columns that group */
	VEC(struct report_row) rows;
	VEC(uint64_t) values;	  /* keys.count per row */
	uint64_t weight, samples; /* of the event, filtered or not */
	double effective;	  /* samples (profile/share_interval.h); 0 = no intervals */
	uint32_t *slot;		  /* private: hash of values → row + 1 */
	size_t slots;
};

/* Called for each row that a sample counts in, with the frame the row is about. */
typedef void (*report_visit)(void *context, struct report_row *row,
			     const struct profile_sample *sample, stack_id node);

void report_table_build(struct report_table *table, const struct report_context *context,
			const struct report_options *options, const report_columns *columns,
			uint16_t event);
/* Goes over the same samples and rows again (rows may have been marked, not sorted). */
void report_table_visit(struct report_table *table, report_visit visit, void *visit_context);
/* Most expensive first; equal ones in order of the printed keys. Invalidates visit(). */
void report_table_sort(struct report_table *table);
void report_table_done(struct report_table *table);

#endif

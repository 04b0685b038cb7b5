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
	uint64_t kernel;      /* of self, what was in the kernel */
	uint64_t other;	      /* self by the other weight */
	uint64_t samples, total_samples;
	uint32_t first;	 /* of its key values in table->values */
	uint32_t graph;	 /* root in the report_chains, 0 = none */
	uint32_t depth;	 /* longest chain above or below it, see report_chains.c */
	uint32_t number; /* in the order in which rows were made */
	uint64_t seen;	 /* private: last sample counted */
};

struct report_cost {
	uint64_t self, total, kernel, samples, other;
};

/* An event of the table and what its percentages refer to. */
struct report_member {
	uint16_t event;
	uint64_t weight;	     /* the whole */
	uint64_t other;		     /* the whole of the other weight */
	double effective;	     /* samples, see profile/share_interval.h */
	uint64_t samples, period;    /* for the heading */
	uint64_t passed, unresolved; /* weight of what filters let through, and do not count */
	uint64_t passed_samples, unresolved_samples;
};

struct report_table {
	const struct report_context *context;
	const struct report_options *options;
	uint16_t event;			   /* the first of the group */
	VEC(struct report_member) members; /* the group, its first event first */
	report_columns keys;		   /* the columns that group */
	VEC(struct report_row) rows;
	VEC(uint64_t) values;	       /* keys.count per row */
	VEC(struct report_cost) costs; /* of the members but the first, for each row */
	uint64_t weight;	       /* of the first member */
	double effective; /* samples of it (profile/share_interval.h); 0 = no intervals */
	uint32_t *slot;	  /* private: hash of values → row + 1 */
	size_t slots;
};

/* Called for each row that a sample counts in, with the frame the row is about; false = go on with
 * the next sample. */
typedef bool (*report_visit)(void *context, struct report_row *row,
			     const struct profile_sample *sample, stack_id node);

#define REPORT_TABLE_KEYS 32 /* at most */

/* The event's place in the table; SIZE_MAX = it has none. */
size_t report_table_member(const struct report_table *table, uint16_t event);
/* The row of these keys, made where it is missing. Valid until the next call. */
struct report_row *report_table_row(struct report_table *table,
				    const struct report_subject *subject);
/* Goes over the same samples and rows again (rows may have been marked, not sorted). */
void report_table_visit(struct report_table *table, report_visit visit, void *visit_context);
/* The same for the samples of one row, also after sorting. */
void report_table_visit_row(const struct report_table *table, struct report_row *row,
			    report_visit visit, void *visit_context);
struct report_cost report_table_cost(const struct report_table *table, const struct report_row *row,
				     size_t member);
/* Most expensive first; equal ones in order of the printed keys. Invalidates visit(). */
void report_table_sort(struct report_table *table);
/* The same, but behind the first `most` equal ones are in any order: their keys are not printed. */
void report_table_rank(struct report_table *table, size_t most);
void report_table_done(struct report_table *table);

#endif

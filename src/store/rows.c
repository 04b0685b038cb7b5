/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of samples (see rows.h). */
#include "store/rows.h"

#include <stdbool.h>
#include <stdlib.h>

static int compare_rows(const void *pa, const void *pb)
{
	const struct store_row *a = pa, *b = pb;

	if (a->series != b->series)
		return a->series < b->series ? -1 : 1;
	if (a->leaf != b->leaf)
		return a->leaf < b->leaf ? -1 : 1;
	return (a->time_ns > b->time_ns) - (a->time_ns < b->time_ns);
}

static bool is_same_bucket(const struct store_row *a, const struct store_row *b)
{
	return a->series == b->series && a->leaf == b->leaf && a->time_ns == b->time_ns;
}

void store_rows_merge(struct store_rows *rows, uint64_t step_ns)
{
	struct store_row *row = rows->rows.item;
	size_t kept = 0;

	for (size_t i = 0; i < rows->rows.count; i++)
		row[i].time_ns -= row[i].time_ns % step_ns;
	if (rows->rows.count)
		qsort(row, rows->rows.count, sizeof(*row), compare_rows);
	for (size_t i = 0; i < rows->rows.count; i++) {
		if (kept && is_same_bucket(&row[kept - 1], &row[i])) {
			row[kept - 1].count += row[i].count;
			row[kept - 1].weight += row[i].weight;
		} else {
			row[kept++] = row[i];
		}
	}
	rows->rows.count = kept;
}

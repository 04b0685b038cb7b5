/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints counts of calls (see function_counts.h). */
#include "view/probe/function_counts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"

struct row {
	const char *name;
	uint64_t count;
};

static int by_count(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->count != y->count)
		return x->count < y->count ? -1 : 1;
	return strcmp(x->name, y->name);
}

static struct row *called(const struct function_counts *counts, size_t *ret_rows)
{
	struct row *row = mem_zalloc((counts->functions + 1) * sizeof(*row));
	size_t rows = 0;

	for (size_t i = 0; i < counts->functions; i++)
		if (counts->count[i])
			row[rows++] = (struct row){ counts->name[i], counts->count[i] };
	qsort(row, rows, sizeof(*row), by_count);
	*ret_rows = rows;
	return row;
}

void function_counts_text(const struct function_counts *counts, struct buf *ret)
{
	size_t rows;
	struct row *row = called(counts, &rows);

	(void)buf_printf(ret, "%-36s %8s\n", "FUNC", "COUNT");
	for (size_t i = 0; i < rows; i++)
		(void)buf_printf(ret, "%-36s %8" PRIu64 "\n", row[i].name, row[i].count);
	free(row);
}

void function_counts_json(const struct function_counts *counts, struct buf *ret)
{
	uint64_t calls = 0;
	size_t rows;
	struct row *row = called(counts, &rows);

	for (size_t i = 0; i < rows; i++)
		calls += row[i].count;
	(void)buf_printf(ret,
			 "{\"cupel\":1,\"what\":\"calls\",\"probed\":%zu,\"calls\":%" PRIu64
			 ",\"functions\":[",
			 counts->functions, calls);
	for (size_t i = rows; i-- > 0;) {
		(void)buf_puts(ret, "{\"name\":");
		(void)buf_put_json(ret, row[i].name);
		(void)buf_printf(ret, ",\"calls\":%" PRIu64 "}%s", row[i].count, i ? "," : "");
	}
	(void)buf_puts(ret, "]}\n");
	free(row);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints distributions (see bucket_rows.h). */
#include "view/latency/bucket_rows.h"

#include <inttypes.h>

#include "base/buf.h"

#define STARS 40

void bucket_rows_text(const char *unit, const struct bucket_row *row, size_t count, struct buf *ret)
{
	uint64_t most = 0;

	while (count && !row[count - 1].count)
		count--;
	for (size_t i = 0; i < count; i++)
		most = row[i].count > most ? row[i].count : most;
	if (count)
		(void)buf_printf(ret, "     %-19s : count     distribution\n", unit);
	for (size_t i = 0; i < count; i++) {
		size_t stars = (size_t)(row[i].count * STARS / most);

		(void)buf_printf(ret, "%10" PRIu64 " -> %-10" PRIu64 " : %-8" PRIu64 " |",
				 row[i].from, row[i].to, row[i].count);
		(void)buf_pad(ret, '*', stars);
		(void)buf_pad(ret, ' ', STARS - stars);
		(void)buf_puts(ret, "|\n");
	}
}

void bucket_rows_json(const struct bucket_row *row, size_t count, struct buf *ret)
{
	const char *comma = "";

	(void)buf_putc(ret, '[');
	for (size_t i = 0; i < count; i++) {
		if (!row[i].count)
			continue;
		(void)buf_printf(
			ret, "%s{\"from\":%" PRIu64 ",\"to\":%" PRIu64 ",\"count\":%" PRIu64 "}",
			comma, row[i].from, row[i].to, row[i].count);
		comma = ",";
	}
	(void)buf_putc(ret, ']');
}

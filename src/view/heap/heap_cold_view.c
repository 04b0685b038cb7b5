/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See heap_cold_view.h. */
#include "view/heap/heap_cold_view.h"

#include <inttypes.h>

#include "base/buf.h"
#include "profile/heap/heap_cold.h"
#include "view/stack_line.h"

static void put_basis(const struct heap_cold_view *view, struct buf *out)
{
	(void)buf_printf(out,
			 "DAMON looked at %" PRIu64 " of %" PRIu64 " pages of anonymous memory; a "
			 "page is touched as a whole.\n",
			 view->looked, view->anonymous);
	if (view->table->others >= 1) {
		bytes_put(view->table->others, 0, out);
		(void)buf_puts(out, " in blocks that began or ended meanwhile are not in the "
				    "table.\n");
	}
	if (view->lost)
		(void)buf_printf(out,
				 "%" PRIu64 " samples were lost: blocks may be missing, or be "
				 "there that have ended.\n",
				 view->lost);
}

static void put_row(const struct heap_cold_view *view, const struct heap_cold_row *row,
		    struct buf *out)
{
	double cold = heap_cold_bytes(row);

	if (cold < 0) {
		(void)buf_puts(out, "  unknown               ");
	} else {
		bytes_put(cold, 9, out);
		(void)buf_printf(out, "  %5.1f %%  ", 100 * row->cold / row->looked);
	}
	bytes_put(row->resident, 9, out);
	bytes_put(row->live, 9, out);
	(void)buf_printf(out, " %8" PRIu64 "  ", row->blocks);
	stack_line_put(view->profile, row->stack, row->stop, out);
}

void heap_cold_text(const struct heap_cold_view *view, struct buf *out)
{
	const struct heap_cold_table *table = view->table;
	double cold = heap_cold_bytes(&table->sum);
	uint64_t shown = 0;

	if (!table->row.count) {
		(void)buf_puts(out, "No sampled block of the heap was there all the time.\n");
		put_basis(view, out);
		(void)buf_putc(out, '\n');
		return;
	}
	(void)buf_printf(out, "In %.1f s, ", view->seconds);
	if (cold < 0) {
		(void)buf_puts(out, "it is not known how much");
	} else {
		(void)buf_puts(out, "about ");
		bytes_put(cold, 0, out);
	}
	(void)buf_puts(out, " of ");
	bytes_put(table->sum.resident, 0, out);
	(void)buf_puts(out, " resident memory in blocks of the heap were not touched.\n");
	put_basis(view, out);
	(void)buf_puts(out, "\n     cold       of its     resident         live  samples  stack, "
			    "innermost first\n");
	for (size_t i = 0; i < table->row.count; i++) {
		if (view->rows && shown++ == view->rows) {
			(void)buf_puts(out, "more: --rows 0\n");
			break;
		}
		put_row(view, &table->row.item[i], out);
	}
	(void)buf_putc(out, '\n');
}

void heap_cold_json(const struct heap_cold_view *view, struct buf *out)
{
	const struct heap_cold_table *table = view->table;

	(void)buf_printf(out,
			 "  \"sites\": { \"method\": \"damon\", \"pages\": %" PRIu64
			 ", \"looked_at\": %" PRIu64 ", \"lost\": %" PRIu64
			 ", \"others\": %.0f,\n   \"rows\": [",
			 view->anonymous, view->looked, view->lost, table->others);
	for (size_t i = 0; i < table->row.count; i++) {
		const struct heap_cold_row *row = &table->row.item[i];
		double cold = heap_cold_bytes(row);

		(void)buf_puts(out, i ? ",\n    { \"cold\": " : "\n    { \"cold\": ");
		if (cold < 0)
			(void)buf_puts(out, "null");
		else
			(void)buf_printf(out, "%.0f", cold);
		(void)buf_printf(out,
				 ", \"resident\": %.0f, \"live\": %.0f, \"blocks\": %" PRIu64
				 ", \"stopped\": \"%s\", \"stack\": ",
				 row->resident, row->live, row->blocks, stack_stop_name(row->stop));
		stack_line_put_json(view->profile, row->stack, out);
		(void)buf_puts(out, " }");
	}
	(void)buf_puts(out, " ] },\n");
}

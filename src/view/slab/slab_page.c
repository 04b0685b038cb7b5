/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's pages as text, in perf kmem's columns (see slab_view.h). */
#include <inttypes.h>

#include "base/buf.h"
#include "profile/profile.h"
#include "profile/slab.h"
#include "view/slab/slab_view.h"
#include "view/stack_line.h"

#define RULE_WIDTH 105
#define KB	   1024

static void put_rule(struct buf *out)
{
	(void)buf_pad(out, '-', RULE_WIDTH);
	(void)buf_putc(out, '\n');
}

static void put_row(const struct slab_view *view, const struct slab_row *row, struct buf *out)
{
	const struct slab_sums *s = &row->sums;
	const char *flags = profile_string(view->profile, row->flags);

	if (view->objects)
		(void)buf_printf(out, " %#16" PRIx64 " |", row->pointer);
	(void)buf_printf(out, " %16" PRIu64 " | %8" PRIu64 " | %5" PRIu32 " | %-11s | ",
			 (view->live ? s->live : s->allocated) / KB,
			 view->live ? s->live_hits : s->hits, row->order,
			 slab_page_type(row->type));
	(void)buf_put_tidy(out, flags[0] ? flags : "unknown");
	(void)buf_puts(out, "\n   ");
	stack_line_put(view->profile, row->stack, row->stop, out);
}

void slab_page_rows(const struct slab_view *view, struct buf *out)
{
	const struct slab *slab = view->slab;

	put_rule(out);
	if (view->objects)
		(void)buf_printf(out, " %16s |", "PFN");
	(void)buf_printf(out, " %16s | %8s | Order | %-11s | GFP flags; stack below\n",
			 view->live ? "Live (KB)" : "Total alloc (KB)", "Hits", "Mig.type");
	put_rule(out);
	for (size_t i = 0; i < slab->row.count; i++) {
		if (view->lines && i == view->lines) {
			(void)buf_printf(out, " ... | %zu more\n", slab->row.count - i);
			break;
		}
		if (!view->live || slab->row.item[i].sums.live)
			put_row(view, &slab->row.item[i], out);
	}
	put_rule(out);
}

void slab_page_orders(const struct slab *slab, struct buf *out)
{
	(void)buf_puts(out, "\nOrder");
	for (uint32_t type = 0; type < SLAB_PAGE_TYPES; type++)
		(void)buf_printf(out, " %12s", slab_page_type(type));
	(void)buf_putc(out, '\n');
	for (uint32_t order = 0; order < SLAB_PAGE_ORDERS; order++) {
		uint64_t sum = 0;

		for (uint32_t type = 0; type < SLAB_PAGE_TYPES; type++)
			sum += slab->requests[order][type];
		if (!sum)
			continue;
		(void)buf_printf(out, "%5" PRIu32, order);
		for (uint32_t type = 0; type < SLAB_PAGE_TYPES; type++)
			(void)buf_printf(out, " %12" PRIu64, slab->requests[order][type]);
		(void)buf_putc(out, '\n');
	}
}

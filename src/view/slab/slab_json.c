/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's small objects as JSON (see slab_view.h). */
#include <inttypes.h>

#include "base/buf.h"
#include "profile/profile.h"
#include "profile/slab.h"
#include "view/slab/slab_view.h"
#include "view/stack_line.h"

static void put_sums(const struct slab_sums *sums, struct buf *out)
{
	(void)buf_printf(out,
			 " \"hits\": %" PRIu64 ", \"requested\": %" PRIu64
			 ", \"allocated\": %" PRIu64 ", \"live\": %" PRIu64
			 ", \"live_hits\": %" PRIu64 ", \"other_cpu\": %" PRIu64,
			 sums->hits, sums->requested, sums->allocated, sums->live, sums->live_hits,
			 sums->other_cpu);
}

static void put_what(const struct slab_view *view, const struct slab_row *row, struct buf *out)
{
	if (view->objects)
		(void)buf_printf(out, ", \"pointer\": %" PRIu64, row->pointer);
	if (!view->pages)
		return;
	(void)buf_printf(out, ", \"order\": %" PRIu32 ", \"type\": \"%s\", \"flags\": ", row->order,
			 slab_page_type(row->type));
	(void)buf_put_json(out, profile_string(view->profile, row->flags));
}

void slab_json(const struct slab_view *view, struct buf *out)
{
	const struct slab *slab = view->slab;

	(void)buf_puts(out, "{ \"cupel\": 1, \"command\": [");
	for (size_t i = 0; i < view->word_count; i++) {
		(void)buf_puts(out, i ? ", " : "");
		(void)buf_put_json(out, view->words[i]);
	}
	(void)buf_puts(out, "],");
	put_sums(&slab->total, out);
	(void)buf_printf(
		out, ", \"freed\": %" PRIu64 ", \"unknown_frees\": %" PRIu64 "%s,\n  \"rows\": [",
		slab->freed, slab->unknown_frees, view->pages ? ", \"pages\": true" : "");
	for (size_t i = 0; i < slab->row.count; i++) {
		(void)buf_puts(out, i ? ",\n    {" : "\n    {");
		put_sums(&slab->row.item[i].sums, out);
		put_what(view, &slab->row.item[i], out);
		(void)buf_puts(out, ", \"stack\": ");
		stack_line_put_json(view->profile, slab->row.item[i].stack, out);
		(void)buf_puts(out, " }");
	}
	(void)buf_puts(out, " ] }\n");
}

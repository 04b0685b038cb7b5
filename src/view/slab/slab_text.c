/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's small objects as text (see slab_view.h). */
#include <inttypes.h>
#include <stdio.h>

#include "base/buf.h"
#include "profile/profile.h"
#include "profile/slab.h"
#include "view/slab/slab_view.h"
#include "view/stack_line.h"

#define NAME_WIDTH 34
#define RULE_WIDTH 105

static uint64_t per(uint64_t sum, uint64_t hits)
{
	return hits ? sum / hits : 0;
}

static void put_rule(struct buf *out)
{
	(void)buf_pad(out, '-', RULE_WIDTH);
	(void)buf_putc(out, '\n');
}

/* The place of the call: "perf_event_mmap+ec". */
static void put_name(const struct slab_view *view, stack_id stack, struct buf *out)
{
	const struct profile *profile = view->profile;
	const struct frame *frame;
	const char *name;

	if (!stack.v) {
		(void)buf_puts(out, "[unknown]");
		return;
	}
	frame = &profile->frames.item[profile->nodes.item[stack.v].frame.v];
	name = profile_string(profile, frame->function);
	if (view->raw_ip || !name[0]) {
		(void)buf_printf(out, "%#" PRIx64, frame->pc ? frame->pc : frame->offset);
		return;
	}
	(void)buf_put_tidy(out, name);
	if (frame->symbol_start && frame->offset >= frame->symbol_start)
		(void)buf_printf(out, "+%" PRIx64, frame->offset - frame->symbol_start);
}

static void put_row(const struct slab_view *view, const struct slab_row *row, struct buf *out)
{
	const struct slab_sums *s = &row->sums;
	struct buf name = { 0 };

	if (view->objects)
		(void)buf_printf(&name, "%#" PRIx64, row->pointer);
	else if (view->stacks)
		(void)buf_printf(&name, "stack below");
	else
		put_name(view, row->stack, &name);
	(void)buf_printf(out, " %-*.*s |", NAME_WIDTH, NAME_WIDTH, name.data);
	buf_done(&name);
	if (view->live)
		(void)buf_printf(out, " %9" PRIu64 "/%-5" PRIu64 " |", s->live,
				 per(s->live, s->live_hits));
	else
		(void)buf_printf(out, " %9" PRIu64 "/%-5" PRIu64 " |", s->allocated,
				 per(s->allocated, s->hits));
	(void)buf_printf(
		out, " %9" PRIu64 "/%-5" PRIu64 " | %8" PRIu64 " | %9" PRIu64 " | %6.3f%%\n",
		s->requested, per(s->requested, s->hits), view->live ? s->live_hits : s->hits,
		s->other_cpu, 100 * slab_fragmentation(s));
	if (view->stacks || view->objects) {
		(void)buf_puts(out, "   ");
		stack_line_put(view->profile, row->stack, row->stop, out);
	}
}

static void put_table(const struct slab_view *view, struct buf *out)
{
	const struct slab *slab = view->slab;

	put_rule(out);
	(void)buf_printf(out, " %-*s |", NAME_WIDTH, view->objects ? "Alloc Ptr" : "Callsite");
	(void)buf_printf(out, " %-15s | Total_req/Per   | Hit      | Ping-pong | Frag\n",
			 view->live ? "Live/Per" : "Total_alloc/Per");
	put_rule(out);
	for (size_t i = 0; i < slab->row.count; i++) {
		if (view->lines && i == view->lines) {
			(void)buf_printf(out, " %-*s | %zu more\n", NAME_WIDTH, "...",
					 slab->row.count - i);
			break;
		}
		if (!view->live || slab->row.item[i].sums.live)
			put_row(view, &slab->row.item[i], out);
	}
	put_rule(out);
}

void slab_text(const struct slab_view *view, struct buf *out)
{
	const struct slab *slab = view->slab;
	const struct slab_sums *total = &slab->total;

	if (view->pages)
		slab_page_rows(view, out);
	else
		put_table(view, out);
	(void)buf_puts(out, view->pages ? "\nSUMMARY (page allocator)\n========================\n"
					: "\nSUMMARY (SLAB allocator)\n========================\n");
	(void)buf_printf(out, "Total bytes requested: %" PRIu64 "\n", total->requested);
	(void)buf_printf(out, "Total bytes allocated: %" PRIu64 "\n", total->allocated);
	(void)buf_printf(out, "Total bytes freed:     %" PRIu64 "\n", slab->freed);
	(void)buf_printf(out, "Net total bytes allocated: %" PRIu64 "\n",
			 total->allocated - slab->freed);
	(void)buf_printf(out, "Total bytes wasted on internal fragmentation: %" PRIu64 "\n",
			 total->allocated - total->requested);
	(void)buf_printf(out, "Internal fragmentation: %f%%\n", 100 * slab_fragmentation(total));
	(void)buf_printf(out, "Freed on another CPU: %" PRIu64 "/%" PRIu64 "\n", total->other_cpu,
			 total->hits);
	(void)buf_printf(out,
			 "Live objects: %" PRIu64 ", frees of objects from before: %" PRIu64 "\n",
			 total->live_hits, slab->unknown_frees);
	if (view->pages)
		slab_page_orders(slab, out);
}

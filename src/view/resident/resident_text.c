/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What resident memory is made of, as text (see resident_view.h). */
#include <inttypes.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/vec.h"
#include "profile/profile.h"
#include "profile/resident.h"
#include "view/resident/resident_view.h"
#include "view/stack_line.h"

#define NAME_WIDTH 12

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100 * (double)part / (double)whole : 0;
}

static void put_amount(struct buf *out, const char *name, uint64_t bytes, uint64_t whole)
{
	(void)buf_printf(out, " %-*s", NAME_WIDTH, name);
	bytes_put((double)bytes, 9, out);
	(void)buf_printf(out, " %5.1f %%", percent(bytes, whole));
}

static void put_counters(const struct resident *r, struct buf *out)
{
	if (!r->counted)
		return;
	(void)buf_puts(out, " The kernel's own counters: ");
	bytes_put((double)r->counted, 0, out);
	(void)buf_printf(
		out, ", %.2f %% %s\n",
		percent(r->counted > r->total ? r->counted - r->total : r->total - r->counted,
			r->total),
		r->counted > r->total ? "more" : "less");
}

static void put_totals(const struct resident_view *view, struct buf *out)
{
	const struct resident *r = view->resident;

	(void)buf_putc(out, '\n');
	put_amount(out, "resident", r->total, r->total);
	(void)buf_printf(out, "  of process %" PRIu32 ", %" PRIu64 " page faults\n", view->pid,
			 r->faults);
	for (enum resident_kind kind = 0; kind < RESIDENT_KIND_COUNT; kind++) {
		if (!r->bytes[kind] && kind != RESIDENT_UNACCOUNTED)
			continue;
		put_amount(out, "", r->bytes[kind], r->total);
		(void)buf_printf(out, "  %s\n", resident_kind_text(kind));
	}
	put_counters(r, out);
	if (r->swapped) {
		(void)buf_puts(out, " Swapped out: ");
		bytes_put((double)r->swapped, 0, out);
		(void)buf_printf(out, ", %.1f %% with a known stack\n",
				 percent(r->swapped_known, r->swapped));
	}
	if (r->hugetlb) {
		(void)buf_puts(out, " hugetlbfs, which is not counted as resident: ");
		bytes_put((double)r->hugetlb, 0, out);
		(void)buf_putc(out, '\n');
	}
}

static bool has_stack(enum resident_kind kind)
{
	return kind < RESIDENT_FILE;
}

/* By stack, threads and kinds together. */
struct row {
	stack_id stack;
	enum stack_stop stop;
	uint64_t bytes;
	enum resident_kind kind; /* of the most */
	uint64_t most;
};

static int by_stack(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return x->stack.v < y->stack.v ? -1 : x->stack.v > y->stack.v;
}

static int by_bytes(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
	return by_stack(a, b);
}

struct rows {
	VEC(struct row) row;
};

static void collect(const struct profile *profile, struct rows *ret)
{
	size_t kept = 0;

	for (size_t i = 0; i < profile->samples.count; i++) {
		const struct profile_sample *s = &profile->samples.item[i];
		struct row row = { s->stack, (enum stack_stop)s->stop, s->weight,
				   (enum resident_kind)s->addr, s->weight };

		if (has_stack(row.kind))
			vec_push(&ret->row, row);
	}
	if (!ret->row.count)
		return;
	qsort(ret->row.item, ret->row.count, sizeof(*ret->row.item), by_stack);
	for (size_t i = 1; i < ret->row.count; i++) {
		struct row *to = &ret->row.item[kept], *from = &ret->row.item[i];

		if (to->stack.v != from->stack.v) {
			ret->row.item[++kept] = *from;
			continue;
		}
		to->bytes += from->bytes;
		if (from->most > to->most) {
			to->most = from->most;
			to->kind = from->kind;
		}
	}
	ret->row.count = kept + 1;
	qsort(ret->row.item, ret->row.count, sizeof(*ret->row.item), by_bytes);
}

static void put_stacks(const struct resident_view *view, struct buf *out)
{
	size_t most = view->rows ? view->rows : SIZE_MAX;
	struct rows rows = { 0 };

	collect(view->profile, &rows);
	if (rows.row.count)
		(void)buf_puts(out,
			       "\n Pages by the stack that touched them first:\n\n"
			       "        bytes    share  most are        stack, innermost first\n");
	for (size_t i = 0; i < rows.row.count && i < most; i++) {
		const struct row *row = &rows.row.item[i];

		(void)buf_putc(out, ' ');
		bytes_put((double)row->bytes, 9, out);
		(void)buf_printf(out, " %5.1f %%  %-14s  ",
				 percent(row->bytes, view->resident->total),
				 resident_kind_name(row->kind));
		stack_line_put(view->profile, row->stack, row->stop, out);
	}
	vec_done(&rows.row);
}

static void put_mappings(const struct resident_view *view, enum resident_kind kind,
			 const char *title, struct buf *out)
{
	const struct resident *r = view->resident;
	size_t most = view->rows ? view->rows : SIZE_MAX, put = 0;

	for (size_t i = 0; i < r->mapping.count && put < most; i++) {
		const struct resident_mapping *mapping = &r->mapping.item[i];

		if (mapping->kind != kind)
			continue;
		if (!put++)
			(void)buf_printf(out, "\n %s:\n\n        bytes    share  mapping\n", title);
		(void)buf_putc(out, ' ');
		bytes_put((double)mapping->bytes, 9, out);
		(void)buf_printf(out, " %5.1f %%  ", percent(mapping->bytes, r->total));
		(void)buf_put_tidy(out, mapping->path[0] ? mapping->path : "[anonymous]");
		(void)buf_putc(out, '\n');
	}
}

void resident_text(const struct resident_view *view, struct buf *out)
{
	put_totals(view, out);
	put_stacks(view, out);
	put_mappings(view, RESIDENT_FILE, "File mappings", out);
	put_mappings(view, RESIDENT_BEFORE, "There before", out);
	put_mappings(view, RESIDENT_UNACCOUNTED, "Unaccounted", out);
	if (view->lost)
		(void)buf_printf(out,
				 "\n %" PRIu64 " page faults were lost: pages of theirs that are "
				 "resident are unaccounted\n",
				 view->lost);
}

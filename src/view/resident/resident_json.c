/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What resident memory is made of, as JSON (see resident_view.h). */
#include <inttypes.h>

#include "base/buf.h"
#include "profile/profile.h"
#include "profile/resident.h"
#include "view/resident/resident_view.h"
#include "view/stack_line.h"

static void put(struct buf *out, const char *name, uint64_t value)
{
	(void)buf_printf(out, ", \"%s\": %" PRIu64, name, value);
}

static void put_kinds(const struct resident *r, struct buf *out)
{
	for (enum resident_kind kind = 0; kind < RESIDENT_KIND_COUNT; kind++)
		(void)buf_printf(out, "%s \"%s\": %" PRIu64, kind ? "," : "",
				 resident_kind_name(kind), r->bytes[kind]);
}

static void put_mappings(const struct resident *r, struct buf *out)
{
	for (size_t i = 0; i < r->mapping.count; i++) {
		const struct resident_mapping *mapping = &r->mapping.item[i];

		(void)buf_printf(out, "%s\n    { \"kind\": \"%s\", \"path\": ", i ? "," : "",
				 resident_kind_name(mapping->kind));
		(void)buf_put_json(out, mapping->path);
		put(out, "bytes", mapping->bytes);
		(void)buf_puts(out, " }");
	}
}

static void put_stacks(const struct profile *profile, struct buf *out)
{
	bool any = false;

	for (size_t i = 0; i < profile->samples.count; i++) {
		const struct profile_sample *s = &profile->samples.item[i];

		if (s->addr >= RESIDENT_FILE)
			continue;
		(void)buf_printf(out, "%s\n    { \"bytes\": %" PRIu64 ", \"kind\": \"%s\"",
				 any ? "," : "", s->weight,
				 resident_kind_name((enum resident_kind)s->addr));
		put(out, "tid", profile->threads.item[s->thread.v].tid);
		(void)buf_printf(out, ", \"stopped\": \"%s\", \"stack\": ",
				 stack_stop_name((enum stack_stop)s->stop));
		stack_line_put_json(profile, s->stack, out);
		(void)buf_puts(out, " }");
		any = true;
	}
}

void resident_json(const struct resident_view *view, struct buf *out)
{
	const struct resident *r = view->resident;

	(void)buf_puts(out, "{ \"cupel\": 1, \"command\": [");
	for (size_t i = 0; i < view->word_count; i++) {
		(void)buf_puts(out, i ? ", " : "");
		(void)buf_put_json(out, view->words[i]);
	}
	(void)buf_putc(out, ']');
	put(out, "pid", view->pid);
	put(out, "resident", r->total);
	put(out, "kernel_counters", r->counted);
	put(out, "faults", r->faults);
	put(out, "lost", view->lost);
	put(out, "swapped", r->swapped);
	put(out, "swapped_with_stack", r->swapped_known);
	put(out, "hugetlb", r->hugetlb);
	(void)buf_puts(out, ",\n  \"kinds\": {");
	put_kinds(r, out);
	(void)buf_puts(out, " },\n  \"mappings\": [");
	put_mappings(r, out);
	(void)buf_puts(out, " ],\n  \"stacks\": [");
	put_stacks(view->profile, out);
	(void)buf_puts(out, " ] }\n");
}

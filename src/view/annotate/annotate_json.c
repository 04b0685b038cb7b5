// SPDX-License-Identifier: GPL-2.0-or-later
/* Annotations as JSON (see annotate_json.h). Rows, places and sources refer to each other by their
 * index; -1 is none. */
#include "view/annotate/annotate_json.h"

#include <inttypes.h>
#include <stdbool.h>

#include "base/buf.h"
#include "profile/annotation.h"

static void put_string(struct buf *out, const char *name, const char *value)
{
	(void)buf_printf(out, "\"%s\":", name);
	if (value)
		(void)buf_put_json(out, value);
	else
		(void)buf_puts(out, "null");
}

static void put_index(struct buf *out, const char *name, uint32_t index)
{
	if (index == ANNOTATION_NONE)
		(void)buf_printf(out, ",\"%s\":-1", name);
	else
		(void)buf_printf(out, ",\"%s\":%" PRIu32, name, index);
}

static void put_events(const struct annotation *a, struct buf *out)
{
	(void)buf_puts(out, ",\"events\":[");
	for (size_t e = 0; e < a->events.count; e++) {
		const struct annotation_event *event = &a->events.item[e];

		(void)buf_puts(out, e ? ",{" : "{");
		put_string(out, "name", event->name);
		(void)buf_printf(out,
				 ",\"precise\":%s,\"samples\":%" PRIu64 ",\"weight\":%" PRIu64
				 ",\"all_samples\":%" PRIu64 ",\"all_weight\":%" PRIu64 "}",
				 event->precise ? "true" : "false", event->samples.samples,
				 event->samples.weight, event->all.samples, event->all.weight);
	}
	(void)buf_putc(out, ']');
}

static void put_counts(const struct annotation *a, uint32_t row, struct buf *out)
{
	const struct annotation_count *count = annotation_count(a, row, 0);

	(void)buf_puts(out, ",\"counts\":[");
	for (size_t e = 0; e < a->events.count; e++)
		(void)buf_printf(out, "%s[%" PRIu64 ",%" PRIu64 "]", e ? "," : "", count[e].samples,
				 count[e].weight);
	(void)buf_putc(out, ']');
}

static void put_row(const struct annotation *a, uint32_t number, struct buf *out)
{
	static const char *const kinds[] = { "plain", "jump", "call", "return", "unknown" };
	const struct annotation_row *row = &a->rows.item[number];

	(void)buf_printf(out, "%s{\"address\":\"%" PRIx64 "\",\"bytes\":\"", number ? ",\n" : "\n",
			 row->address);
	for (uint32_t i = 0; i < row->len; i++)
		(void)buf_printf(out, "%02x", row->bytes[i]);
	(void)buf_puts(out, "\",");
	put_string(out, "mnemonic", row->mnemonic);
	(void)buf_putc(out, ',');
	put_string(out, "operands", row->operands);
	(void)buf_printf(out, ",\"kind\":\"%s\"", kinds[row->kind]);
	put_index(out, "target", row->target);
	put_index(out, "loop", row->loop);
	put_index(out, "place", row->frames ? row->frame : ANNOTATION_NONE);
	if (row->callee) {
		(void)buf_putc(out, ',');
		put_string(out, "callee", row->callee);
	}
	if (row->interrupted)
		(void)buf_puts(out, ",\"interrupted\":true");
	put_counts(a, number, out);
	(void)buf_putc(out, '}');
}

/* By index of a row's first frame: each has the index of the frame it is inlined into. */
static void put_places(const struct annotation *a, struct buf *out)
{
	uint32_t end = 0;
	VEC(bool) outer = { 0 };

	for (size_t i = 0; i < a->frames.count; i++)
		vec_push(&outer, false);
	for (size_t i = 0; i < a->rows.count; i++) {
		end = a->rows.item[i].frame + a->rows.item[i].frames;
		if (a->rows.item[i].frames)
			outer.item[end - 1] = true;
	}
	(void)buf_puts(out, "],\"places\":[");
	for (uint32_t i = 0; i < a->frames.count; i++) {
		const struct annotation_frame *frame = &a->frames.item[i];

		(void)buf_puts(out, i ? ",{" : "{");
		put_string(out, "function", frame->function);
		put_index(out, "source", frame->source);
		(void)buf_printf(out, ",\"line\":%" PRIu32, frame->line);
		put_index(out, "caller", outer.item[i] ? ANNOTATION_NONE : i + 1);
		(void)buf_putc(out, '}');
	}
	(void)buf_putc(out, ']');
	vec_done(&outer);
}

static void put_loops(const struct annotation *a, struct buf *out)
{
	(void)buf_puts(out, ",\"loops\":[");
	for (size_t i = 0; i < a->loops.count; i++) {
		const struct annotation_loop *loop = &a->loops.item[i];

		(void)buf_printf(out, "%s{\"first\":%" PRIu32 ",\"last\":%" PRIu32, i ? "," : "",
				 loop->first, loop->last);
		put_index(out, "outer", loop->outer);
		(void)buf_printf(out, ",\"depth\":%" PRIu32 "}", loop->depth);
	}
	(void)buf_putc(out, ']');
}

static void put_sources(const struct annotation *a, struct buf *out)
{
	(void)buf_puts(out, ",\"sources\":[");
	for (size_t i = 0; i < a->sources.count; i++) {
		const struct annotation_source *source = &a->sources.item[i];

		(void)buf_puts(out, i ? ",\n{" : "\n{");
		put_string(out, "path", source->path);
		(void)buf_putc(out, ',');
		put_string(out, "problem", source->problem);
		(void)buf_printf(out,
				 ",\"first\":%" PRIu32 ",\"last\":%" PRIu32
				 ",\"text_first\":%" PRIu32 ",\"text\":[",
				 source->first, source->last, source->text_first);
		for (uint32_t n = 0; n < source->text_count; n++) {
			(void)buf_puts(out, n ? "," : "");
			(void)buf_put_json(out, source->text[n]);
		}
		(void)buf_puts(out, "]}");
	}
	(void)buf_putc(out, ']');
}

void annotate_json(const struct annotation *annotation, struct buf *ret)
{
	(void)buf_putc(ret, '{');
	put_string(ret, "function", annotation->function);
	(void)buf_putc(ret, ',');
	put_string(ret, "module", annotation->module);
	(void)buf_putc(ret, ',');
	put_string(ret, "problem", annotation->problem);
	put_events(annotation, ret);
	(void)buf_puts(ret, ",\"instructions\":[");
	for (uint32_t i = 0; i < annotation->rows.count; i++)
		put_row(annotation, i, ret);
	put_places(annotation, ret);
	put_loops(annotation, ret);
	put_sources(annotation, ret);
	(void)buf_putc(ret, '}');
}

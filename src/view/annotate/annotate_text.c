// SPDX-License-Identifier: GPL-2.0-or-later
/* Text views of an annotation (see annotate_text.h). */
#include "view/annotate/annotate_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "view/annotate/annotate_arrows.h"

#define SOURCE_PROBLEMS_SHOWN 3

#define PERCENT_WIDTH	 8
#define PERIOD_WIDTH	 12
#define CONTEXT_LINES	 5 /* source lines in front of the first one, as objdump -S has them */
#define BYTES_SHOWN	 7 /* on one line, as objdump has them */
#define LEAST_PERCENT	 0.005
#define PERF_MORE_DASHES 5 /* than the title is long */

struct text_page {
	const struct annotation *annotation;
	const struct annotate_text_options *options;
	struct annotate_arrows arrows;
	int address_width;
	uint32_t *shown; /* by source: the last line printed */
	uint32_t place;	 /* frame of the row before; ANNOTATION_NONE: none yet */
	struct buf *out;
};

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static const char *shown_path(const struct text_page *page, const char *path)
{
	return page->options->full_paths ? path : base_name(path);
}

static int column_width(const struct text_page *page)
{
	return page->options->column == ANNOTATE_PERIOD ? PERIOD_WIDTH : PERCENT_WIDTH;
}

static void put_column(struct text_page *page, size_t event, const struct annotation_count *count)
{
	double share = annotation_share(page->annotation, event, count, page->options->percent);

	switch (page->options->column) {
	case ANNOTATE_PERIOD:
		(void)buf_printf(page->out, " %11" PRIu64, count->weight);
		break;
	case ANNOTATE_SAMPLES:
		(void)buf_printf(page->out, " %7" PRIu64, count->samples);
		break;
	case ANNOTATE_PERCENT:
		(void)buf_printf(page->out, " %7.2f", share * 100);
		break;
	}
}

/* count[event] are those of one row or line. */
static void put_columns(struct text_page *page, const struct annotation_count *count)
{
	const struct annotate_text_options *o = page->options;

	for (size_t e = o->first_event; e < o->first_event + o->events; e++)
		put_column(page, e, &count[e]);
}

static void put_blank_columns(struct text_page *page)
{
	(void)buf_pad(page->out, ' ', (size_t)column_width(page) * page->options->events + 1);
}

static void put_title(struct text_page *page)
{
	static const char *const of[] = { "local period", "local hits", "global period",
					  "global hits" };
	static const char *const labels[] = { "Percent", "Period", "Samples" };
	const struct annotate_text_options *o = page->options;
	const struct annotation_event *event = page->annotation->events.item + o->first_event;
	size_t start = page->out->len, len;

	(void)buf_printf(page->out, " %-*s|\tSource code & Disassembly of %s for ",
			 column_width(page) * (int)o->events, labels[o->column],
			 base_name(page->annotation->module));
	for (size_t e = 0; e < o->events; e++)
		(void)buf_printf(page->out, "%s%s", e ? ", " : "", event[e].name);
	(void)buf_printf(page->out, " (%" PRIu64 " samples, percent: %s)", event->samples.samples,
			 of[o->percent]);
	len = page->out->len - start;
	(void)buf_putc(page->out, '\n');
	(void)buf_pad(page->out, '-', len + PERF_MORE_DASHES);
	(void)buf_putc(page->out, '\n');
}

static double largest_share(const struct text_page *page, const struct annotation_count *count)
{
	const struct annotate_text_options *o = page->options;
	double largest = 0;

	for (size_t e = o->first_event; e < o->first_event + o->events; e++) {
		double share = annotation_share(page->annotation, e, &count[e], o->percent);

		if (share > largest)
			largest = share;
	}
	return largest * 100;
}

static void put_source_line(struct text_page *page, const struct annotation_count *count,
			    uint32_t number, const char *text)
{
	if (count) {
		put_columns(page, count);
		(void)buf_putc(page->out, ' ');
	} else {
		put_blank_columns(page);
	}
	(void)buf_printf(page->out, ": %-4u %s\n", number, text);
}

/* "mix():  inlined at hot.c:14", or the function itself when code returns to it. */
static void put_function(struct text_page *page, const struct annotation_row *row)
{
	const struct annotation_frame *frame = annotation_place(page->annotation, row);

	put_blank_columns(page);
	(void)buf_printf(page->out, ":      %s():", *frame->function ? frame->function : "??");
	for (uint32_t i = 1; i < row->frames; i++) {
		const struct annotation_frame *caller = &frame[i];

		(void)buf_printf(page->out, "%s %s()", i == 1 ? " inlined into" : ",",
				 caller->function);
		if (caller->file)
			(void)buf_printf(page->out, " at %s:%u", shown_path(page, caller->file),
					 caller->line);
	}
	(void)buf_putc(page->out, '\n');
}

static bool is_same_function(const struct annotation *a, uint32_t before,
			     const struct annotation_row *row)
{
	const struct annotation_frame *x = &a->frames.item[before],
				      *y = &a->frames.item[row->frame];

	return strcmp(x->function, y->function) == 0;
}

/* The lines since the last one shown of this file, or only the line itself when code jumps about.
 */
static void put_lines(struct text_page *page, const struct annotation_frame *place)
{
	uint32_t *shown = &page->shown[place->source];
	uint32_t line = place->line;
	uint32_t first = *shown && line > *shown ? *shown + 1 : line;

	if (!*shown)
		first = line > CONTEXT_LINES ? line - CONTEXT_LINES : 1;
	if (line - first > CONTEXT_LINES)
		first = line - CONTEXT_LINES;
	for (uint32_t i = first; i != line + 1; i++) { /* damaged files have line UINT32_MAX */
		const char *text = annotation_text(page->annotation, place->source, i);

		if (text)
			put_source_line(page, NULL, i, text);
	}
	if (!annotation_text(page->annotation, place->source, line)) {
		put_blank_columns(page);
		(void)buf_printf(page->out, ": %-4u %s:%u\n", line, shown_path(page, place->file),
				 line);
	}
	if (line > *shown)
		*shown = line;
}

static void put_place(struct text_page *page, const struct annotation_row *row)
{
	const struct annotation_frame *place = annotation_place(page->annotation, row);
	uint32_t before = page->place;

	if (!place || row->frame == before)
		return;
	page->place = row->frame;
	if (before == ANNOTATION_NONE || !is_same_function(page->annotation, before, row))
		put_function(page, row);
	else if (place->source == page->annotation->frames.item[before].source &&
		 place->line == page->annotation->frames.item[before].line)
		return;
	if (place->line && place->source != ANNOTATION_NONE)
		put_lines(page, place);
}

static void put_bytes(struct text_page *page, const struct annotation_row *row)
{
	uint32_t shown = row->len < BYTES_SHOWN ? row->len : BYTES_SHOWN;

	for (uint32_t i = 0; i < shown; i++)
		(void)buf_printf(page->out, "%02x ", row->bytes[i]);
	(void)buf_pad(page->out, ' ', 3 * (BYTES_SHOWN - shown) + 1);
}

/* The bytes that have no room on the first line. */
static void put_more_bytes(struct text_page *page, const struct annotation_row *row)
{
	if (!page->options->bytes || row->len <= BYTES_SHOWN)
		return;
	put_blank_columns(page);
	(void)buf_printf(page->out, ": %*" PRIx64 ":   ", page->address_width + 2,
			 row->address + BYTES_SHOWN);
	for (uint32_t i = BYTES_SHOWN; i < row->len; i++)
		(void)buf_printf(page->out, "%02x ", row->bytes[i]);
	page->out->len--;
	(void)buf_putc(page->out, '\n');
}

static void put_row(struct text_page *page, uint32_t number)
{
	const struct annotation *a = page->annotation;
	const struct annotation_row *row = &a->rows.item[number];
	const struct annotation_count *count = annotation_count(a, number, 0);
	const struct annotation_frame *place = annotation_place(a, row);
	double largest = largest_share(page, count);

	if (largest < page->options->percent_limit)
		return;
	put_columns(page, count);
	(void)buf_printf(page->out, " : %*" PRIx64 ":   ", page->address_width + 2, row->address);
	if (page->options->bytes)
		put_bytes(page, row);
	if (page->options->arrows && page->arrows.lanes)
		annotate_arrows_put(&page->arrows, number, page->out);
	if (*row->operands)
		(void)buf_printf(page->out, "%-6s %s", row->mnemonic, row->operands);
	else
		(void)buf_puts(page->out, row->mnemonic);
	if (page->options->print_line && largest >= LEAST_PERCENT && place && place->line)
		(void)buf_printf(page->out, " // %s:%u", shown_path(page, place->file),
				 place->line);
	(void)buf_putc(page->out, '\n');
	put_more_bytes(page, row);
}

static void put_rows(struct text_page *page)
{
	const struct annotation *a = page->annotation;

	put_blank_columns(page);
	(void)buf_printf(page->out, ":\n");
	put_blank_columns(page);
	(void)buf_printf(page->out, ":      %016" PRIx64 " <%s>:\n",
			 a->rows.count ? a->rows.item[0].address : 0, a->function);
	for (uint32_t i = 0; i < a->rows.count; i++) {
		if (page->options->source)
			put_place(page, &a->rows.item[i]);
		put_row(page, i);
	}
}

/* Lines with their sum; those between that have no code are shown where the gap is small. */
static void put_source_only(struct text_page *page)
{
	const struct annotation *a = page->annotation;
	struct annotation_lines lines;
	const struct annotation_line *before = NULL;

	annotation_lines_find(a, &lines);
	for (size_t i = 0; i < lines.list.count; i++) {
		const struct annotation_line *line = &lines.list.item[i];
		const char *text = annotation_text(a, line->source, line->line);
		bool same = before && before->source == line->source;

		if (!same)
			(void)buf_printf(page->out, "%s%s:\n", i ? "\n" : "",
					 shown_path(page, a->sources.item[line->source].path));
		for (uint32_t n = same && line->line - before->line <= CONTEXT_LINES
					  ? before->line + 1
					  : line->line;
		     n < line->line; n++)
			if (annotation_text(a, line->source, n))
				put_source_line(page, NULL, n, annotation_text(a, line->source, n));
		put_source_line(page, line->count, line->line, text ? text : "");
		before = line;
	}
	if (!lines.list.count)
		(void)buf_puts(page->out,
			       "no source lines: the program has no debug information\n");
	annotation_lines_done(&lines);
}

struct ranked_line {
	double share;
	const struct annotation_line *line;
};

static int compare_ranks(const void *a, const void *b)
{
	const struct ranked_line *x = a, *y = b;

	if (x->share != y->share)
		return x->share > y->share ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

/* -l: the lines by their share. */
static void put_summary(struct text_page *page)
{
	const struct annotation *a = page->annotation;
	struct annotation_lines lines;
	VEC(struct ranked_line) ranks = { 0 };

	annotation_lines_find(a, &lines);
	(void)buf_printf(page->out, "\nSorted summary for file %s\n", a->module);
	(void)buf_puts(page->out, "----------------------------------------------\n\n");
	for (size_t i = 0; i < lines.list.count; i++) {
		double share = largest_share(page, lines.list.item[i].count);

		if (share >= LEAST_PERCENT)
			vec_push(&ranks, ((struct ranked_line){ share, &lines.list.item[i] }));
	}
	if (ranks.count)
		qsort(ranks.item, ranks.count, sizeof(*ranks.item), compare_ranks);
	for (size_t i = 0; i < ranks.count; i++) {
		const struct annotation_line *line = ranks.item[i].line;

		put_columns(page, line->count);
		(void)buf_printf(page->out, " %s:%u\n",
				 shown_path(page, a->sources.item[line->source].path), line->line);
	}
	if (!ranks.count)
		(void)buf_puts(page->out, " Nothing higher than 0.01%\n");
	vec_done(&ranks);
	annotation_lines_done(&lines);
}

/* Of the first few by name: a program from elsewhere has none of its files here. */
static void put_source_problems(const struct annotation *a, struct buf *out)
{
	size_t count = 0;

	for (size_t i = 0; i < a->sources.count; i++)
		if (a->sources.item[i].problem && count++ < SOURCE_PROBLEMS_SHOWN)
			(void)buf_printf(out, "# source %s: %s\n", a->sources.item[i].path,
					 a->sources.item[i].problem);
	if (count > SOURCE_PROBLEMS_SHOWN)
		(void)buf_printf(out, "# %zu more source files cannot be shown\n",
				 count - SOURCE_PROBLEMS_SHOWN);
}

static void put_notes(struct text_page *page)
{
	const struct annotation *a = page->annotation;
	const struct annotate_text_options *o = page->options;

	if (o->quiet)
		return;
	if (a->problem)
		(void)buf_printf(page->out, "# %s\n", a->problem);
	if (o->source || o->source_only)
		put_source_problems(a, page->out);
	for (size_t e = o->first_event; e < o->first_event + o->events; e++)
		if (!a->events.item[e].precise && a->events.item[e].samples.samples)
			(void)buf_printf(page->out,
					 "# %s is not precise: the instruction before a hot one is "
					 "a suspect too\n",
					 a->events.item[e].name);
}

static int count_digits(uint64_t address)
{
	int digits = 1;

	while (address >>= 4)
		digits++;
	return digits;
}

void annotate_text(const struct annotation *annotation, const struct annotate_text_options *options,
		   struct buf *ret)
{
	struct text_page page = {
		.annotation = annotation, .options = options, .place = ANNOTATION_NONE, .out = ret
	};
	size_t begin = ret->len;

	page.shown = mem_zalloc((annotation->sources.count + 1) * sizeof(*page.shown));
	if (annotation->rows.count)
		page.address_width = count_digits(vec_last(&annotation->rows)->address);
	if (options->arrows)
		annotate_arrows_find(annotation, &page.arrows);
	if (options->print_line)
		put_summary(&page);
	put_title(&page);
	if (options->source_only)
		put_source_only(&page);
	else
		put_rows(&page);
	put_notes(&page);
	annotate_arrows_done(&page.arrows);
	free(page.shown);
	text_tidy_lines(ret->data + begin, ret->len - begin); /* names are from outside */
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Amounts over time (see over_time.h). */
#include "view/over_time.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/map.h"
#include "profile/profile.h"
#include "view/sparkline.h"

#define NAME_WIDTH    40
#define OTHER_COLUMNS 26 /* an amount, a share and what is between the columns */
#define LEAST_LINE    20
#define LEAST_NAME    8
#define NO_NAME	      "[unknown]"

struct over_time_row *over_time_add(struct over_time *over)
{
	struct over_time_row *row = vec_add(&over->rows);

	*row = (struct over_time_row){ .weight = mem_zalloc((over->columns + 1) *
							    sizeof(*row->weight)) };
	return row;
}

/* Rows of a profile's functions by their names. */
struct functions {
	const struct profile *profile;
	struct over_time *over;
	struct map row;	    /* of a string */
	VEC(uint32_t) seen; /* by row: the last sample that had it, + 1 */
};

static uint32_t row_of(struct functions *f, stack_id stack)
{
	const struct frame *frame =
		&f->profile->frames.item[f->profile->nodes.item[stack.v].frame.v];
	const char *name = profile_string(f->profile, frame->function);
	bool added;
	uint64_t *row = map_add(&f->row, frame->function.v, &added);

	if (added) {
		*row = f->over->rows.count;
		over_time_add(f->over)->name = *name ? name : NO_NAME;
		vec_push(&f->seen, 0);
	}
	return (uint32_t)*row;
}

static void add_sample(struct functions *f, uint32_t number, bool total)
{
	const struct profile_sample *sample = &f->profile->samples.item[number];
	size_t column = (size_t)((sample->time_ns - f->over->first_ns) / f->over->step_ns);
	stack_id at = sample->stack;

	f->over->total += sample->weight;
	if (sample->time_ns < f->over->first_ns || column >= f->over->columns)
		return;
	for (; at.v; at = f->profile->nodes.item[at.v].parent) {
		uint32_t row = row_of(f, at);

		if (f->seen.item[row] != number + 1) {
			f->over->rows.item[row].weight[column] += sample->weight;
			f->over->rows.item[row].total += sample->weight;
		}
		f->seen.item[row] = number + 1;
		if (!total)
			break;
	}
}

void over_time_of_functions(const struct profile *profile, bool total, struct over_time *ret)
{
	struct functions f = { .profile = profile, .over = ret };
	uint16_t event = 0;

	while (event + 1u < profile->events.count && !profile->events.item[event].samples)
		event++;
	ret->unit = profile->events.count
			    ? profile_string(profile, profile->events.item[event].unit)
			    : "";
	for (size_t i = 0; i < profile->samples.count; i++)
		if (profile->samples.item[i].event == event)
			add_sample(&f, (uint32_t)i, total);
	map_done(&f.row);
	vec_done(&f.seen);
	over_time_sort(ret);
}

static int compare_rows(const void *pa, const void *pb)
{
	const struct over_time_row *a = pa, *b = pb;

	if (a->total != b->total)
		return a->total < b->total ? 1 : -1;
	return strcmp(a->name, b->name);
}

void over_time_sort(struct over_time *over)
{
	if (over->rows.count)
		qsort(over->rows.item, over->rows.count, sizeof(*over->rows.item), compare_rows);
}

static size_t row_count(const struct over_time *over, const struct over_time_options *options)
{
	return options->limit && options->limit < over->rows.count ? options->limit
								   : over->rows.count;
}

/* The columns of the row from..to of the line's `width` columns. */
static uint64_t cell(const struct over_time *over, const struct over_time_row *row, size_t at,
		     size_t width)
{
	size_t from = at * over->columns / width, to = (at + 1) * over->columns / width;
	uint64_t sum = 0;

	for (size_t i = from; i < (to > from ? to : from + 1) && i < over->columns; i++)
		sum += row->weight[i];
	return sum;
}

static void put_line(const struct over_time *over, const struct over_time_row *row, size_t width,
		     struct buf *out)
{
	uint64_t top = 0;

	for (size_t i = 0; i < width; i++)
		top = cell(over, row, i, width) > top ? cell(over, row, i, width) : top;
	for (size_t i = 0; i < width; i++)
		sparkline_put((double)cell(over, row, i, width), (double)top, out);
}

static void put_amount(const struct over_time *over, uint64_t weight, struct buf *out)
{
	if (strcmp(over->unit, "ns") == 0)
		(void)buf_printf(out, "%12.3f s", (double)weight / 1e9);
	else
		(void)buf_printf(out, "%14llu", (unsigned long long)weight);
}

/* Columns of the names and of the sparklines. */
struct layout {
	size_t name, line;
};

static struct layout layout_of(const struct over_time *over,
			       const struct over_time_options *options)
{
	size_t line = options->line < over->columns ? options->line : over->columns;
	struct layout ret = { NAME_WIDTH, line ? line : 1 };
	size_t room = options->width > OTHER_COLUMNS ? options->width - OTHER_COLUMNS : 0;

	if (!options->width || room >= ret.name + ret.line)
		return ret;
	if (room < ret.name + LEAST_LINE)
		ret.name = room > LEAST_NAME + LEAST_LINE ? room - LEAST_LINE : LEAST_NAME;
	line = room > ret.name ? room - ret.name : 1;
	ret.line = line < ret.line ? line : ret.line;
	return ret;
}

static void put_name(const struct over_time_options *options, size_t width, const char *name,
		     struct buf *out)
{
	size_t used;

	if (!options->width) {
		(void)buf_printf(out, "%-*s  ", (int)width, name);
		return;
	}
	used = (size_t)buf_put_cut(out, name, width);
	(void)buf_pad(out, ' ', used < width ? width - used + 2 : 2);
}

void over_time_text(const struct over_time *over, const struct over_time_options *options,
		    struct buf *ret)
{
	struct layout layout = layout_of(over, options);
	bool time = strcmp(over->unit, "ns") == 0;

	(void)buf_printf(ret, "# %s%sfrom %s to %s, each line on its own scale\n",
			 over->event ? over->event : "", over->event ? ", " : "", options->from,
			 options->to);
	(void)buf_printf(ret, "%14s  %6s  %-*s  %s\n",
			 time	       ? "time"
			 : *over->unit ? over->unit
				       : "weight",
			 "share", (int)layout.name, over->heading, "over time");
	for (size_t i = 0; i < row_count(over, options); i++) {
		const struct over_time_row *row = &over->rows.item[i];

		put_amount(over, row->total, ret);
		(void)buf_printf(ret, "  %5.1f%%  ",
				 over->total ? 100.0 * (double)row->total / (double)over->total
					     : 0);
		put_name(options, layout.name, *row->name ? row->name : "-", ret);
		put_line(over, row, layout.line, ret);
		(void)buf_putc(ret, '\n');
	}
	if (row_count(over, options) < over->rows.count)
		(void)buf_printf(ret, "# and %zu more\n",
				 over->rows.count - row_count(over, options));
}

void over_time_json(const struct over_time *over, const struct over_time_options *options,
		    struct buf *ret)
{
	(void)buf_printf(ret, "{\"cupel\":1,\"from_ns\":%llu,\"step_ns\":%llu",
			 (unsigned long long)over->first_ns, (unsigned long long)over->step_ns);
	if (over->event) {
		(void)buf_puts(ret, ",\"event\":");
		(void)buf_put_json(ret, over->event);
	}
	(void)buf_puts(ret, ",\"unit\":");
	(void)buf_put_json(ret, over->unit);
	(void)buf_printf(ret, ",\"total\":%llu,\"rows\":[", (unsigned long long)over->total);
	for (size_t i = 0; i < row_count(over, options); i++) {
		const struct over_time_row *row = &over->rows.item[i];

		(void)buf_puts(ret, i ? ",\n{\"name\":" : "\n{\"name\":");
		(void)buf_put_json(ret, row->name);
		(void)buf_printf(ret, ",\"total\":%llu,\"weights\":[",
				 (unsigned long long)row->total);
		for (size_t c = 0; c < over->columns; c++)
			(void)buf_printf(ret, c ? ",%llu" : "%llu",
					 (unsigned long long)row->weight[c]);
		(void)buf_puts(ret, "]}");
	}
	(void)buf_puts(ret, "]}\n");
}

void over_time_done(struct over_time *over)
{
	for (size_t i = 0; i < over->rows.count; i++)
		free(over->rows.item[i].weight);
	vec_done(&over->rows);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The context of a recording as a table with sparklines (see machine_view.h). */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "profile/machine_series.h"
#include "view/machine/machine_view.h"
#include "view/sparkline.h"

#define DEFAULT_WIDTH 60
#define FOLD_COLUMN   78
#define SHOWN_CPUS    8 /* each of more would hide the rest */

static void put_scaled(double value, double step, const char *suffix, struct buf *out)
{
	static const char *const prefixes[] = { "", "K", "M", "G", "T", "P" };
	size_t i = 0;

	while (value >= step && i + 1 < sizeof(prefixes) / sizeof(*prefixes)) {
		value /= step;
		i++;
	}
	(void)buf_printf(out, i || value != floor(value) ? "%.1f %s%s" : "%.0f %s%s", value,
			 prefixes[i], suffix);
}

static void put_value(const struct machine_row *row, double value, struct buf *out)
{
	struct buf text = { 0 };

	switch (row->unit) {
	case MACHINE_ROW_PERCENT:
		(void)buf_printf(&text, "%.1f %%", value);
		break;
	case MACHINE_ROW_RATE:
		put_scaled(value, 1000, "/s", &text);
		break;
	case MACHINE_ROW_LEVEL:
		(void)buf_printf(&text, "%.1f", value);
		break;
	case MACHINE_ROW_BYTES:
		put_scaled(value, 1024, "B", &text);
		break;
	case MACHINE_ROW_BYTE_RATE:
		put_scaled(value, 1024, "B/s", &text);
		break;
	case MACHINE_ROW_MS:
		(void)buf_printf(&text, "%.2f ms", value);
		break;
	}
	(void)buf_printf(out, " %11s", text.data);
	buf_done(&text);
}

/* The largest of the samples that share a column: a peak is what one looks for. */
static double column_value(const struct machine_row *row, size_t samples, size_t columns, size_t at)
{
	size_t first = at * samples / columns, end = (at + 1) * samples / columns;
	double value = NAN;

	for (size_t i = first; i < end || i == first; i++)
		value = fmax(value, row->value[i]); /* of NaN and a number the number */
	return value;
}

static void put_sparkline(const struct machine_row *row, size_t samples, size_t width,
			  struct buf *out)
{
	size_t columns = samples < width ? samples : width;
	double top = row->unit == MACHINE_ROW_PERCENT ? fmax(100, row->max) : row->max;

	(void)buf_puts(out, "  ");
	for (size_t i = 0; i < columns; i++)
		sparkline_put(column_value(row, samples, columns, i), top, out);
	while (out->len && out->data[out->len - 1] == ' ')
		out->data[--out->len] = '\0';
	(void)buf_putc(out, '\n');
}

static bool is_each_cpu(const struct machine_row *row)
{
	return strcmp(row->group, "each CPU") == 0;
}

/* The busiest CPUs; on ties the lower ones. */
static bool among_busiest(const struct machine_rows *rows, size_t index)
{
	size_t busier = 0;

	for (size_t i = 0; i < rows->row.count; i++) {
		double mean = rows->row.item[i].mean, own = rows->row.item[index].mean;

		if (is_each_cpu(&rows->row.item[i]) && i != index &&
		    (mean > own || (mean >= own && i < index)))
			busier++;
	}
	return busier < SHOWN_CPUS;
}

/* Another name in the folded list of rows that stayed 0. */
static void put_quiet(struct buf *list, const char *name)
{
	const char *line = list->len ? strrchr(list->data, '\n') : NULL;
	size_t column = strlen(line ? line + 1 : list->data ? list->data : "");

	if (!list->len)
		(void)buf_puts(list, "always 0: ");
	else
		(void)buf_puts(list, column + strlen(name) + 2 > FOLD_COLUMN ? ",\n" : ", ");
	(void)buf_puts(list, name);
}

static void put_rows(const struct machine_series *series, const struct machine_rows *rows,
		     const struct machine_view_options *options, struct buf *out)
{
	const char *group = "";
	struct buf quiet = { 0 };
	size_t cpus_left = 0;

	for (size_t i = 0; i < rows->row.count; i++) {
		const struct machine_row *row = &rows->row.item[i];

		if (!options->all_rows && is_each_cpu(row) && !among_busiest(rows, i)) {
			cpus_left++;
			continue;
		}
		if (!options->all_rows && !(row->max > 0)) {
			put_quiet(&quiet, row->name);
			continue;
		}
		if (strcmp(group, row->group) != 0)
			(void)buf_printf(out, "%s\n", row->group);
		group = row->group;
		(void)buf_printf(out, "  %-36s", row->name);
		put_value(row, row->mean, out);
		put_value(row, row->max, out);
		put_sparkline(row, series->sample.count,
			      options->width ? options->width : DEFAULT_WIDTH, out);
	}
	if (cpus_left)
		(void)buf_printf(out, "\n%zu more CPUs: --all shows them\n", cpus_left);
	if (quiet.len)
		(void)buf_printf(out, "\n%s\n", quiet.data);
	buf_done(&quiet);
}

void machine_text(const struct machine_series *series, const struct machine_view_options *options,
		  struct buf *ret)
{
	struct machine_rows rows;

	machine_rows_make(series, &rows);
	(void)buf_printf(ret, "%.1f s, %zu samples", (double)machine_series_ns(series) / 1e9,
			 series->sample.count);
	if (series->sample.count) {
		const struct machine_sample *last = vec_last(&series->sample);

		(void)buf_printf(ret, ", %zu CPUs", last->cpu.count);
	}
	(void)buf_printf(ret, "\n\n%-38s %11s %11s  %s\n", "", "mean", "max", "over time");
	put_rows(series, &rows, options, ret);
	machine_rows_done(&rows);
}

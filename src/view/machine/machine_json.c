/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The context of a recording as JSON (see machine_view.h). */
#include <inttypes.h>
#include <math.h>

#include "base/buf.h"
#include "profile/machine_series.h"
#include "view/machine/machine_view.h"

static void put_number(struct buf *out, double value)
{
	if (isfinite(value))
		(void)buf_printf(out, "%.10g", value);
	else
		(void)buf_puts(out, "null");
}

static void put_row(const struct machine_row *row, size_t samples, struct buf *out)
{
	(void)buf_puts(out, "{\"group\":");
	(void)buf_put_json(out, row->group);
	(void)buf_puts(out, ",\"name\":");
	(void)buf_put_json(out, row->name);
	(void)buf_printf(out, ",\"unit\":\"%s\",\"mean\":", machine_row_unit_name(row->unit));
	put_number(out, row->mean);
	(void)buf_puts(out, ",\"max\":");
	put_number(out, row->max);
	(void)buf_puts(out, ",\"values\":[");
	for (size_t i = 0; i < samples; i++) {
		(void)buf_puts(out, i ? "," : "");
		put_number(out, row->value[i]);
	}
	(void)buf_puts(out, "]}");
}

void machine_json_rows(const struct machine_series *series, struct buf *ret)
{
	struct machine_rows rows;

	machine_rows_make(series, &rows);
	(void)buf_putc(ret, '[');
	for (size_t i = 0; i < rows.row.count; i++) {
		(void)buf_puts(ret, i ? ",\n" : "");
		put_row(&rows.row.item[i], series->sample.count, ret);
	}
	(void)buf_putc(ret, ']');
	machine_rows_done(&rows);
}

void machine_json(const struct machine_series *series, struct buf *ret)
{
	(void)buf_printf(ret, "{\"cupel\":1,\"duration_ns\":%" PRIu64 ",\"samples\":[",
			 machine_series_ns(series));
	for (size_t i = 0; i < series->sample.count; i++)
		(void)buf_printf(ret, "%s{\"time_ns\":%" PRIu64 ",\"interval_ns\":%" PRIu64 "}",
				 i ? "," : "", series->sample.item[i].time_ns,
				 series->sample.item[i].interval_ns);
	(void)buf_puts(ret, "],\"rows\":");
	machine_json_rows(series, ret);
	(void)buf_puts(ret, "}\n");
}

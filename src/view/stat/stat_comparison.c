/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Comparisons as text, CSV and JSON (see stat_comparison.h). */
#include "view/stat/stat_comparison.h"

#include <math.h>
#include <stdio.h>

#include "base/buf.h"

const char *stat_verdict(const struct stat_compared *row)
{
	static const char *const verdicts[] = {
		[RATIO_LESS] = "better",
		[RATIO_MORE] = "worse",
		[RATIO_SAME] = "no difference",
		[RATIO_UNDECIDED] = "not enough runs",
	};

	return row->missing ? "not supported" : verdicts[row->ratio.verdict];
}

/* Few pairs tell nothing. */
static void put_interval(const struct paired_ratio *ratio, struct buf *out)
{
	char text[64] = "none";

	if (!isinf(ratio->high) || ratio->low > 0)
		(void)snprintf(text, sizeof(text), "[%.4f, %.4f]", ratio->low, ratio->high);
	(void)buf_printf(out, "%-20s ", text);
}

void stat_comparison_text(const struct stat_comparison *comparison, struct buf *ret)
{
	(void)buf_printf(ret, "\n A: %s\n B: %s\n %zu runs of each, in turns\n\n",
			 comparison->command[0], comparison->command[1], comparison->pairs);
	(void)buf_printf(ret, "%18s %18s %-4s %-24s %8s  %-20s %s\n", "median A", "median B",
			 "unit", "events", "B / A", "95% interval", "verdict of B");
	for (size_t i = 0; i < comparison->rows; i++) {
		const struct stat_compared *row = &comparison->row[i];

		if (row->missing) {
			(void)buf_printf(ret, "%18s %18s %-4s %s\n", "<not supported>",
					 "<not supported>", row->unit, row->name);
			continue;
		}
		(void)buf_printf(ret, *row->unit ? "%18.3f %18.3f " : "%18.0f %18.0f ",
				 row->median[0], row->median[1]);
		(void)buf_printf(ret, "%-4s %-24s %8.4f  ", row->unit, row->name, row->ratio.ratio);
		put_interval(&row->ratio, ret);
		(void)buf_printf(ret, "%s%s\n", stat_verdict(row), row->gate ? "" : " (not gated)");
	}
	(void)buf_putc(ret, '\n');
}

/* JSON and CSV have no infinity. */
static double bounded(double value)
{
	return isinf(value) ? 1e308 : value;
}

void stat_comparison_csv(const struct stat_comparison *comparison, const char *separator,
			 struct buf *ret)
{
	for (size_t i = 0; i < comparison->rows; i++) {
		const struct stat_compared *row = &comparison->row[i];
		const char *sep = separator;

		(void)buf_printf(ret, "%s%s%s%s%.6g%s%.6g%s", row->name, sep, row->unit, sep,
				 row->median[0], sep, row->median[1], sep);
		(void)buf_printf(ret, "%.6g%s%.6g%s%.6g%s", bounded(row->ratio.ratio), sep,
				 row->ratio.low, sep, bounded(row->ratio.high), sep);
		(void)buf_printf(ret, "%s%s%zu\n", stat_verdict(row), sep, comparison->pairs);
	}
}

void stat_comparison_json(const struct stat_comparison *comparison, struct buf *ret)
{
	for (size_t i = 0; i < comparison->rows; i++) {
		const struct stat_compared *row = &comparison->row[i];

		(void)buf_puts(ret, "{\"event\" : ");
		(void)buf_put_json(ret, row->name);
		(void)buf_puts(ret, ", \"unit\" : ");
		(void)buf_put_json(ret, row->unit);
		(void)buf_printf(ret, ", \"median\" : [%.6g, %.6g], \"ratio\" : %.6g",
				 row->median[0], row->median[1], bounded(row->ratio.ratio));
		(void)buf_printf(ret, ", \"interval\" : [%.6g, %.6g], \"verdict\" : \"%s\"",
				 row->ratio.low, bounded(row->ratio.high), stat_verdict(row));
		(void)buf_printf(ret, ", \"gate\" : %s, \"runs\" : %zu}\n",
				 row->gate ? "true" : "false", comparison->pairs);
	}
}

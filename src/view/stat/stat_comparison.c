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

	if (row->missing)
		return "not supported";
	return row->unmeasured ? "not measured" : verdicts[row->ratio.verdict];
}

/* Values that are 0 have no ratio, and few pairs no interval. */
static bool has_interval(const struct paired_ratio *ratio)
{
	return !isnan(ratio->ratio) && (!isinf(ratio->high) || ratio->low > 0);
}

static void put_ratio(const struct paired_ratio *ratio, struct buf *out)
{
	char interval[64] = "none";

	if (isnan(ratio->ratio)) {
		(void)buf_printf(out, "%8s  %-20s ", "-", "-");
		return;
	}
	if (has_interval(ratio))
		(void)snprintf(interval, sizeof(interval), "[%.4f, %.4f]", ratio->low, ratio->high);
	(void)buf_printf(out, "%8.4f  %-20s ", ratio->ratio, interval);
}

void stat_comparison_text(const struct stat_comparison *comparison, struct buf *ret)
{
	(void)buf_printf(ret, "\n A: %s\n B: %s\n", comparison->command[0], comparison->command[1]);
	if (!comparison->pairs) {
		(void)buf_puts(ret, " nothing was measured: no run of both is complete\n\n");
		return;
	}
	(void)buf_printf(ret, " %zu runs of each, in turns\n\n", comparison->pairs);
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
		(void)buf_printf(ret, "%-4s %-24s ", row->unit, row->name);
		put_ratio(&row->ratio, ret);
		(void)buf_printf(ret, "%s%s\n", stat_verdict(row), row->gate ? " *" : "");
	}
	(void)buf_puts(ret,
		       "\n * decides the exit status: 0 better or no difference, 3 worse, 4 not "
		       "enough runs\n\n");
}

void stat_comparison_csv(const struct stat_comparison *comparison, const char *separator,
			 struct buf *ret)
{
	for (size_t i = 0; i < comparison->rows; i++) {
		const struct stat_compared *row = &comparison->row[i];
		const char *sep = separator;

		(void)buf_printf(ret, "%s%s%s%s", row->name, sep, row->unit, sep);
		if (row->unmeasured)
			(void)buf_printf(ret, "%s%s", sep, sep);
		else
			(void)buf_printf(ret, "%.6g%s%.6g%s", row->median[0], sep, row->median[1],
					 sep);
		if (!isnan(row->ratio.ratio))
			(void)buf_printf(ret, "%.6g", row->ratio.ratio);
		if (has_interval(&row->ratio))
			(void)buf_printf(ret, "%s%.6g%s%.6g%s", sep, row->ratio.low, sep,
					 row->ratio.high, sep);
		else
			(void)buf_printf(ret, "%s%s%s", sep, sep, sep);
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
		if (row->unmeasured)
			(void)buf_puts(ret, ", \"median\" : null");
		else
			(void)buf_printf(ret, ", \"median\" : [%.6g, %.6g]", row->median[0],
					 row->median[1]);
		if (isnan(row->ratio.ratio))
			(void)buf_puts(ret, ", \"ratio\" : null");
		else
			(void)buf_printf(ret, ", \"ratio\" : %.6g", row->ratio.ratio);
		if (has_interval(&row->ratio))
			(void)buf_printf(ret, ", \"interval\" : [%.6g, %.6g]", row->ratio.low,
					 row->ratio.high);
		else
			(void)buf_puts(ret, ", \"interval\" : null");
		(void)buf_printf(ret, ", \"verdict\" : \"%s\"", stat_verdict(row));
		(void)buf_printf(ret, ", \"gate\" : %s, \"runs\" : %zu}\n",
				 row->gate ? "true" : "false", comparison->pairs);
	}
}

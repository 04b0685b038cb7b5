/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Head and foot of perf stat's text (see stat_frame.h). */
#include "view/stat/stat_frame.h"

#include <inttypes.h>
#include <math.h>

#include "base/buf.h"

#define SECOND 1e9

void stat_frame_head(const struct stat_frame *frame, struct buf *ret)
{
	size_t start;

	(void)buf_puts(ret, "\n Performance counter stats for ");
	start = ret->len;
	(void)buf_puts(ret, frame->about);
	text_tidy(ret->data + start, ret->len - start); /* words of a program */
	if (frame->runs > 1)
		(void)buf_printf(ret, " (%" PRIu64 " runs)", frame->runs);
	(void)buf_puts(ret, ":\n\n");
}

/* Digits after the point: two more than the error needs. */
static int precision(double error_s)
{
	int digits = error_s > 1 || error_s <= 0 ? 0 : (int)ceil(-log10(error_s));

	return digits + 2;
}

static void put_table(const struct stat_frame *frame, int digits, struct buf *ret)
{
	double mean = frame->elapsed_ns.value / SECOND, most = 0;

	for (size_t i = 0; i < frame->each_count; i++)
		most = fmax(most, fabs(frame->each_ns[i] / SECOND - mean));
	(void)buf_puts(ret, "           # Table of individual measurements:\n");
	for (size_t i = 0; i < frame->each_count; i++) {
		double run = frame->each_ns[i] / SECOND, off = run - mean;

		(void)buf_printf(ret, " %17.*f (%+.*f) ", digits, run, digits, off);
		for (int n = 0; n <= (most > 0 ? (int)(4 * fabs(off) / most) : 0); n++)
			(void)buf_putc(ret, '#');
		(void)buf_putc(ret, '\n');
	}
	(void)buf_puts(ret, "\n           # Final result:\n");
}

static void put_runs(const struct stat_frame *frame, struct buf *ret)
{
	double error = mean_error(&frame->elapsed_ns), mean = frame->elapsed_ns.value;
	int digits = precision(error / SECOND);

	if (frame->each_ns)
		put_table(frame, digits, ret);
	(void)buf_printf(ret, " %17.*f +- %.*f seconds time elapsed", digits, mean / SECOND, digits,
			 error / SECOND);
	if (mean > 0 && error > 0)
		(void)buf_printf(ret, "  ( +-%6.2f%% )", 100 * error / mean);
}

void stat_frame_foot(const struct stat_frame *frame, struct buf *ret)
{
	if (!frame->null_run)
		(void)buf_putc(ret, '\n');
	if (frame->runs != 1) {
		put_runs(frame, ret);
	} else {
		(void)buf_printf(ret, " %17.9f seconds time elapsed",
				 frame->elapsed_ns.value / SECOND);
		if (frame->program)
			(void)buf_printf(ret,
					 "\n\n %17.9f seconds user\n %17.9f seconds sys\n"
					 " %17.3f MB peak resident memory\n",
					 (double)frame->user_ns / SECOND,
					 (double)frame->system_ns / SECOND,
					 (double)frame->peak_rss_bytes / 1e6);
	}
	(void)buf_puts(ret, "\n\n");
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One-line progress display (see progress.h). */
#include "base/progress.h"

#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"

#define QUIET_NS 500000000ull
#define EVERY_NS 100000000ull

void progress_start(struct progress *progress, const char *what, uint64_t total)
{
	*progress =
		(struct progress){ .what = isatty(STDERR_FILENO) ? what : NULL,
				   .total = total,
				   .shown_ns = clock_ns(CLOCK_MONOTONIC) + QUIET_NS - EVERY_NS };
}

void progress_update(struct progress *progress, uint64_t done)
{
	uint64_t now;

	if (!progress->what)
		return;
	now = clock_ns(CLOCK_MONOTONIC);
	if (now < progress->shown_ns + EVERY_NS)
		return;
	progress->shown_ns = now;
	if (progress->total)
		(void)fprintf(stderr, "\r%s: %3.0f %%\033[K", progress->what,
			      100.0 * (double)done / (double)progress->total);
	else
		(void)fprintf(stderr, "\r%s: %llu\033[K", progress->what, (unsigned long long)done);
}

void progress_finish(struct progress *progress)
{
	if (progress->what)
		(void)fprintf(stderr, "\r\033[K");
	progress->what = NULL;
}

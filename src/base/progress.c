/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One-line progress display (see progress.h). */
#include "base/progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define QUIET_NS 500000000ull
#define EVERY_NS 100000000ull

static uint64_t now_ns(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_MONOTONIC, &ts); /* cannot fail for this clock */
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

void progress_start(struct progress *progress, const char *what, uint64_t total)
{
	*progress = (struct progress){ .what = isatty(STDERR_FILENO) ? what : NULL,
				       .total = total,
				       .shown_ns = now_ns() + QUIET_NS - EVERY_NS };
}

void progress_update(struct progress *progress, uint64_t done)
{
	uint64_t now;

	if (!progress->what)
		return;
	now = now_ns();
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

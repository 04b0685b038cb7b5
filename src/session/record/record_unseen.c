/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The share of a program's time without samples (see record_unseen.h). */
#include "session/record/record_unseen.h"

#include <stdio.h>
#include <string.h>

#include "session/record/recorder.h"

#define LEAST_SHARE 0.03

void record_note_unseen(uint64_t thread_clock_ns, struct ran ran, struct recording_result *ret)
{
	double samples = (double)(ret->samples + ret->lost_samples + ret->lost_records);
	double period_s = (double)thread_clock_ns / 1e9;
	double seen_s = samples * period_s, ran_s = (double)ran.cpu_ns / 1e9;
	double unseen_s = ran_s - seen_s;
	size_t len = strlen(ret->notes);

	/* Within three standard deviations it may be chance; unseen_s² > 9 × period_s² × samples
	 * says so without a root. One period is always missing: the last. */
	if (!thread_clock_ns || !ran.cpu_ns || unseen_s < ran_s * LEAST_SHARE ||
	    unseen_s < 2 * period_s || unseen_s * unseen_s < 9 * period_s * period_s * samples)
		return;
	(void)snprintf(ret->notes + len, sizeof(ret->notes) - len,
		       "%s%.0f%% of %s time has no samples (%.2f of %.2f s): threads that "
		       "end within %.1f ms are seldom seen; -a samples CPUs, and sees them",
		       len ? "\n" : "", 100 * unseen_s / ran_s, ran.owner, unseen_s, ran_s,
		       1e3 * period_s);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Words about pictures of ledgers (see ledger_about.h). */
#include "view/ledger/ledger_about.h"

#include <inttypes.h>

#include "base/buf.h"
#include "profile/ledger/ledger.h"
#include "profile/ledger/ledger_slices.h"

void ledger_about(const struct ledger *ledger, struct buf *ret)
{
	struct ledger_sums sums = { 0 };

	for (size_t i = 0; i < ledger->thread.count; i++)
		ledger_sums_add(&sums, &ledger->thread.item[i]);
	(void)buf_printf(ret,
			 "%.3f s \xc2\xb7 %" PRIu64
			 " threads \xc2\xb7 %.3f thread-seconds, %.1f %% "
			 "of them idle \xc2\xb7 unaccounted %.3f %%",
			 (double)(ledger->end_ns - ledger->start_ns) / 1e9, sums.threads,
			 (double)sums.lifetime_ns / 1e9,
			 100.0 * (double)sums.state_ns[LEDGER_STATE_IDLE] /
				 (double)(sums.lifetime_ns + !sums.lifetime_ns),
			 100.0 * (double)sums.unaccounted_ns /
				 (double)(sums.lifetime_ns + !sums.lifetime_ns));
}

void ledger_slices_about(const struct ledger_slices *slices, const struct ledger *ledger,
			 struct buf *ret)
{
	ledger_about(ledger, ret);
	if (!slices->together_ns)
		(void)buf_puts(ret, " \xc2\xb7 every interval");
	else
		(void)buf_printf(ret, " \xc2\xb7 intervals below %g ms merged",
				 (double)slices->together_ns / 1e6);
}

void ledger_missing(const struct ledger *ledger, struct buf *ret)
{
	const struct ledger_counts *counts = &ledger->counts;

	if (counts->lost_threads || counts->untracked)
		(void)buf_puts(ret,
			       "Some threads are missing: see the text output of cupel wall. ");
	if (counts->lost_spans)
		(void)buf_printf(ret, "%" PRIu64 " intervals were lost and appear as gaps.",
				 counts->lost_spans);
}

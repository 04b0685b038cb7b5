/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of perf report --total-cycles: blocks of code by their cycles. */
#ifndef VIEW_REPORT_BLOCKS_H
#define VIEW_REPORT_BLOCKS_H

#include <stdbool.h>

struct block_cycles;
struct buf;

struct report_blocks_options {
	double percent_limit;
	bool quiet; /* no # lines */
};

/* blocks: sorted. */
void report_blocks_text(const struct block_cycles *blocks,
			const struct report_blocks_options *options, struct buf *ret);

#endif

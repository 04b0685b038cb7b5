/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What stands above and below the counts of perf stat's text: what was counted, how long it took,
 * and the program's own times. */
#ifndef VIEW_STAT_FRAME_H
#define VIEW_STAT_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/counts/mean.h"

struct buf;

struct stat_frame {
	const char *about; /* "'system wide'" */
	uint64_t runs;	   /* asked for */
	struct mean elapsed_ns;
	const double *each_ns; /* --table: of every run; NULL = none */
	size_t each_count;
	bool program; /* the next are known */
	uint64_t user_ns, system_ns, peak_rss_bytes;
	bool null_run; /* nothing is counted */
};

void stat_frame_head(const struct stat_frame *frame, struct buf *ret);
void stat_frame_foot(const struct stat_frame *frame, struct buf *ret);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The header of a recording as text: the "# ========" block that `perf report --header` and
 * `perf script --header` print. */
#ifndef FORMAT_PERF_DATA_HEADER_TEXT_H
#define FORMAT_PERF_DATA_HEADER_TEXT_H

#include <stdbool.h>

struct buf;
struct perf_data;

/* full: with CPU and memory topology and caches (perf's -I). Times of day are local. */
int perf_data_header_text(const struct perf_data *data, bool full, struct buf *ret);

#endif

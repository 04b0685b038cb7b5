/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sampled loads and stores, a line each, in the layout of perf mem -D report. */
#ifndef VIEW_ACCESS_ACCESS_DUMP_H
#define VIEW_ACCESS_ACCESS_DUMP_H

#include <stdbool.h>

struct buf;
struct profile;

struct access_dump_options {
	const char *separator; /* NULL = blanks and padding */
	bool phys, page_size;  /* with these columns */
};

/* The profile has PROFILE_ADDR_IS_ACCESS, and frames with addresses. */
void access_dump(const struct profile *profile, const struct access_dump_options *options,
		 struct buf *ret);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether single pages of the machine's memory are touched in an interval: by DAMON, the kernel's
 * monitor of accesses, which has one region for each page here. It clears the accessed bits of
 * these pages, and looks at them after the interval. One user at a time; a guard turns it off at
 * the end, also after SIGKILL. Interface: Documentation/admin-guide/mm/damon/usage.rst. */
#ifndef SOURCE_DAMON_H
#define SOURCE_DAMON_H

#include <stddef.h>
#include <stdint.h>

struct damon;
struct err;

enum damon_page {
	DAMON_UNKNOWN,
	DAMON_UNTOUCHED,
	DAMON_TOUCHED,
};

/* Whether the kernel has it, and nobody uses it. */
int damon_check(struct err *err);
/* frame: of pages, in rising order without repetition. Fails if there is none. */
int damon_start(const uint64_t *frame, size_t count, uint64_t interval_ns, struct damon **ret,
		struct err *err);
/* Waits until the interval is over; end_ns: when (CLOCK_MONOTONIC). page: enum damon_page of each
 * frame. */
int damon_look(struct damon *damon, uint8_t *page, uint64_t *end_ns, struct err *err);
void damon_end(struct damon *damon); /* NULL is fine */

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading a clock of the kernel as one number. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Nanoseconds on a clock of this kernel, such as CLOCK_MONOTONIC. */
static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	(void)clock_gettime(clock, &now); /* cannot fail for a clock that exists */
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

#endif

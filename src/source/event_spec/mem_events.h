/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The events that sample loads and stores with address, cost and source of the data: PEBS of
 * Intel's CPUs, IBS of AMD's. */
#ifndef SOURCE_MEM_EVENTS_H
#define SOURCE_MEM_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

struct err;

struct mem_events {
	char text[160]; /* for -e */
};

struct mem_events_choice {
	const char *root; /* in front of /sys; "" on a live system */
	bool loads, stores;
	uint64_t least_cycles; /* of loads, where the CPU can tell; 0 = 30 */
};

/* -ENODEV: err says which step failed, and the hint what it takes and works instead. */
int mem_events_choose(const struct mem_events_choice *choice, struct mem_events *ret,
		      struct err *err);

#endif

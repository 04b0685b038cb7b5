/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the source "probe_events" samples: the places of each event of probes. Strings are borrowed.
 * Events have numbers in the order of the command line, others left out. */
#ifndef SOURCE_PROBE_PROBE_EVENT_CHOICE_H
#define SOURCE_PROBE_PROBE_EVENT_CHOICE_H

#include <stddef.h>
#include <stdint.h>

#include "bpf/fetch.h"
#include "source/probe/probe_choice.h"

/* What is fetched: numbers of 8 bytes behind the data of each sample, of texts place and length as
 * in __data_loc. */
struct probe_event_values {
	uint8_t count;
	uint8_t texts; /* bit i: value i is one */
};

struct probe_events {
	/* The number of a place is one among those of both. */
	struct probe_choice entries, returns;
	const uint32_t *event; /* by that number */
	size_t places;
	const struct fetch_program
		*program;	   /* by the number of a place; NULL = nothing is fetched */
	const char *const *format; /* by the event's number: of its data, as in tracefs */
	const struct probe_event_values *values; /* likewise */
	size_t events;
};

#endif

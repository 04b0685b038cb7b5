/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the source "probe_events" samples: the places of each event of probes. Strings are borrowed.
 * Events have numbers in the order of the command line, others left out. */
#ifndef SOURCE_PROBE_PROBE_EVENT_CHOICE_H
#define SOURCE_PROBE_PROBE_EVENT_CHOICE_H

#include <stddef.h>
#include <stdint.h>

#include "source/probe/probe_choice.h"

struct probe_events {
	/* The number of a place is one among those of both. */
	struct probe_choice entries, returns;
	const uint32_t *event; /* by that number */
	size_t places;
	const char *const *format; /* by the event's number: of its data, as in tracefs */
	size_t events;
};

#endif

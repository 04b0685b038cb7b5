/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the interrupt of a sample takes on this machine besides taking the sample: some 1.5 us on
 * hardware, ten times as much where each timer goes through hypervisors. No program sees it. */
#ifndef SOURCE_PERF_EVENT_TICK_COST_H
#define SOURCE_PERF_EVENT_TICK_COST_H

#include <stdint.h>

#define TICK_COST_USUAL_NS 2000u

/* Measured with the CPU clock, within some milliseconds. */
uint64_t tick_cost_measure_ns(void);

#endif

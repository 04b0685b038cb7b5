/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The cost of a sample's interrupt on this machine, without taking the sample: about 1.5 us on
 * hardware, ten times as much if timers go through hypervisors. Programs cannot measure it
 * directly. */
#ifndef SOURCE_PERF_EVENT_TICK_COST_H
#define SOURCE_PERF_EVENT_TICK_COST_H

#include <stdint.h>

#define TICK_COST_USUAL_NS 2000u

/* Measured with the CPU clock, within some milliseconds. */
uint64_t tick_cost_measure_ns(void);

#endif

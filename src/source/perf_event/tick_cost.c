/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Measures the interrupt (see tick_cost.h): how much longer the same work takes while a clock that
 * records nothing ticks. */
#include "source/perf_event/tick_cost.h"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "source/perf_event/perf_event.h"

#define PERIOD_NS 50000u
#define ROUNDS	  3
#define WORK	  400000u /* steps: about 0.2 ms */
#define LEAST_NS  500u
#define MOST_NS	  40000u

static uint64_t work_ns(void)
{
	uint64_t start = clock_ns(CLOCK_THREAD_CPUTIME_ID);

	for (volatile unsigned i = 0; i < WORK;)
		i = i + 1;
	return clock_ns(CLOCK_THREAD_CPUTIME_ID) - start;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

uint64_t tick_cost_measure_ns(void)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.size = PERF_ATTR_SIZE_VER5,
					.config = PERF_COUNT_SW_CPU_CLOCK,
					.sample_period = PERIOD_NS,
					.disabled = 1,
					.exclude_kernel = 1, /* needs no privilege */
					.exclude_hv = 1 };
	int fd = perf_event_open(&attr, 0, -1, -1, 0);
	uint64_t plain = UINT64_MAX, ticking = UINT64_MAX, cost;

	if (fd < 0)
		return TICK_COST_USUAL_NS;
	/* The least of each: other interrupts and threads only ever add. */
	for (int i = 0; i < ROUNDS; i++) {
		plain = least(plain, work_ns());
		(void)ioctl(fd, PERF_EVENT_IOC_ENABLE, 0); /* else it costs nothing */
		ticking = least(ticking, work_ns());
		(void)ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	}
	(void)close(fd); /* it recorded nothing */
	cost = ticking > plain ? (ticking - plain) * PERIOD_NS / ticking : 0;
	return cost < LEAST_NS ? LEAST_NS : least(cost, MOST_NS);
}

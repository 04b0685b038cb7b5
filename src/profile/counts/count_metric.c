/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Derived figures as a table (see count_metric.h). Names and formats are perf stat's. */
#include "profile/counts/count_metric.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

/* What is counted, as in perf_event_attr. */
struct kind {
	uint32_t type;
	uint64_t config;
};

#define HW(name)                                         \
	{                                                \
		PERF_TYPE_HARDWARE, PERF_COUNT_HW_##name \
	}
/* Reads of a cache: the result's number is in the third byte. */
#define READS(name, what)                                                                    \
	{                                                                                    \
		PERF_TYPE_HW_CACHE,                                                          \
			PERF_COUNT_HW_CACHE_##name | PERF_COUNT_HW_CACHE_RESULT_##what << 16 \
	}
#define MISSES(name) READS(name, MISS), READS(name, ACCESS)
/* Intel's top-down events. */
#define SLOTS(config)                \
	{ PERF_TYPE_RAW, config },   \
	{                            \
		PERF_TYPE_RAW, 0x400 \
	}

/* A count divided by another of the same place, cgroup and modifiers. */
static const struct {
	struct kind of, over;
	double factor;
	const char *format, *unit;
} ratios[] = {
	{ HW(INSTRUCTIONS), HW(CPU_CYCLES), 1, "%7.2f ", "insn per cycle" },
	{ HW(BRANCH_MISSES), HW(BRANCH_INSTRUCTIONS), 100, "%7.2f%%", "of all branches" },
	{ HW(CACHE_MISSES), HW(CACHE_REFERENCES), 100, "%8.3f %%", "of all cache refs" },
	{ HW(STALLED_CYCLES_FRONTEND), HW(CPU_CYCLES), 100, "%7.2f%%", "frontend cycles idle" },
	{ HW(STALLED_CYCLES_BACKEND), HW(CPU_CYCLES), 100, "%7.2f%%", "backend cycles idle" },
	{ SLOTS(0x8000), 100, "%8.1f %%", "retiring" },
	{ SLOTS(0x8100), 100, "%8.1f %%", "bad speculation" },
	{ SLOTS(0x8200), 100, "%8.1f %%", "frontend bound" },
	{ SLOTS(0x8300), 100, "%8.1f %%", "backend bound" },
	{ MISSES(L1D), 100, "%7.2f%%", "of all L1-dcache accesses" },
	{ MISSES(L1I), 100, "%7.2f%%", "of all L1-icache accesses" },
	{ MISSES(LL), 100, "%7.2f%%", "of all LL-cache accesses" },
	{ MISSES(DTLB), 100, "%7.2f%%", "of all dTLB cache accesses" },
	{ MISSES(ITLB), 100, "%7.2f%%", "of all iTLB cache accesses" },
};

/* What is counted is a time, or nothing. */
static const struct kind dummy = { PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY };
static const struct kind instructions = HW(INSTRUCTIONS);
static const struct kind cycles = HW(CPU_CYCLES);
static const struct kind stalled_front = HW(STALLED_CYCLES_FRONTEND);
static const struct kind stalled_back = HW(STALLED_CYCLES_BACKEND);

static bool is(const struct counts_event *event, const struct kind *kind)
{
	return event->type == kind->type && event->config == kind->config;
}

static bool same_cgroup(const struct counts_event *a, const struct counts_event *b)
{
	return a->cgroup && b->cgroup ? strcmp(a->cgroup, b->cgroup) == 0 : a->cgroup == b->cgroup;
}

/* The value of that event in the same place, cgroup and mode. False: there is none. */
static bool find(const struct counts *counts, size_t beside, size_t place, const struct kind *kind,
		 double *ret)
{
	const struct counts_event *event = &counts->event[beside];

	for (size_t i = 0; i < counts->events; i++) {
		const struct counts_event *other = &counts->event[i];
		const struct counts_cell *cell = counts_cell(counts, i, place);

		if (!is(other, kind) || other->exclude != event->exclude ||
		    !same_cgroup(other, event) || !counts_is_counted(cell))
			continue;
		*ret = cell->value.value;
		return true;
	}
	return false;
}

/* The CPU time of the place, in ns; of both clocks the mean. */
static double clock_ns_at(const struct counts *counts, size_t beside, size_t place)
{
	struct mean clock = { 0 };

	for (size_t i = 0; i < counts->events; i++) {
		const struct counts_cell *cell = counts_cell(counts, i, place);

		if (counts_is_clock(&counts->event[i]) && counts_is_counted(cell) &&
		    same_cgroup(&counts->event[i], &counts->event[beside]))
			mean_add(&clock, cell->value.value);
	}
	return clock.value;
}

static size_t put(struct count_metric *ret, double value, const char *format, const char *unit)
{
	ret->value = value;
	ret->format = format;
	(void)snprintf(ret->unit, sizeof(ret->unit), "%s", unit);
	return 1;
}

static size_t put_rate(struct count_metric *ret, double per_second)
{
	static const char *const units[] = { "/sec", "K/sec", "M/sec", "G/sec" };
	size_t unit = 0;

	for (; per_second > 1000 && unit + 1 < sizeof(units) / sizeof(*units); unit++)
		per_second /= 1000;
	return put(ret, per_second, "%8.3f", units[unit]);
}

/* Cycles in which the pipeline waited, for each instruction: the larger of both ends. */
static size_t put_stalled(const struct counts *counts, size_t event, size_t place, double executed,
			  struct count_metric *ret)
{
	double front = 0, back = 0;
	bool found = find(counts, event, place, &stalled_front, &front);

	found |= find(counts, event, place, &stalled_back, &back);
	if (!found || executed <= 0)
		return 0;
	return put(ret, (front > back ? front : back) / executed, "%7.2f ",
		   "stalled cycles per insn");
}

static size_t find_metrics(const struct counts *counts, size_t event, size_t place,
			   struct count_metric ret[COUNT_METRICS_MAX])
{
	const struct counts_event *of = &counts->event[event];
	const struct counts_cell *cell = counts_cell(counts, event, place);
	double value = cell->value.value, clock = clock_ns_at(counts, event, place), over;
	size_t count = 0;

	if (!counts_is_counted(cell))
		return 0;
	if (counts_is_clock(of))
		return counts->elapsed_ns.value > 0 ? put(ret, value / counts->elapsed_ns.value,
							  "%8.3f", "CPUs utilized")
						    : 0;
	if (is(of, &cycles))
		return clock > 0 ? put(ret, value / clock, "%8.3f", "GHz") : 0;
	for (size_t i = 0; i < sizeof(ratios) / sizeof(*ratios); i++)
		if (is(of, &ratios[i].of) && find(counts, event, place, &ratios[i].over, &over))
			count += put(&ret[count], over > 0 ? ratios[i].factor * value / over : 0,
				     ratios[i].format, ratios[i].unit);
	if (is(of, &instructions))
		count += put_stalled(counts, event, place, value, &ret[count]);
	if (!count && clock > 0 && !is(of, &dummy))
		count = of->figure ? put(ret, 1e9 * value / clock, "%8.3f", of->figure)
				   : put_rate(ret, 1e9 * value / clock);
	return count;
}

size_t count_metrics(const struct counts *counts, size_t event, size_t place,
		     struct count_metric ret[COUNT_METRICS_MAX])
{
	size_t count = find_metrics(counts, event, place, ret);
	const char *figure = counts->event[event].figure;

	if (count && figure)
		(void)snprintf(ret->unit, sizeof(ret->unit), "%s", figure);
	return count;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Record counts of a recording (see report_facts.h). */
#include "command/report/report_facts.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/vec.h"
#include "event/desc.h"
#include "event/event.h"
#include "format/perf_data/perf_data.h"
#include "session/recording.h"

struct counter {
	struct sink sink;
	VEC(uint64_t) samples; /* by event */
};

static int count_event(struct sink *sink, const struct event *event, struct err *err)
{
	struct counter *counter = (struct counter *)sink;
	size_t index = event->desc ? event->desc->index : 0;

	(void)err;
	if (event->type != EVENT_SAMPLE)
		return 0;
	while (counter->samples.count <= index)
		vec_push(&counter->samples, 0);
	counter->samples.item[index]++;
	return 0;
}

static const char *type_name(unsigned type, char *number, size_t size)
{
	static const char *const names[] = {
		[PERF_RECORD_MMAP] = "MMAP",
		[PERF_RECORD_LOST] = "LOST",
		[PERF_RECORD_COMM] = "COMM",
		[PERF_RECORD_EXIT] = "EXIT",
		[PERF_RECORD_THROTTLE] = "THROTTLE",
		[PERF_RECORD_UNTHROTTLE] = "UNTHROTTLE",
		[PERF_RECORD_FORK] = "FORK",
		[PERF_RECORD_READ] = "READ",
		[PERF_RECORD_SAMPLE] = "SAMPLE",
		[PERF_RECORD_MMAP2] = "MMAP2",
		[PERF_RECORD_AUX] = "AUX",
		[PERF_RECORD_ITRACE_START] = "ITRACE_START",
		[PERF_RECORD_LOST_SAMPLES] = "LOST_SAMPLES",
		[PERF_RECORD_SWITCH] = "SWITCH",
		[PERF_RECORD_SWITCH_CPU_WIDE] = "SWITCH_CPU_WIDE",
		[PERF_RECORD_NAMESPACES] = "NAMESPACES",
		[PERF_RECORD_KSYMBOL] = "KSYMBOL",
		[PERF_RECORD_BPF_EVENT] = "BPF_EVENT",
		[PERF_RECORD_CGROUP] = "CGROUP",
		[PERF_RECORD_TEXT_POKE] = "TEXT_POKE",
		/* user-space records of perf.data */
		[64] = "ATTR",
		[65] = "EVENT_TYPE",
		[66] = "TRACING_DATA",
		[67] = "BUILD_ID",
		[68] = "FINISHED_ROUND",
		[69] = "ID_INDEX",
		[70] = "AUXTRACE_INFO",
		[71] = "AUXTRACE",
		[72] = "AUXTRACE_ERROR",
		[73] = "THREAD_MAP",
		[74] = "CPU_MAP",
		[75] = "STAT_CONFIG",
		[76] = "STAT",
		[77] = "STAT_ROUND",
		[78] = "EVENT_UPDATE",
		[79] = "TIME_CONV",
		[80] = "FEATURE",
		[81] = "COMPRESSED",
		[82] = "FINISHED_INIT",
		[83] = "COMPRESSED2",
	};

	if (type < sizeof(names) / sizeof(*names) && names[type])
		return names[type];
	(void)snprintf(number, size, "type %u", type);
	return number;
}

static void put_walks(const struct walk_cost *cost, struct buf *ret)
{
	if (!walk_cost_any(cost))
		return;
	(void)buf_puts(ret, "stack walks:\n");
	for (const struct walk_count *count = walk_counts; count->name; count++)
		(void)buf_printf(ret, "%16" PRIu64 "  %s\n", walk_count_get(cost, count),
				 count->text);
	(void)buf_printf(ret, "%16" PRIu64 "  ns at most for half of the walks\n",
			 walk_cost_quantile_ns(cost, 500));
	(void)buf_printf(ret, "%16" PRIu64 "  ns at most for 99 %% of the walks\n",
			 walk_cost_quantile_ns(cost, 990));
}

static void put_stats(const struct perf_data *data, const struct counter *counter, struct buf *ret)
{
	const struct perf_data_stats *stats = perf_data_stats(data);
	const struct event_set *events = perf_data_events(data);
	uint64_t total = 0;
	char number[24];

	for (unsigned i = 0; i < 256; i++)
		total += stats->by_type[i];
	(void)buf_printf(ret, "\nAggregated stats:\n%16s events: %10" PRIu64 "\n", "TOTAL", total);
	for (unsigned i = 0; i < 256; i++)
		if (stats->by_type[i])
			(void)buf_printf(ret, "%16s events: %10" PRIu64 "  (%4.1f%%)\n",
					 type_name(i, number, sizeof(number)), stats->by_type[i],
					 100.0 * (double)stats->by_type[i] / (double)total);
	for (size_t i = 0; i < counter->samples.count && i < events->desc.count; i++)
		(void)buf_printf(ret, "%s stats:\n%16s events: %10" PRIu64 "\n",
				 events->desc.item[i]->name, "SAMPLE", counter->samples.item[i]);
	put_walks(&stats->walks, ret);
	if (stats->damage[0])
		(void)buf_printf(ret, "damage: %s\n", stats->damage);
}

int report_stats(struct recording *recording, struct buf *ret, struct err *err)
{
	struct counter counter = { .sink = { .event = count_event } };
	struct perf_data *data;
	int code = recording_data(recording, &data, err);

	if (!code)
		code = perf_data_read(data, &counter.sink, err);
	if (!code)
		put_stats(data, &counter, ret);
	vec_done(&counter.samples);
	return code;
}

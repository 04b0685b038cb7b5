/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Record counts of a recording (see report_facts.h). */
#include "command/report/report_facts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/vec.h"
#include "event/desc.h"
#include "event/event.h"
#include "event/perf_record.h"
#include "format/input.h"
#include "format/perf_data/perf_data.h"
#include "profile/block_cycles.h"
#include "session/branch_cycles.h"
#include "session/load/load.h"
#include "session/recording.h"
#include "session/script/script.h"
#include "view/report/report.h"
#include "view/report/report_blocks.h"

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
					 perf_record_name(i, number, sizeof(number)),
					 stats->by_type[i],
					 100.0 * (double)stats->by_type[i] / (double)total);
	for (size_t i = 0; counter && i < counter->samples.count && i < events->desc.count; i++)
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

struct dump_output {
	struct script_output output;
	struct buf *text;
};

static int keep_text(struct script_output *output, struct buf *text, struct err *err)
{
	(void)err;
	(void)buf_append(((struct dump_output *)output)->text, text->data, text->len);
	return 0;
}

int report_dump(struct recording *recording, struct buf *ret, struct err *err)
{
	const struct script_options options = { .name = recording_name(recording),
						.dump = true,
						.no_samples = true,
						.replay = { .no_symbols = true } };
	struct dump_output output = { { keep_text }, ret };
	struct perf_data *data;

	if (recording_data(recording, &data, err) ||
	    session_script(data, &options, &output.output, err))
		return err->code;
	put_stats(data, NULL, ret);
	return 0;
}

int report_find_branches(struct recording *recording, bool *ret, struct err *err)
{
	const struct event_set *events;
	struct perf_data *data;
	const uint8_t *head;
	size_t len;

	*ret = false;
	if (input_peek(recording_input(recording), &head, &len, err))
		return err->code;
	if (len < 8 || (memcmp(head, "PERFILE2", 8) != 0 && memcmp(head, "2ELIFREP", 8) != 0))
		return 0;
	if (recording_data(recording, &data, err))
		return err->code;
	events = perf_data_events(data);
	for (size_t i = 0; i < events->desc.count; i++) {
		const struct perf_event_attr *attr = &events->desc.item[i]->attr;

		*ret |= (attr->sample_type & PERF_SAMPLE_BRANCH_STACK) &&
			!(attr->branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK);
	}
	return 0;
}

int report_total_cycles(struct recording *recording, const struct load_options *options,
			const struct report_options *view, struct buf *ret, struct err *err)
{
	struct block_cycles blocks = { 0 };
	int code = branch_cycles_read(recording, options, &blocks, err);

	if (!code)
		report_blocks_text(
			&blocks,
			&(struct report_blocks_options){ view->percent_limit, view->quiet }, ret);
	block_cycles_done(&blocks);
	return code;
}

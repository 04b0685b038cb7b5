/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Distributions of the scheduler's intervals (see interval.h). Ctrl-C prints what has come since
 * the last one, which without an interval is all. */
#include "command/latency/interval.h"

#include "base/buf.h"
#include "base/err.h"
#include "command/command.h"
#include "command/latency/tool.h"
#include "session/ledger_watch.h"
#include "view/latency/latency_map.h"
#include "view/ledger/interval_histogram.h"

#define MAP_COLUMN_NS 250000000u

const struct option_def interval_rows[] = {
	{ "pid", 'p', OPT_STR, "LIST", OPT(interval_options, pids), "only these processes" },
	{ "tid", 't', OPT_UINT, "TID", OPT(interval_options, choice.tid), "only this thread" },
	{ "comm", 0, OPT_STR, "NAME", OPT(interval_options, choice.comm),
	  "only threads with this name" },
	{ "cgroup", 'c', OPT_STR, "PATH", OPT(interval_options, cgroup),
	  "only threads in this cgroup (version 2) or below it, when tracing or the thread "
	  "starts" },
	{ "timestamp", 'T', OPT_FLAG, NULL, OPT(interval_options, timestamp),
	  "print the time of day before each distribution" },
	{ "milliseconds", 'm', OPT_FLAG, NULL, OPT(interval_options, milliseconds),
	  "count in milliseconds instead of microseconds" },
	{ "nanoseconds", 'N', OPT_FLAG, NULL, OPT(interval_options, nanoseconds),
	  "count in nanoseconds" },
	{ "pids", 'P', OPT_FLAG, NULL, OPT(interval_options, processes),
	  "one distribution per process" },
	{ "tids", 'L', OPT_FLAG, NULL, OPT(interval_options, threads),
	  "one distribution per thread" },
	{ "comms", 0, OPT_FLAG, NULL, OPT(interval_options, names),
	  "one distribution per thread name" },
	{ "json", 0, OPT_FLAG, NULL, OPT(interval_options, json),
	  "print JSON, one line per interval" },
	{ "heatmap", 0, OPT_OUTPUT, "FILE", OPT(interval_options, heat_map),
	  "write a heat map of the distribution over time to FILE (.svg, or a page: .html)" },
	{ 0 },
};

struct printer {
	const struct interval_options *options;
	struct interval_view view;
	enum ledger_interval interval;
	struct interval_histograms before;
	struct tool_interval when;
	bool enough; /* as many as were asked for were printed */
	struct latency_map map;
	struct interval_histograms drawn; /* what is in the map */
	struct err *err;
	int code;
};

static enum interval_group group_of(const struct interval_options *o)
{
	return o->threads      ? INTERVAL_THREAD
	       : o->processes  ? INTERVAL_PROCESS
	       : o->names      ? INTERVAL_NAME
	       : o->namespaces ? INTERVAL_PID_NAMESPACE
			       : INTERVAL_ALL;
}

/* What came since the last reading becomes a column of the heat map. */
static void draw_column(struct printer *printer, const struct ledger *ledger)
{
	struct interval_histograms fresh = { .choice = printer->options->choice };
	struct interval_histograms now = fresh;

	interval_histograms_add(&fresh, ledger, printer->interval);
	interval_histograms_add(&now, ledger, printer->interval);
	interval_histograms_subtract(&fresh, &printer->drawn);
	for (uint32_t row = 0; fresh.item.count && row < LEDGER_BUCKETS; row++)
		if (fresh.item.item[0].count[row])
			latency_map_add(&printer->map, ledger->end_ns, row,
					fresh.item.item[0].count[row]);
	interval_histograms_done(&fresh);
	interval_histograms_done(&printer->drawn);
	printer->drawn = now;
}

static bool print(struct printer *printer, const struct ledger *ledger)
{
	const struct interval_options *o = printer->options;
	struct interval_histograms now = { .group = group_of(o), .choice = o->choice };
	struct interval_histograms fresh = now;
	struct buf out = { 0 };

	interval_histograms_add(&now, ledger, printer->interval);
	interval_histograms_add(&fresh, ledger, printer->interval);
	interval_histograms_subtract(&fresh, &printer->before);
	if (o->json) {
		interval_histograms_json(&fresh, &printer->view, &out);
	} else {
		tool_put_head(o->timestamp, &out);
		interval_histograms_text(&fresh, &printer->view, &out);
	}
	printer->code = command_end_output(0, NULL, &out, printer->err);
	interval_histograms_done(&fresh);
	interval_histograms_done(&printer->before);
	printer->before = now;
	printer->enough = tool_interval_ends(&printer->when);
	return !printer->code && !printer->enough;
}

static bool on_tick(void *context, const struct ledger *ledger)
{
	struct printer *printer = context;

	if (!printer->map.start_ns)
		printer->map.start_ns = ledger->start_ns;
	if (printer->options->heat_map)
		draw_column(printer, ledger);
	return !printer->when.prints || print(printer, ledger);
}

static const char *unit_of(const struct interval_options *o, uint32_t *ret_ns)
{
	*ret_ns = o->milliseconds ? 1000000 : o->nanoseconds ? 1 : 1000;
	return o->milliseconds ? "msecs" : o->nanoseconds ? "nsecs" : "usecs";
}

static void set_up(const struct interval_options *o, const struct printer *printer,
		   struct ledger_watch_options *wall)
{
	wall->source.pids = o->pids;
	wall->source.system_wide = !o->pids;
	wall->source.ledger.idle = o->idle && !o->pids;
	wall->interval_ns = printer->when.ns;
}

static int watch(struct printer *printer, const struct ledger_watch_options *wall, struct err *err)
{
	const struct latency_map_options view = { .title = printer->view.what,
						  .thing = "intervals",
						  .unit_ns =
							  wall->source.ledger.histogram_unit_ns };
	struct ledger_watch_result result;
	int code = ledger_watch(wall, NULL, &result, err);

	if (!code && !printer->code && !printer->enough)
		(void)print(printer, &result.ledger);
	if (!code)
		code = printer->code;
	if (!code)
		code = tool_write_map(printer->options->heat_map, &printer->map, &view, err);
	ledger_watch_result_done(&result);
	return code;
}

int interval_run(const struct interval_options *options, const struct interval_subject *subject,
		 struct option_words words, struct err *err)
{
	struct printer printer = { .options = options,
				   .interval = subject->interval,
				   .view.what = subject->tracing,
				   .err = err };
	struct ledger_watch_options wall = { .tick = on_tick, .context = &printer };
	struct buf line = { 0 };
	int code = tool_interval_parse(words, options->heat_map ? MAP_COLUMN_NS : 0, &printer.when,
				       err);

	if (code)
		return code;
	if (tool_cgroup(options->cgroup, &wall.source.ledger.cgroup_id, err))
		return -1;
	set_up(options, &printer, &wall);
	printer.map.column_ns = wall.interval_ns;
	printer.view.unit = unit_of(options, &wall.source.ledger.histogram_unit_ns);
	printer.view.unit_ns = options->totals ? wall.source.ledger.histogram_unit_ns : 0;
	(void)buf_printf(&line, "Tracing %s... Hit Ctrl-C to end.\n", subject->tracing);
	if (!options->json)
		tool_announce(line.data);
	buf_done(&line);
	code = watch(&printer, &wall, err);
	interval_histograms_done(&printer.before);
	interval_histograms_done(&printer.drawn);
	latency_map_done(&printer.map);
	return code ? -1 : EXIT_STATUS_OK;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Distributions of the scheduler's intervals (see interval.h). Ctrl-C prints what has come since
 * the last one, which without an interval is all. */
#include "command/latency/interval.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "base/err.h"
#include "command/command.h"
#include "session/ledger_watch.h"
#include "source/cgroup.h"
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
	{ "heatmap", 0, OPT_STR, "FILE", OPT(interval_options, heat_map),
	  "write a heat map of the distribution over time to FILE (SVG)" },
	{ 0 },
};

struct printer {
	const struct interval_options *options;
	struct interval_view view;
	enum ledger_interval interval;
	struct interval_histograms before;
	uint64_t left; /* distributions to print; 0 = no limit */
	bool prints;   /* every interval, not at the end alone */
	bool enough;   /* as many as were asked for */
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

void interval_put_time(struct buf *out)
{
	time_t now = time(NULL);
	struct tm parts;
	char text[16] = "";

	if (localtime_r(&now, &parts) && strftime(text, sizeof(text), "%H:%M:%S", &parts))
		(void)buf_printf(out, "%s\n", text);
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

static int save_map(const struct printer *printer, const struct interval_view *view,
		    uint32_t unit_ns)
{
	const struct latency_map_options options = { .title = view->what,
						     .thing = "intervals",
						     .unit_ns = unit_ns };
	struct buf out = { 0 };
	int code;

	latency_map_svg(&printer->map, &options, &out);
	code = command_write_output(printer->options->heat_map, &out, printer->err);
	buf_done(&out);
	return code;
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
		(void)buf_putc(&out, '\n');
		if (o->timestamp)
			interval_put_time(&out);
		interval_histograms_text(&fresh, &printer->view, &out);
	}
	printer->code = command_write_output(NULL, &out, printer->err);
	buf_done(&out);
	interval_histograms_done(&fresh);
	interval_histograms_done(&printer->before);
	printer->before = now;
	printer->enough = printer->left && !--printer->left;
	return !printer->code && !printer->enough;
}

static bool on_tick(void *context, const struct ledger *ledger)
{
	struct printer *printer = context;

	if (!printer->map.start_ns)
		printer->map.start_ns = ledger->start_ns;
	if (printer->options->heat_map)
		draw_column(printer, ledger);
	return !printer->prints || print(printer, ledger);
}

int interval_parse_words(struct option_words words, uint64_t *ret_interval_ns, uint64_t *ret_count,
			 struct err *err)
{
	if (words.argc > 2)
		return command_usage(err, "unexpected argument '%s'", words.argv[2]);
	if (words.argc > 0 &&
	    option_parse_number(OPT_DURATION, words.argv[0], ret_interval_ns, err))
		return EXIT_STATUS_USAGE;
	if (words.argc > 1 && option_parse_number(OPT_UINT, words.argv[1], ret_count, err))
		return EXIT_STATUS_USAGE;
	return 0;
}

static const char *unit_of(const struct interval_options *o, uint32_t *ret_ns)
{
	*ret_ns = o->milliseconds ? 1000000 : o->nanoseconds ? 1 : 1000;
	return o->milliseconds ? "msecs" : o->nanoseconds ? "nsecs" : "usecs";
}

int interval_run(const struct interval_options *options, const struct interval_subject *subject,
		 struct option_words words, struct err *err)
{
	struct printer printer = { .options = options,
				   .interval = subject->interval,
				   .view.what = subject->tracing,
				   .err = err };
	struct ledger_watch_options wall = { .source = { .pids = options->pids,
							 .system_wide = !options->pids,
							 .ledger.idle = options->idle &&
									!options->pids },
					     .tick = on_tick,
					     .context = &printer };
	struct ledger_watch_result result;
	int code = interval_parse_words(words, &wall.interval_ns, &printer.left, err);

	if (code)
		return code;
	if (options->cgroup && cgroup_id(options->cgroup, &wall.source.ledger.cgroup_id, err))
		return -1;
	printer.prints = wall.interval_ns != 0;
	if (!printer.prints && options->heat_map)
		wall.interval_ns = MAP_COLUMN_NS;
	printer.map.column_ns = wall.interval_ns;
	printer.view.unit = unit_of(options, &wall.source.ledger.histogram_unit_ns);
	printer.view.unit_ns = options->totals ? wall.source.ledger.histogram_unit_ns : 0;
	if (!options->json)
		(void)printf("Tracing %s... Hit Ctrl-C to end.\n", subject->tracing);
	(void)fflush(stdout); /* a failure shows at the end */
	code = ledger_watch(&wall, NULL, &result, err);
	if (!code && !printer.code && !printer.enough)
		(void)print(&printer, &result.ledger);
	if (!code && !printer.code && options->heat_map)
		printer.code =
			save_map(&printer, &printer.view, wall.source.ledger.histogram_unit_ns);
	ledger_watch_result_done(&result);
	interval_histograms_done(&printer.before);
	interval_histograms_done(&printer.drawn);
	latency_map_done(&printer.map);
	return code || printer.code ? -1 : EXIT_STATUS_OK;
}

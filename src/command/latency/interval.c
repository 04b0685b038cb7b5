/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Distributions of the scheduler's intervals (see interval.h). Without an interval one distribution
 * is printed, when Ctrl-C ends the command. */
#include "command/latency/interval.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "base/err.h"
#include "command/command.h"
#include "session/wall.h"
#include "view/ledger/interval_histogram.h"

const struct option_def interval_rows[] = {
	{ "pid", 'p', OPT_STR, "LIST", OPT(interval_options, pids), "only these processes" },
	{ "timestamp", 'T', OPT_FLAG, NULL, OPT(interval_options, timestamp),
	  "print the time of day before each distribution" },
	{ "milliseconds", 'm', OPT_FLAG, NULL, OPT(interval_options, milliseconds),
	  "count in milliseconds instead of microseconds" },
	{ "nanoseconds", 'N', OPT_FLAG, NULL, OPT(interval_options, nanoseconds),
	  "count in nanoseconds" },
	{ "pids", 'P', OPT_FLAG, NULL, OPT(interval_options, processes),
	  "a distribution per process" },
	{ "tids", 'L', OPT_FLAG, NULL, OPT(interval_options, threads),
	  "a distribution per thread" },
	{ "comms", 0, OPT_FLAG, NULL, OPT(interval_options, names),
	  "a distribution per name of threads" },
	{ "json", 0, OPT_FLAG, NULL, OPT(interval_options, json), "print JSON, a line each time" },
	{ 0 },
};

struct printer {
	const struct interval_options *options;
	struct interval_view view;
	enum ledger_interval interval;
	struct interval_histograms before;
	uint64_t left; /* distributions to print; 0 = no limit */
	struct err *err;
	int code;
};

static enum interval_group group_of(const struct interval_options *o)
{
	return o->threads     ? INTERVAL_THREAD
	       : o->processes ? INTERVAL_PROCESS
	       : o->names     ? INTERVAL_NAME
			      : INTERVAL_ALL;
}

static void put_time(struct buf *out)
{
	time_t now = time(NULL);
	struct tm parts;
	char text[16] = "";

	if (localtime_r(&now, &parts) && strftime(text, sizeof(text), "%H:%M:%S", &parts))
		(void)buf_printf(out, "%s\n", text);
}

static bool print(void *context, const struct ledger *ledger)
{
	struct printer *printer = context;
	const struct interval_options *o = printer->options;
	struct interval_histograms now = { .group = group_of(o) }, fresh = { .group = now.group };
	struct buf out = { 0 };

	interval_histograms_add(&now, ledger, printer->interval);
	interval_histograms_add(&fresh, ledger, printer->interval);
	interval_histograms_subtract(&fresh, &printer->before);
	if (o->json) {
		interval_histograms_json(&fresh, &printer->view, &out);
	} else {
		(void)buf_putc(&out, '\n');
		if (o->timestamp)
			put_time(&out);
		interval_histograms_text(&fresh, &printer->view, &out);
	}
	printer->code = command_write_output(NULL, &out, printer->err);
	buf_done(&out);
	interval_histograms_done(&fresh);
	interval_histograms_done(&printer->before);
	printer->before = now;
	return !printer->code && (!printer->left || --printer->left);
}

static int parse_words(struct option_words words, uint64_t *ret_interval_ns, uint64_t *ret_count,
		       struct err *err)
{
	if (words.argc > 2)
		return command_usage(err, "unexpected word '%s'", words.argv[2]);
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
	struct wall_options wall = { .pids = options->pids,
				     .everybody = !options->pids,
				     .tick = print,
				     .context = &printer };
	struct wall_result result;
	int code = parse_words(words, &wall.interval_ns, &printer.left, err);

	if (code)
		return code;
	printer.view.unit = unit_of(options, &wall.histogram_unit_ns);
	if (!options->json)
		(void)printf("Tracing %s... Hit Ctrl-C to end.\n", subject->tracing);
	(void)fflush(stdout); /* a failure shows at the end */
	code = session_wall(&wall, NULL, &result, err);
	if (!code && !printer.code && !wall.interval_ns)
		(void)print(&printer, &result.ledger);
	wall_result_done(&result);
	interval_histograms_done(&printer.before);
	return code || printer.code ? -1 : EXIT_STATUS_OK;
}

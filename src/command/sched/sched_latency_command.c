/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel sched latency: how long threads waited for a CPU. */
#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "command/command.h"
#include "command/sched/sched_input.h"
#include "format/perf_data/perf_data.h"
#include "profile/sched/sched_delay.h"
#include "session/filter.h"
#include "session/sched/sched_trace.h"
#include "view/sched/sched_latency.h"

struct latency_options {
	struct sched_input_options input;
	const char *sort, *time;
	uint64_t cpu;
	bool has_cpu, per_thread, json;
	struct sched_latency_options view;
};

static int set_cpu(void *field, const char *value, bool negated, struct err *err)
{
	struct latency_options *o = field;

	o->has_cpu = !negated;
	return negated ? 0 : option_parse_number(OPT_UINT, value, &o->cpu, err);
}

static const struct option_def latency_rows[] = {
	{ "sort", 's', OPT_STR, "KEYS", OPT(latency_options, sort),
	  "sort by these columns, descending: avg, max, switch, runtime, pid (default "
	  "avg,max,switch,runtime)",
	  .choices = "avg max switch runtime pid" },
	{ "pids", 'p', OPT_FLAG, NULL, OPT(latency_options, per_thread),
	  "one row per thread instead of one per name" },
	{ "CPU", 'C', OPT_CALL, "CPU", 0, "only this CPU", set_cpu, NULL },
	{ "histogram", 'H', OPT_FLAG, NULL, OPT(latency_options, view.histogram),
	  "also show the distribution of delays" },
	{ "hist-mode", 0, OPT_FLAG, NULL, OPT(latency_options, view.histogram), NULL },
	{ "time", 0, OPT_STR, "RANGE", OPT(latency_options, time),
	  "only waits that end in this time range: \"start,stop\" in seconds" },
	{ "json", 0, OPT_FLAG, NULL, OPT(latency_options, json),
	  "print JSON, times in nanoseconds" },
	{ .type = OPT_INCLUDE, .include = sched_input_rows, .offset = OPT(latency_options, input) },
	{ 0 },
};

static enum sched_delay_key key_of(const char *word, size_t len)
{
	static const struct {
		const char *name;
		enum sched_delay_key key;
	} keys[] = {
		{ "avg", SCHED_DELAY_AVERAGE },	 { "max", SCHED_DELAY_MAX },
		{ "switch", SCHED_DELAY_COUNT }, { "runtime", SCHED_DELAY_RUNTIME },
		{ "pid", SCHED_DELAY_TID },
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (strlen(keys[i].name) == len && strncmp(keys[i].name, word, len) == 0)
			return keys[i].key;
	return SCHED_DELAY_NONE;
}

static int parse_order(const char *text, struct sched_delay_order *ret, struct err *err)
{
	size_t max = sizeof(ret->key) / sizeof(*ret->key) - 1, count = 0;

	for (text += strspn(text, ", "); *text; text += strspn(text, ", ")) {
		size_t len = strcspn(text, ", ");
		enum sched_delay_key key = key_of(text, len);

		if (key == SCHED_DELAY_NONE || count == max)
			return command_usage(err,
					     "--sort: invalid value '%.*s': expected avg, max, "
					     "switch, runtime or pid",
					     (int)len, text);
		ret->key[count++] = key;
		text += len;
	}
	return 0;
}

/* Reads --time into the window of the delays. */
static int set_window(const char *time, const struct perf_data_header *header,
		      struct sched_delays *delays, struct err *err)
{
	struct filter_spec spec = { .time = time };
	struct filter *filter = NULL;
	int code = filter_parse(&spec, header->first_ns, header->last_ns, &filter, err);

	if (!code)
		filter_window(filter, &delays->start_ns, &delays->end_ns);
	filter_free(filter);
	return code;
}

struct latency_request {
	const struct latency_options *options;
	struct sched_delay_order order;
};

static int show(void *context, struct sched_input *input, struct err *err)
{
	const struct latency_request *request = context;
	const struct latency_options *o = request->options;
	struct sched_delays delays;
	int code;

	sched_delays_init(&delays, o->has_cpu ? (int32_t)o->cpu : -1);
	code = set_window(o->time, perf_data_header(input->data), &delays, err);
	if (!code)
		code = sched_input_read(input, &o->input, &delays.sink, 0, err);
	if (!code) {
		const struct sched_faults *faults = sched_trace_faults(input->trace);

		sched_delays_finish(&delays, &request->order);
		if (o->json)
			sched_latency_json(&delays, faults, &input->out);
		else
			sched_latency_table(&delays, faults, &o->view, &input->out);
		code = sched_input_flush(input, err);
	}
	sched_delays_done(&delays);
	return code;
}

static int latency_run(void *options, int argc, char **argv, struct err *err)
{
	const struct latency_options *o = options;
	struct latency_request request = { o, { .per_thread = o->per_thread } };
	const char *sort = o->sort ? o->sort : "avg,max,switch,runtime";

	if (parse_order(sort, &request.order, err))
		return EXIT_STATUS_USAGE;
	return sched_input_run(&o->input, (struct option_words){ argc, argv }, show, &request, err);
}

const struct command cmd_sched_latency = {
	.name = "sched latency",
	.args = "[options] [FILE]",
	.summary = "show how long threads waited for a CPU",
	.options = latency_rows,
	.options_size = sizeof(struct latency_options),
	.run = latency_run,
	.reads = true,
	.names_outputs = true,
};

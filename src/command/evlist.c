/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel evlist: the events of a recording. Lines are spelled as perf evlist spells them. */

#include "base/buf.h"
#include "base/err.h"
#include "command/command.h"
#include "command/load_options.h"
#include "command/option/accepted.h"
#include "command/option/option.h"
#include "event/attr_text.h"
#include "format/perf_data/perf_data.h"
#include "format/trace/trace_print.h"
#include "session/recording.h"

struct evlist_options {
	const char *input;
	unsigned verbose;
	bool freq, group, trace_fields;
};

static const struct option_def evlist_rows[] = {
	{ "input", 'i', OPT_STR, "FILE", OPT(evlist_options, input),
	  "recording to read (default perf.data, - for stdin)" },
	{ "freq", 'F', OPT_FLAG, NULL, OPT(evlist_options, freq),
	  "show the sample frequency or period" },
	{ "verbose", 'v', OPT_COUNT, NULL, OPT(evlist_options, verbose),
	  "show all fields of the event attributes" },
	{ "group", 'g', OPT_FLAG, NULL, OPT(evlist_options, group), "show groups in braces" },
	{ "trace-fields", 0, OPT_FLAG, NULL, OPT(evlist_options, trace_fields),
	  "show the fields of tracepoints" },
	{ .type = OPT_INCLUDE, .include = trust_option_rows },
	{ .type = OPT_INCLUDE, .include = accepted_reader_rows },
	{ 0 },
};

static bool is_tracepoint(const struct event_desc *desc)
{
	return desc->attr.type == PERF_TYPE_TRACEPOINT;
}

/* The leader and all of its members, which follow it. */
static void put_group(const struct event_set *set, size_t leader, struct buf *out)
{
	size_t end = leader + 1;

	while (end < set->desc.count && set->desc.item[end]->group_leader == (int32_t)leader)
		end++;
	(void)buf_puts(out, end - leader > 1 ? "{" : "");
	for (size_t i = leader; i < end; i++)
		(void)buf_printf(out, "%s%s", i > leader ? "," : "", set->desc.item[i]->name);
	(void)buf_puts(out, end - leader > 1 ? "}\n" : "\n");
}

static void put_details(const struct event_desc *desc, const struct evlist_options *o,
			struct trace_print *fields, struct buf *out)
{
	(void)buf_puts(out, desc->name);
	if (o->verbose) {
		struct buf text = { 0 };

		(void)event_attr_text(&desc->attr, ", ", ": ", &text);
		if (text.len > 2)
			(void)buf_printf(out, ": %s", text.data + 2);
		buf_done(&text);
	} else if (o->freq) {
		(void)buf_printf(out, ": %s=%llu",
				 desc->attr.freq ? "sample_freq" : "sample_period",
				 (unsigned long long)desc->attr.sample_freq);
	}
	if (o->trace_fields && is_tracepoint(desc)) {
		(void)buf_puts(out, ": trace_fields: ");
		(void)trace_print_names(fields, desc, out);
	} else if (o->trace_fields) {
		(void)buf_puts(out, ": (not a tracepoint)");
	}
	(void)buf_putc(out, '\n');
}

static void put_events(struct perf_data *data, const struct evlist_options *o, struct buf *out)
{
	const struct event_set *set = perf_data_events(data);
	struct trace_print *fields = o->trace_fields ? trace_print_new(data) : NULL;
	bool tracepoints = false;

	for (size_t i = 0; i < set->desc.count; i++) {
		const struct event_desc *desc = set->desc.item[i];

		tracepoints = tracepoints || is_tracepoint(desc);
		if (!o->group)
			put_details(desc, o, fields, out);
		else if (desc->group_leader == (int32_t)i)
			put_group(set, i, out);
	}
	if (tracepoints && !o->trace_fields)
		(void)buf_puts(out, "# Tip: use 'cupel evlist --trace-fields' to show fields for "
				    "tracepoint events\n");
	trace_print_free(fields);
}

static int evlist_run(void *options, int argc, char **argv, struct err *err)
{
	const struct evlist_options *o = options;
	struct recording *recording = NULL;
	struct perf_data *data;
	struct buf out = { 0 };
	const char *input;
	int status = -1;

	if (command_take_input(&(struct option_words){ argc, argv }, o->input, &input, err))
		return EXIT_STATUS_USAGE;
	if (o->group && (o->verbose || o->freq))
		return command_usage(err, "--group option is not compatible with other options");
	if (!recording_open(input, &recording, err) && !recording_data(recording, &data, err)) {
		put_events(data, o, &out);
		if (!command_write_output(NULL, &out, err))
			status = EXIT_STATUS_OK;
	}
	buf_done(&out);
	recording_close(recording);
	return status;
}

const struct command cmd_evlist = {
	.name = "evlist",
	.args = "[options] [FILE]",
	.summary = "list the events of a recording",
	.options = evlist_rows,
	.options_size = sizeof(struct evlist_options),
	.run = evlist_run,
	.reads = true,
	.names_outputs = true,
};

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel c2c report: which cache lines CPUs take from one another, and who accesses them. */
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "command/command.h"
#include "command/load_options.h"
#include "command/output.h"
#include "command/reader.h"
#include "format/perf_data/perf_data.h"
#include "format/perf_data/perf_data_numa.h"
#include "profile/c2c/c2c.h"
#include "profile/profile.h"
#include "session/load/load.h"
#include "session/recording.h"
#include "view/c2c/c2c_view.h"

struct c2c_report {
	struct input_options input;
	struct output_options output;
	struct c2c_options sums;
	bool display_given;
	unsigned node_detail;
	bool stdio, stats, no_source, full_symbols;
};

static int set_display(void *field, const char *value, bool negated, struct err *err)
{
	struct c2c_report *o = field;
	unsigned choice = 0;

	o->display_given = !negated;
	if (!negated && option_set_word(&choice, value, "tot lcl rmt peer", err))
		return err->code;
	o->sums.display = (enum c2c_display)choice;
	return 0;
}

static int set_coalesce(void *field, const char *value, bool negated, struct err *err)
{
	static const char *const words[] = { "pid", "tid", "iaddr", "dso" };
	unsigned *bits = field;

	*bits = 0;
	while (!negated && *value) {
		size_t len = strcspn(value, ","), i = 0;

		while (i < 4 && (strlen(words[i]) != len || strncmp(words[i], value, len) != 0))
			i++;
		if (i == 4)
			return option_bad_value(err, value, "some of pid,tid,iaddr,dso");
		*bits |= 1u << i;
		value += len + (value[len] == ',');
	}
	return 0;
}

static int no_more_source(void *field, const char *value, bool negated, struct err *err)
{
	(void)value;
	(void)err;
	*(bool *)field = !negated;
	return 0;
}

static const struct option_def c2c_report_rows[] = {
	{ "Cache lines", 0, OPT_GROUP, NULL, 0, NULL },
	{ "display", 'd', OPT_CALL, "TYPE", 0,
	  "rank lines by tot, lcl or rmt (lines modified in another cache: all, of this node, of "
	  "others), or peer (taken from another core; default on arm64, else tot)",
	  set_display, .choices = "tot lcl rmt peer" },
	{ "coalesce", 'c', OPT_CALL, "KEYS", OPT(c2c_report, sums.coalesce),
	  "entries of a line by pid,tid,iaddr,dso besides the offset (default iaddr)", set_coalesce,
	  .choices = "pid tid iaddr dso" },
	{ "double-cl", 0, OPT_FLAG, NULL, OPT(c2c_report, sums.double_line),
	  "two neighbouring lines are one: they are fetched together" },
	{ "show-all", 0, OPT_FLAG, NULL, OPT(c2c_report, sums.all),
	  "lines without such accesses, too" },
	{ "node-info", 'N', OPT_COUNT, NULL, OPT(c2c_report, node_detail),
	  "nodes of each entry with their shares; -NN: with their CPUs" },
	{ "stats", 0, OPT_FLAG, NULL, OPT(c2c_report, stats), "print the counts, no tables" },
	{ "no-source", 0, OPT_CALL, NULL, OPT(c2c_report, no_source),
	  "no column of lines of source", no_more_source },
	{ "full-symbols", 0, OPT_FLAG, NULL, OPT(c2c_report, full_symbols),
	  "names of functions in full" },
	{ "stdio", 0, OPT_FLAG, NULL, OPT(c2c_report, stdio), "print text (default)" },
	{ .type = OPT_INCLUDE, .include = output_option_rows, .offset = OPT(c2c_report, output) },
	{ .type = OPT_INCLUDE, .include = input_option_rows, .offset = OPT(c2c_report, input) },
	{ 0 },
};

static void c2c_report_defaults(void *options)
{
	struct c2c_report *o = options;

	input_options_defaults(&o->input);
	o->sums.coalesce = C2C_BY_ADDRESS;
}

static int load(struct c2c_report *o, struct recording *recording, struct profile **ret,
		struct err *err)
{
	struct load_options load = {
		.keep = PROFILE_KEEP_CPU | PROFILE_KEEP_ADDR | PROFILE_ADDR_IS_ACCESS,
		.access = LOAD_ACCESS_COST,
		.detail = RESOLVE_ADDRESSES,
		.ends_only = true,
	};

	input_options_apply(&o->input, &load);
	load.symbol.inlines = false; /* an entry is about one place */
	load.symbol.lines = !o->no_source;
	if (recording_load(recording, &load, ret, err))
		return -1;
	input_warn_missing(recording_name(recording), *ret);
	return 0;
}

static void show(struct c2c_report *o, const struct profile *profile, const numa_nodes *nodes,
		 struct buf *ret)
{
	const struct option_words *words = command_words();
	struct c2c c2c;
	const struct c2c_view view = {
		.profile = profile,
		.c2c = &c2c,
		.node_of = nodes->item,
		.cpu_count = nodes->count,
		.node_detail = o->node_detail > 2 ? 2 : o->node_detail,
		.stats_only = o->stats,
		.no_source = o->no_source,
		.full_symbols = o->full_symbols,
		.lost = profile->meta.lost_samples + profile->meta.lost_events,
		.words = (const char *const *)words->argv,
		.word_count = (size_t)words->argc,
	};

	if (!o->display_given &&
	    strcmp(profile_string(profile, profile->meta.arch), "aarch64") == 0)
		o->sums.display = C2C_PEER;
	c2c_sum_up(profile, &o->sums, &c2c);
	if (c2c.all.unparsed == c2c.all.entries)
		command_warn("no sample has the source of its data: record with cupel c2c record");
	if (o->output.json)
		c2c_json(&view, ret);
	else
		c2c_text(&view, ret);
	c2c_done(&c2c);
}

static int c2c_report_run(void *options, int argc, char **argv, struct err *err)
{
	struct c2c_report *o = options;
	struct recording *recording = NULL;
	struct profile *profile = NULL;
	struct perf_data *data;
	struct buf text = { 0 };
	numa_nodes nodes = { 0 };
	const char *input;
	int code;

	if (command_take_input(&(struct option_words){ argc, argv }, o->input.input, &input, err))
		return EXIT_STATUS_USAGE;
	reader_begin(command_words(), o->output.path);
	code = recording_open(input, &recording, err);
	if (!code)
		code = recording_data(recording, &data, err);
	if (!code)
		code = load(o, recording, &profile, err);
	if (!code) {
		(void)perf_data_numa(data, &nodes); /* without it, nodes are N/A */
		show(o, profile, &nodes, &text);
	}
	code = command_end_output(code, o->output.path, &text, err);
	vec_done(&nodes);
	profile_free(profile);
	recording_close(recording);
	return code ? -1 : EXIT_STATUS_OK;
}

static void c2c_report_done(void *options)
{
	input_options_done(&((struct c2c_report *)options)->input);
}

const struct command cmd_c2c_report = {
	.name = "c2c report",
	.args = "[options] [FILE]",
	.summary = "show which cache lines CPUs take from one another",
	.options = c2c_report_rows,
	.options_size = sizeof(struct c2c_report),
	.defaults = c2c_report_defaults,
	.run = c2c_report_run,
	.done = c2c_report_done,
};

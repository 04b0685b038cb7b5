/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel diff: what changed between two profiles, or two sets of them, and how sure that is. Without
 * inputs it compares perf.data.old with perf.data, as perf does. */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/par.h"
#include "command/command.h"
#include "command/diff/diff_gate.h"
#include "command/load_options.h"
#include "command/option/option.h"
#include "profile/diff/diff.h"
#include "session/load/load.h"
#include "session/recording.h"
#include "view/diff/diff_json.h"
#include "view/diff/diff_page.h"
#include "view/diff/diff_text.h"
#include "view/diff/diff_warning.h"

enum output_format {
	FORMAT_AUTO,
	FORMAT_TEXT,
	FORMAT_JSON,
	FORMAT_FOLDED,
	FORMAT_HTML,
	FORMAT_SVG
};

struct diff_command {
	struct input_options input;
	struct diff_options compare;
	struct diff_text_options text;
	struct diff_folded_options folded;
	struct option_list before, after, rules;
	enum output_format format;
	bool json, absolute;
	double rate_percent;
	uint64_t limit;
	const char *output, *title;
};

static_assert(FORMAT_SVG == 5, "ORDER: the words follow enum output_format");
static_assert(DIFF_MEASURE_SAMPLES == 2, "ORDER: the words follow enum diff_measure");

#define OWN(field) OPT(diff_command, field)

static const struct option_def diff_rows[] = {
	{ "Sides", 0, OPT_GROUP, NULL, 0, NULL, NULL, NULL },
	{ "before", 0, OPT_WORDS, "FILE...", OWN(before), "runs before the change, two or more",
	  NULL, NULL },
	{ "after", 0, OPT_WORDS, "FILE...", OWN(after), "runs after the change, two or more", NULL,
	  NULL },
	{ "event", 'e', OPT_STR, "EVENT", OWN(compare.event), "this event, not the first one", NULL,
	  NULL },
	{ "by", 0, OPT_CHOICE, "MEASURE", OWN(compare.measure),
	  "compare samples, weight (time, events) or auto", .choices = "auto weight samples" },
	{ "absolute", 0, OPT_FLAG, NULL, OWN(absolute),
	  "compare amounts as a share of the total before, instead of shares of each side", NULL,
	  NULL },
	{ "no-comm", 0, OPT_FLAG, NULL, OWN(compare.no_roots),
	  "no root frames for commands; use it when command names differ", NULL, NULL },
	{ "reverse", 0, OPT_FLAG, NULL, OWN(compare.reverse), "merge stacks from the leaf", NULL,
	  NULL },
	{ "rate", 0, OPT_DOUBLE, "PERCENT", OWN(rate_percent),
	  "false discovery rate: expected percentage of false ones among reported changes (5)",
	  NULL, NULL },
	{ "sample-weight", 0, OPT_DOUBLE, "NUMBER", OWN(compare.weight_per_sample),
	  "what one sample weighs, where the input does not say (folded stacks: see DESCRIPTION)",
	  NULL, NULL },
	{ "Output", 0, OPT_GROUP, NULL, 0, NULL, NULL, NULL },
	{ "output", 'o', OPT_OUTPUT, "FILE", OWN(output), "write to FILE, - = standard output",
	  NULL, NULL },
	{ "format", 0, OPT_CHOICE, "FORMAT", OWN(format),
	  "text, json, html or svg (flame graphs) or folded (two columns, as from difffolded.pl); "
	  "default: by the suffix of FILE",
	  .choices = "auto text json folded html svg" },
	{ "title", 0, OPT_STR, "TEXT", OWN(title), "title of the flame graph", NULL, NULL },
	{ "json", 0, OPT_FLAG, NULL, OWN(json), "the same as --format json", NULL, NULL },
	{ "paths", 0, OPT_FLAG, NULL, OWN(text.paths), "report paths instead of functions", NULL,
	  NULL },
	{ "all", 0, OPT_FLAG, NULL, OWN(text.all), "also report changes that may be chance (~)",
	  NULL, NULL },
	{ "limit", 0, OPT_UINT, "ROWS", OWN(limit), "rows of each table (25)", NULL, NULL },
	{ "normalize", 'n', OPT_FLAG, NULL, OWN(folded.normalize),
	  "folded: scale the first column to the sum of the second", NULL, NULL },
	{ "strip-hex", 's', OPT_FLAG, NULL, OWN(folded.strip_hex),
	  "folded: replace each address by 0x... in names", NULL, NULL },
	{ "fail-on", 0, OPT_LIST, "RULE", OWN(rules),
	  "exit with 3 if the rule is broken, 4 if the data is inconclusive: self(NAME)>+1%, "
	  "total>5%, "
	  "new>0.5%",
	  NULL, NULL },
	{ "input", 0, OPT_INCLUDE, NULL, OWN(input), NULL, NULL, profile_option_rows },
	{ 0 },
};

static void diff_defaults(void *poptions)
{
	struct diff_command *options = poptions;

	input_options_defaults(&options->input);
	options->rate_percent = 5;
}

/* The inputs of both sides, in one list. */
struct inputs {
	const char **path[2];
	size_t count[2];
	struct profile **profile[2];
	struct err *err; /* by input */
	const struct load_options *load;
};

static void load_one(void *context, size_t i, size_t worker)
{
	struct inputs *inputs = context;
	int side = i >= inputs->count[0];
	size_t at = side ? i - inputs->count[0] : i;

	(void)worker;
	(void)session_load(inputs->path[side][at], inputs->load, &inputs->profile[side][at],
			   &inputs->err[i]);
}

static int load_all(struct inputs *inputs, struct err *err)
{
	size_t all = inputs->count[0] + inputs->count[1];
	int r = 0;

	inputs->err = mem_zalloc(all * sizeof(*inputs->err));
	for (int side = 0; side < 2; side++)
		inputs->profile[side] = mem_zalloc(inputs->count[side] * sizeof(**inputs->profile));
	/* one after the other where they share pseudonyms */
	par_for(all, inputs->load->redaction ? all : 1, load_one, inputs);
	for (size_t i = 0; i < all && r == 0; i++)
		if (inputs->err[i].code) {
			*err = inputs->err[i];
			r = err->code;
		}
	for (int side = 0; r == 0 && side < 2; side++)
		for (size_t i = 0; i < inputs->count[side]; i++)
			input_warn_missing(inputs->path[side][i], inputs->profile[side][i]);
	return r;
}

static void inputs_done(struct inputs *inputs)
{
	for (int side = 0; side < 2; side++) {
		for (size_t i = 0; inputs->profile[side] && i < inputs->count[side]; i++)
			profile_free(inputs->profile[side][i]);
		free(inputs->profile[side]);
	}
	free(inputs->err);
}

/* What a side is called: its file, or the first of its runs. */
static const char *side_name(const struct inputs *inputs, int side)
{
	return inputs->path[side][0];
}

static void print_warnings(const char *warnings)
{
	while (*warnings) {
		size_t len = strcspn(warnings, "\n");

		command_warn("%.*s", (int)len, warnings);
		warnings += len + (warnings[len] == '\n');
	}
}

struct comparison {
	struct diff_command *options;
	struct diff_input input;
	struct buf warnings;
	struct buf *out;
};

/* JSON covers every event that both sides have. */
static int write_json(struct comparison *c, struct err *err)
{
	const struct profile *after = c->input.runs[DIFF_AFTER][0];
	VEC(struct diff *) diffs = { 0 };
	struct diff_options options = c->options->compare;
	int r = 0;

	for (size_t i = 0; i < after->events.count && r == 0; i++) {
		struct diff *diff;

		if (!after->events.item[i].samples)
			continue;
		options.event = profile_string(after, after->events.item[i].name);
		diff = mem_zalloc(sizeof(*diff));
		r = diff_build(&c->input, &options, diff, err);
		if (r) {
			free(diff);
			r = r == -ENOENT ? 0 : r; /* a warning says that it is on one side only */
			continue;
		}
		vec_push(&diffs, diff);
	}
	if (r == 0)
		diff_json((const struct diff *const *)diffs.item, diffs.count,
			  c->warnings.data ? c->warnings.data : "", c->out);
	for (size_t i = 0; i < diffs.count; i++) {
		diff_done(diffs.item[i]);
		free(diffs.item[i]);
	}
	vec_done(&diffs);
	return r;
}

static int write_output(struct comparison *c, const struct diff *diff, struct err *err)
{
	const struct diff_command *options = c->options;
	const struct diff *diffs[] = { diff };
	struct diff_page_options page;

	switch (options->format) {
	case FORMAT_JSON:
		if (!options->compare.event)
			return write_json(c, err);
		diff_json(diffs, 1, c->warnings.data ? c->warnings.data : "", c->out);
		return 0;
	case FORMAT_FOLDED:
		diff_folded(diff, &options->folded, c->out);
		return 0;
	case FORMAT_HTML:
	case FORMAT_SVG:
		page = (struct diff_page_options){ .title = options->title,
						   .before = options->text.before,
						   .after = options->text.after,
						   .warnings = c->warnings.data };
		return options->format == FORMAT_SVG ? diff_svg(diff, &page, c->out, err)
						     : diff_page(diff, &page, c->out, err);
	default:
		diff_text(diff, &options->text, c->out);
		return 0;
	}
}

static int compare(struct diff_command *options, const struct inputs *inputs, struct err *err)
{
	struct buf out = { 0 };
	struct comparison c = { .options = options, .out = &out };
	struct diff diff;
	int status = -1;

	for (int side = 0; side < 2; side++) {
		c.input.runs[side] = (const struct profile *const *)inputs->profile[side];
		c.input.count[side] = inputs->count[side];
	}
	options->compare.no_roots |= diff_warn_programs(&c.input, &c.warnings);
	diff_warnings(&c.input, options->compare.event, &c.warnings);
	if (diff_build(&c.input, &options->compare, &diff, err)) {
		buf_done(&c.warnings);
		return -1;
	}
	if (diff.undecided.v)
		(void)buf_printf(&c.warnings, "no verdicts: %s\n",
				 strtab_get(diff.names, diff.undecided));
	if (c.warnings.data)
		print_warnings(c.warnings.data);
	if (!write_output(&c, &diff, err) && !command_write_output(options->output, &out, err))
		status = diff_gate(&options->rules, &diff);
	buf_done(&out);
	buf_done(&c.warnings);
	diff_done(&diff);
	return status;
}

/* Words are two inputs, or the one after; both have perf's defaults. */
static int take_words(struct diff_command *options, int argc, char **argv, struct err *err)
{
	bool sets = options->before.count || options->after.count;

	if (sets && argc)
		return command_usage(err, "give two inputs, or --before and --after, not both");
	if (sets && (!options->before.count || !options->after.count))
		return command_usage(err, "--before and --after must be used together");
	if (argc > 2)
		return command_usage(
			err,
			"expected two inputs; use --before and --after for several runs of each");
	if (!sets && argc < 2) { /* perf's names, as far as there are such files */
		const char *missing = access("perf.data.old", F_OK)	   ? "perf.data.old"
				      : !argc && access("perf.data", F_OK) ? "perf.data"
									   : NULL;

		if (missing) {
			(void)err_set(err, -ENOENT,
				      "%s: no such file, which is compared by default", missing);
			(void)err_hint(err, "name two inputs: cupel diff BEFORE AFTER");
			return -1;
		}
	}
	if (!sets) {
		option_list_add(&options->before, argc == 2 ? argv[0] : "perf.data.old");
		option_list_add(&options->after, argc ? argv[argc - 1] : "perf.data");
	}
	return 0;
}

static enum output_format format_by_name(const char *output)
{
	static const struct {
		const char *suffix;
		enum output_format format;
	} known[] = { { ".html", FORMAT_HTML },
		      { ".htm", FORMAT_HTML },
		      { ".svg", FORMAT_SVG },
		      { ".json", FORMAT_JSON },
		      { ".folded", FORMAT_FOLDED } };
	const char *suffix = output ? strrchr(output, '.') : NULL;

	for (size_t i = 0; suffix && i < sizeof(known) / sizeof(known[0]); i++)
		if (strcmp(suffix, known[i].suffix) == 0)
			return known[i].format;
	return FORMAT_TEXT;
}

static int check(struct diff_command *options, struct err *err)
{
	if (diff_gate_check(&options->rules, err))
		return command_usage(err, "%s", err->msg);
	if (!(options->rate_percent > 0 && options->rate_percent < 100))
		return command_usage(err, "--rate: expected a percentage between 0 and 100");
	options->compare.rate = options->rate_percent / 100;
	options->compare.kind = options->absolute ? AMOUNTS : SHARES;
	options->text.limit = (size_t)options->limit;
	if (options->json)
		options->format = FORMAT_JSON;
	if (options->format == FORMAT_AUTO)
		options->format = format_by_name(options->output);
	if (options->format == FORMAT_FOLDED)
		options->compare.measure = DIFF_MEASURE_WEIGHT;
	return 0;
}

static int diff_run(void *poptions, int argc, char **argv, struct err *err)
{
	struct diff_command *options = poptions;
	struct load_options load = { .detail = RESOLVE_NAMES };
	struct inputs inputs = { .load = &load };
	int status = take_words(options, argc, argv, err);

	if (!status)
		status = check(options, err);
	if (status)
		return status;
	input_options_apply(&options->input, &load);
	load.symbol.lines = false;
	load.symbol.shared = symbol_shared_new(); /* both sides have the same files */
	load.merge_threads = true;
	inputs.path[DIFF_BEFORE] = options->before.item;
	inputs.path[DIFF_AFTER] = options->after.item;
	inputs.count[DIFF_BEFORE] = options->before.count;
	inputs.count[DIFF_AFTER] = options->after.count;
	/* Without several runs, sample times show bursts. */
	if (inputs.count[DIFF_BEFORE] == 1 && inputs.count[DIFF_AFTER] == 1)
		load.keep = PROFILE_KEEP_TIME;
	options->text.before = load.redaction ? "before" : side_name(&inputs, DIFF_BEFORE);
	options->text.after = load.redaction ? "after" : side_name(&inputs, DIFF_AFTER);
	status = load_all(&inputs, err) ? -1 : compare(options, &inputs, err);
	inputs_done(&inputs);
	symbol_shared_free(load.symbol.shared);
	return status;
}

static void diff_command_done(void *options)
{
	input_options_done(&((struct diff_command *)options)->input);
}

const struct command cmd_diff = {
	.name = "diff",
	.args = "[options] [BEFORE] [AFTER]",
	.summary = "compare profiles and separate changes from chance",
	.options = diff_rows,
	.options_size = sizeof(struct diff_command),
	.defaults = diff_defaults,
	.run = diff_run,
	.done = diff_command_done,
	.reads = true,
};

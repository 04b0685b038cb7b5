/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel report: where the time went, as a table. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/memory_limit.h"
#include "command/browser/report_browser.h"
#include "command/browser/screen.h"
#include "command/command.h"
#include "command/load_options.h"
#include "command/option/accepted.h"
#include "command/option/option.h"
#include "command/reader.h"
#include "command/report/report_facts.h"
#include "command/report/report_fields.h"
#include "command/report/report_tasks.h"
#include "profile/ignore_callees.h"
#include "profile/profile.h"
#include "session/load/load.h"
#include "session/recording.h"
#include "symbol/code/disassembler.h"
#include "symbol/kernel/kcore.h"
#include "view/report/report.h"
#include "view/report/report_stacks.h"
#include "view/text_report/text_report.h"

/* The value of -g; `set` distinguishes it from the default. */
struct graph_choice {
	bool set, order_set;
	enum report_graph style;
	enum report_graph_value value;
	double threshold;
	uint32_t print_limit;
	bool caller, by_address;
};

enum interval_choice { INTERVAL_DEFAULT, INTERVAL_ON, INTERVAL_OFF };
enum children_choice { CHILDREN_DEFAULT, CHILDREN_ON, CHILDREN_OFF };

enum branch_choice { BRANCHES_DEFAULT, BRANCHES_ON, BRANCHES_OFF };

struct report_command_options {
	struct input_options input;
	struct report_options view;
	struct graph_choice graph;
	enum children_choice children;
	enum interval_choice interval;
	const char *ignore_callees;
	bool tasks, mmaps, dump;
	enum branch_choice branches;
	bool stdio, tui, json, inverted, header, header_only, full_header, stats, stacks;
	bool tree, markdown;
	const char *find, *output;
	struct report_field_keys keys;
	bool unknown_key;
};

struct graph_word {
	const char *word;
	void (*apply)(struct graph_choice *choice, int value);
	int value;
};

static void apply_style(struct graph_choice *choice, int value)
{
	choice->style = (enum report_graph)value;
}

static void apply_order(struct graph_choice *choice, int value)
{
	choice->caller = value;
	choice->order_set = true;
}

static void apply_value(struct graph_choice *choice, int value)
{
	choice->value = (enum report_graph_value)value;
}

static void apply_address(struct graph_choice *choice, int value)
{
	choice->by_address = value;
}

static const struct graph_word graph_words[] = {
	{ "graph", apply_style, REPORT_GRAPH_GRAPH },
	{ "fractal", apply_style, REPORT_GRAPH_FRACTAL },
	{ "flat", apply_style, REPORT_GRAPH_FLAT },
	{ "folded", apply_style, REPORT_GRAPH_FOLDED },
	{ "none", apply_style, REPORT_GRAPH_NONE },
	{ "caller", apply_order, true },
	{ "callee", apply_order, false },
	{ "percent", apply_value, REPORT_VALUE_PERCENT },
	{ "period", apply_value, REPORT_VALUE_PERIOD },
	{ "count", apply_value, REPORT_VALUE_COUNT },
	{ "function", apply_address, false },
	{ "address", apply_address, true },
};

static bool apply_graph_word(struct graph_choice *choice, const char *word, size_t len)
{
	for (size_t i = 0; i < sizeof(graph_words) / sizeof(*graph_words); i++)
		if (strlen(graph_words[i].word) == len &&
		    strncmp(graph_words[i].word, word, len) == 0) {
			graph_words[i].apply(choice, graph_words[i].value);
			return true;
		}
	return false;
}

/* -g style,threshold,print limit,order,key,value: words in any order, first number the threshold */
static int set_graph(void *field, const char *value, bool negated, struct err *err)
{
	struct graph_choice *choice = field;
	int numbers = 0;

	choice->set = true;
	if (negated) {
		choice->style = REPORT_GRAPH_NONE;
		return 0;
	}
	while (value && *value) {
		size_t len = strcspn(value, ",");
		char *end;
		double number = strtod(value, &end);

		if (end == value + len && len && numbers < 2) {
			if (numbers++ == 0)
				choice->threshold = number;
			else
				choice->print_limit = (uint32_t)number;
		} else if (!apply_graph_word(choice, value, len)) {
			err_set(err, -EINVAL, "--call-graph: invalid value '%.*s'", (int)len,
				value);
			return err_hint(
				err, "expected graph, fractal, flat, folded or none; a threshold "
				     "in percent; caller or callee; percent, period or count");
		}
		value += len + (value[len] == ',');
	}
	return 0;
}

static int set_children(void *field, const char *value, bool negated, struct err *err)
{
	(void)value;
	(void)err;
	*(enum children_choice *)field = negated ? CHILDREN_OFF : CHILDREN_ON;
	return 0;
}

static int set_interval(void *field, const char *value, bool negated, struct err *err)
{
	(void)value;
	(void)err;
	*(enum interval_choice *)field = negated ? INTERVAL_OFF : INTERVAL_ON;
	return 0;
}

static int set_branches(void *field, const char *value, bool negated, struct err *err)
{
	(void)value;
	(void)err;
	*(enum branch_choice *)field = negated ? BRANCHES_OFF : BRANCHES_ON;
	return 0;
}

static int set_group(void *field, const char *value, bool negated, struct err *err)
{
	(void)value;
	(void)err;
	*(enum report_group *)field = negated ? REPORT_GROUP_NONE : REPORT_GROUP_ALL;
	return 0;
}

static int set_percentage(void *field, const char *value, bool negated, struct err *err)
{
	unsigned choice = 0;

	if (!negated && option_set_word(&choice, value, "absolute relative", err))
		return err->code;
	*(bool *)field = choice == 1;
	return 0;
}

static int set_widths(void *field, const char *value, bool negated, struct err *err)
{
	if (!negated && value[strspn(value, "0123456789,")])
		return err_set(err, -EINVAL, "invalid widths '%s': expected numbers, as in 8,20,30",
			       value);
	*(const char **)field = negated ? NULL : value;
	return 0;
}

#define VIEW(field) OPT(report_command_options, view.field)

static const struct option_def report_rows[] = {
	{ "Table", 0, OPT_GROUP, NULL, 0, NULL },
	{ "stdio", 0, OPT_FLAG, NULL, OPT(report_command_options, stdio),
	  "print the table (default if the output is not a terminal)" },
	{ "tui", 0, OPT_FLAG, NULL, OPT(report_command_options, tui),
	  "show the table full screen (default on a terminal)" },
	{ "json", 0, OPT_FLAG, NULL, OPT(report_command_options, json),
	  "print JSON, the stable interface for programs" },
	{ "output", 'o', OPT_OUTPUT, "FILE", OPT(report_command_options, output),
	  "write to FILE instead of standard output" },
	{ "header", 0, OPT_FLAG, NULL, OPT(report_command_options, header),
	  "print the recording's header first" },
	{ "header-only", 0, OPT_FLAG, NULL, OPT(report_command_options, header_only),
	  "print only the header" },
	{ "show-info", 'I', OPT_FLAG, NULL, OPT(report_command_options, full_header),
	  "include topology and caches in the header" },
	{ "stats", 0, OPT_FLAG, NULL, OPT(report_command_options, stats),
	  "print the number of records by type, no table" },
	{ "stacks", 0, OPT_FLAG, NULL, OPT(report_command_options, stacks),
	  "list binaries with incomplete stacks, the reasons, and what to do; also with --json" },
	{ "tree", 0, OPT_FLAG, NULL, OPT(report_command_options, tree),
	  "print the call tree from the root down" },
	{ "markdown", 0, OPT_FLAG, NULL, OPT(report_command_options, markdown),
	  "print a summary in Markdown" },
	{ "find", 0, OPT_STR, "REGEX", OPT(report_command_options, find),
	  "print the share of each event with a matching function or command" },
	{ "tasks", 0, OPT_FLAG, NULL, OPT(report_command_options, tasks),
	  "print the tree of processes and threads, no table" },
	{ "mmaps", 0, OPT_FLAG, NULL, OPT(report_command_options, mmaps),
	  "the same with the executable mappings of each process" },
	{ "dump-raw-trace", 'D', OPT_FLAG, NULL, OPT(report_command_options, dump),
	  "print the bytes of all records, no table" },
	{ "sort", 's', OPT_STR, "KEYS", VIEW(sort),
	  "group by: comm pid tid dso symbol srcline srcfile cpu parent time symbol_size; "
	  "branches: "
	  "dso_from symbol_from dso_to symbol_to mispredict abort in_tx cycles",
	  .choices = "comm pid tid dso symbol srcline srcfile cpu parent time symbol_size "
		     "dso_from symbol_from dso_to symbol_to mispredict abort in_tx cycles" },
	{ "fields", 'F', OPT_STR, "KEYS", VIEW(fields),
	  "columns: overhead overhead_children overhead_interval children_interval sample period "
	  "and "
	  "sort keys",
	  .choices = "overhead overhead_children overhead_interval children_interval sample "
		     "period comm pid tid dso symbol srcline cpu time" },
	{ "show-nr-samples", 'n', OPT_FLAG, NULL, VIEW(show_nr_samples),
	  "add a column with the number of samples" },
	{ "showcpuutilization", 0, OPT_FLAG, NULL, VIEW(show_cpu_utilization),
	  "add columns with the shares in the kernel (sys) and in user space (usr)" },
	{ "show-total-period", 0, OPT_FLAG, NULL, VIEW(show_total_period),
	  "add a column with the sum of the periods" },
	{ "children", 0, OPT_CALL, NULL, OPT(report_command_options, children),
	  "add the cost of callees to each function (default with call chains)", set_children },
	{ "interval", 0, OPT_CALL, NULL, OPT(report_command_options, interval),
	  "put the 95% interval beside each share (default on a terminal); --no-interval: nowhere",
	  set_interval },
	{ "percent-limit", 0, OPT_DOUBLE, "PERCENT", VIEW(percent_limit),
	  "hide rows below this percentage" },
	{ "hierarchy", 0, OPT_FLAG, NULL, VIEW(hierarchy),
	  "print a tree, one level for each sort key" },
	{ "branch-stack", 'b', OPT_CALL, NULL, OPT(report_command_options, branches),
	  "count the branches of each sample by source and target (default if recorded)",
	  set_branches },
	{ "group", 0, OPT_CALL, NULL, VIEW(group),
	  "one table for all events (default: for those recorded as a group)", set_group },
	{ "percentage", 0, OPT_CALL, "BASE", VIEW(relative),
	  "percentages of all samples (absolute, default) or of those the filters leave (relative)",
	  set_percentage, .choices = "absolute relative" },
	{ "column-widths", 'w', OPT_CALL, "LIST", VIEW(widths),
	  "widths of the columns: 8,20,30; 0 = as wide as needed", set_widths },
	{ "hide-unresolved", 'U', OPT_FLAG, NULL, VIEW(hide_unresolved),
	  "omit samples and callers without a function name" },
	{ "dsos", 'd', OPT_STR, "LIST", VIEW(dsos), "only these modules" },
	{ "symbols", 'S', OPT_STR, "LIST", VIEW(symbols), "only these functions" },
	{ "symbol-filter", 0, OPT_STR, "TEXT", VIEW(symbol_filter),
	  "only functions with TEXT in their name" },
	{ "parent", 'p', OPT_STR, "REGEX", VIEW(parent),
	  "add the column parent: the caller that matches REGEX" },
	{ "exclude-other", 'x', OPT_FLAG, NULL, VIEW(exclude_other),
	  "only samples with a parent (see --parent)" },
	{ "field-separator", 't', OPT_STR, "CHAR", VIEW(field_separator),
	  "put CHAR between columns instead of padding" },
	{ "threads", 'T', OPT_FLAG, NULL, VIEW(threads), "add event counts per thread" },
	{ "quiet", 'q', OPT_FLAG, NULL, VIEW(quiet), "omit all lines that start with #" },
	{ "Call graphs", 0, OPT_GROUP, NULL, 0, NULL },
	{ "call-graph", 'g', OPT_CALL, "[STYLE,…]", OPT(report_command_options, graph),
	  "graph|fractal|flat|folded|none, threshold, caller|callee, percent|period|count",
	  set_graph,
	  .choices = "graph fractal flat folded none caller callee percent period count" },
	{ "ignore-callees", 0, OPT_STR, "REGEX", OPT(report_command_options, ignore_callees),
	  "count what functions that match call as their own" },
	{ "inverted", 'G', OPT_FLAG, NULL, OPT(report_command_options, inverted),
	  "print call graphs from the caller down" },
	{ "input options", 0, OPT_INCLUDE, NULL, OPT(report_command_options, input), NULL, NULL,
	  input_option_rows },
	{ .type = OPT_INCLUDE, .include = accepted_report_rows },
	{ .type = OPT_INCLUDE, .include = refused_report_rows },
	{ 0 },
};

static void report_defaults(void *options)
{
	struct report_command_options *o = options;

	input_options_defaults(&o->input);
	o->graph.style = REPORT_GRAPH_GRAPH;
	o->graph.threshold = 0.5;
}

/* Call chains are there when any stack is deeper than the sampled function itself. */
static bool has_chains(const struct profile *profile)
{
	for (size_t i = 0; i < profile->nodes.count; i++) {
		const struct stack_node *node = &profile->nodes.item[i];

		if (node->depth > 1 && !profile->frames.item[node->frame.v].inlined)
			return true;
	}
	return false;
}

/* Columns that perf does not have are for people: scripts read no terminal. */
static enum report_interval settle_interval(const struct report_command_options *o)
{
	bool plain = !o->output && !o->view.fields && !o->view.field_separator && !o->view.quiet;

	if (o->interval == INTERVAL_OFF)
		return REPORT_INTERVAL_NONE;
	if (o->interval == INTERVAL_ON || (plain && isatty(STDOUT_FILENO)))
		return REPORT_INTERVAL_COLUMNS;
	return REPORT_INTERVAL_FACTS;
}

static void settle_view(struct report_command_options *o, const struct profile *profile)
{
	bool chains = has_chains(profile);
	bool shown = !o->view.fields || strstr(o->view.fields, "children");

	o->view.comms = o->input.comms;
	o->view.interval = settle_interval(o);
	o->view.children = !o->view.hierarchy && !o->view.branches &&
			   (o->children == CHILDREN_ON ||
			    (o->children == CHILDREN_DEFAULT && chains && shown));
	o->view.graph = chains && !o->view.hierarchy && !o->view.branches ? o->graph.style
									  : REPORT_GRAPH_NONE;
	o->view.graph_value = o->graph.value;
	o->view.graph_threshold = o->graph.threshold;
	o->view.graph_print_limit = o->graph.print_limit;
	o->view.graph_by_address = o->graph.by_address;
	o->view.caller = o->graph.order_set ? o->graph.caller : o->view.children;
	if (o->inverted)
		o->view.caller = true;
}

static bool sorts_by(const struct report_command_options *o, const char *key)
{
	if (strcmp(key, "parent") == 0 && (o->view.parent || o->view.exclude_other))
		return true;
	return (o->view.sort && strstr(o->view.sort, key)) ||
	       (o->view.fields && strstr(o->view.fields, key));
}

/* Of rows, in text. */
static bool is_table(const struct report_command_options *o)
{
	return !o->json && !o->stacks && !o->tree && !o->markdown && !o->find;
}

/* As little as the table needs, so that it comes fast. */
static void choose_detail(const struct report_command_options *o, struct load_options *ret)
{
	bool lines = sorts_by(o, "src");

	input_options_apply(&o->input, ret);
	ret->branches = o->view.branches;
	if (ret->branches)
		ret->symbol.inlines = false; /* an end is one place */
	if (is_table(o))
		ret->comms = NULL; /* percentages are of all, see --percentage */
	ret->keep = report_needs(&o->view);
	ret->fields = o->keys.field.item;
	ret->field_count = o->keys.field.count;
	ret->symbol.lines = lines;
	ret->merge_threads = !sorts_by(o, "pid") && !sorts_by(o, "tid") && !o->view.threads;
	ret->detail = lines || o->graph.by_address ? RESOLVE_ADDRESSES : RESOLVE_FUNCTIONS;
	/* a flat table needs only the sampled function and the root, which shows
	 * completeness */
	ret->ends_only = o->graph.style == REPORT_GRAPH_NONE && o->children == CHILDREN_OFF &&
			 !o->json && !o->stacks && !o->tree && !o->markdown && !o->find &&
			 !sorts_by(o, "parent") && !o->ignore_callees;
	if (ret->ends_only && !lines)
		ret->symbol.inlines = false; /* self cost belongs to the real function anyway */
}

static int choose_branches(struct report_command_options *o, struct recording *recording,
			   struct err *err)
{
	bool found;

	if (!is_table(o) || o->branches == BRANCHES_OFF)
		return 0;
	if (report_find_branches(recording, &found, err))
		return err->code;
	if (o->branches == BRANCHES_ON && !found) {
		(void)err_set(err, -ENODATA, "%s: -b: no branches in the recording",
			      recording_name(recording));
		return err_hint(err, "record them with: cupel record -b");
	}
	o->view.branches = found;
	return 0;
}

/* 1 when that was all that was asked for. */
static int print_facts(const struct report_command_options *o, struct recording *recording,
		       struct buf *ret, struct err *err)
{
	if (o->stats)
		return report_stats(recording, ret, err) ? -1 : 1;
	if (o->tasks || o->mmaps)
		return report_tasks(recording, o->mmaps, ret, err) ? -1 : 1;
	if (o->dump)
		return report_dump(recording, ret, err) ? -1 : 1;
	if (!o->header && !o->header_only)
		return 0;
	if (recording_header_text(recording, o->full_header, ret, err))
		return -1;
	return o->header_only;
}

/* 1 when one was asked for. */
static int print_answer(const struct report_command_options *o, const struct profile *profile,
			struct buf *ret, struct err *err)
{
	struct text_report_options answer = { .percent_limit = o->view.percent_limit };
	struct text_report_query query = { .regex = o->find };
	int code = 0;

	if (o->find)
		code = text_report_find(profile, &query, ret, err);
	if (!code && o->tree)
		code = text_report_tree(profile, &answer, ret, err);
	if (!code && o->markdown)
		code = text_report_markdown(profile, &answer, ret, err);
	return code ? code : o->find || o->tree || o->markdown;
}

static int print_table(struct report_command_options *o, const struct profile *profile,
		       struct buf *ret, struct err *err)
{
	if (o->stacks && o->json)
		report_stacks_json(profile, ret);
	else if (o->stacks)
		report_stacks_text(profile, ret);
	else
		return o->json ? report_json(profile, &o->view, ret, err)
			       : report_text(profile, &o->view, ret, err);
	return 0;
}

/* And settles how it is shown. */
static int load_report(struct report_command_options *o, struct recording *recording,
		       struct profile **ret, struct err *err)
{
	struct load_options load = { 0 };
	struct profile *profile;

	if (choose_branches(o, recording, err))
		return -1;
	o->unknown_key = report_field_keys_find(&o->keys, recording, &o->view, err);
	if (o->unknown_key)
		return -1;
	choose_detail(o, &load);
	if (recording_load(recording, &load, &profile, err))
		return -1;
	input_warn_missing(recording_name(recording), profile);
	if (o->ignore_callees && profile_ignore_callees(profile, o->ignore_callees, err)) {
		profile_free(profile);
		return err_wrap(err, "--ignore-callees");
	}
	settle_view(o, profile);
	o->view.graph_bytes = memory_limit_left() / 2;
	*ret = profile;
	return 0;
}

static int print_report(struct report_command_options *o, struct recording *recording,
			struct buf *ret, struct err *err)
{
	struct profile *profile;
	int code = print_facts(o, recording, ret, err);

	if (code)
		return code < 0 ? code : 0;
	if (load_report(o, recording, &profile, err))
		return -1;
	code = print_answer(o, profile, ret, err);
	if (!code)
		code = print_table(o, profile, ret, err);
	profile_free(profile);
	return code < 0 ? code : 0;
}

static int load_for_screen(void *context, struct recording *recording, struct profile **ret,
			   const struct report_options **ret_view, struct err *err)
{
	struct report_command_options *o = context;

	*ret_view = &o->view;
	return load_report(o, recording, ret, err);
}

static void choose_for_code(void *context, struct load_options *ret)
{
	const struct report_command_options *o = context;

	input_options_apply(&o->input, ret);
}

/* People at a terminal get the browser, unless they ask for something that is text. */
static bool wants_screen(const struct report_command_options *o, const char *input)
{
	return is_table(o) && !o->stdio && !o->input.redaction && !o->output && !o->header &&
	       !o->header_only && !o->stats && !o->tasks && !o->mmaps && !o->dump &&
	       !o->view.hierarchy && !o->view.threads && !o->view.quiet &&
	       !o->view.field_separator && !(input && strcmp(input, "-") == 0) && screen_possible();
}

/* Libraries are loaded first, which the sandbox would not let us do. */
static int show_screen(struct report_command_options *o, const char *input, struct err *err)
{
	const struct report_loading loading = { o, load_for_screen, choose_for_code };
	struct err ignored = { 0 };

	(void)disassembler_load(&ignored); /* without it, only code is missing */
	o->input.kcore = kcore_open(NULL);
	reader_begin(command_words(), true);
	return report_browse(input, &loading, err);
}

/* Whether people read a table of functions here, and the input has what annotate needs. */
static bool names_functions(const struct report_command_options *o, struct recording *recording)
{
	const char *keys = o->view.fields ? o->view.fields : o->view.sort;
	struct err not_perf_data = { 0 };
	struct perf_data *data;

	return !recording_data(recording, &data, &not_perf_data) && is_table(o) && !o->output &&
	       !o->view.quiet && !o->view.field_separator && !o->header_only && !o->stats &&
	       !o->tasks && !o->mmaps && !o->dump && isatty(STDOUT_FILENO) &&
	       (!keys || strstr(keys, "sym"));
}

static int report_run(void *options, int argc, char **argv, struct err *err)
{
	struct report_command_options *o = options;
	struct recording *recording = NULL;
	struct buf text = { 0 };
	const char *input;
	int code;

	if (command_take_input(&(struct option_words){ argc, argv }, o->input.input, &input, err))
		return EXIT_STATUS_USAGE;
	if (o->input.redaction && (o->tasks || o->mmaps || o->dump || o->header || o->header_only))
		return command_usage(err, "--redact cannot be combined with --header, "
					  "--header-only, --tasks, --mmaps and -D");
	if (report_fields_check(&o->view, o->json && !o->stacks, err)) /* before a long loading */
		return EXIT_STATUS_USAGE;
	if (wants_screen(o, input))
		return show_screen(o, input, err);
	reader_begin(command_words(), o->output);
	if (o->tui)
		command_warn("--tui: the output is no terminal, or not for a table: printing text");
	code = recording_open(input, &recording, err);
	if (!code)
		code = print_report(o, recording, &text, err);
	if (!code && names_functions(o, recording))
		(void)buf_puts(&text, "# the code of a function: cupel annotate FUNCTION, or "
				      "without --stdio the key a\n");
	code = command_end_output(code, o->output, &text, err);
	recording_close(recording);
	return !code ? EXIT_STATUS_OK : o->unknown_key ? EXIT_STATUS_USAGE : -1;
}

static void report_done(void *options)
{
	struct report_command_options *o = options;

	report_field_keys_done(&o->keys);
	input_options_done(&o->input);
}

const struct command cmd_report = {
	.name = "report",
	.args = "[options] [FILE]",
	.summary = "show a profile as a table",
	.options = report_rows,
	.options_size = sizeof(struct report_command_options),
	.defaults = report_defaults,
	.run = report_run,
	.done = report_done,
};

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of report's options (see report_options.h). */
#include "command/report/report_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "command/option/accepted.h"

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

const struct option_def report_table_rows[] = {
	{ "stdio", 0, OPT_FLAG, NULL, OPT(report_command_options, stdio),
	  "print the table (default if the output is not a terminal)" },
	{ "json", 0, OPT_FLAG, NULL, OPT(report_command_options, json),
	  "print JSON, the stable interface for programs" },
	{ "output", 'o', OPT_OUTPUT, "FILE", OPT(report_command_options, output),
	  "write to FILE instead of standard output" },
	{ "header", 0, OPT_FLAG, NULL, OPT(report_command_options, header),
	  "print the recording's header first" },
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
	{ "percent-limit", 0, OPT_DOUBLE, "PERCENT", VIEW(percent_limit),
	  "hide rows below this percentage" },
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
	{ "quiet", 'q', OPT_FLAG, NULL, VIEW(quiet), "omit all lines that start with #" },
	{ 0 },
};

const struct option_def report_graph_rows[] = {
	{ "Call graphs", 0, OPT_GROUP, NULL, 0, NULL },
	{ "call-graph", 'g', OPT_CALL, "[STYLE,…]", OPT(report_command_options, graph),
	  "graph|fractal|flat|folded|none, threshold, caller|callee, percent|period|count",
	  set_graph,
	  .choices = "graph fractal flat folded none caller callee percent period count" },
	{ "inverted", 'G', OPT_FLAG, NULL, OPT(report_command_options, inverted),
	  "print call graphs from the caller down" },
	{ 0 },
};

const struct option_def report_option_rows[] = {
	{ "Table", 0, OPT_GROUP, NULL, 0, NULL },
	{ .type = OPT_INCLUDE, .include = report_table_rows },
	{ "tui", 0, OPT_FLAG, NULL, OPT(report_command_options, tui),
	  "show the table full screen (default on a terminal)" },
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
	{ "raw-trace", 0, OPT_FLAG, NULL, OPT(report_command_options, raw_trace),
	  "print plain values of tracepoint fields, for the sort keys trace and names of fields" },
	{ "dump-raw-trace", 'D', OPT_FLAG, NULL, OPT(report_command_options, dump),
	  "print the bytes of all records, no table" },
	{ "showcpuutilization", 0, OPT_FLAG, NULL, VIEW(show_cpu_utilization),
	  "add columns with the shares in the kernel (sys) and in user space (usr)" },
	{ "show-total-period", 0, OPT_FLAG, NULL, VIEW(show_total_period),
	  "add a column with the sum of the periods" },
	{ "children", 0, OPT_CALL, NULL, OPT(report_command_options, children),
	  "add the cost of callees to each function (default with call chains)", set_children },
	{ "interval", 0, OPT_CALL, NULL, OPT(report_command_options, interval),
	  "put the 95% interval beside each share (default on a terminal); --no-interval: nowhere",
	  set_interval },
	{ "branch-history", 0, OPT_FLAG, NULL, OPT(report_command_options, branch_history),
	  "stacks begin with the branches that the CPU recorded before each sample" },
	{ "latency", 0, OPT_FLAG, NULL, OPT(report_command_options, latency),
	  "sort by shares of the time that passed, of a recording of record --latency: a sample "
	  "counts less the more threads ran beside it" },
	{ "hierarchy", 0, OPT_FLAG, NULL, VIEW(hierarchy),
	  "print a tree, one level for each sort key" },
	{ "mem-mode", 0, OPT_FLAG, NULL, VIEW(mem_mode),
	  "samples are loads and stores, weighted by their cost; cupel mem report" },
	{ "branch-stack", 'b', OPT_CALL, NULL, OPT(report_command_options, branches),
	  "count the branches of each sample by source and target (default if recorded)",
	  set_branches },
	{ "total-cycles", 0, OPT_FLAG, NULL, OPT(report_command_options, total_cycles),
	  "print blocks of code by the cycles that the CPU recorded with branches" },
	{ "group", 0, OPT_CALL, NULL, VIEW(group),
	  "one table for all events (default: for those recorded as a group)", set_group },
	{ "parent", 'p', OPT_STR, "REGEX", VIEW(parent),
	  "add the column parent: the caller that matches REGEX" },
	{ "exclude-other", 'x', OPT_FLAG, NULL, VIEW(exclude_other),
	  "only samples with a parent (see --parent)" },
	{ "field-separator", 't', OPT_STR, "CHAR", VIEW(field_separator),
	  "put CHAR between columns instead of padding" },
	{ "threads", 'T', OPT_FLAG, NULL, VIEW(threads), "add event counts per thread" },
	{ .type = OPT_INCLUDE, .include = report_graph_rows },
	{ "ignore-callees", 0, OPT_STR, "REGEX", OPT(report_command_options, ignore_callees),
	  "count what functions that match call as their own" },
	{ "input options", 0, OPT_INCLUDE, NULL, OPT(report_command_options, input), NULL, NULL,
	  input_option_rows },
	{ .type = OPT_INCLUDE, .include = accepted_report_rows },
	{ .type = OPT_INCLUDE, .include = refused_report_rows },
	{ 0 },
};

void report_options_defaults(struct report_command_options *o)
{
	input_options_defaults(&o->input);
	o->graph.style = REPORT_GRAPH_GRAPH;
	o->graph.threshold = 0.5;
}

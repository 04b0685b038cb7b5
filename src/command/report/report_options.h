/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options of `cupel report`, most of which `cupel mem report` has as well. */
#ifndef COMMAND_REPORT_OPTIONS_H
#define COMMAND_REPORT_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "command/load_options.h"
#include "command/option/option.h"
#include "command/report/report_fields.h"
#include "view/report/report.h"

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
	bool tasks, mmaps, dump, raw_trace;
	enum branch_choice branches;
	bool stdio, tui, json, inverted, header, header_only, full_header, stats, stacks;
	bool tree, markdown;
	bool latency, total_cycles, branch_history;
	bool raw_accesses; /* of mem report: a line for each */
	bool phys, page_size;
	const char *find, *output;
	struct report_field_keys keys;
	bool unknown_key;
};

/* All of report; parts of them: columns and rows, call graphs. */
extern const struct option_def report_option_rows[];
extern const struct option_def report_table_rows[];
extern const struct option_def report_graph_rows[];
void report_options_defaults(struct report_command_options *options);
void report_options_done(struct report_command_options *options);

/* `cupel report` once its options are known. Returns an exit status, or -1 with err filled. */
int report_command_run(struct report_command_options *options, struct option_words *words,
		       struct err *err);

#endif

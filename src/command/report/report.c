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
#include "command/option/option.h"
#include "command/reader.h"
#include "command/report/report_facts.h"
#include "command/report/report_fields.h"
#include "command/report/report_options.h"
#include "command/report/report_tasks.h"
#include "format/perf_data/perf_data.h"
#include "profile/ignore_callees.h"
#include "profile/profile.h"
#include "session/load/load.h"
#include "session/recording.h"
#include "symbol/code/disassembler.h"
#include "symbol/kernel/kcore.h"
#include "view/access/access_dump.h"
#include "view/report/report.h"
#include "view/report/report_stacks.h"
#include "view/text_report/text_report.h"

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
	o->view.children = !o->view.hierarchy && !o->view.branches && !o->view.mem_mode &&
			   (o->children == CHILDREN_ON ||
			    (o->children == CHILDREN_DEFAULT && chains && shown));
	o->view.graph = chains && !o->view.hierarchy && !o->view.branches ? o->graph.style
									  : REPORT_GRAPH_NONE;
	o->view.graph_value = o->graph.value;
	o->view.graph_threshold = o->graph.threshold;
	o->view.graph_print_limit = o->graph.print_limit;
	o->view.graph_by_address = o->graph.by_address;
	o->view.caller = o->graph.order_set ? o->graph.caller
					    : o->view.children || o->view.mem_mode;
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
	ret->branch_history = o->branch_history;
	ret->latency = o->view.latency == REPORT_LATENCY_FIRST;
	if (o->view.mem_mode)
		ret->access = LOAD_ACCESS_COST;
	if (ret->branches)
		ret->symbol.inlines = false; /* an end is one place */
	if (is_table(o))
		ret->comms = NULL; /* percentages are of all, see --percentage */
	ret->keep = report_needs(&o->view);
	ret->both_weights = ret->keep & PROFILE_ADDR_IS_OTHER_WEIGHT;
	ret->fields = o->keys.field.item;
	ret->field_count = o->keys.field.count;
	ret->raw_trace = o->raw_trace;
	ret->symbol.lines = lines;
	ret->merge_threads = !sorts_by(o, "pid") && !sorts_by(o, "tid") && !o->view.threads &&
			     !o->raw_accesses;
	ret->detail = lines || o->graph.by_address || o->raw_accesses ? RESOLVE_ADDRESSES
								      : RESOLVE_FUNCTIONS;
	/* a flat table needs only the sampled function and the root, which shows
	 * completeness */
	ret->ends_only = o->graph.style == REPORT_GRAPH_NONE && o->children == CHILDREN_OFF &&
			 !o->json && !o->stacks && !o->tree && !o->markdown && !o->find &&
			 !o->raw_accesses && !sorts_by(o, "parent") && !o->ignore_callees;
	if (ret->ends_only && !lines)
		ret->symbol.inlines = false; /* self cost belongs to the real function anyway */
}

/* Whether it is of record --latency. */
static bool has_latency(const struct perf_data *data)
{
	const struct perf_data_header *header = perf_data_header(data);
	bool asked = false;

	for (size_t i = 0; i < header->cmdline_count; i++)
		asked |= strcmp(header->cmdline[i], "--latency") == 0;
	return asked;
}

static int choose_latency(struct report_command_options *o, struct recording *recording,
			  struct err *err)
{
	struct err ignored = { 0 };
	struct perf_data *data;
	bool has = !recording_data(recording, &data, o->latency ? err : &ignored);

	o->view.latency = REPORT_LATENCY_NONE;
	if (o->latency && !has)
		return err_wrap(err, "--latency");
	if (o->latency)
		o->view.latency = REPORT_LATENCY_FIRST;
	else if (has && is_table(o) && !o->view.branches && !o->view.mem_mode && has_latency(data))
		o->view.latency = REPORT_LATENCY_SECOND;
	return 0;
}

static int choose_branches(struct report_command_options *o, struct recording *recording,
			   struct err *err)
{
	bool found;

	if (!o->branch_history && (!is_table(o) || o->branches == BRANCHES_OFF || o->view.mem_mode))
		return 0;
	if (report_find_branches(recording, &found, err))
		return err->code;
	if ((o->branches == BRANCHES_ON || o->branch_history) && !found) {
		(void)err_set(err, -ENODATA, "%s: %s: no branches in the recording",
			      recording_name(recording),
			      o->branch_history ? "--branch-history"
			      : o->total_cycles ? "--total-cycles"
						: "-b");
		return err_hint(err, "record them with: cupel record -b");
	}
	o->view.branches = found && !o->branch_history;
	if (o->branch_history) {
		o->graph.by_address = true;
		o->view.sort = o->view.sort || o->view.fields ? o->view.sort : "srcline,symbol,dso";
	}
	return 0;
}

static int print_total_cycles(struct report_command_options *o, struct recording *recording,
			      struct buf *ret, struct err *err)
{
	struct load_options load = { 0 };

	o->branches = BRANCHES_ON;
	if (choose_branches(o, recording, err))
		return -1;
	input_options_apply(&o->input, &load);
	return report_total_cycles(recording, &load, &o->view, ret, err) ? -1 : 1;
}

/* 1 when that was all that was asked for. */
static int print_facts(struct report_command_options *o, struct recording *recording,
		       struct buf *ret, struct err *err)
{
	if (o->stats)
		return report_stats(recording, ret, err) ? -1 : 1;
	if (o->tasks || o->mmaps)
		return report_tasks(recording, o->mmaps, ret, err) ? -1 : 1;
	if (o->dump)
		return report_dump(recording, ret, err) ? -1 : 1;
	if (o->total_cycles)
		return print_total_cycles(o, recording, ret, err);
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
	if (o->raw_accesses)
		access_dump(profile,
			    &(struct access_dump_options){ o->view.field_separator, o->phys,
							   o->page_size },
			    ret);
	else if (o->stacks && o->json)
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

	if (choose_branches(o, recording, err) || choose_latency(o, recording, err))
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
	return is_table(o) && !o->total_cycles && !o->stdio && !o->view.mem_mode &&
	       !o->input.redaction && !o->output && !o->header && !o->header_only && !o->stats &&
	       !o->tasks && !o->mmaps && !o->dump && !o->view.hierarchy && !o->view.threads &&
	       !o->view.quiet && !o->view.field_separator && !(input && strcmp(input, "-") == 0) &&
	       screen_possible();
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

int report_command_run(struct report_command_options *o, struct option_words *words,
		       struct err *err)
{
	struct recording *recording = NULL;
	struct buf text = { 0 };
	const char *input;
	int code;

	if (command_take_input(words, o->input.input, &input, err))
		return EXIT_STATUS_USAGE;
	if (o->input.redaction && (o->tasks || o->mmaps || o->dump || o->header || o->header_only))
		return command_usage(err, "--redact cannot be combined with --header, "
					  "--header-only, --tasks, --mmaps and -D");
	if (o->total_cycles && (!is_table(o) || o->input.redaction))
		return command_usage(err, "--total-cycles is a table of its own, without --json, "
					  "--stacks, --tree, --markdown, --find and --redact");
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

static int report_run(void *options, int argc, char **argv, struct err *err)
{
	return report_command_run(options, &(struct option_words){ argc, argv }, err);
}

static void report_defaults(void *options)
{
	report_options_defaults(options);
}

void report_options_done(struct report_command_options *o)
{
	report_field_keys_done(&o->keys);
	input_options_done(&o->input);
}

static void report_done(void *options)
{
	report_options_done(options);
}

const struct command cmd_report = {
	.name = "report",
	.args = "[options] [FILE]",
	.summary = "show a profile as a table",
	.options = report_option_rows,
	.options_size = sizeof(struct report_command_options),
	.defaults = report_defaults,
	.run = report_run,
	.done = report_done,
};

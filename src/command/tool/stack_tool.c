/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recording stacks and showing them (see stack_tool.h). */
#include "command/tool/stack_tool.h"

#include <inttypes.h>
#include <string.h>

#include "base/err.h"
#include "command/command.h"
#include "command/picture_options.h"
#include "command/record/record_options.h"
#include "profile/profile.h"
#include "session/load/load.h"
#include "session/load/load_live.h"
#include "session/record/recorder.h"

#define MAP_COLUMNS 300
#define MS	    1000000

#define FIELD(name) OPT(stack_tool_options, name)

const struct option_def stack_tool_rows[] = {
	{ "Output", 0, OPT_GROUP, NULL, 0, NULL },
	{ "user-stacks-only", 'U', OPT_FLAG, NULL, FIELD(user_stacks), "user part of stacks only" },
	{ "kernel-stacks-only", 'K', OPT_FLAG, NULL, FIELD(kernel_stacks),
	  "kernel part of stacks only" },
	{ "folded", 'f', OPT_FLAG, NULL, FIELD(folded), "print folded stacks, one per line" },
	{ "delimited", 'd', OPT_FLAG, NULL, FIELD(delimited),
	  "print a delimiter between the kernel and user parts of stacks" },
	{ "json", 0, OPT_FLAG, NULL, FIELD(json), "print JSON, times in nanoseconds" },
	{ "inline", 0, OPT_FLAG, NULL, FIELD(inlines),
	  "show inlined functions (default; --no-inline leaves them out)" },
	{ "output", 'o', OPT_OUTPUT, "FILE", FIELD(output), "write to FILE" },
	{ "heatmap", 0, OPT_OUTPUT, "FILE", FIELD(heat_map),
	  "write a heat map of times over time to FILE (.svg or .html); records each one" },
	{ 0 },
};

void stack_tool_defaults(struct stack_tool_options *options)
{
	options->inlines = true;
}

static int check(const struct stack_tool_options *o, struct err *err)
{
	if (o->user_stacks && o->kernel_stacks)
		return command_usage(err, "-U and -K cannot be combined");
	if (o->folded && o->json)
		return command_usage(err, "-f and --json cannot be combined");
	if (picture_check_name(o->heat_map, err))
		return EXIT_STATUS_USAGE;
	return tool_threads_check(&o->threads, err);
}

static int parse_words(struct option_words words, struct recording_options *record,
		       char ***ret_program, struct err *err)
{
	*ret_program = NULL;
	if (words.argc && strcmp(words.argv[0], "--") == 0) {
		if (words.argc == 1)
			return command_usage(err, "missing program after --");
		*ret_program = words.argv + 1;
		return 0;
	}
	if (words.argc > 1)
		return command_usage(err, "unexpected argument '%s'; put the program after --",
				     words.argv[1]);
	if (words.argc &&
	    option_parse_number(OPT_DURATION, words.argv[0], &record->duration_ns, err))
		return EXIT_STATUS_USAGE;
	return 0;
}

struct announcement {
	const struct stack_tool *tool;
	const struct stack_tool_options *options;
	bool program;
};

/* When all is open, so that it does not stand before a refusal. */
static int announce(void *context, struct run *run, struct err *err)
{
	const struct announcement *a = context;
	const struct stack_tool_options *o = a->options;
	struct err ignored = { 0 };
	struct buf out = { 0 };

	(void)err;
	if (o->folded || o->json || o->output)
		return 0;
	(void)buf_printf(&out, "Tracing %s (us) of ", a->tool->what);
	a->tool->put_subject(a->tool, o, a->program, &out);
	if (run->duration_ns)
		(void)buf_printf(&out, " for %g secs.\n", (double)run->duration_ns / 1e9);
	else
		(void)buf_puts(&out, a->program ? ".\n" : "... Hit Ctrl-C to end.\n");
	(void)command_end_output(0, NULL, &out, &ignored); /* a failure shows again at the end */
	return 0;
}

static int draw(const struct stack_tool *tool, const struct stack_tool_options *o,
		const struct profile *profile, bool program, struct err *err)
{
	uint64_t lost = profile->meta.lost_samples + profile->meta.lost_events;
	struct buf about = { 0 }, missing = { 0 };
	struct latency_map_options view = { .title = tool->what,
					    .thing = tool->thing,
					    .unit_ns = 1000 };
	struct latency_map map = { .start_ns = profile->meta.first_ns };
	int code;

	/* A few hundred columns, each of a millisecond at least. */
	map.column_ns = (profile->meta.last_ns - map.start_ns) / MAP_COLUMNS / MS * MS + MS;
	for (size_t i = 0; i < profile->samples.count; i++) {
		const struct profile_sample *sample = &profile->samples.item[i];

		if (tool->draws(o, profile, sample))
			latency_map_add(&map, sample->time_ns,
					latency_map_row(sample->weight / 1000), 1);
	}
	tool->put_subject(tool, o, program, &about);
	if (lost)
		(void)buf_printf(&missing, "%" PRIu64 " events were lost: watch fewer threads.",
				 lost);
	view.about = about.data;
	view.missing = missing.data;
	code = tool_write_map(o->heat_map, &map, &view, err);
	buf_done(&about);
	buf_done(&missing);
	latency_map_done(&map);
	return code;
}

static int show(const struct stack_tool *tool, const struct stack_tool_options *o,
		const struct profile *profile, bool program, struct err *err)
{
	struct buf out = { 0 };
	int code;

	if (!o->json && !o->folded)
		(void)buf_putc(&out, '\n');
	tool->print(tool, o, profile, &out);
	code = command_end_output(0, o->output, &out, err);
	if (!code && o->heat_map && profile->samples.count)
		code = draw(tool, o, profile, program, err);
	return code;
}

static void warn(const struct stack_tool *tool, const struct recording_result *result)
{
	unsigned long long lost = result->lost_samples + result->lost_records;

	command_print_notes(result->notes);
	if (lost)
		command_warn("%llu event%s lost and missing below", lost, lost == 1 ? "" : "s");
	if (!result->samples)
		command_warn("%s: nothing to show in %.1f ms", tool->what,
			     (double)result->duration_ns / 1e6);
}

static int record_and_show(const struct stack_tool *tool, const struct stack_tool_options *o,
			   struct recording_options *record, char **program, struct err *err)
{
	const struct load_options load = {
		.symbol = { .inlines = o->inlines, .demangle = true, .symfs = "" },
		.detail = RESOLVE_NAMES,
		.keep = PROFILE_KEEP_TIME
	};
	struct profile *profile = NULL;
	struct recording_result result;
	struct load_live *live;
	int status, code, loaded;

	if (load_live_start(&load, &live, err))
		return -1;
	record->output_queue = load_live_queue(live);
	code = session_record(record, program, &result, err);
	loaded = load_live_finish(live, code || !result.samples ? NULL : &profile, err);
	if (!code) {
		warn(tool, &result);
		code = loaded;
	}
	if (!code) { /* an empty result is valid */
		profile = profile ? profile : profile_new(0);
		code = show(tool, o, profile, program != NULL, err);
	}
	profile_free(profile);
	status = command_program_status(code, result.launched, result.exit_status, err);
	recording_result_done(&result);
	return status;
}

static int run(const struct stack_tool *tool, const struct stack_tool_options *o,
	       struct recording_options *record, struct option_words words, struct err *err)
{
	struct announcement announcement = { tool, o, false };
	char **program;
	int code = check(o, err);

	if (!code)
		code = parse_words(words, record, &program, err);
	if (!code)
		code = tool->set_up(tool, o, record, err);
	if (code)
		return code;
	record->source.system_wide = !program && !record->source.pids && !record->source.tids;
	vec_push(&record->source.selector, ((struct record_selector){ .text = tool->event }));
	if (recording_options_check(record, program != NULL, err))
		return EXIT_STATUS_USAGE;
	announcement.program = program != NULL;
	record->attend = announce;
	record->attend_context = &announcement;
	return record_and_show(tool, o, record, program, err);
}

int stack_tool_main(const struct stack_tool *tool, const void *options, struct option_words words,
		    struct err *err)
{
	const struct stack_tool_options *o = options;
	struct recording_options record = { .source = { .pids = o->threads.pids,
							.tids = o->threads.tids,
							.user_callchains = o->user_stacks,
							.kernel_callchains = o->kernel_stacks } };
	int status = run(tool, o, &record, words, err);

	recording_options_done(&record);
	return status;
}

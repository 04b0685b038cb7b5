// SPDX-License-Identifier: GPL-2.0-or-later
/* cupel annotate: the instructions and source lines of sampled functions. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/suggest.h"
#include "command/browser/report_browser.h"
#include "command/browser/screen.h"
#include "command/command.h"
#include "command/load_options.h"
#include "command/option/accepted.h"
#include "command/option/option.h"
#include "command/reader.h"
#include "profile/profile.h"
#include "session/annotate/annotate.h"
#include "session/annotate/annotate_bounds.h"
#include "session/annotate/annotate_names.h"
#include "session/capture.h"
#include "session/load/load.h"
#include "session/recording.h"
#include "symbol/code/disassembler.h"
#include "symbol/kernel/kcore.h"
#include "view/annotate/annotate_json.h"
#include "view/annotate/annotate_page.h"
#include "view/annotate/annotate_text.h"
#include "view/report/report.h"

enum style_choice { STYLE_ATT, STYLE_INTEL };
enum arrow_choice { ARROWS_DEFAULT, ARROWS_ON, ARROWS_OFF };

struct annotate_command_options {
	struct input_options input;
	struct annotate_text_options text;
	struct report_options list; /* on the screen, behind the code */
	enum arrow_choice arrows;
	enum style_choice style;
	const char *symbol, *dsos, *output;
	bool stdio, tui, json, page, group, skip_missing, period, samples;
	unsigned verbose;
};

static int set_arrows(void *field, const char *value, bool negated, struct err *err)
{
	(void)value;
	(void)err;
	*(enum arrow_choice *)field = negated ? ARROWS_OFF : ARROWS_ON;
	return 0;
}

#define OWN(field)  OPT(annotate_command_options, field)
#define TEXT(field) OPT(annotate_command_options, text.field)

static const struct option_def annotate_rows[] = {
	{ "Functions", 0, OPT_GROUP, NULL, 0, NULL },
	{ "symbol", 's', OPT_STR, "NAME", OWN(symbol),
	  "this function (default: all with samples)" },
	{ "dsos", 'd', OPT_STR, "LIST", OWN(dsos), "only functions of these modules" },
	{ "skip-missing", 0, OPT_FLAG, NULL, OWN(skip_missing),
	  "say nothing of functions without code" },
	{ "Output", 0, OPT_GROUP, NULL, 0, NULL },
	{ "stdio", 0, OPT_FLAG, NULL, OWN(stdio),
	  "print text (default if the output is not a terminal)" },
	{ "stdio2", 0, OPT_FLAG, NULL, OWN(stdio), "the same" },
	{ "tui", 0, OPT_FLAG, NULL, OWN(tui),
	  "show the code full screen (default on a terminal); see cupel-report(1)" },
	{ "json", 0, OPT_FLAG, NULL, OWN(json), "print JSON, the stable interface for programs" },
	{ "output", 'o', OPT_OUTPUT, "FILE", OWN(output),
	  "write to FILE instead of standard output; code.html: a page with source beside "
	  "instructions" },
	{ "print-line", 'l', OPT_FLAG, NULL, TEXT(print_line),
	  "print the hot source lines first, and the line behind hot instructions" },
	{ "source", 0, OPT_FLAG, NULL, TEXT(source),
	  "print source lines between the instructions (default; --no-source: none)" },
	{ "source-only", 0, OPT_FLAG, NULL, TEXT(source_only),
	  "print source lines with their samples, no instructions" },
	{ "full-paths", 'P', OPT_FLAG, NULL, TEXT(full_paths), "print whole paths of files" },
	{ "disassembler-style", 'M', OPT_CHOICE, "STYLE", OWN(style),
	  "syntax of instructions: att (default) or intel", .choices = "att intel" },
	{ "asm-raw", 0, OPT_FLAG, NULL, TEXT(bytes), "print the bytes of each instruction" },
	{ "objdump-like", 0, OPT_FLAG, NULL, TEXT(bytes), "the same" },
	{ "arrows", 0, OPT_CALL, NULL, OWN(arrows),
	  "draw jumps and outline loops (default on a terminal)", set_arrows },
	{ "group", 0, OPT_FLAG, NULL, OWN(group), "all events side by side" },
	{ "show-nr-samples", 'n', OPT_FLAG, NULL, OWN(samples),
	  "print numbers of samples, not percentages" },
	{ "show-total-period", 0, OPT_FLAG, NULL, OWN(period),
	  "print sums of periods, not percentages" },
	{ "percent-type", 0, OPT_CHOICE, "TYPE", TEXT(percent),
	  "local-period (default), local-hits, global-period or global-hits: of the function or of "
	  "all, by period or samples",
	  .choices = "local-period local-hits global-period global-hits" },
	{ "percent-limit", 0, OPT_DOUBLE, "PERCENT", TEXT(percent_limit),
	  "hide instructions below this percentage" },
	{ "verbose", 'v', OPT_COUNT, NULL, OWN(verbose),
	  "print the module and the addresses of each function" },
	{ "quiet", 'q', OPT_FLAG, NULL, TEXT(quiet), "print no warnings and notes" },
	{ "input options", 0, OPT_INCLUDE, NULL, OWN(input), NULL, NULL, input_option_rows },
	{ .type = OPT_INCLUDE, .include = accepted_annotate_rows },
	{ .type = OPT_INCLUDE, .include = refused_annotate_rows },
	{ 0 },
};

static void annotate_defaults(void *options)
{
	struct annotate_command_options *o = options;

	input_options_defaults(&o->input);
	o->text.source = true;
}

/* What one run works on. */
struct work {
	struct annotate_command_options *options;
	struct profile *profile;
	struct capture capture;
	struct annotate_index index;
	enum annotate_match match; /* of the wanted name */
	struct annotator *annotator;
	struct buf out;
	size_t shown, failed;
	struct err first; /* why the first of the failed ones did */
};

static int no_function(const struct work *work, const char *input, struct err *err)
{
	const struct annotate_command_options *o = work->options;
	struct suggest suggest = { .word = o->symbol };
	char near[256];

	if (!work->index.functions.count) {
		(void)err_set(err, -ENODATA, "%s: no sample is in a function with a name", input);
		return err_hint(err, "why names are missing: cupel report --sort dso,symbol");
	}
	if (!o->symbol)
		return err_set(err, -ENODATA, "%s: no samples in %s", input, o->dsos);
	(void)err_set(err, -ENOENT, "%s: no samples in a function '%s'%s%s", input, o->symbol,
		      o->dsos ? " of " : "", o->dsos ? o->dsos : "");
	annotate_index_suggest(&work->index, &suggest);
	if (suggest.count)
		return err_hint(err, "did you mean %s?",
				suggest_text(&suggest, near, sizeof(near)));
	return err_hint(err, "functions with samples: cupel report --sort symbol");
}

static const struct annotate_function *function_of(const struct work *work, uint32_t function)
{
	return &work->index.functions.item[function];
}

static void fail_function(struct work *work, uint32_t function, struct err *err)
{
	const struct annotate_function *f = function_of(work, function);
	const struct profile *profile = work->profile;

	(void)err_wrap(err, "%s: %s", profile_string(profile, f->name),
		       profile_string(profile, profile->modules.item[f->module].path));
	if (!err->hint[0])
		(void)err_hint(err, "samples by function need no code: cupel report; files of the "
				    "recorded machine: cupel archive --binaries there, or --symfs "
				    "FOLDER");
	if (!work->failed++)
		work->first = *err;
}

static void put_function(struct work *work, uint32_t function, const struct annotation *annotation)
{
	const struct annotate_command_options *o = work->options;
	const struct annotate_function *f = function_of(work, function);

	if (o->json || o->page) {
		(void)buf_puts(&work->out, work->shown ? ",\n" : "\n");
		annotate_json(annotation, &work->out);
		return;
	}
	if (o->verbose)
		(void)buf_printf(&work->out, "%s: %s: offsets %#llx-%#llx\n", annotation->function,
				 annotation->module, (unsigned long long)f->start,
				 (unsigned long long)f->end);
	annotate_text(annotation, &o->text, &work->out);
	(void)buf_putc(&work->out, '\n');
}

static void show_function(struct work *work, uint32_t function)
{
	struct annotation *annotation;
	struct err err = { 0 };

	if (annotator_build(work->annotator, &work->index, function, &annotation, &err)) {
		fail_function(work, function, &err);
		return;
	}
	put_function(work, function, annotation);
	work->shown++;
	annotation_free(annotation);
}

static bool is_wanted(const struct work *work, uint32_t function)
{
	const struct annotate_command_options *o = work->options;

	return annotate_index_search(&work->index, o->symbol, work->match, o->dsos, function) ==
	       function;
}

/* The functions with samples of an event, hottest first. */
static void show_event(struct work *work, size_t event)
{
	size_t count;
	uint32_t *order = annotate_index_order(&work->index, event, &count);

	for (size_t i = 0; i < count; i++)
		if (is_wanted(work, order[i]))
			show_function(work, order[i]);
	free(order);
}

/* Those without samples of the first event come behind those with. */
static void show_all(struct work *work)
{
	for (size_t e = 0; e < work->profile->events.count; e++) {
		size_t count;
		uint32_t *order = annotate_index_order(&work->index, e, &count);

		for (size_t i = 0; i < count; i++) {
			const struct annotate_function *f = function_of(work, order[i]);
			bool before = false;

			for (size_t other = 0; other < e; other++)
				before |= f->count[other].samples > 0;
			if (!before && is_wanted(work, order[i]))
				show_function(work, order[i]);
		}
		free(order);
	}
}

static void show(struct work *work)
{
	struct annotate_command_options *o = work->options;
	size_t events = work->profile->events.count;
	bool data = o->json || o->page;

	if (data)
		(void)buf_puts(&work->out, "{\"cupel\":1,\"functions\":[");
	o->text.events = o->group ? events : 1;
	if (o->group || data)
		show_all(work);
	for (size_t e = 0; !o->group && !data && e < events; e++) {
		o->text.first_event = e;
		show_event(work, e);
	}
	if (data)
		(void)buf_puts(&work->out, "]}\n");
}

static int finish(struct work *work, const char *input, struct err *err)
{
	const struct annotate_command_options *o = work->options;

	if (!work->shown && work->failed) {
		*err = work->first;
		return err->code;
	}
	if (!work->shown)
		return no_function(work, input, err);
	if (o->text.quiet)
		return 0;
	if (work->failed && !o->skip_missing)
		command_warn("%zu of %zu functions have no code here; the first is %s",
			     work->failed, work->failed + work->shown, work->first.msg);
	if (work->index.nameless && !o->symbol)
		command_warn("%s: %llu samples are in no function with a name", input,
			     (unsigned long long)work->index.nameless);
	return 0;
}

/* Puts the page of the data in its place. */
static int make_page(struct work *work, const char *input, struct err *err)
{
	struct buf page = { 0 }, title = { 0 };
	const char *symbol = work->options->symbol;
	int code;

	(void)buf_printf(&title, "%s: %s", symbol ? symbol : "annotate", input);
	code = annotate_page(title.data, &work->out, &page, err);
	buf_done(&title);
	buf_done(&work->out);
	work->out = page;
	return code;
}

static int annotate_profile(struct work *work, const struct load_options *load, const char *input,
			    struct err *err)
{
	const struct annotate_command_options *o = work->options;
	struct annotate_options options = { .symbol = load->symbol,
					    .capture = &work->capture,
					    .intel = o->style == STYLE_INTEL };
	int code;

	options.source = o->text.source || o->text.source_only;
	options.lines = options.source || o->text.print_line;
	annotate_index_find(work->profile, &work->index);
	if (annotate_index_search(&work->index, o->symbol, ANNOTATE_NAME, o->dsos, 0) == SIZE_MAX)
		work->match = ANNOTATE_CLONES;
	work->annotator = annotator_new(&options);
	show(work);
	code = finish(work, input, err);
	if (!code && o->page)
		code = make_page(work, input, err);
	annotator_free(work->annotator);
	annotate_index_done(&work->index);
	return code;
}

static void name_frames(struct work *work, struct load_options *load, const char *input)
{
	const struct annotate_command_options *o = work->options;
	const struct annotate_names_options names = { .capture = &work->capture,
						      .symbol = &load->symbol,
						      .modules = o->dsos,
						      .function = o->symbol };

	if (work->capture.modules) /* other formats have names */
		load->symbol.shared = annotate_name_frames(work->profile, &names);
	profile_count(work->profile);
	if (!o->text.quiet && !o->dsos && !o->symbol)
		input_warn_missing(input, work->profile);
	if (work->capture.modules)
		annotate_bound_frames(work->profile, &names);
}

static int annotate_recording(struct work *work, struct recording *recording, struct err *err)
{
	const struct annotate_command_options *o = work->options;
	struct load_options load = { .detail = RESOLVE_ADDRESSES,
				     .merge_threads = true,
				     .ends_only = true,
				     .no_symbols = true, /* see annotate_names.h */
				     .capture = &work->capture };
	int code;

	input_options_apply(&o->input, &load);
	code = recording_load(recording, &load, &work->profile, err);
	if (!code) {
		name_frames(work, &load, recording_name(recording));
		code = annotate_profile(work, &load, recording_name(recording), err);
		profile_free(work->profile);
	}
	capture_close(&work->capture);
	symbol_shared_free(load.symbol.shared);
	return code;
}

static bool ends_with(const char *text, const char *end)
{
	size_t len = strlen(text), end_len = strlen(end);

	return len >= end_len && strcmp(text + len - end_len, end) == 0;
}

/* "annotate FILE", as for other readers. A word without a dot or a slash is a function, even if a
 * file has that name. */
static bool is_file(const char *word)
{
	return strpbrk(word, "./") && access(word, F_OK) == 0;
}

static int settle(struct annotate_command_options *o, int argc, char **argv, struct err *err)
{
	for (int i = 0; i < argc && !o->input.input; i++) {
		if (!is_file(argv[i]))
			continue;
		o->input.input = argv[i];
		memmove(&argv[i], &argv[i + 1], (size_t)(--argc - i) * sizeof(*argv));
	}
	if (argc > 1)
		return command_usage(err, "one function only");
	if (argc && o->symbol && strcmp(o->symbol, argv[0]) != 0)
		return command_usage(err, "two functions: %s and %s", o->symbol, argv[0]);
	if (argc)
		o->symbol = argv[0];
	o->text.arrows = o->arrows == ARROWS_ON ||
			 (o->arrows == ARROWS_DEFAULT && !o->output && isatty(STDOUT_FILENO));
	o->page = !o->json && o->output && ends_with(o->output, ".html");
	o->text.column = o->period    ? ANNOTATE_PERIOD
			 : o->samples ? ANNOTATE_SAMPLES
				      : ANNOTATE_PERCENT;
	return 0;
}

static int load_for_screen(void *context, struct recording *recording, struct profile **ret,
			   const struct report_options **ret_view, struct err *err)
{
	struct annotate_command_options *o = context;
	struct load_options load = { .ends_only = true };

	input_options_apply(&o->input, &load);
	if (recording_load(recording, &load, ret, err))
		return err->code;
	input_warn_missing(recording_name(recording), *ret);
	o->list = (struct report_options){ .sort = "symbol,dso", .dsos = o->dsos };
	*ret_view = &o->list;
	return 0;
}

static void choose_for_code(void *context, struct load_options *ret)
{
	const struct annotate_command_options *o = context;

	input_options_apply(&o->input, ret);
}

/* People at a terminal get the browser, unless they ask for something that it does not show. */
static bool wants_screen(const struct annotate_command_options *o, const char *input)
{
	const struct annotate_text_options *text = &o->text;

	return !o->stdio && !o->json && !o->output && !o->group && !o->verbose &&
	       o->arrows == ARROWS_DEFAULT && o->style == STYLE_ATT &&
	       text->column == ANNOTATE_PERCENT && text->percent == 0 && text->percent_limit == 0 &&
	       text->source && !text->print_line && !text->source_only && !text->full_paths &&
	       !text->bytes && !text->quiet && !(input && strcmp(input, "-") == 0) &&
	       screen_possible();
}

static int show_screen(struct annotate_command_options *o, const char *input, struct err *err)
{
	const struct report_loading loading = { o, load_for_screen, choose_for_code, true,
						o->symbol };

	reader_begin(command_words(), true);
	return report_browse(input, &loading, err);
}

static int annotate_run(void *options, int argc, char **argv, struct err *err)
{
	struct annotate_command_options *o = options;
	struct work work = { .options = o };
	struct recording *recording = NULL;
	const char *input;
	int code;

	if (settle(o, argc, argv, err))
		return EXIT_STATUS_USAGE;
	if (o->input.redaction)
		return command_usage(err, "--redact cannot hide what the code itself shows");
	if (disassembler_load(err)) /* which the sandbox would not let us do, */
		return -1;
	o->input.kcore = kcore_open(NULL); /* nor this */
	input = o->input.input ? o->input.input : command_default_input();
	if (wants_screen(o, input))
		return show_screen(o, input, err);
	if (o->tui)
		command_warn(
			"--tui: the output is no terminal, or asked for as text: printing text");
	reader_begin(command_words(), o->output);
	code = recording_open(input, &recording, err);
	if (!code)
		code = annotate_recording(&work, recording, err);
	code = o->page && !code ? command_write_bytes(o->output, &work.out, err)
				: command_end_output(code, o->output, &work.out, err);
	if (o->page)
		buf_done(&work.out);
	recording_close(recording);
	return code ? -1 : EXIT_STATUS_OK;
}

static void annotate_done(void *options)
{
	input_options_done(&((struct annotate_command_options *)options)->input);
}

const struct command cmd_annotate = {
	.name = "annotate",
	.args = "[options] [FILE] [FUNCTION]",
	.summary = "show the hot instructions and source lines of functions",
	.options = annotate_rows,
	.options_size = sizeof(struct annotate_command_options),
	.defaults = annotate_defaults,
	.run = annotate_run,
	.done = annotate_done,
};

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel query: any view of a range of time and a selection of labels of a store. Views that other
 * commands have are those commands, with an input that names a part of the store
 * (session/store/store_input.h). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "command/command.h"
#include "command/option/option.h"
#include "command/reader.h"
#include "command/store/query_over_time.h"
#include "session/store/store_input.h"
#include "store/selector.h"
#include "store/time_text.h"

struct query_options {
	const char *store, *from, *to;
	const char *before, *before_from, *before_to;
	struct query_view_options view;
};

#define OWN(field)  OPT(query_options, field)
#define VIEW(field) OPT(query_options, view.field)

static const struct option_def query_rows[] = {
	{ "Samples", 0, OPT_GROUP, NULL, 0, NULL },
	{ "store", 0, OPT_STR, "PLACE", OWN(store),
	  "folder of the store (default /var/lib/cupel)" },
	{ "from", 0, OPT_STR, "TIME", OWN(from),
	  "begin of the range (default -1h): -90s, -1h30m, -7d, today, yesterday, 14:30, "
	  "\"2026-11-24 14:30\", @SECONDS" },
	{ "to", 0, OPT_STR, "TIME", OWN(to), "its end (default now)" },
	{ "Other side of diff", 0, OPT_GROUP, NULL, 0, NULL },
	{ "before", 0, OPT_STR, "SELECTOR", OWN(before),
	  "compare with these labels (default: the same)" },
	{ "before-from", 0, OPT_STR, "TIME", OWN(before_from),
	  "compare with this range (default: as long, just before; with --before the same)" },
	{ "before-to", 0, OPT_STR, "TIME", OWN(before_to), "its end (default: as long)" },
	{ "Views top, timeline and series", 0, OPT_GROUP, NULL, 0, NULL },
	{ "by", 0, OPT_STR, "LABEL", VIEW(by), "timeline: a line for each value of this label" },
	{ "step", 0, OPT_DURATION, "TIME", VIEW(step_ns), "width of a column" },
	{ "total", 0, OPT_FLAG, NULL, VIEW(total), "top: functions with what they call" },
	{ "limit", 0, OPT_UINT, "ROWS", VIEW(limit), "rows (25)" },
	{ "event", 'e', OPT_STR, "EVENT", VIEW(event), "only this event" },
	{ "json", 0, OPT_FLAG, NULL, VIEW(json), "print JSON" },
	{ "output", 'o', OPT_OUTPUT, "FILE", VIEW(output),
	  "write to FILE instead of standard output" },
	{ 0 },
};

/* Commands that are views of one profile. */
static const char *const views[] = { "report",	"flamegraph", "diff", "heatmap",
				     "convert", "collapse",   NULL };

static bool is_view(const char *word)
{
	for (size_t i = 0; views[i]; i++)
		if (strcmp(views[i], word) == 0)
			return true;
	return strcmp(word, "top") == 0 || strcmp(word, "timeline") == 0 ||
	       strcmp(word, "series") == 0 || strcmp(word, "learn") == 0;
}

/* store:PLACE{SELECTOR}[@FROM,@TO] */
static char *input_name_of(const struct query_options *options, const char *selector,
			   uint64_t from_ns, uint64_t to_ns)
{
	bool braces = selector && strchr(selector, '{') == selector + strspn(selector, " ");
	struct buf name = { 0 };

	(void)buf_printf(&name, "%s%s%s%s%s[@%llu,@%llu]", STORE_INPUT_PREFIX,
			 options->store ? options->store : "", selector && !braces ? "{" : "",
			 selector ? selector + (braces ? strspn(selector, " ") : 0) : "",
			 selector && !braces ? "}" : "",
			 (unsigned long long)(from_ns / 1000000000u),
			 (unsigned long long)(to_ns / 1000000000u));
	return name.data;
}

/* As the user wrote it, before it becomes part of a name. */
static int check_selector(const char *text, struct err *err)
{
	struct selector *selector = NULL;
	int code = text ? selector_parse(text, &selector, err) : 0;

	if (!code)
		selector_free(selector);
	return code;
}

struct range {
	uint64_t from_ns, to_ns;
};

static int take_range(const struct query_options *options, uint64_t now_ns, struct range *ret,
		      struct err *err)
{
	if (time_text_parse(options->from ? options->from : "-1h", now_ns, &ret->from_ns, err) ||
	    time_text_parse(options->to ? options->to : "now", now_ns, &ret->to_ns, err))
		return err->code;
	return ret->from_ns < ret->to_ns ? 0 : err_usage(err, "--from is not before --to");
}

static int range_before(const struct query_options *options, const struct range *after,
			uint64_t now_ns, struct range *ret, struct err *err)
{
	uint64_t len = after->to_ns - after->from_ns;

	*ret = *after;
	if (!options->before_from && !options->before_to && !options->before) {
		ret->to_ns = after->from_ns;
		ret->from_ns = ret->to_ns > len ? ret->to_ns - len : 0;
	}
	if (options->before_from) {
		if (time_text_parse(options->before_from, now_ns, &ret->from_ns, err))
			return err->code;
		ret->to_ns = ret->from_ns + len;
	}
	if (options->before_to) {
		if (time_text_parse(options->before_to, now_ns, &ret->to_ns, err))
			return err->code;
		if (!options->before_from)
			ret->from_ns = ret->to_ns > len ? ret->to_ns - len : 0;
	}
	return ret->from_ns < ret->to_ns
		       ? 0
		       : err_usage(err, "--before-from is not before --before-to");
}

/* The view's own words, with the inputs as its first ones. */
static int run_command_view(const struct option_words *view, char *const *inputs, int input_count)
{
	char **words = mem_zalloc((size_t)(view->argc + input_count + 1) * sizeof(*words));
	struct option_words all = { view->argc + input_count, words };
	int status;

	words[0] = view->argv[0];
	for (int i = 0; i < input_count; i++)
		words[1 + i] = inputs[i];
	for (int i = 1; i < view->argc; i++)
		words[input_count + i] = view->argv[i];
	status = command_run(&all);
	free(words);
	return status;
}

static int run_own_view(const char *view, const char *path, const struct query_options *options,
			struct err *err)
{
	struct store_input input;
	int status;

	if (store_input_parse(path, clock_ns(CLOCK_REALTIME), &input, err))
		return EXIT_STATUS_USAGE;
	if (strcmp(view, "learn") != 0) /* it writes into the store */
		reader_begin(command_words(), options->view.output != NULL);
	if (strcmp(view, "top") == 0)
		status = query_top(path, &input, &options->view, err);
	else if (strcmp(view, "timeline") == 0)
		status = query_timeline(&input, &options->view, err);
	else if (strcmp(view, "learn") == 0)
		status = query_learn(&input, err);
	else
		status = query_series(&input, &options->view, err);
	store_input_done(&input);
	return status;
}

static bool is_command_view(const char *word)
{
	return strcmp(word, "top") != 0 && strcmp(word, "timeline") != 0 &&
	       strcmp(word, "series") != 0 && strcmp(word, "learn") != 0;
}

/* Names of inputs have whole seconds, and a bucket that has just begun is before now. */
static uint64_t next_second(uint64_t ns)
{
	return (ns / 1000000000u + 1) * 1000000000u;
}

static int run_view(struct query_options *options, const char *selector,
		    const struct option_words *view, struct err *err)
{
	uint64_t now_ns = next_second(clock_ns(CLOCK_REALTIME));
	bool diff = strcmp(view->argv[0], "diff") == 0;
	struct range after, before = { 0 };
	char *inputs[2] = { 0 };
	int status;

	if (check_selector(selector, err) || check_selector(options->before, err) ||
	    take_range(options, now_ns, &after, err) ||
	    (diff && range_before(options, &after, now_ns, &before, err)))
		return EXIT_STATUS_USAGE;
	if (diff)
		inputs[0] = input_name_of(options, options->before ? options->before : selector,
					  before.from_ns, before.to_ns);
	inputs[diff] = input_name_of(options, selector, after.from_ns, after.to_ns);
	if (is_command_view(view->argv[0]))
		status = run_command_view(view, inputs, 1 + diff);
	else
		status = run_own_view(view->argv[0], inputs[0], options, err);
	free(inputs[0]);
	free(inputs[1]);
	return status;
}

extern const struct command cmd_query;

/* Words: [SELECTOR] [more options] VIEW [the view's own words]. Options of the own views may follow
 * them. */
static int query_run(void *poptions, int argc, char **argv, struct err *err)
{
	struct query_options *options = poptions;
	struct option_words view = { argc, argv };
	const char *selector = NULL;

	if (argc && !is_view(argv[0])) {
		selector = argv[0];
		if (option_parse(&cmd_query, &view, options, err))
			return EXIT_STATUS_USAGE;
	}
	if (!view.argc)
		return command_usage(err, "missing VIEW: report, flamegraph, diff, heatmap, "
					  "convert, collapse, top, timeline, series or learn");
	if (!is_view(view.argv[0]))
		return command_usage(err, "unknown view '%s'", view.argv[0]);
	if (!is_command_view(view.argv[0])) {
		struct option_words own = view;

		if (option_parse(&cmd_query, &own, options, err))
			return EXIT_STATUS_USAGE;
		if (own.argc)
			return command_usage(err, "unexpected word '%s'", own.argv[0]);
		/* parsing wrote over the word */
	}
	return run_view(options, selector, &view, err);
}

const struct command cmd_query = {
	.name = "query",
	.args = "[SELECTOR] [options] VIEW [options of the view]",
	.summary = "show a part of a store: a range of time, a selection of labels",
	.options = query_rows,
	.options_size = sizeof(struct query_options),
	.run = query_run,
	.takes_program = true,
};

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel watch: which functions of which services take another share of the time than before, since
 * when, and what else happened then. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/confined.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/packing.h"
#include "base/sandbox.h"
#include "command/command.h"
#include "command/option/option.h"
#include "command/output.h"
#include "command/store/watch_mark.h"
#include "command/store/watch_tell.h"
#include "session/store/store_changes.h"
#include "session/store/store_input.h"
#include "session/store/watch_findings.h"
#include "store/mark.h"
#include "store/selector.h"
#include "store/store.h"
#include "store/time_text.h"
#include "symbol/kernel/kallsyms_cache.h"

#define SECOND_NS  ((uint64_t)1000000000)
#define MOST_STATE ((size_t)16 << 20)

struct watch_command_options {
	struct output_options output;
	struct watch_tell tell;
	const char *store, *from, *to, *by, *event, *marks, *page, *at, *of;
	uint64_t step_ns, every_ns, persist, samples;
	double share, change, rate;
	bool all, fail;
};

#define OWN(field)  OPT(watch_command_options, field)
#define TELL(field) OPT(watch_command_options, tell.field)

static const struct option_def watch_rows[] = {
	{ "Samples", 0, OPT_GROUP, NULL, 0, NULL },
	{ "store", 0, OPT_STR, "PLACE", OWN(store),
	  "folder of the store (default /var/lib/cupel)" },
	{ "from", 0, OPT_STR, "TIME", OWN(from), "begin of the range (default -14d)" },
	{ "to", 0, OPT_STR, "TIME", OWN(to), "its end (default now)" },
	{ "step", 0, OPT_DURATION, "TIME", OWN(step_ns),
	  "width of a column (default: up to 400 columns in the range)" },
	{ "by", 0, OPT_STR, "LABEL", OWN(by), "test each value of this label apart (service)" },
	{ "event", 'e', OPT_STR, "EVENT", OWN(event),
	  "test this event (default: time on the CPU, else the most frequent one)" },
	{ "Findings", 0, OPT_GROUP, NULL, 0, NULL },
	{ "min-share", 0, OPT_DOUBLE, "PERCENT", OWN(share),
	  "only functions with this share before or after (0.1)" },
	{ "min-change", 0, OPT_DOUBLE, "PERCENT", OWN(change),
	  "only if the share changed by so much of itself (5)" },
	{ "persist", 0, OPT_UINT, "N", OWN(persist), "only if it lasts for N columns (4)" },
	{ "min-samples", 0, OPT_UINT, "N", OWN(samples),
	  "leave out columns with fewer samples (100)" },
	{ "fdr", 0, OPT_DOUBLE, "PERCENT", OWN(rate), "rate of false discoveries (5)" },
	{ "marks", 0, OPT_STR, "FILE", OWN(marks), "marks (default: marks in the store)" },
	{ "all", 0, OPT_FLAG, NULL, OWN(all), "show what was set apart as well, with the reason" },
	{ "Telling", 0, OPT_GROUP, NULL, 0, NULL },
	{ "page", 0, OPT_STR, "URL", OWN(page), "address of cupel serve, for links" },
	{ "post", 0, OPT_STR, "URL", TELL(post),
	  "post findings as JSON, with CUPEL_WATCH_TOKEN of the environment as bearer token" },
	{ "append", 0, OPT_STR, "FILE", TELL(append), "append findings, a JSON object a line" },
	{ "state", 0, OPT_STR, "FILE", TELL(state),
	  "remember findings there, and show only new ones" },
	{ "every", 0, OPT_DURATION, "TIME", OWN(every_ns),
	  "go on, and look again after this time" },
	{ "fail", 0, OPT_FLAG, NULL, OWN(fail), "exit with status 1 if there are findings" },
	{ "output", 0, OPT_INCLUDE, NULL, OWN(output), NULL, NULL, output_option_rows },
	{ "The word mark", 0, OPT_GROUP, NULL, 0, NULL },
	{ "at", 0, OPT_STR, "TIME", OWN(at), "mark: when it was (default now)" },
	{ "for", 0, OPT_STR, "SELECTOR", OWN(of), "mark: of these series only" },
	{ 0 },
};

static void watch_defaults(void *poptions)
{
	struct watch_command_options *options = poptions;

	options->by = "service";
	options->from = "-14d";
	options->to = "now";
	options->persist = 4;
	options->samples = 100;
	options->share = 0.1;
	options->change = 5;
	options->rate = 5;
}

/* A round in the child. */
struct look {
	const struct watch_command_options *options;
	const char *store, *marks_path, *selector;
	bool marks_given;
	const char *known; /* told in earlier rounds of this process; NULL = nothing */
};

static int read_marks(const struct look *look, struct marks *ret, struct err *err)
{
	struct stat st;

	if (!look->marks_path || (!look->marks_given && stat(look->marks_path, &st)))
		return 0;
	return marks_read(look->marks_path, ret, err);
}

static int read_known(const struct look *look, struct buf *ret, struct err *err)
{
	const char *path = look->options->tell.state;
	struct stat st;

	(void)buf_puts(ret, look->known ? look->known : "");
	return path && !stat(path, &st) ? fd_read_file(path, ret, err) : 0;
}

static int make_question(const struct look *look, const struct marks *marks,
			 struct store_changes_question *ret, struct err *err)
{
	const struct watch_command_options *o = look->options;
	uint64_t now = clock_ns(CLOCK_REALTIME);

	*ret = (struct store_changes_question){
		.location = look->store,
		.selector = look->selector,
		.step_ns = o->step_ns,
		.by = o->by,
		.event = o->event,
		.viewer = STORE_EVERYBODY,
		.least_samples = (double)o->samples,
		.limits = { o->rate / 100, o->share / 100, o->change / 100, (size_t)o->persist },
		.marks = marks,
	};
	return time_text_parse(o->from, now, &ret->from_ns, err) ||
			       time_text_parse(o->to, now, &ret->to_ns, err)
		       ? err->code
	       : ret->from_ns < ret->to_ns ? 0
					   : err_usage(err, "--from is not before --to");
}

static void pack_round(const struct look *look, const struct store_changes *changes,
		       const char *known, struct buf *ret)
{
	const struct watch_options words = { .location = look->options->store,
					     .page = look->options->page,
					     .all = look->options->all };
	bool *told = mem_zalloc(changes->item.count + 1);
	struct buf text = { 0 }, json = { 0 }, lines = { 0 };

	for (size_t i = 0; i < changes->item.count; i++) {
		const struct store_change *change = &changes->item.item[i];

		told[i] = !watch_is_known(changes, change, known);
		if (told[i] && change->fate == CHANGE_FOUND)
			watch_put_known(change, &lines);
	}
	watch_text(changes, &words, told, &text);
	watch_json(changes, &words, told, &json);
	pack_put_string(ret, text.data);
	pack_put_string(ret, json.data);
	pack_put_string(ret, lines.data);
	buf_done(&text);
	buf_done(&json);
	buf_done(&lines);
	free(told);
}

static int look_apart(void *context, struct buf *bytes, struct err *err)
{
	const struct look *look = context;
	struct store_changes_question question;
	struct store_changes changes;
	struct marks marks = { 0 };
	struct buf known = { .limit = MOST_STATE };
	int code = read_marks(look, &marks, err);

	if (!code)
		code = read_known(look, &known, err);
	if (!code)
		code = make_question(look, &marks, &question, err);
	if (!code)
		code = store_changes_find(&question, &changes, err);
	if (!code) {
		pack_round(look, &changes, known.data, bytes);
		store_changes_done(&changes);
	}
	buf_done(&known);
	marks_done(&marks);
	return code;
}

/* In the sandbox: names of code come from binaries. A server needs the network. */
static int look_once(struct look *look, struct buf *ret, struct err *err)
{
	if (!store_is_folder(look->store))
		return look_apart(look, ret, err);
	return confined_call("cupel-reader", look_apart, look, ret, err);
}

static int tell(const struct watch_command_options *options, const struct watch_round *round,
		struct err *err)
{
	struct buf text = { 0 };
	int code;

	(void)buf_puts(&text, options->output.json ? round->json : round->text);
	code = command_write_output(options->output.path, &text, err);
	buf_done(&text);
	return code ? code : watch_tell(&options->tell, round, err);
}

static int one_round(struct look *look, struct buf *known, bool *ret_found, struct err *err)
{
	struct buf bytes = { 0 };
	struct unpack unpack = { 0 };
	struct arena arena = { 0 };
	struct watch_round round;
	int code = look_once(look, &bytes, err);

	unpack.data = (const uint8_t *)bytes.data;
	unpack.len = bytes.len;
	round.text = unpack_string(&unpack, false, &arena);
	round.json = unpack_string(&unpack, false, &arena);
	round.known = unpack_string(&unpack, false, &arena);
	if (!code && !unpack_end(&unpack))
		code = err_set(err, -EPROTO, "the process that looked sent a damaged answer");
	if (!code)
		code = tell(look->options, &round, err);
	if (!code) {
		*ret_found = *round.known != '\0';
		(void)buf_puts(known, round.known);
		look->known = known->data;
	}
	arena_done(&arena);
	buf_done(&bytes);
	return code;
}

/* A round that fails is tried again the next time. */
static int go_on(struct look *look, struct err *err)
{
	const struct watch_command_options *options = look->options;
	struct buf known = { .limit = MOST_STATE };
	bool found = false;
	int code = one_round(look, &known, &found, err);

	while (options->every_ns && !err->usage) {
		struct timespec time = { (time_t)(options->every_ns / SECOND_NS),
					 (long)(options->every_ns % SECOND_NS) };

		if (code)
			command_print_error(err);
		*err = (struct err){ 0 };
		(void)fflush(stdout);
		(void)nanosleep(&time, NULL);
		code = one_round(look, &known, &found, err);
	}
	buf_done(&known);
	return code ? -1 : options->fail && found ? EXIT_STATUS_FAILED : EXIT_STATUS_OK;
}

static int check(const struct watch_command_options *o, const char *selector, struct err *err)
{
	struct selector *parsed;

	if (o->persist < 2 || o->persist > 1000)
		return command_usage(err, "--persist: between 2 and 1000");
	if (!(o->rate > 0 && o->rate < 100))
		return command_usage(err, "--fdr: between 0 and 100 percent");
	if (!(o->share >= 0 && o->share < 100) || !(o->change >= 0))
		return command_usage(err, "--min-share, --min-change: a percentage");
	if (!label_name_is_valid(o->by, strlen(o->by)))
		return command_usage(err, "--by: '%s' is no name of a label", o->by);
	if (selector && selector_parse(selector, &parsed, err))
		return EXIT_STATUS_USAGE;
	if (selector)
		selector_free(parsed);
	return 0;
}

static int watch_run(void *poptions, int argc, char **argv, struct err *err)
{
	struct watch_command_options *options = poptions;
	struct look look = { .options = options,
			     .store = options->store ? options->store : STORE_DEFAULT,
			     .marks_path = options->marks,
			     .marks_given = options->marks != NULL };
	bool mark = argc && strcmp(argv[0], "mark") == 0;
	AUTO_FREE char *usual = NULL;
	struct buf path = { 0 };
	int status;

	if (!look.marks_path && store_is_folder(look.store)) {
		(void)buf_printf(&path, "%s/" MARKS_FILE, look.store);
		look.marks_path = usual = path.data;
	}
	if (mark && !look.marks_path)
		return command_usage(err, "mark: name a file with --marks");
	if (mark)
		return watch_mark_run(look.marks_path, options->at, options->of,
				      &(struct option_words){ argc - 1, argv + 1 }, err);
	if (argc > 1)
		return command_usage(err, "unexpected word '%s'", argv[1]);
	look.selector = argc ? argv[0] : NULL;
	status = check(options, look.selector, err);
	if (status)
		return status;
	if (sandbox_needed())
		kallsyms_keep_running(); /* for which the sandbox has no room */
	return go_on(&look, err);
}

const struct command cmd_watch = {
	.name = "watch",
	.args = "[options] [SELECTOR | mark TEXT]",
	.summary = "find functions that take another share than before, in a store",
	.options = watch_rows,
	.options_size = sizeof(struct watch_command_options),
	.defaults = watch_defaults,
	.run = watch_run,
};

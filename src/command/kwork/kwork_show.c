/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel kwork report, latency, timehist and top: they read a recording, or watch, and print one
 * view of it. */
#include <errno.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/err.h"
#include "command/command.h"
#include "command/kwork/kwork_classes.h"
#include "command/kwork/kwork_live.h"
#include "command/option/option.h"
#include "command/output.h"
#include "command/reader.h"
#include "profile/kwork.h"
#include "profile/profile.h"
#include "session/load/load.h"
#include "session/recording.h"
#include "view/kwork_view.h"

struct kwork_show {
	const char *input, *classes, *cpus, *name, *time;
	unsigned sort; /* of the command's choices; 0 = its first */
	bool summary, bpf;
	struct symbol_options symbol;
	struct output_options output;
};

#define FIELD(member) OPT(kwork_show, member)

/* clang-format off */
#define COMMON_ROWS \
	{ "use-bpf", 'b', OPT_FLAG, NULL, FIELD(bpf), \
	  "watch now, while a program runs or until Ctrl-C" }, \
	{ "input", 'i', OPT_STR, "FILE", FIELD(input), "recording to read, - = stdin" }, \
	{ "kwork", 'k', OPT_STR, "LIST", FIELD(classes), \
	  "only these: irq, softirq, workqueue, sched" }, \
	{ "cpu", 'C', OPT_STR, "LIST", FIELD(cpus), "only on these CPUs" }, \
	{ "name", 'n', OPT_STR, "NAME", FIELD(name), "only those with this in their name" }, \
	{ "time", 0, OPT_STR, "FROM,TO", FIELD(time), "only this part of the recording" }, \
	{ "kallsyms", 0, OPT_STR, "FILE", FIELD(symbol.kallsyms_path), \
	  "symbols of the kernel" }, \
	{ .type = OPT_INCLUDE, .include = output_option_rows, .offset = FIELD(output) }, \
	{ .type = OPT_END }
/* clang-format on */

static const struct option_def report_rows[] = {
	{ "sort", 's', OPT_CHOICE, "KEY", FIELD(sort), "order of the rows",
	  .choices = "default runtime max count" },
	{ "with-summary", 'S', OPT_FLAG, NULL, FIELD(summary), "print sums below the table" },
	COMMON_ROWS,
};

static const struct option_def latency_rows[] = {
	{ "sort", 's', OPT_CHOICE, "KEY", FIELD(sort), "order of the rows",
	  .choices = "default avg max count" },
	COMMON_ROWS,
};

static const struct option_def other_rows[] = { COMMON_ROWS };

typedef void print_fn(const struct kwork_view *view, struct buf *out);

static void defaults(void *options)
{
	((struct kwork_show *)options)->symbol =
		(struct symbol_options){ .demangle = true, .symfs = "" };
}

static struct load_options how_to_load(const struct kwork_show *o)
{
	static const struct load_values values[] = { { NULL, KWORK_VALUE_NAMES } };

	return (struct load_options){
		.symbol = o->symbol,
		.keep = PROFILE_KEEP_TIME | PROFILE_KEEP_CPU | PROFILE_KEEP_ADDR |
			PROFILE_ADDR_IS_VALUES,
		.detail = RESOLVE_NAMES,
		.values = values,
		.value_is_stack = true,
		.time = o->time,
		.cpus = o->bpf ? NULL : o->cpus, /* others are not watched */
	};
}

static int read_input(struct kwork_show *o, const struct option_words *words, struct profile **ret,
		      struct err *err)
{
	const struct load_options load = how_to_load(o);
	int code;

	reader_begin(command_words(), o->output.path != NULL);
	code = command_take_input(words, o->input, &o->input, err);
	return code ? code : session_load(o->input, &load, ret, err);
}

static int show(const struct kwork_show *o, const struct profile *profile, struct kwork *kwork,
		print_fn *print, struct err *err)
{
	const struct option_words *typed = command_words();
	const struct kwork_view view = { .profile = profile,
					 .kwork = kwork,
					 .summary = o->summary,
					 .words = (const char *const *)typed->argv,
					 .word_count = (size_t)typed->argc };
	const enum kwork_order latency[] = { KWORK_BY_AVERAGE, KWORK_BY_AVERAGE, KWORK_BY_MAX,
					     KWORK_BY_COUNT },
			       report[] = { KWORK_BY_TIME, KWORK_BY_TIME, KWORK_BY_MAX,
					    KWORK_BY_COUNT };
	bool delays = print == kwork_latency_text;
	struct buf out = { 0 };

	if (print != kwork_timehist_text)
		kwork_sort(kwork, delays, (delays ? latency : report)[o->sort & 3]);
	(o->output.json ? kwork_json : print)(&view, &out);
	return command_end_output(0, o->output.path, &out, err);
}

static int print_profile(const struct kwork_show *o, struct profile *profile, unsigned classes,
			 print_fn *print, struct err *err)
{
	struct kwork kwork = { 0 };
	int code;

	if (profile)
		kwork_fill(&kwork, profile, classes, o->name);
	if (kwork.row.count || kwork.task.count) {
		code = show(o, profile, &kwork, print, err);
	} else {
		code = err_set(err, -ENODATA, "%s: no interrupts and work of the kernel",
			       o->bpf	  ? "this machine"
			       : o->input ? o->input
					  : "perf.data");
		if (!o->bpf)
			(void)err_hint(err, "record them with: cupel kwork record -- PROGRAM");
	}
	if (!code && print == kwork_top_text && !kwork.task.count)
		command_warn("no switches of threads: record them with: cupel kwork record -k "
			     "irq,softirq,sched");
	kwork_done(&kwork);
	return code ? -1 : EXIT_STATUS_OK;
}

static void say_begin(void)
{
	(void)printf("Starting trace, Hit <Ctrl+C> to stop and report\n"); /* as perf */
	(void)fflush(stdout);
}

/* Threads are needed for nothing but top. */
static int watch(const struct kwork_show *o, const struct option_words *words, unsigned classes,
		 print_fn *print, struct err *err)
{
	const struct load_options load = how_to_load(o);
	struct kwork_live live = { .classes = classes,
				   .cpus = o->cpus,
				   .program = words->argc ? words->argv : NULL };
	int code;

	if (o->input || o->time)
		return command_usage(err, "-i and --time are for recordings: not with -b");
	if (!o->classes && print != kwork_top_text)
		live.classes &= ~(1u << KWORK_SCHED);
	if (!words->argc && !o->output.json && !o->output.path)
		live.begin = say_begin;
	code = kwork_live_watch(&live, &load, err);
	if (!code)
		code = print_profile(o, live.profile, live.classes, print, err);
	profile_free(live.profile);
	return kwork_live_done(&live, code, err);
}

static int run(void *options, const struct option_words *words, print_fn *print, struct err *err)
{
	struct kwork_show *o = options;
	unsigned classes;
	struct profile *profile = NULL;
	int code = kwork_classes_parse(o->classes, (1u << KWORK_CLASSES) - 1, &classes, err);

	if (code)
		return code;
	if (o->bpf)
		return watch(o, words, classes, print, err);
	code = read_input(o, words, &profile, err);
	if (!code)
		code = print_profile(o, profile, classes, print, err);
	profile_free(profile);
	return code > 0 ? code : code ? -1 : EXIT_STATUS_OK;
}

#define SHOW(verb, table, says)                                                                \
	static int verb##_run(void *options, int argc, char **argv, struct err *err)           \
	{                                                                                      \
		return run(options, &(struct option_words){ argc, argv }, kwork_##verb##_text, \
			   err);                                                               \
	}                                                                                      \
	const struct command cmd_kwork_##verb = {                                              \
		.name = "kwork " #verb,                                                        \
		.args = "[options] [FILE | -- program arguments]",                             \
		.summary = says,                                                               \
		.options = table,                                                              \
		.options_size = sizeof(struct kwork_show),                                     \
		.defaults = defaults,                                                          \
		.run = verb##_run,                                                             \
		.takes_program = true                                                          \
	}

SHOW(report, report_rows, "show how long interrupts and work of the kernel took");
SHOW(latency, latency_rows, "show how long soft interrupts and work of the kernel waited");
SHOW(timehist, other_rows, "list interrupts and work of the kernel one by one");
SHOW(top, other_rows, "show what interrupts left of the CPUs, and which threads had it");

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel lock report: the kernel's locks in perf lock report's layout. */
#include "base/buf.h"
#include "base/err.h"
#include "command/command.h"
#include "command/lock/lock_input.h"
#include "command/option/accepted.h"
#include "command/output.h"
#include "profile/profile.h"
#include "view/lock/contention_view.h"

struct lock_report {
	struct lock_input in;
	unsigned key;
	uint64_t entries;
	bool threads;
	struct output_options output;
};

static const struct option_def lock_report_rows[] = {
	{ "input", 'i', OPT_STR, "FILE", OPT(lock_report, in.path),
	  "recording to read, - = stdin" },
	{ "entries", 'E', OPT_UINT, "N", OPT(lock_report, entries), "show this many rows" },
	{ "key", 'k', OPT_CHOICE, "KEY", OPT(lock_report, key), "order of the rows",
	  .choices = LOCK_ORDERS },
	{ "threads", 't', OPT_FLAG, NULL, OPT(lock_report, threads), "a row for each thread" },
	{ .type = OPT_INCLUDE, .include = accepted_lock_report_rows },
	{ "time", 0, OPT_STR, "FROM,TO", OPT(lock_report, in.time),
	  "only this part of the recording" },
	{ "kallsyms", 0, OPT_STR, "FILE", OPT(lock_report, in.symbol.kallsyms_path),
	  "symbols of the kernel" },
	{ .type = OPT_INCLUDE, .include = output_option_rows, .offset = OPT(lock_report, output) },
	{ .type = OPT_END },
};

static void lock_report_defaults(void *options)
{
	struct lock_report *o = options;

	o->in.symbol = (struct symbol_options){ .demangle = true, .symfs = "" };
	o->in.skip = LOCK_SKIPPED;
}

static int lock_report_run(void *options, int argc, char **argv, struct err *err)
{
	struct lock_report *o = options;
	const struct option_words words = { argc, argv }, *typed = command_words();
	struct contention contention = { .by = o->threads ? CONTENTION_BY_THREAD
							  : CONTENTION_BY_CALLER };
	struct profile *profile = NULL;
	struct buf out = { 0 };
	int code = lock_input_read(&o->in, &words, &contention, &profile, err);

	if (!code) {
		const struct contention_view view = { .profile = profile,
						      .contention = &contention,
						      .entries = o->entries,
						      .words = (const char *const *)typed->argv,
						      .word_count = (size_t)typed->argc };

		contention_sort(&contention, lock_order(o->key, CONTENTION_CONTENDED));
		(o->output.json ? contention_json : contention_report)(&view, &out);
		code = command_end_output(0, o->output.path, &out, err);
	}
	contention_done(&contention);
	profile_free(profile);
	return code > 0 ? code : code ? -1 : EXIT_STATUS_OK;
}

const struct command cmd_lock_report = {
	.name = "lock report",
	.args = "[options] [FILE]",
	.summary = "show contention of the kernel's locks by caller",
	.options = lock_report_rows,
	.options_size = sizeof(struct lock_report),
	.defaults = lock_report_defaults,
	.run = lock_report_run,
	.reads = true,
};

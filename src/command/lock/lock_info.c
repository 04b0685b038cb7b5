/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel lock info: the threads or the locks of a recording, as perf lock info lists them. */
#include <inttypes.h>

#include "base/buf.h"
#include "base/err.h"
#include "command/command.h"
#include "command/lock/lock_input.h"
#include "command/option/option.h"
#include "profile/profile.h"

struct lock_info {
	struct lock_input in;
	bool threads, map;
};

static const struct option_def lock_info_rows[] = {
	{ "input", 'i', OPT_STR, "FILE", OPT(lock_info, in.path), "recording to read, - = stdin" },
	{ "threads", 't', OPT_FLAG, NULL, OPT(lock_info, threads), "list threads" },
	{ "map", 'm', OPT_FLAG, NULL, OPT(lock_info, map), "list locks" },
	{ .type = OPT_END },
};

static void lock_info_defaults(void *options)
{
	((struct lock_info *)options)->in.symbol =
		(struct symbol_options){ .demangle = true, .symfs = "" };
}

static void list_threads(const struct profile *profile, struct buf *out)
{
	(void)buf_printf(out, "%10s: comm\n", "Thread ID");
	for (size_t i = 0; i < profile->threads.count; i++) {
		(void)buf_printf(out, "%10" PRIu32 ": ", profile->threads.item[i].tid);
		(void)buf_put_tidy(out, profile_string(profile, profile->threads.item[i].comm));
		(void)buf_putc(out, '\n');
	}
}

static void list_locks(const struct profile *profile, const struct contention *contention,
		       struct buf *out)
{
	(void)buf_puts(out, "Address of instance: name of class\n");
	for (size_t i = 0; i < contention->row.count; i++) {
		(void)buf_printf(out, " %#" PRIx64 ": ", contention->row.item[i].address);
		(void)buf_put_tidy(out, profile_string(profile, contention->row.item[i].name));
		(void)buf_putc(out, '\n');
	}
}

static int lock_info_run(void *options, int argc, char **argv, struct err *err)
{
	struct lock_info *o = options;
	const struct option_words words = { argc, argv };
	struct contention contention = { .by = CONTENTION_BY_LOCK };
	struct profile *profile = NULL;
	struct buf out = { 0 };
	int code;

	if (o->threads == o->map)
		return command_usage(err, "say what to list: -t threads, or -m locks");
	code = lock_input_read(&o->in, &words, &contention, &profile, err);
	if (!code) {
		if (o->threads)
			list_threads(profile, &out);
		else
			list_locks(profile, &contention, &out);
		code = command_end_output(0, NULL, &out, err);
	}
	contention_done(&contention);
	profile_free(profile);
	return code > 0 ? code : code ? -1 : EXIT_STATUS_OK;
}

const struct command cmd_lock_info = {
	.name = "lock info",
	.args = "[options] [FILE]",
	.summary = "list the threads or the locks of a recording",
	.options = lock_info_rows,
	.options_size = sizeof(struct lock_info),
	.defaults = lock_info_defaults,
	.run = lock_info_run,
	.reads = true,
};

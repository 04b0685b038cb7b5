/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel sched stats: what the kernel counted about its scheduler while a program ran. A recording
 * is /proc/schedstat as it was before and after, one after the other. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "command/command.h"
#include "command/load_options.h"
#include "command/option/accepted.h"
#include "command/option/option.h"
#include "format/schedstat_read.h"
#include "profile/sched/schedstat.h"
#include "session/run.h"
#include "view/sched/schedstat_table.h"

#define SCHEDSTAT   "/proc/schedstat"
#define SWITCH	    "/proc/sys/kernel/sched_schedstats"
#define FILE_NAME   "schedstat.data"
#define FILE_LIMIT  ((size_t)256 << 20)
#define USAGE_WORDS "expected record, report or diff, or -- and a program"

struct stats_options {
	const char *input, *output;
};

static const struct option_def stats_rows[] = {
	{ "input", 'i', OPT_STR, "FILE", OPT(stats_options, input),
	  "report: recording to read (default " FILE_NAME ")" },
	{ "output", 'o', OPT_OUTPUT, "FILE", OPT(stats_options, output),
	  "record: file to write (default " FILE_NAME "; an existing file is renamed to " FILE_NAME
	  ".old)" },
	{ .type = OPT_INCLUDE, .include = trust_option_rows },
	{ .type = OPT_INCLUDE, .include = accepted_reader_rows },
	{ 0 },
};

/* Where the counters are off, they are turned on for the time. */
static int turn(const char *on, struct err *err)
{
	AUTO_CLOSE int fd = open(SWITCH, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || fd_write_all(fd, on, strlen(on)))
		return err_set(err, -errno, "%s: %s", SWITCH, strerror(errno));
	return 0;
}

static bool is_off(void)
{
	struct buf text = { .limit = 16 };
	struct err err = { 0 };
	bool off = fd_read_file(SWITCH, &text, &err) == 0 && text.len && text.data[0] == '0';

	buf_done(&text);
	return off;
}

static int take_reading(struct buf *ret, struct err *err)
{
	int code = fd_read_file(SCHEDSTAT, ret, err);

	if (code == -ENOENT)
		return err_hint(err, "this kernel was built without CONFIG_SCHEDSTATS");
	return code;
}

/* Until the program ends, or without one until Ctrl-C. *ret_status: the program's. */
static int wait_for(char **argv, int *ret_status, struct err *err)
{
	struct run run;
	int code = run_open(&run, err);

	if (!code)
		code = run_fork(&run, argv, false, err);
	if (!code)
		code = run_watch(&run, err);
	*ret_status = run.exit_status;
	run_close(&run);
	return code;
}

/* Two readings into *ret. */
static int record(char **argv, struct buf *ret, int *ret_status, struct err *err)
{
	struct err ignored;
	bool off = is_off();
	int code;

	ret->limit = FILE_LIMIT;
	code = off ? turn("1", err) : 0;
	if (!code)
		code = take_reading(ret, err);
	if (!code)
		code = wait_for(argv, ret_status, err);
	if (!code)
		code = take_reading(ret, err);
	if (off)
		(void)turn("0", &ignored); /* as it was */
	return code;
}

static int parse_between(const struct buf *text, const char *name, struct schedstat *ret,
			 struct err *err)
{
	const char *at = text->data, *end = text->data + text->len;
	struct schedstat reading[2] = { 0 };
	int code = schedstat_read(&at, end, &reading[0], err);

	if (!code)
		code = schedstat_read(&at, end, &reading[1], err);
	if (!code && reading[0].version != reading[1].version)
		code = err_set(err, -EBADMSG, "the two snapshots come from different kernels");
	if (!code) {
		schedstat_between(&reading[0], &reading[1], ret);
		ret->arena = reading[1].arena; /* the masks of CPUs */
		reading[1].arena = (struct arena){ 0 };
	}
	schedstat_done(&reading[0]);
	schedstat_done(&reading[1]);
	return code ? err_wrap(err, "%s", name) : 0;
}

static int load(const char *name, struct schedstat *ret, struct err *err)
{
	struct buf text = { .limit = FILE_LIMIT };
	int code = fd_read_file(name, &text, err);

	if (!code)
		code = parse_between(&text, name, ret, err);
	buf_done(&text);
	return code;
}

static int record_file(const struct stats_options *o, char **argv, struct err *err)
{
	const char *name = o->output ? o->output : FILE_NAME;
	struct buf text = { 0 };
	char old[4096];
	int status = 0, code = record(argv, &text, &status, err);

	if (!code && strcmp(name, "-") != 0 &&
	    snprintf(old, sizeof(old), "%s.old", name) < (int)sizeof(old))
		(void)rename(name, old); /* when there is one */
	code = command_end_output(code, name, &text, err);
	return code ? -1 : status;
}

static int print(struct buf *out, struct err *err)
{
	return command_end_output(0, NULL, out, err) ? -1 : EXIT_STATUS_OK;
}

static int report(const char *name, struct err *err)
{
	struct schedstat between = { 0 };
	struct buf out = { 0 };

	if (load(name, &between, err))
		return -1;
	schedstat_report(&between, &out);
	schedstat_done(&between);
	return print(&out, err);
}

static int live(char **argv, struct err *err)
{
	struct schedstat between = { 0 };
	struct buf text = { 0 }, out = { 0 };
	int status = 0, code = record(argv, &text, &status, err);

	if (!code)
		code = parse_between(&text, SCHEDSTAT, &between, err);
	if (!code)
		schedstat_report(&between, &out);
	buf_done(&text);
	schedstat_done(&between);
	if (code || print(&out, err))
		return -1;
	return status;
}

static int compare(const char *first, const char *second, struct err *err)
{
	struct schedstat between[2] = { 0 };
	struct buf out = { 0 };
	int code = load(first, &between[0], err);

	if (!code)
		code = load(second, &between[1], err);
	if (!code && between[0].version != between[1].version)
		code = err_set(err, -EINVAL, "%s and %s: schedstat versions differ", first, second);
	if (!code)
		schedstat_compare(&between[0], &between[1], &out);
	schedstat_done(&between[0]);
	schedstat_done(&between[1]);
	return code ? -1 : print(&out, err);
}

static int stats_run(void *options, int argc, char **argv, struct err *err)
{
	const struct stats_options *o = options;
	const char *verb = argc ? argv[0] : "--";
	bool dashes = argc > 1 && strcmp(argv[1], "--") == 0;

	if (strcmp(verb, "--") == 0)
		return live(argv + !!argc, err);
	if (strcmp(verb, "record") == 0)
		return record_file(o, argv + 1 + dashes, err);
	if (strcmp(verb, "report") == 0 && argc == 1)
		return report(o->input ? o->input : FILE_NAME, err);
	if (strcmp(verb, "diff") == 0 && (argc == 1 || argc == 3))
		return compare(argc == 3 ? argv[1] : FILE_NAME ".old",
			       argc == 3 ? argv[2] : FILE_NAME, err);
	return command_usage(err, USAGE_WORDS);
}

const struct command cmd_sched_stats = {
	.name = "sched stats",
	.args = "[record|report|diff] [options] [FILE FILE] [-- program arguments]",
	.summary = "show the kernel's scheduler statistics",
	.options = stats_rows,
	.options_size = sizeof(struct stats_options),
	.run = stats_run,
	.keeps_dashes = true,
};

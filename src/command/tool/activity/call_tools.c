/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel opensnoop, statsnoop, syncsnoop, killsnoop, execsnoop, exitsnoop and syscount. */
#include <fcntl.h>
#include <inttypes.h>
#include <regex.h>
#include <signal.h>
#include <string.h>

#include "base/err.h"
#include "command/command.h"
#include "command/option/accepted.h"
#include "command/tool/activity/activity_tool.h"
#include "source/syscall/syscall_table.h"

#define BY(number) (1u << (number))
#define FAILED_ROW(what)                                              \
	{                                                             \
		"failed", 'x', OPT_FLAG, NULL, ACTIVITY(failed), what \
	}
#define UID_COLUMN                                                                   \
	{                                                                            \
		"UID", "uid", -6, .put = put_uid, .raw = put_uid, ACTIVITY_ONLY(uid) \
	}
#define UID_ROWS                                                                         \
	{ "print-uid", 'U', OPT_FLAG, NULL, ACTIVITY(uid), "show the user id" },         \
	{                                                                                \
		"uid", 'u', OPT_STR, "USER", ACTIVITY(user), "only threads of this user" \
	}

static int choose_failed(const struct activity_options *o, struct activity_choice *choice,
			 struct err *err)
{
	(void)err;
	choice->rules.only_failed = o->failed;
	return 0;
}

/* -1 = it has failed. */
static void put_fd(const struct activity_run *run, const struct activity_column *column,
		   const struct activity *from, struct buf *out)
{
	int64_t result = (int64_t)from->number[CALL_RESULT];

	(void)run;
	(void)column;
	(void)buf_printf(out, "%" PRId64, result < 0 ? -1 : result);
}

static bool has_name(const struct activity_options *o, const struct activity *activity)
{
	return !o->name || strstr(activity->comm, o->name);
}

/* opensnoop */

/* "O_WRONLY", "O_CREAT|O_EXCL". False: there is no such flag. */
static bool open_flag(const char *name, uint64_t *ret)
{
	static const struct {
		const char *name;
		uint64_t flag;
	} flags[] = { { "O_WRONLY", O_WRONLY },	    { "O_RDWR", O_RDWR },
		      { "O_CREAT", O_CREAT },	    { "O_EXCL", O_EXCL },
		      { "O_NOCTTY", O_NOCTTY },	    { "O_TRUNC", O_TRUNC },
		      { "O_APPEND", O_APPEND },	    { "O_NONBLOCK", O_NONBLOCK },
		      { "O_DSYNC", O_DSYNC },	    { "O_SYNC", O_SYNC },
		      { "O_DIRECT", 040000 },	    { "O_DIRECTORY", O_DIRECTORY },
		      { "O_NOFOLLOW", O_NOFOLLOW }, { "O_CLOEXEC", O_CLOEXEC } };

	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++)
		if (strcmp(flags[i].name, name) == 0) {
			*ret = flags[i].flag;
			return true;
		}
	return false;
}

static int choose_open(const struct activity_options *o, struct activity_choice *choice,
		       struct err *err)
{
	uint64_t flag;

	for (size_t i = 0; i < o->open_flags.count; i++)
		if (!open_flag(o->open_flags.item[i], &flag))
			return command_usage(err,
					     "-f: invalid flag '%s': expected O_WRONLY, O_RDWR, …",
					     o->open_flags.item[i]);
	choice->rules.full_path = o->full_path;
	return choose_failed(o, choice, err);
}

static bool wants_open(const struct activity_options *o, const struct activity *activity)
{
	bool has = !o->open_flags.count;
	uint64_t flag;

	for (size_t i = 0; i < o->open_flags.count; i++)
		has |= open_flag(o->open_flags.item[i], &flag) &&
		       (activity->number[CALL_ARG] & flag) == flag;
	return has && has_name(o, activity);
}

static void put_open_flags(const struct activity_run *run, const struct activity_column *column,
			   const struct activity *from, struct buf *out)
{
	(void)run;
	(void)column;
	(void)buf_printf(out, "%08" PRIo64, from->number[CALL_ARG]);
}

static void put_opened(const struct activity_run *run, const struct activity_column *column,
		       const struct activity *from, struct buf *out)
{
	(void)run;
	(void)column;
	if (from->number[CALL_NAMES])
		activity_put_names(from->text, from->text_len, out);
	else
		(void)buf_puts(out, from->text);
}

static const struct activity_column open_columns[] = {
	{ "TIME(s)", NULL, -13, .put = put_seconds, .decimals = 9, ACTIVITY_ONLY(seconds) },
	UID_COLUMN,
	{ "PID", "pid", -6, .put = put_pid, .raw = put_pid },
	{ "COMM", "comm", -16, .put = put_comm },
	{ "FD", "fd", 4, .put = put_fd, .raw = put_fd },
	{ "ERR", "errno", 3, .put = put_errno, .raw = put_errno },
	{ "FLAGS", "flags", -8, .put = put_open_flags, .number = CALL_ARG, .raw = raw_number,
	  ACTIVITY_ONLY(extended) },
	{ "PATH", "path", -4, .put = put_opened },
	{ 0 },
};

static const struct option_def open_rows[] = {
	{ "timestamp", 'T', OPT_FLAG, NULL, ACTIVITY(seconds),
	  "show the time since the first line, in seconds" },
	UID_ROWS,
	FAILED_ROW("only failed opens"),
	{ "pid", 'p', OPT_STR, "LIST", ACTIVITY(tool.threads.pids), "only these processes" },
	{ "tid", 't', OPT_STR, "LIST", ACTIVITY(tool.threads.tids), "only these threads" },
	{ "comm", 0, OPT_STR, "NAME", ACTIVITY(tool.threads.comm), "only threads with this name" },
	{ "cgroup", 0, OPT_STR, "PATH", ACTIVITY(tool.threads.cgroup),
	  "only threads in this cgroup (version 2) or below it" },
	{ "name", 'n', OPT_STR, "TEXT", ACTIVITY(name), "only threads with this in their name" },
	{ "extended_fields", 'e', OPT_FLAG, NULL, ACTIVITY(extended), "show the flags" },
	{ "flag_filter", 'f', OPT_LIST, "FLAG", ACTIVITY(open_flags),
	  "only opens with this flag (O_WRONLY); may be repeated" },
	{ "full-path", 'F', OPT_FLAG, NULL, ACTIVITY(full_path),
	  "show whole paths of opened files" },
	{ .type = OPT_INCLUDE, .include = accepted_opensnoop_rows },
	{ NULL, 'd', OPT_DURATION, "TIME", ACTIVITY(tool.duration_ns), "same as --duration" },
	{ .type = OPT_INCLUDE, .include = activity_output_rows },
	{ 0 },
};

static const struct activity_tool opensnoop = {
	.tool = ACTIVITY_TOOL(NULL),
	.name = "opensnoop",
	.rules = { .kinds = 1u << ACTIVITY_OPEN },
	.column = open_columns,
	.choose = choose_open,
	.wants = wants_open,
};

ACTIVITY_COMMAND(opensnoop, .args = "[options] [-- program [arguments]]",
		 .summary = "list files that programs open", .options = open_rows);

/* statsnoop */

static void put_call_name(const struct activity_run *run, const struct activity_column *column,
			  const struct activity *from, struct buf *out)
{
	char name[SYSCALL_NAME_SIZE];

	(void)run;
	(void)column;
	(void)buf_puts(out, syscall_label((uint32_t)from->number[CALL_NUMBER], name));
}

static const struct activity_column stat_columns[] = {
	{ "TIME(s)", NULL, -13, .put = put_seconds, .decimals = 9, ACTIVITY_ONLY(seconds) },
	{ "PID", "pid", -7, .put = put_pid, .raw = put_pid },
	{ "COMM", "comm", -16, .put = put_comm },
	{ "FD", "result", 4, .put = put_fd, .raw = put_fd },
	{ "ERR", "errno", 3, .put = put_errno, .raw = put_errno },
	{ "SYSCALL", "syscall", -12, .put = put_call_name, ACTIVITY_ONLY(call_name) },
	{ "PATH", "path", -4, .put = put_text },
	{ 0 },
};

static const struct option_def stat_rows[] = {
	{ "timestamp", 't', OPT_FLAG, NULL, ACTIVITY(seconds),
	  "show the time since the first line, in seconds" },
	FAILED_ROW("only failed calls"),
	{ "sysname", 's', OPT_FLAG, NULL, ACTIVITY(call_name), "show the name of the call" },
	{ .type = OPT_INCLUDE, .include = activity_thread_rows },
	{ .type = OPT_INCLUDE, .include = activity_output_rows },
	{ 0 },
};

static const struct activity_tool statsnoop = {
	.tool = ACTIVITY_TOOL(NULL),
	.name = "statsnoop",
	.rules = { .kinds = 1u << ACTIVITY_STAT },
	.column = stat_columns,
	.choose = choose_failed,
};

ACTIVITY_COMMAND(statsnoop, .args = "[options] [-- program [arguments]]",
		 .summary = "list calls that ask for a file's status", .options = stat_rows);

/* syncsnoop */

static void put_sync(const struct activity_run *run, const struct activity_column *column,
		     const struct activity *from, struct buf *out)
{
	static const char *const names[] = { "sync",	  "syncfs",	     "fsync",
					     "fdatasync", "sync_file_range", "msync" };
	uint64_t what = from->number[CALL_SYNC];

	(void)run;
	(void)column;
	(void)buf_puts(out, what < sizeof(names) / sizeof(*names) ? names[what] : "?");
	if (what == SYNC_ALL || what == SYNC_MAPPING)
		(void)buf_puts(out, "()");
	else
		(void)buf_printf(out, "(%d)", (int)from->number[CALL_ARG]);
}

static const struct activity_column sync_columns[] = {
	{ "TIME(s)", NULL, -18, .put = put_seconds, .decimals = 9 },
	{ "CALL", "call", -20, .put = put_sync },
	{ "PID", "pid", -7, .put = put_pid, .raw = put_pid },
	{ "COMM", "comm", -16, .put = put_comm },
	{ "LAT(ms)", "latency_ns", 7, .put = put_ns, .decimals = 2, .unit = 1000000,
	  .raw = raw_ns },
	{ 0 },
};

static const struct option_def sync_rows[] = {
	{ .type = OPT_INCLUDE, .include = activity_thread_rows },
	{ .type = OPT_INCLUDE, .include = activity_output_rows },
	{ 0 },
};

static const struct activity_tool syncsnoop = {
	.tool = ACTIVITY_TOOL(NULL),
	.name = "syncsnoop",
	.rules = { .kinds = 1u << ACTIVITY_SYNC },
	.column = sync_columns,
};

ACTIVITY_COMMAND(syncsnoop, .args = "[options] [-- program [arguments]]",
		 .summary = "list calls that write files to the disk: sync, fsync",
		 .options = sync_rows);

/* killsnoop */

static bool wants_signal(const struct activity_options *o, const struct activity *activity)
{
	return (!o->signal || activity->number[CALL_ARG] == o->signal) &&
	       (!o->target || activity->number[CALL_TARGET] == o->target);
}

static int set_signal(void *field, const char *value, bool negated, struct err *err)
{
	uint64_t number = 0;

	if (!negated &&
	    (!option_parse_plain(value, &number) || !number || number > (uint64_t)SIGRTMAX))
		return option_bad_value(err, value, "the number of a signal, such as 15");
	*(uint64_t *)field = number;
	return 0;
}

static const struct activity_column kill_columns[] = {
	{ "TIME", NULL, -9, .put = put_time },
	{ "PID", "pid", -7, .put = put_pid, .raw = put_pid },
	{ "COMM", "comm", -16, .put = put_comm },
	{ "SIG", "signal", -4, .put = put_signed_int, .number = CALL_ARG, .raw = put_signed_int },
	{ "TPID", "target_pid", -7, .put = put_signed_int, .number = CALL_TARGET,
	  .raw = put_signed_int },
	{ "RESULT", "result", -6, .put = put_signed_int, .number = CALL_RESULT,
	  .raw = put_signed_int },
	{ 0 },
};

static const struct option_def kill_rows[] = {
	FAILED_ROW("only signals that could not be sent"),
	{ "tpid", 'T', OPT_UINT, "PID", ACTIVITY(target), "only signals to this process" },
	{ "signal", 's', OPT_CALL, "N", ACTIVITY(signal), "only this signal", .set = set_signal },
	{ .type = OPT_INCLUDE, .include = activity_thread_rows },
	{ .type = OPT_INCLUDE, .include = activity_output_rows },
	{ 0 },
};

static const struct activity_tool killsnoop = {
	.tool = ACTIVITY_TOOL(NULL),
	.name = "killsnoop",
	.rules = { .kinds = 1u << ACTIVITY_KILL },
	.column = kill_columns,
	.choose = choose_failed,
	.wants = wants_signal,
};

ACTIVITY_COMMAND(killsnoop, .args = "[options] [-- program [arguments]]",
		 .summary = "list signals that processes send", .options = kill_rows);

/* execsnoop */

/* The words of the command line, which have a NUL behind each. */
static void put_arguments(const struct activity_run *run, const struct activity_column *column,
			  const struct activity *from, struct buf *out)
{
	const char *quote = run->options->quote ? "\"" : "", *blank = "";
	size_t at = 0;

	(void)column;
	while (at < from->text_len) {
		const char *word = from->text + at;

		at += strnlen(word, from->text_len - at) + 1;
		(void)buf_printf(out, "%s%s", blank, quote);
		for (; word < from->text + at - 1; word++) {
			if (*word == '"' && *quote)
				(void)buf_puts(out, "\\\"");
			else
				(void)buf_putc(out, *word);
		}
		(void)buf_puts(out, quote);
		blank = " ";
	}
	if (from->text_len >= ACTIVITY_TEXT - 1)
		(void)buf_puts(out, "...");
}

static bool matches(const char *pattern, const char *text)
{
	regex_t regex;
	bool found;

	if (regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB))
		return false;
	found = !regexec(&regex, text, 0, NULL, 0);
	regfree(&regex);
	return found;
}

static bool wants_exec(const struct activity_options *o, const struct activity *activity)
{
	char text[ACTIVITY_TEXT];

	if ((int64_t)activity->number[CALL_RESULT] && !o->failed)
		return false;
	if (o->name && !matches(o->name, activity->comm))
		return false;
	if (!o->line)
		return true;
	memcpy(text, activity->text, activity->text_len);
	for (size_t i = 0; i < activity->text_len; i++)
		if (!text[i])
			text[i] = ' ';
	text[activity->text_len] = '\0';
	return matches(o->line, text);
}

static int choose_exec(const struct activity_options *o, struct activity_choice *choice,
		       struct err *err)
{
	regex_t regex;
	const char *patterns[] = { o->name, o->line };

	for (size_t i = 0; i < 2; i++) {
		if (patterns[i] && regcomp(&regex, patterns[i], REG_EXTENDED | REG_NOSUB))
			return command_usage(err, "invalid pattern '%s'", patterns[i]);
		if (patterns[i])
			regfree(&regex);
	}
	choice->rules.ppid = (uint32_t)o->ppid;
	return 0;
}

static const struct activity_column exec_columns[] = {
	{ "TIME", NULL, -8, .put = put_time, ACTIVITY_ONLY(time) },
	{ "TIME(s)", NULL, -7, .put = put_seconds, .decimals = 3, ACTIVITY_ONLY(seconds) },
	UID_COLUMN,
	{ "PCOMM", "comm", -16, .put = put_comm },
	{ "PID", "pid", -7, .put = put_pid, .raw = put_pid },
	{ "PPID", "ppid", -7, .put = put_ppid, .raw = put_ppid },
	{ "RET", "result", 3, .put = put_signed_int, .number = CALL_RESULT, .raw = put_signed_int },
	{ "ARGS", "arguments", -4, .put = put_arguments },
	{ 0 },
};

static const struct option_def exec_rows[] = {
	{ "time", 'T', OPT_FLAG, NULL, ACTIVITY(time), "show the time of day" },
	{ "timestamp", 't', OPT_FLAG, NULL, ACTIVITY(seconds),
	  "show the time since the first line, in seconds" },
	{ "fails", 'x', OPT_FLAG, NULL, ACTIVITY(failed), "failed calls as well" },
	UID_ROWS,
	{ "quote", 'q', OPT_FLAG, NULL, ACTIVITY(quote), "quote arguments" },
	{ "name", 'n', OPT_STR, "REGEX", ACTIVITY(name), "only programs with a name that matches" },
	{ "line", 'l', OPT_STR, "REGEX", ACTIVITY(line), "only command lines that match" },
	{ .type = OPT_INCLUDE, .include = accepted_execsnoop_rows },
	{ "ppid", 'P', OPT_UINT, "PID", ACTIVITY(ppid), "only children of this process" },
	{ .type = OPT_INCLUDE, .include = activity_thread_rows },
	{ .type = OPT_INCLUDE, .include = activity_output_rows },
	{ 0 },
};

static const struct activity_tool execsnoop = {
	.tool = ACTIVITY_TOOL(NULL),
	.name = "execsnoop",
	.rules = { .kinds = 1u << ACTIVITY_EXEC },
	.column = exec_columns,
	.choose = choose_exec,
	.wants = wants_exec,
};

ACTIVITY_COMMAND(execsnoop, .args = "[options] [-- program [arguments]]",
		 .summary = "list programs that are run", .options = exec_rows);

/* exitsnoop */

/* A status as wait(2) has it. */
static void put_exit(const struct activity_run *run, const struct activity_column *column,
		     const struct activity *from, struct buf *out)
{
	int status = (int)from->number[EXIT_CODE], number = status & 0x7f;
	const char *name = number ? sigabbrev_np(number) : NULL;

	(void)run;
	(void)column;
	if (!status)
		(void)buf_putc(out, '0');
	else if (!number)
		(void)buf_printf(out, "code %d", status >> 8 & 0xff);
	else
		(void)buf_printf(out, "signal %d (%s)%s", number, name ? name : "?",
				 status & 0x80 ? ", core dumped" : "");
}

static void put_label(const struct activity_run *run, const struct activity_column *column,
		      const struct activity *from, struct buf *out)
{
	(void)column;
	(void)from;
	(void)buf_puts(out, run->options->label ? run->options->label : "exit");
}

static int set_label(void *field, const char *value, bool negated, struct err *err)
{
	struct activity_options *o = (struct activity_options *)((char *)field - ACTIVITY(label));

	(void)negated;
	(void)err;
	o->label = value && *value ? value : NULL;
	o->label_given = true;
	return 0;
}

static int choose_exit(const struct activity_options *o, struct activity_choice *choice,
		       struct err *err)
{
	choice->rules.threads = o->per_thread || o->tool.threads.tids;
	return choose_failed(o, choice, err);
}

static const struct activity_column exit_columns[] = {
	{ "TIME", NULL, -12, .put = put_time, ACTIVITY_ONLY(time) },
	{ "LABEL", NULL, -5, .put = put_label, ACTIVITY_ONLY(label_given) },
	{ "PCOMM", "comm", -16, .put = put_comm },
	{ "PID", "pid", -7, .put = put_pid, .raw = put_pid },
	{ "PPID", "ppid", -7, .put = put_ppid, .raw = put_ppid },
	{ "TID", "tid", -7, .put = put_tid, .raw = put_tid },
	{ "AGE(s)", "age_ns", -7, .put = put_age, .number = EXIT_AGE_NS, .raw = raw_number },
	{ "EXIT_CODE", "exit", -10, .put = put_exit },
	{ 0 },
};

static const struct option_def exit_rows[] = {
	{ "timestamp", 't', OPT_FLAG, NULL, ACTIVITY(time), "show the time of day" },
	{ .type = OPT_INCLUDE, .include = accepted_exitsnoop_rows },
	{ "label", 0, OPT_CALL, "[=LABEL]", ACTIVITY(label), "show a column with this word",
	  set_label },
	FAILED_ROW("only those that failed"),
	{ "per-thread", 0, OPT_FLAG, NULL, ACTIVITY(per_thread), "a line for each thread" },
	{ .type = OPT_INCLUDE, .include = activity_thread_rows },
	{ .type = OPT_INCLUDE, .include = activity_output_rows },
	{ 0 },
};

static const struct activity_tool exitsnoop = {
	.tool = ACTIVITY_TOOL(NULL),
	.name = "exitsnoop",
	.rules = { .kinds = 1u << ACTIVITY_EXIT },
	.column = exit_columns,
	.choose = choose_exit,
};

ACTIVITY_COMMAND(exitsnoop, .args = "[options] [-- program [arguments]]",
		 .summary = "list processes that end, and how", .options = exit_rows);

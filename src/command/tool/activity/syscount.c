/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel syscount: how many system calls, by call or by process. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "command/command.h"
#include "command/tool/activity/activity_tool.h"
#include "source/syscall/syscall_table.h"

#define BY(number)  (1u << (number))
#define MAX_ERROR   4095
#define DEFAULT_TOP 10

static void put_call(const struct activity_run *run, const struct activity_column *column,
		     const struct activity *from, struct buf *out)
{
	char name[SYSCALL_NAME_SIZE];

	(void)run;
	(void)column;
	(void)buf_puts(out, syscall_label((uint32_t)from->number[CALL_NUMBER], name));
}

static void put_call_time(const struct activity_run *run, const struct activity_column *column,
			  const struct activity *from, struct buf *out)
{
	bool ms = run->options->milliseconds;

	(void)column;
	(void)buf_printf(out, "%.*f", ms ? 6 : 3, (double)from->ns / (ms ? 1e6 : 1e3));
}

static int find_error(const char *text, uint32_t *ret, struct err *err)
{
	uint64_t number;

	*ret = 0;
	if (!text)
		return 0;
	if (option_parse_plain(text, &number)) {
		*ret = number && number <= MAX_ERROR ? (uint32_t)number + 1 : 0;
	} else {
		for (uint32_t i = 1; i <= MAX_ERROR && !*ret; i++) {
			const char *name = syscall_error_name(i);

			*ret = name && strcmp(name, text) == 0 ? i + 1 : 0;
		}
	}
	return *ret ? 0 : command_usage(err, "-e: invalid value '%s': expected ENOENT or 2", text);
}

static int choose(const struct activity_options *o, struct activity_choice *choice, struct err *err)
{
	struct activity_rules *rules = &choice->rules;

	choice->call = o->call;
	rules->by = o->by_process ? ACTIVITY_BY_PID | ACTIVITY_BY_COMM : BY(CALL_NUMBER);
	rules->only_failed = o->failed;
	rules->ppid = (uint32_t)o->ppid;
	return find_error(o->error, &rules->error_plus_one, err);
}

static int by_time(const void *a, const void *b)
{
	uint64_t left = ((const struct activity *)a)->ns, right = ((const struct activity *)b)->ns;

	return left == right ? 0 : left < right ? 1 : -1;
}

static int by_calls(const void *a, const void *b)
{
	uint64_t left = ((const struct activity *)a)->count,
		 right = ((const struct activity *)b)->count;

	return left == right ? 0 : left < right ? 1 : -1;
}

static int (*order_of(const struct activity_options *o))(const void *, const void *)
{
	return o->latency ? by_time : by_calls;
}

static void put_first(const struct activity_run *run, struct buf *out)
{
	const struct activity_options *o = run->options;
	const char *failed = o->failed || o->error ? "failed " : "";

	if (o->call)
		(void)buf_printf(out, "Tracing %ssyscall '%s'... Ctrl+C to quit.\n", failed,
				 o->call);
	else
		(void)buf_printf(
			out, "Tracing %ssyscalls, printing top %" PRIu64 "... Ctrl+C to quit.\n",
			failed, o->max_rows ? o->max_rows : DEFAULT_TOP);
}

static void put_hour(const struct activity_run *run, struct buf *out)
{
	(void)buf_printf(out, "[%s]\n", run->time);
}

static const struct activity_column columns[] = {
	{ "SYSCALL", "syscall", -22, .put = put_call, ACTIVITY_NEVER(by_process) },
	{ "PID", "pid", -6, .put = put_pid, .raw = put_pid, ACTIVITY_ONLY(by_process) },
	{ "COMM", "comm", -15, .put = put_comm, ACTIVITY_ONLY(by_process) },
	{ "COUNT", "count", 8, .put = put_count, .raw = put_count },
	{ "TIME (us)", "total_ns", 16, .put = put_call_time, .raw = raw_ns,
	  ACTIVITY_ONLY(microseconds) },
	{ "TIME (ms)", NULL, 16, .put = put_call_time, ACTIVITY_ONLY(milliseconds) },
	{ 0 },
};

static int set_latency(void *field, const char *value, bool negated, struct err *err)
{
	struct activity_options *o = (struct activity_options *)((char *)field - ACTIVITY(latency));

	(void)value;
	(void)err;
	o->latency = !negated;
	o->microseconds = !negated && !o->milliseconds;
	return 0;
}

static int set_milliseconds(void *field, const char *value, bool negated, struct err *err)
{
	struct activity_options *o =
		(struct activity_options *)((char *)field - ACTIVITY(milliseconds));

	(void)value;
	(void)err;
	o->milliseconds = o->latency = !negated;
	o->microseconds = false;
	return 0;
}

static const struct option_def rows[] = {
	{ "pid", 'p', OPT_STR, "LIST", ACTIVITY(tool.threads.pids), "only these processes" },
	{ "tid", 't', OPT_STR, "LIST", ACTIVITY(tool.threads.tids), "only these threads" },
	{ "ppid", 'c', OPT_UINT, "PID", ACTIVITY(ppid), "only children of this process" },
	{ "comm", 0, OPT_STR, "NAME", ACTIVITY(tool.threads.comm), "only threads with this name" },
	{ "cgroup", 0, OPT_STR, "PATH", ACTIVITY(tool.threads.cgroup),
	  "only threads in this cgroup (version 2) or below it" },
	{ "interval", 'i', OPT_DURATION, "TIME", ACTIVITY(interval_ns),
	  "print at this interval (1, 500ms)" },
	{ NULL, 'd', OPT_DURATION, "TIME", ACTIVITY(tool.duration_ns), "same as --duration" },
	{ "top", 'T', OPT_UINT, "N", ACTIVITY(max_rows), "print at most N rows (default 10)" },
	{ "failures", 'x', OPT_FLAG, NULL, ACTIVITY(failed), "only calls that fail" },
	{ "errno", 'e', OPT_STR, "ERROR", ACTIVITY(error),
	  "only calls that fail with this error (EPERM or 1)" },
	{ "latency", 'L', OPT_CALL, NULL, ACTIVITY(latency), "show times, and sort by them",
	  set_latency },
	{ "milliseconds", 'm', OPT_CALL, NULL, ACTIVITY(milliseconds), "show times in milliseconds",
	  set_milliseconds },
	{ "process", 'P', OPT_FLAG, NULL, ACTIVITY(by_process), "by process, not by system call" },
	{ "syscall", 0, OPT_STR, "NAME", ACTIVITY(call), "only this system call" },
	{ "list", 'l', OPT_FLAG, NULL, ACTIVITY(list), "print the names of system calls" },
	{ .type = OPT_INCLUDE, .include = activity_output_rows },
	{ 0 },
};

static const struct activity_tool syscount = {
	.tool = ACTIVITY_SUMS(NULL),
	.name = "syscount",
	.rules = { .kinds = 1u << ACTIVITY_CALL },
	.words = ACTIVITY_INTERVAL,
	.column = columns,
	.choose = choose,
	.choose_order = order_of,
	.put_first = put_first,
	.put_above = put_hour,
	.rows = DEFAULT_TOP,
};

static int print_names(struct err *err)
{
	struct buf out = { 0 };

	for (size_t i = 0; i < syscall_numbers[SYSCALL_NATIVE].count; i++)
		if (syscall_numbers[SYSCALL_NATIVE].name[i])
			(void)buf_printf(&out, "%s\n", syscall_numbers[SYSCALL_NATIVE].name[i]);
	return command_end_output(0, NULL, &out, err);
}

static int run(const struct tool *tool, const void *options, struct option_words words,
	       struct err *err)
{
	if (((const struct activity_options *)options)->list)
		return print_names(err);
	return tool_main(tool, options, words, err);
}

TOOL_COMMAND(syscount, run, &syscount.tool, .args = "[options] [-- program [arguments]]",
	     .summary = "count system calls by name or by process", .options = rows,
	     .options_size = sizeof(struct activity_options), .keeps_dashes = true);

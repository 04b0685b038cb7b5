/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel test: records programs with a known profile by each way that is permitted here, through the
 * commands that users type, and compares the result with the truth. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "command/command.h"
#include "command/option/option.h"
#include "command/test/test_child.h"
#include "command/test/test_workload.h"
#include "session/doctor/doctor.h"
#include "session/doctor/doctor_binary.h"

#define SELF	     "/proc/self/exe"
#define TIME_LIMIT_S 60
#define OUTPUT_LIMIT ((size_t)16 << 20)
#define MAX_WORDS    24

struct test_options {
	const char *workload;
	bool list, verbose;
};

static const struct option_def test_rows[] = {
	{ "list", 0, OPT_FLAG, NULL, OPT(test_options, list), "list the tests, run none" },
	{ "verbose", 'v', OPT_FLAG, NULL, OPT(test_options, verbose),
	  "show what was measured, and the output of commands that fail" },
	{ "workload", 0, OPT_STR, "NAME", OPT(test_options, workload),
	  "run the program of one self-check, which bears this name" },
	{ 0 },
};

/* What a command printed, and what is made of it. */
struct result {
	bool passed;
	struct json json;
	const char *text;
	char found[160]; /* measured against expected */
};

struct self_test {
	const char *name;
	const char *needs;	   /* checks of the doctor, comma-separated */
	const char *const *record; /* words of `cupel record`, or of `cupel stat` */
	const char *workload;
	void (*judge)(struct result *result);
	bool is_stat;	 /* no recording */
	bool needs_name; /* symbols of this program */
};

static void expect(struct result *result, const char *what, double found, double low, double high)
{
	result->passed = found >= low && found <= high;
	(void)snprintf(result->found, sizeof(result->found), "%s: %.5g, expected %.5g to %.5g",
		       what, found, low, high); /* fits */
}

static json_id first_event(const struct json *json)
{
	return json_item(json, json_get(json, JSON_ROOT, "events"), 0);
}

/* The total of a function's rows, over all commands. */
static double total_of(const struct json *json, const char *symbol)
{
	json_id rows = json_get(json, first_event(json), "rows");
	double sum = 0;

	for (json_id row = json_first(json, rows); row != JSON_NONE;
	     row = json_next(json, rows, row))
		if (json_is(json, json_get(json, row, "symbol"), symbol))
			sum += json_number(json, json_get(json, row, "total"), 0);
	return sum;
}

static double number_of(const struct json *json, const char *name)
{
	return json_number(json, json_get(json, first_event(json), name), 0);
}

/* 400 samples of 70 % have a standard error of 2.3 points; four of them. */
static void judge_shares(struct result *result)
{
	double hot = total_of(&result->json, "cupel_test_hot");
	double warm = total_of(&result->json, "cupel_test_warm");

	expect(result, "share of the hot function", hot / (hot + warm), WORKLOAD_HOT_SHARE - 0.1,
	       WORKLOAD_HOT_SHARE + 0.1);
}

/* The shares, of stacks that reach the start of their thread. */
static void judge_stacks(struct result *result)
{
	json_id stacks = json_get(&result->json, first_event(&result->json), "stacks");
	double total = json_number(&result->json, json_get(&result->json, stacks, "total"), 0);
	double whole = json_number(&result->json, json_get(&result->json, stacks, "complete"), 0);

	judge_shares(result);
	if (result->passed)
		expect(result, "share of whole stacks", whole / total, 0.9, 1);
}

/* A CPU that is busy ends a nap late. */
static void judge_sleep(struct result *result)
{
	expect(result, "ms asleep", number_of(&result->json, "weight") / 1e6,
	       WORKLOAD_SLEEP_MS * 0.98, WORKLOAD_SLEEP_MS * 1.25);
}

static void judge_lock(struct result *result)
{
	expect(result, "ms waiting for the lock", number_of(&result->json, "weight") / 1e6,
	       WORKLOAD_LOCK_MS * 0.95, WORKLOAD_LOCK_MS * 1.25);
}

static void judge_calls(struct result *result)
{
	expect(result, "calls of getppid", number_of(&result->json, "samples"), WORKLOAD_CALLS,
	       WORKLOAD_CALLS);
}

/* Starting a program faults on pages of its own, some hundred. */
static void judge_faults(struct result *result)
{
	const char *line = strstr(result->text, "minor-faults");

	while (line && line > result->text && line[-1] != '\n')
		line--;
	expect(result, "minor faults", line ? strtod(line, NULL) : 0, WORKLOAD_PAGES,
	       WORKLOAD_PAGES + 1000);
}

static void judge_names(struct result *result)
{
	json_id symbols = json_get(&result->json, first_event(&result->json), "symbols");
	double frames = json_number(&result->json, json_get(&result->json, symbols, "frames"), 0);
	double unknown = json_number(&result->json, json_get(&result->json, symbols, "unknown"), 0);

	expect(result, "share of kernel frames without a name", unknown / frames, 0, 0.02);
}

#define WORDS(...) ((const char *const[]){ __VA_ARGS__, NULL })

static const struct self_test tests[] = {
	{ "CPU samples, stacks walked by BPF", "whole-stacks",
	  WORDS("-F", "997", "-e", "cpu-clock"), "cpu", judge_stacks, .needs_name = true },
	{ "CPU samples, stacks copied", "own-programs",
	  WORDS("-F", "997", "-e", "cpu-clock:u", "--call-graph", "dwarf"), "cpu", judge_stacks,
	  .needs_name = true },
	{ "CPU samples without stacks", "own-programs",
	  WORDS("-F", "997", "-e", "cpu-clock:u", "--call-graph", "none"), "cpu", judge_shares,
	  .needs_name = true },
	{ "CPU samples of the kernel, with names", "kernel-frames,kernel-names",
	  WORDS("-F", "4999", "-e", "cpu-clock:k"), "faults", judge_names },
	{ "tracepoint, every occurrence", "tracepoints", WORDS("-e", "syscalls:sys_enter_getppid"),
	  "calls", judge_calls },
	{ "off-CPU samples of sleeps", "waits", WORDS("-e", "off-cpu", "--off-cpu-states", "sleep"),
	  "sleep", judge_sleep },
	{ "off-CPU samples of a lock", "waits", WORDS("-e", "off-cpu", "--off-cpu-states", "lock"),
	  "lock", judge_lock },
	{ "counter of page faults", "software-events", WORDS("-x,", "-e", "minor-faults"), "faults",
	  judge_faults, .is_stat = true },
};

#define TESTS (sizeof(tests) / sizeof(tests[0]))

/* What a test lacks: the first of its checks that is not ok; "" = nothing. */
static const char *missing_check(const struct self_test *test, const struct doctor_report *report,
				 char *ret, size_t size)
{
	for (const char *list = test->needs; *list;) {
		size_t len = strcspn(list, ",");
		const struct doctor_finding *finding;

		(void)snprintf(ret, size, "%.*s", (int)len, list); /* fits */
		finding = doctor_find(report, ret);
		if (!finding || finding->level != DOCTOR_OK)
			return ret;
		list += len + (list[len] == ',');
	}
	return "";
}

/* `cupel record|stat WORDS -- cupel test --workload NAME`. */
static int run_workload(const struct self_test *test, const char *data, struct buf *output,
			struct err *err)
{
	const char *words[MAX_WORDS] = { SELF, test->is_stat ? "stat" : "record" };
	const char *const program[] = { "--", SELF, "test", "--workload", test->workload };
	size_t count = 2;

	if (!test->is_stat) {
		words[count++] = "-o";
		words[count++] = data;
	}
	for (size_t i = 0; test->record[i]; i++)
		words[count++] = test->record[i];
	for (size_t i = 0; i < sizeof(program) / sizeof(program[0]); i++)
		words[count++] = program[i];
	return test_child_run(words, TIME_LIMIT_S, output, err);
}

/* JSON behind warnings, which go to the same place. */
static int read_profile(const char *data, struct buf *output, struct result *result,
			struct err *err)
{
	int status = test_child_run(WORDS(SELF, "report", "--json", "-i", data), TIME_LIMIT_S,
				    output, err);
	const char *begin = output->len ? strstr(output->data, "{\"cupel\"") : NULL;

	if (status < 0)
		return status;
	if (status || !begin)
		return err_set(err, -EINVAL, "report ended with status %d", status);
	return json_parse(begin, output->len - (size_t)(begin - output->data), &result->json, err);
}

static int run_test(const struct self_test *test, const char *data, struct buf *output,
		    struct result *result, struct err *err)
{
	int status = run_workload(test, data, output, err);

	if (status < 0)
		return status;
	if (status)
		return err_set(err, -EINVAL, "ended with status %d", status);
	if (test->is_stat) {
		result->text = output->data ? output->data : "";
		test->judge(result);
		return 0;
	}
	buf_clear(output);
	status = read_profile(data, output, result, err);
	if (!status)
		test->judge(result);
	json_done(&result->json);
	return status;
}

static void print_head(size_t n)
{
	(void)printf("%2zu: %-40s: ", n + 1, tests[n].name);
	(void)fflush(stdout); /* it takes a while */
}

/* Returns false if it failed. */
static bool run_and_print(const struct self_test *test, const char *data, bool verbose)
{
	struct buf output = { .limit = OUTPUT_LIMIT };
	struct result result = { 0 };
	struct err err = { 0 };
	int code = run_test(test, data, &output, &result, &err);

	if (code)
		(void)printf("FAILED: %s\n", err.msg);
	else if (!result.passed)
		(void)printf("FAILED: %s\n", result.found);
	else if (verbose)
		(void)printf("ok (%s)\n", result.found);
	else
		(void)printf("ok\n");
	if (code && verbose && output.len) {
		text_tidy_lines(output.data, output.len);
		(void)printf("%s\n", output.data);
	}
	buf_done(&output);
	(void)unlink(data); /* may not be there */
	return !code && result.passed;
}

struct tally {
	unsigned passed, failed, skipped;
};

static void run_all(const struct test_options *o, const struct doctor_report *report,
		    const char *data, struct tally *tally)
{
	bool found = access(SELF, R_OK) == 0, named = doctor_examine_binary(SELF).functions;
	char missing[64];

	for (size_t i = 0; i < TESTS; i++) {
		const char *lack = missing_check(&tests[i], report, missing, sizeof(missing));

		print_head(i);
		if (*lack || !found || (tests[i].needs_name && !named)) {
			if (*lack)
				(void)printf("not permitted here (cupel doctor: %s)\n", lack);
			else
				(void)printf("not possible: %s\n", found ? "this cupel is stripped"
									 : "/proc is not mounted");
			tally->skipped++;
		} else if (run_and_print(&tests[i], data, o->verbose)) {
			tally->passed++;
		} else {
			tally->failed++;
		}
	}
}

static void print_doctor(const struct doctor_report *report)
{
	unsigned count[DOCTOR_LEVELS] = { 0 };

	for (size_t i = 0; i < report->count; i++)
		count[report->finding[i].level]++;
	(void)printf("    doctor: %u checks ok, %u limited, %u missing (see: cupel doctor)\n",
		     count[DOCTOR_OK], count[DOCTOR_LIMITED], count[DOCTOR_MISSING]);
}

static int run_tests(const struct test_options *o, struct err *err)
{
	const struct doctor_options what = { .root = "" };
	struct doctor_report report;
	struct tally tally = { 0 };
	struct test_folder folder;

	if (test_folder_make(&folder, err))
		return -1;
	doctor_examine(&what, &report);
	print_doctor(&report);
	run_all(o, &report, folder.file, &tally);
	doctor_report_done(&report);
	test_folder_remove(&folder);
	(void)printf("%u passed, %u failed, %u not permitted or possible here\n", tally.passed,
		     tally.failed, tally.skipped);
	return tally.failed ? EXIT_STATUS_FAILED : EXIT_STATUS_OK;
}

static int test_run(void *options, int argc, char **argv, struct err *err)
{
	const struct test_options *o = options;

	if (argc)
		return command_usage(err, "unexpected argument '%s'", argv[0]);
	if (o->workload)
		return test_workload_run(o->workload)
			       ? EXIT_STATUS_OK
			       : command_usage(err, "no workload '%s'", o->workload);
	if (!o->list)
		return run_tests(o, err);
	for (size_t i = 0; i < TESTS; i++)
		(void)printf("%2zu: %s\n", i + 1, tests[i].name);
	return EXIT_STATUS_OK;
}

const struct command cmd_test = {
	.name = "test",
	.args = "[options]",
	.summary = "check that profiles are right on this machine",
	.options = test_rows,
	.options_size = sizeof(struct test_options),
	.run = test_run,
};

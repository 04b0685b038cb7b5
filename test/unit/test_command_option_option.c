/* SPDX-License-Identifier: GPL-2.0-or-later */
/* command/option: every way to write an option, and the message for every way to get it wrong. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/err.h"
#include "command/command.h"
#include "command/option/option.h"

struct inner {
	uint64_t depth;
	bool fast;
};

struct options {
	bool all, no_inherit;
	unsigned int verbose;
	uint64_t freq, size, duration;
	double limit;
	const char *output, *save, *graph, *color;
	struct option_list events;
	struct inner inner;
	int calls;
};

static int set_mode(void *field, const char *value, bool negated, struct err *err)
{
	int *calls = field;

	if (value && strcmp(value, "bad") == 0)
		return err_set(err, -EINVAL, "invalid value 'bad': expected a mode");
	*calls += negated ? 100 : value ? 10 : 1;
	return 0;
}

static const struct option_def inner_rows[] = {
	{ "depth", 0, OPT_UINT, "N", OPT(inner, depth), "how deep" },
	{ "fast", 0, OPT_FLAG, NULL, OPT(inner, fast), "be fast" },
	{ 0 },
};

static const struct option_def rows[] = {
	{ "What", 0, OPT_GROUP },
	{ "all-cpus", 'a', OPT_FLAG, NULL, OPT(options, all), "all CPUs" },
	{ "all", 0, OPT_FLAG, NULL, OPT(options, all) },
	{ "no-inherit", 'i', OPT_FLAG, NULL, OPT(options, no_inherit), "children are left out" },
	{ "verbose", 'v', OPT_COUNT, NULL, OPT(options, verbose), "say more" },
	{ "freq", 'F', OPT_UINT, "HZ", OPT(options, freq), "samples per second" },
	{ "size", 'm', OPT_SIZE, "BYTES", OPT(options, size), "ring size" },
	{ "duration", 0, OPT_DURATION, "TIME", OPT(options, duration), "stop after this time" },
	{ "limit", 0, OPT_DOUBLE, "PERCENT", OPT(options, limit), "leave out small rows" },
	{ "output", 'o', OPT_STR, "FILE", OPT(options, output), "write to this file" },
	{ "save", 0, OPT_OUTPUT, "FILE", OPT(options, save), "keep it in this file" },
	{ "graph", 'g', OPT_STR, "[TYPE]", OPT(options, graph), "call graphs" },
	{ "color", 0, OPT_STR, "[=WHEN]", OPT(options, color), "colours" },
	{ "event", 'e', OPT_LIST, "EVENT", OPT(options, events), "what to count" },
	{ "mode", 0, OPT_CALL, "[=MODE]", OPT(options, calls), "how", set_mode },
	{ NULL, 0, OPT_INCLUDE, .offset = OPT(options, inner), .include = inner_rows },
	{ 0 },
};

static struct command command = { .name = "test", .summary = "a test", .options = rows };

#define MAX_WORDS 16

struct run {
	struct options o;
	struct err err;
	char *argv[MAX_WORDS];
	int argc, ret;
	struct option_words words; /* what is left */
};

/* Parses the words of a line, split at blanks. */
static void parse(struct run *run, const char *line)
{
	static char words[256];
	char *save = NULL;

	*run = (struct run){ .argv = { (char *)"test" }, .argc = 1 };
	(void)strncpy(words, line, sizeof(words) - 1);
	for (char *w = strtok_r(words, " ", &save); w; w = strtok_r(NULL, " ", &save))
		run->argv[run->argc++] = w;
	run->words = (struct option_words){ run->argc, run->argv };
	run->ret = option_parse(&command, &run->words, &run->o, &run->err);
}

static void parse_ok(struct run *run, const char *line)
{
	parse(run, line);
	assert_string_equal("", run->err.msg);
	assert_int_equal(0, run->ret);
}

static void assert_refused(const char *line, const char *msg, const char *hint)
{
	struct run run;

	parse(&run, line);
	assert_int_equal(-EINVAL, run.ret);
	assert_string_equal(msg, run.err.msg);
	assert_string_equal(hint, run.err.hint);
	option_done(rows, &run.o);
}

static void test_option__takes_values_in_every_form(void **state)
{
	struct run run;

	(void)state;
	parse_ok(&run, "-avvF99 -o out --size=64K --duration 1.5s --limit 0.5 --depth=7");
	assert_true(run.o.all);
	assert_int_equal(2, run.o.verbose);
	assert_int_equal(99, run.o.freq);
	assert_string_equal("out", run.o.output);
	assert_int_equal(65536, run.o.size);
	assert_int_equal(1500000000, run.o.duration);
	assert_true(run.o.limit > 0.49 && run.o.limit < 0.51);
	assert_int_equal(7, run.o.inner.depth);
	parse_ok(&run, "--freq 2k --size 3MiB --duration 20");
	assert_int_equal(2000, run.o.freq);
	assert_int_equal(3 << 20, run.o.size);
	assert_int_equal(20000000000, run.o.duration);
}

static void test_option__optional_values(void **state)
{
	struct run run;

	(void)state;
	parse_ok(&run, "--color always -g caller");
	assert_null(run.o.color);
	assert_string_equal("always", run.words.argv[0]);
	assert_string_equal("caller", run.o.graph);
	parse_ok(&run, "--color=always -g -a");
	assert_string_equal("always", run.o.color);
	assert_null(run.o.graph);
	assert_true(run.o.all);
	parse_ok(&run, "--mode --mode=x --no-mode -g");
	assert_int_equal(111, run.o.calls);
}

static void test_option__negates(void **state)
{
	struct run run;

	(void)state;
	parse_ok(&run, "-a --no-all-cpus -vv --no-verbose -o x --no-output -e a --no-event");
	assert_false(run.o.all);
	assert_int_equal(0, run.o.verbose);
	assert_null(run.o.output);
	assert_int_equal(0, run.o.events.count);
	parse_ok(&run, "--no-inherit");
	assert_true(run.o.no_inherit);
	parse_ok(&run, "-i --inherit");
	assert_false(run.o.no_inherit);
	assert_refused("--no-freq", "unknown option --no-freq", "");
	assert_refused("--no-all=1", "option --no-all takes no value", "");
}

static void test_option__unique_prefixes(void **state)
{
	struct run run;

	(void)state;
	parse_ok(&run, "--fr 5 --al --fa --no-verb");
	assert_int_equal(5, run.o.freq);
	assert_true(run.o.all);
	assert_true(run.o.inner.fast);
	assert_refused("--f 5", "option --f is ambiguous: --freq or --fast", "");
}

static void test_option__values_are_not_the_next_option(void **state)
{
	struct run run;

	(void)state;
	assert_refused("-o -- ls", "option --output requires a value: FILE", "");
	assert_refused("--freq -- ls", "option --freq requires a value: HZ", "");
	assert_refused("--save -a", "option --save requires a value: FILE", "");
	assert_refused("--save --", "option --save requires a value: FILE", "");
	parse_ok(&run, "--save - -o -a");
	assert_string_equal("-", run.o.save);
	assert_string_equal("-a", run.o.output);
	parse_ok(&run, "--save=-- --output=-- -g --");
	assert_string_equal("--", run.o.save);
	assert_string_equal("--", run.o.output);
	assert_null(run.o.graph);
}

static void test_option__lists_keep_order(void **state)
{
	struct run run;

	(void)state;
	parse_ok(&run, "-e a -eb --event c --event=d -e e");
	assert_int_equal(5, run.o.events.count);
	assert_string_equal("a", run.o.events.item[0]);
	assert_string_equal("e", run.o.events.item[4]);
	option_done(rows, &run.o);
	assert_int_equal(0, run.o.events.count);
}

static void test_option__words_and_dashes(void **state)
{
	struct run run;

	(void)state;
	parse_ok(&run, "one -a two - -F 7 -- three -v");
	assert_int_equal(7, run.o.freq);
	assert_int_equal(0, run.o.verbose);
	assert_int_equal(5, run.words.argc);
	assert_string_equal("one", run.words.argv[0]);
	assert_string_equal("-", run.words.argv[2]);
	assert_string_equal("three", run.words.argv[3]);
	command.keeps_dashes = true;
	parse_ok(&run, "one -a -- ls -v");
	command.keeps_dashes = false;
	assert_int_equal(4, run.words.argc);
	assert_string_equal("one", run.words.argv[0]);
	assert_string_equal("--", run.words.argv[1]);
	command.takes_program = true;
	parse_ok(&run, "-a ls -v");
	assert_int_equal(0, run.o.verbose);
	assert_string_equal("ls", run.words.argv[0]);
	parse_ok(&run, "-a -- -v");
	assert_string_equal("-v", run.words.argv[0]);
	command.takes_program = false;
}

static void test_option__refuses_with_a_reason(void **state)
{
	(void)state;
	assert_refused("--frequncy 9", "unknown option --frequncy", "");
	assert_refused("--oputput 9", "unknown option --oputput", "did you mean --output?");
	assert_refused("-x", "unknown option -x", "");
	assert_refused("-F", "option --freq requires a value: HZ", "");
	assert_refused("--freq=-1", "option --freq: invalid value '-1': expected a whole number",
		       "");
	assert_refused("--freq 99999999999999999999",
		       "option --freq: invalid value '99999999999999999999': too large", "");
	assert_refused("--freq 9z", "option --freq: invalid value '9z': expected a whole number",
		       "");
	assert_refused("--size 1X",
		       "option --size: invalid value '1X': expected a size such as 512, 64K or 1M",
		       "");
	assert_refused(
		"--duration 3q",
		"option --duration: invalid value '3q': expected a time such as 30s, 500ms or 2m",
		"");
	assert_refused("--duration 0",
		       "option --duration: invalid value '0': expected a time above 0", "");
	assert_refused("--duration 0ms",
		       "option --duration: invalid value '0ms': expected a time above 0", "");
	assert_refused("--limit x", "option --limit: invalid value 'x': expected a number", "");
	assert_refused("--all-cpus=1", "option --all-cpus takes no value", "");
	assert_refused("--mode=bad", "option --mode: invalid value 'bad': expected a mode", "");
}

static void test_option__help_is_asked_for(void **state)
{
	struct run run;

	(void)state;
	parse(&run, "-a --help");
	assert_int_equal(1, run.ret);
	parse(&run, "-h");
	assert_int_equal(1, run.ret);
}

static void test_option__help_names_every_row_but_hidden_ones(void **state)
{
	struct buf text = { 0 };

	(void)state;
	option_help(&command, &text);
	assert_non_null(strstr(text.data, "usage: cupel test\n"));
	assert_non_null(strstr(text.data, "\nWhat:\n"));
	assert_non_null(strstr(text.data, "  -F, --freq HZ             samples per second\n"));
	assert_non_null(strstr(text.data, "      --color[=WHEN]        colours\n"));
	assert_non_null(strstr(text.data, "--depth N"));
	assert_null(strstr(text.data, "--all "));
	buf_done(&text);
	option_man(&command, &text);
	assert_non_null(strstr(text.data, ".It Fl F , Fl \\-freq Ar \\&HZ\nsamples per second.\n"));
	buf_done(&text);
}

static void test_option__words_of_a_list(void **state)
{
	static const char *const words = "one two";
	struct err err = { 0 };
	int field = 7;

	(void)state;
	assert_int_equal(option_set_word(&field, "two", words, &err), 0);
	assert_int_equal(field, 1);
	assert_int_equal(option_set_word(&field, "tw", words, &err), -EINVAL);
	assert_string_equal(err.msg, "invalid value 'tw': expected one of one, two");
	assert_int_equal(field, 1);
}

static void test_option__plain_numbers(void **state)
{
	uint64_t value = 7;

	(void)state;
	assert_true(option_parse_plain("0x10", &value));
	assert_int_equal(value, 16);
	assert_false(option_parse_plain("10k", &value));
	assert_false(option_parse_plain("-1", &value));
	assert_false(option_parse_plain("99999999999999999999", &value));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_option__takes_values_in_every_form),
		cmocka_unit_test(test_option__optional_values),
		cmocka_unit_test(test_option__negates),
		cmocka_unit_test(test_option__unique_prefixes),
		cmocka_unit_test(test_option__values_are_not_the_next_option),
		cmocka_unit_test(test_option__lists_keep_order),
		cmocka_unit_test(test_option__words_and_dashes),
		cmocka_unit_test(test_option__refuses_with_a_reason),
		cmocka_unit_test(test_option__words_of_a_list),
		cmocka_unit_test(test_option__plain_numbers),
		cmocka_unit_test(test_option__help_is_asked_for),
		cmocka_unit_test(test_option__help_names_every_row_but_hidden_ones),
	};

	return cmocka_run_group_tests_name("command/option", tests, NULL, NULL);
}

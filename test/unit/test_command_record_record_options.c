/* SPDX-License-Identifier: GPL-2.0-or-later */
/* command/record_options: perf record's words become struct recording_options. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/err.h"
#include "command/command.h"
#include "command/record/record_options.h"
#include "session/record/recording_options.h"

static const struct option_def rows[] = {
	{ .type = OPT_INCLUDE, .include = record_option_rows },
	{ .type = OPT_INCLUDE, .include = record_output_rows },
	{ .type = OPT_END },
};
static const struct command command = {
	.name = "record",
	.options = rows,
	.options_size = sizeof(struct recording_options),
	.takes_program = true,
};

/* text: "record" and up to 15 words, separated by spaces. The options borrow from *copy. */
static int parse(const char *text, char copy[256], struct recording_options *ret, struct err *err)
{
	char *argv[16], *save = NULL;
	struct option_words words = { .argv = argv };

	*ret = (struct recording_options){ 0 };
	(void)snprintf(copy, 256, "record %s", text);
	for (char *word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save))
		argv[words.argc++] = word;
	return option_parse(&command, &words, ret, err);
}

static struct recording_options good(const char *text)
{
	static char copy[256];
	struct recording_options options;
	struct err err = { 0 };

	if (parse(text, copy, &options, &err))
		fail_msg("%s: %s", text, err.msg);
	return options;
}

static void assert_bad(const char *text)
{
	struct recording_options options;
	struct err err = { 0 };
	char copy[256];

	if (parse(text, copy, &options, &err) != -EINVAL)
		fail_msg("%s: was accepted", text);
	recording_options_done(&options);
}

static void test_record_options__call_graph(void **state)
{
	(void)state;
	assert_int_equal(RECORDING_CALL_GRAPH_AUTO, good("-g").source.call_graph.mode);
	assert_int_equal(RECORDING_CALL_GRAPH_NONE, good("--no-call-graph").source.call_graph.mode);
	assert_int_equal(RECORDING_CALL_GRAPH_LBR, good("--call-graph lbr").source.call_graph.mode);
	assert_int_equal(RECORDING_CALL_GRAPH_DWARF,
			 good("--call-graph dwarf -g").source.call_graph.mode);
	assert_int_equal(4104, good("--call-graph=dwarf,4100").source.call_graph.stack_size);
	assert_bad("--call-graph fp,4096");
	assert_bad("--call-graph dwarf,70000");
	assert_bad("--call-graph dwarf,");
	assert_bad("--call-graph dwarves");
}

static void test_record_options__rate(void **state)
{
	(void)state;
	assert_int_equal(4000, good("-F 4k").source.frequency.hz);
	assert_true(good("-F max").source.frequency.max);
	assert_int_equal(1000000, good("-c 1000000").source.period);
	assert_bad("-F 0");
	assert_bad("-F often");
}

static void test_record_options__selectors_keep_their_order(void **state)
{
	struct recording_options options = good("-e a --filter x>1 -e b");

	(void)state;
	assert_int_equal(3, options.source.selector.count);
	assert_false(options.source.selector.item[0].filter);
	assert_true(options.source.selector.item[1].filter);
	assert_string_equal("b", options.source.selector.item[2].text);
	recording_options_done(&options);
}

static void test_record_options__rings(void **state)
{
	(void)state;
	assert_int_equal(128 * 4096, good("-m 128").source.ring_bytes);
	assert_int_equal(8 << 20, good("-m 5M").source.ring_bytes); /* the next power of two */
	assert_int_equal(16 * 4096, good("-m 16,64").source.ring_bytes);
	assert_bad("-m 100");
	assert_bad("-m ,");
	assert_bad("-m 4G");
}

static void test_record_options__delay(void **state)
{
	struct recording_options options = good("-D 10-20,30-40");

	(void)state;
	assert_true(good("-D -1").delay.disabled);
	assert_int_equal(0, good("-D 0").delay.count);
	assert_int_equal(500, good("--delay=500").delay.window[0].start_ms);
	assert_int_equal(2, options.delay.count);
	assert_int_equal(40, options.delay.window[1].end_ms);
	assert_bad("-D 20-10");
	assert_bad("-D 10-20,15-30");
	assert_bad("-D 10,20");
	assert_bad("-D soon");
}

static void test_record_options__switch_output(void **state)
{
	(void)state;
	assert_int_equal(RECORDING_SWITCH_SIGNAL, good("--switch-output").switch_output.mode);
	assert_int_equal(1 << 20, good("--switch-output=1M").switch_output.size_bytes);
	assert_int_equal(30000000000, good("--switch-output=30s").switch_output.time_ns);
	assert_int_equal(86400000000000, good("--switch-output=1d").switch_output.time_ns);
	assert_bad("--switch-output=10");
	assert_bad("--switch-output=often");
}

static void test_record_options__others(void **state)
{
	(void)state;
	assert_int_equal(CLOCK_MONOTONIC, good("-k mono").source.clock.id);
	assert_int_equal(CLOCK_MONOTONIC_RAW, good("-k CLOCK_MONOTONIC_RAW").source.clock.id);
	assert_bad("-k sundial");
	assert_int_equal(1, good("-z").zstd_level);
	assert_int_equal(19, good("-z19").zstd_level);
	assert_bad("-z99");
	assert_int_equal(RECORDING_SYNTH_TASK, good("--synth task").synth.mask);
	assert_int_equal(0, good("--synth no").synth.mask);
	assert_bad("--synth everything");
	assert_true(good("--no-timestamp").source.no_time);
	assert_false(good("-T").source.no_time);
	assert_int_not_equal(0, good("-b").source.branch_type);
	assert_int_not_equal(0, good("-I").source.intr_regs);
	assert_bad("--user-regs=?");
	assert_bad("--user-regs=nosuch");
	assert_int_equal(1500000000, good("--duration 1500ms").duration_ns);
}

static void assert_contradiction(const char *text)
{
	struct recording_options options = good(text);
	struct err err = { 0 };

	assert_int_equal(-EINVAL, recording_options_check(&options, true, &err));
	recording_options_done(&options);
}

static void test_record_options__contradictions_are_refused(void **state)
{
	struct recording_options options = good("-a -F 99 -g -o x");
	struct err err;

	(void)state;
	assert_int_equal(0, recording_options_check(&options, true, &err));
	assert_contradiction("-F 99 -c 5");
	assert_contradiction("-a -p 1");
	assert_contradiction("--all-user --all-kernel");
	assert_contradiction("-G x");
	assert_contradiction("--per-thread -a");
	assert_contradiction("-o - --switch-output");
	assert_contradiction("--switch-max-files 3");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_record_options__call_graph),
		cmocka_unit_test(test_record_options__rate),
		cmocka_unit_test(test_record_options__selectors_keep_their_order),
		cmocka_unit_test(test_record_options__rings),
		cmocka_unit_test(test_record_options__delay),
		cmocka_unit_test(test_record_options__switch_output),
		cmocka_unit_test(test_record_options__others),
		cmocka_unit_test(test_record_options__contradictions_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

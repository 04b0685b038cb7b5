/* SPDX-License-Identifier: GPL-2.0-or-later */
/* format/ftrace/trace_text: what ftrace's text is, and the fields of its events. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "format/format.h"
#include "format/ftrace/trace_text.h"

static bool is_text(const char *text)
{
	return trace_text_is((const uint8_t *)text, strlen(text));
}

static void test_text__is_recognised(void **state)
{
	static const char event[] = "  cat-12 [001] d..2. 5.000001: sched_waking: comm=x pid=1\n";
	static const char perf[] = "cat 12 [001] 5.000001: sched:sched_waking: comm=x pid=1\n";
	char two[200];

	(void)state;
	assert_true(is_text("# tracer: function_graph\n#\n 0)   0.633 us    |  fn();\n"));
	assert_true(is_text("cpus=2\n  cat-12 [001]  5.000001: sched_waking: comm=x pid=1\n"));
	assert_false(is_text("# tracer: nop\n#\n"));
	assert_false(is_text(event)); /* one line is not enough */
	(void)snprintf(two, sizeof(two), "%s%s", event, event);
	assert_true(is_text(two));
	assert_ptr_equal(format_sniff((const uint8_t *)two, strlen(two)),
			 format_find("trace-text"));
	(void)snprintf(two, sizeof(two), "%s%s", perf, perf);
	assert_false(is_text(two));
	assert_false(is_text("a;b 12\na;c 13\n"));
	assert_false(is_text(""));
}

static void assert_field(const char *text, const char *name, const char *value)
{
	struct trace_text_field field[TRACE_TEXT_FIELDS];
	struct ftrace_line line;
	size_t count;

	ftrace_line_parse(text, strlen(text), &line);
	count = trace_text_fields(&line, field);
	for (size_t i = 0; i < count; i++)
		if (field[i].name.len == strlen(name) &&
		    memcmp(field[i].name.data, name, field[i].name.len) == 0) {
			assert_int_equal(field[i].value.len, strlen(value));
			assert_memory_equal(field[i].value.data, value, strlen(value));
			return;
		}
	fail_msg("no %s in %s", name, text);
}

static void test_text__has_fields(void **state)
{
	static const char kernel[] =
		" x-1 [000] d..2. 5.0: sched_switch: prev_comm=a = b prev_pid=12 prev_prio=120 "
		"prev_state=R+ ==> next_comm=c d next_pid=0 next_prio=120";
	static const char report[] = " x-1 [000] 5.0: sched_switch:  a:b:12 [120] S ==> c d:0 [90]";

	(void)state;
	assert_field(kernel, "prev_comm", "a = b");
	assert_field(kernel, "prev_state", "R+");
	assert_field(kernel, "next_comm", "c d");
	assert_field(kernel, "next_prio", "120");
	assert_field(report, "prev_comm", "a:b");
	assert_field(report, "prev_pid", "12");
	assert_field(report, "prev_state", "S");
	assert_field(report, "next_comm", "c d");
	assert_field(report, "next_prio", "90");
	assert_field(" x-1 [000] 5.0: sched_wakeup: a:1 [120]<CPU:003>", "target_cpu", "003");
	assert_field(" x-1 [000] 5.0: sched_wakeup: comm=a pid=7", "pid", "7");
	assert_field(" x-1 [000] 5.0: kmalloc: (f+0x1) call_site=f+0x1 ptr=0x12", "ptr", "0x12");
}

static int64_t number_of(const char *name, const char *value)
{
	const struct trace_text_field field = { { name, strlen(name) }, { value, strlen(value) } };
	int64_t number = -99;

	return trace_text_number(&field, &number) ? number : -99;
}

static void test_text__has_numbers(void **state)
{
	(void)state;
	assert_int_equal(number_of("pid", "010"), 10);
	assert_int_equal(number_of("pid", "-7"), -7);
	assert_int_equal(number_of("ptr", "0x1f"), 31);
	assert_int_equal(number_of("pid", "1a"), -99);
	assert_int_equal(number_of("pid", ""), -99);
	assert_int_equal(number_of("pid", "-"), -99);
	assert_int_equal(number_of("prev_state", "R"), 0);
	assert_int_equal(number_of("prev_state", "R+"), 0x100);
	assert_int_equal(number_of("prev_state", "D"), 2);
	assert_int_equal(number_of("prev_state", "W"), 0x80);
	assert_int_equal(number_of("prev_state", "128"), 128);
	assert_string_equal(trace_text_system("sched_switch"), "sched");
	assert_string_equal(trace_text_system("sys_enter_read"), "syscalls");
	assert_string_equal(trace_text_system("mine"), "trace");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text__is_recognised),
		cmocka_unit_test(test_text__has_fields),
		cmocka_unit_test(test_text__has_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Formats of tracepoints: those of the kernel pass, those that would lead libtraceevent astray do
 * not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "format/trace/trace_format.h"

#define HEAD "name: sys_enter\nID: 443\nformat:\n"
#define FIELDS                                                                   \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n" \
	"\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n"                      \
	"\tfield:unsigned long args[6];\toffset:16;\tsize:48;\tsigned:0;\n"      \
	"\tfield:__data_loc char[] name;\toffset:64;\tsize:4;\tsigned:0;\n\n"
#define PRINT "print fmt: \"NR %ld (%lx) 50%% \\\"%s\", REC->id, REC->args[0], __get_str(name)\n"

static bool valid(const char *text)
{
	return trace_format_valid(text, strlen(text));
}

static bool valid_print(const char *expression)
{
	char text[1024];

	(void)snprintf(text, sizeof(text), "%sprint fmt: %s", HEAD FIELDS, expression);
	return valid(text);
}

static void test_trace_format__kernel_formats_pass(void **state)
{
	(void)state;
	assert_true(valid(HEAD FIELDS PRINT));
	assert_true(valid_print("\"%s\", (REC->id & (1 + 2)) ? __print_flags(REC->id, \"|\", "
				"{ 1, \"S\" }, { 2, \"D\" }) : \"R\""));
	assert_true(valid_print("\"%s\", __print_array(__get_dynamic_array(x), "
				"__get_dynamic_array_len(x) / 8, 8)"));
}

static void test_trace_format__cut_anywhere_it_fails(void **state)
{
	static const char text[] = HEAD FIELDS "print fmt: \"%d\", (REC->id)";
	const size_t whole = sizeof(text) - 1, string_end = whole - strlen(", (REC->id)");

	(void)state;
	assert_true(trace_format_valid(text, whole));
	for (size_t len = 0; len < whole; len++)
		if (len != string_end) /* a string alone is a print format too */
			assert_false(trace_format_valid(text, len));
}

static void test_trace_format__unbalanced_expressions_fail(void **state)
{
	(void)state;
	assert_false(valid_print("\"%d\", (REC->id"));
	assert_false(valid_print("\"%d\", REC->id)"));
	assert_false(valid_print("\"%d\", { REC->id )"));
	assert_false(valid_print("\"%d, REC->id"));
	assert_false(valid_print("\"%d\", REC->id +"));
	assert_false(valid_print("REC->id"));
}

static void test_trace_format__payload_decides_nothing_dangerous(void **state)
{
	(void)state;
	assert_false(valid_print("\"%d\", REC->args[REC->id]"));
	assert_false(valid_print("\"%d\", REC->args[100000]"));
	assert_false(valid_print("\"%d\", REC->id / REC->args[0]"));
	assert_false(valid_print("\"%d\", REC->id % 0"));
	assert_false(valid_print("\"%s\", __print_hex(REC->args, REC->id)"));
}

static void test_trace_format__fields_stay_in_range(void **state)
{
	(void)state;
	assert_false(valid(HEAD "\tfield:int x;\toffset:70000;\tsize:4;\tsigned:1;\n" PRINT));
	assert_false(valid(HEAD "\tfield:int;\toffset:0;\tsize:4;\tsigned:1;\n" PRINT));
	assert_false(valid(HEAD "\tfield:char x[;\toffset:0;\tsize:4;\tsigned:1;\n" PRINT));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_trace_format__kernel_formats_pass),
		cmocka_unit_test(test_trace_format__cut_anywhere_it_fails),
		cmocka_unit_test(test_trace_format__unbalanced_expressions_fail),
		cmocka_unit_test(test_trace_format__payload_decides_nothing_dangerous),
		cmocka_unit_test(test_trace_format__fields_stay_in_range),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

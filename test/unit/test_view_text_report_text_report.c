/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Answers in text: the tree adds up, the summary has its parts, shares count stacks once. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/err.h"
#include "format/format.h"
#include "format/input.h"
#include "format/perf_script/perf_script_read.h"
#include "view/text_report/text_report.h"

static const char text[] =
	"dd 1/1 [000] 1.0: 600 cpu-clock: \n\t3 hot+0x1 (/bin/dd)\n\t2 mid+0x1 (/bin/dd)\n"
	"\t1 main+0x1 (/bin/dd)\n\n"
	"dd 1/1 [000] 1.1: 300 cpu-clock: \n\t2 mid+0x1 (/bin/dd)\n\t2 mid+0x2 (/bin/dd)\n"
	"\t1 main+0x1 (/bin/dd)\n\n"
	"dd 1/1 [000] 1.2: 99 cpu-clock: \n\tffffffff81000000 sys_a ([kernel.kallsyms])\n"
	"\t1 main+0x1 (/bin/dd)\n\n"
	"dd 1/1 [000] 1.3: 1 cpu-clock: \n\t9 [unknown] (/lib/x.so)\n\t1 main+0x1 (/bin/dd)\n\n";

static struct profile *make_profile(void)
{
	struct profile *profile = profile_new(0);
	struct input *input = input_memory(text, strlen(text));
	struct err err = { 0 };

	assert_int_equal(format_read(&format_perf_script, input, NULL, profile, &err), 0);
	input_close(input);
	profile_count(profile);
	return profile;
}

static void test_text_report__tree(void **state)
{
	struct text_report_options options = { .ascii = true };
	struct profile *profile = make_profile();
	struct buf out = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(text_report_tree(profile, &options, &out, &err), 0);
	assert_string_equal(out.data, "# cpu-clock: 4 samples\n"
				      "#  total    self\n"
				      "100.00%   0.00% dd\n"
				      "100.00%   0.00% `- main\n"
				      " 90.00%   0.00%    |- mid\n"
				      " 60.00%  60.00%    |  |- hot\n"
				      " 30.00%  30.00%    |  `- mid\n"
				      "  9.90%   9.90%    |- sys_a [k]\n"
				      "  0.10%   0.10%    `- x.so (no symbols)\n");
	buf_clear(&out);
	options.percent_limit = 20;
	assert_int_equal(text_report_tree(profile, &options, &out, &err), 0);
	assert_non_null(strstr(out.data, " 10.00%            `- (2 smaller)\n"));
	buf_clear(&out);
	options.event = "nothing";
	assert_int_not_equal(text_report_tree(profile, &options, &out, &err), 0);
	buf_done(&out);
	profile_free(profile);
}

static void test_text_report__markdown(void **state)
{
	struct text_report_options options = { 0 };
	struct profile *profile = make_profile();
	struct buf out = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(text_report_markdown(profile, &options, &out, &err), 0);
	assert_non_null(strstr(out.data, "- event: `cpu-clock`, 4 samples, 0.000 s\n"));
	assert_non_null(strstr(out.data, "| 60.0 % | 60.0 % | `hot` | dd |\n"));
	assert_non_null(strstr(out.data, "| 30.0 % | 90.0 % | `mid` | dd |\n"));
	assert_non_null(strstr(out.data, "| 0.0 % | | 1 more | |\n"));
	assert_non_null(strstr(out.data, " 90.00 %  mid\n 60.00 %  hot\n```\n"));
	assert_non_null(strstr(out.data, "frames without a symbol: 10.0 %\n"));
	buf_done(&out);
	profile_free(profile);
}

static void test_text_report__find(void **state)
{
	struct text_report_query mid = { .regex = "^mid$" }, command = { .regex = "^dd$" };
	const struct text_report_query wrong = { .regex = "(" };
	struct profile *profile = make_profile();
	struct buf out = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(text_report_find(profile, &mid, &out, &err), 0);
	assert_string_equal(out.data, " 90.00 %  of cpu-clock matches /^mid$/ (2 of 4 samples)\n");
	buf_clear(&out);
	mid.by_samples = true;
	assert_int_equal(text_report_find(profile, &mid, &out, &err), 0);
	assert_string_equal(out.data, " 50.00 %  of cpu-clock matches /^mid$/ (2 of 4 samples)\n");
	buf_clear(&out);
	assert_int_equal(text_report_find(profile, &command, &out, &err), 0);
	assert_non_null(strstr(out.data, "100.00 %"));
	assert_int_equal(text_report_find(profile, &wrong, &out, &err), -EINVAL);
	mid.event = "no-such";
	assert_int_equal(text_report_find(profile, &mid, &out, &err), -ENOENT);
	buf_done(&out);
	profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text_report__tree),
		cmocka_unit_test(test_text_report__markdown),
		cmocka_unit_test(test_text_report__find),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

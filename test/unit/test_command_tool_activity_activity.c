/* SPDX-License-Identifier: GPL-2.0-or-later */
/* command/tool/activity: columns as text, CSV and JSON, addresses, ports and paths. */
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "command/tool/activity/activity_tool.h"

static const struct activity_column columns[] = {
	{ "TIME(s)", NULL, -8, .put = put_seconds, .decimals = 3, ACTIVITY_ONLY(seconds) },
	{ "COMM", "comm", -6, 6, put_comm },
	{ "PID", "pid", -5, .put = put_pid, .raw = put_pid },
	{ "KB", "bytes", 4, .put = put_number, .number = 2, .unit = 1024, .raw = raw_number },
	{ "MS", "ns", 6, .put = put_ns, .decimals = 2, .unit = 1000000, .raw = raw_ns },
	{ "FILE", "file", -4, .put = put_text },
	{ 0 },
};

static const struct activity_tool tool = { .name = "test", .column = columns };

static struct activity sample(void)
{
	struct activity activity = { .time_ns = 3500000000, .ns = 2340000, .pid = 42, .count = 1 };

	activity.number[2] = 5120;
	memcpy(activity.comm, "long-name", 10);
	memcpy(activity.text, "a \"b\"\nc", 8);
	activity.text_len = 7;
	return activity;
}

static void test_line__has_columns_of_widths(void **state)
{
	const struct activity_options options = { 0 };
	const struct activity_run run = { .tool = &tool, .options = &options };
	const struct activity activity = sample();
	struct buf out = { 0 };

	(void)state;
	activity_put_heads(&run, &out);
	activity_put_line(&run, &activity, &out);
	assert_string_equal(out.data, "COMM   PID     KB     MS FILE\n"
				      "long-n 42       5   2.34 a \"b\"\\nc\n");
	buf_done(&out);
}

static void test_line__has_optional_columns_and_commas(void **state)
{
	const struct activity_options options = { .seconds = true, .csv = true };
	const struct activity_run run = { .tool = &tool,
					  .options = &options,
					  .start_ns = 1000000000 };
	const struct activity activity = sample();
	struct buf out = { 0 };

	(void)state;
	activity_put_heads(&run, &out);
	activity_put_line(&run, &activity, &out);
	assert_string_equal(out.data, "TIME(s),COMM,PID,KB,MS,FILE\n"
				      "2.500,long-name,42,5,2.34,a \"b\"\\nc\n");
	buf_done(&out);
}

static void test_json__has_raw_values(void **state)
{
	const struct activity_options options = { 0 };
	const struct activity_run run = { .tool = &tool, .options = &options };
	const struct activity activity = sample();
	struct buf out = { 0 };

	(void)state;
	activity_put_json(&run, &activity, &out);
	assert_string_equal(out.data, "\"comm\":\"long-name\",\"pid\":42,\"bytes\":5120,"
				      "\"ns\":2340000,\"file\":\"a \\\"b\\\"\\u000ac\"");
	buf_done(&out);
}

static void test_addresses__are_of_both_families(void **state)
{
	struct activity activity = { .text_len = TCP_ADDRESSES };
	struct buf out = { 0 };

	(void)state;
	activity.number[TCP_FAMILY] = AF_INET;
	activity.number[TCP_PORTS] = 8080u << 16 | 443;
	memcpy(activity.text, "\x7f\0\0\1", 4);
	memcpy(activity.text + 16, "\x0a\0\0\2", 4);
	put_local_pair(NULL, NULL, &activity, &out);
	(void)buf_putc(&out, ' ');
	put_remote_pair(NULL, NULL, &activity, &out);
	activity.number[TCP_FAMILY] = AF_INET6;
	memset(activity.text, 0, TCP_ADDRESSES);
	activity.text[15] = 1;
	(void)buf_putc(&out, ' ');
	put_local(NULL, NULL, &activity, &out);
	activity.text_len = 3; /* damaged */
	(void)buf_putc(&out, ' ');
	put_local(NULL, NULL, &activity, &out);
	assert_string_equal(out.data, "127.0.0.1:8080 10.0.0.2:443 ::1 ?");
	buf_done(&out);
}

static void test_ports__are_in_lists(void **state)
{
	(void)state;
	assert_true(activity_has_port(NULL, 80));
	assert_true(activity_has_port("80", 80));
	assert_true(activity_has_port("22,80", 80));
	assert_false(activity_has_port("22,8", 80));
	assert_false(activity_has_port("", 80));
	assert_false(activity_has_port("x", 80));
}

static void test_totals__have_the_unit_of_the_rows(void **state)
{
	const struct activity_options options = { .totals = true, .milliseconds = true };
	const struct activity_tool latency = { .name = "test", .unit = "usecs" };
	struct activity_run run = { .tool = &latency, .options = &options };
	struct activity one = { .ns = 65000000, .count = 2, .bucket = 5 };
	struct buf out = { 0 };

	(void)state;
	run.choice.rules.distribution = ACTIVITY_OF_NS;
	run.choice.rules.unit = 1000000;
	vec_push(&run.rows, one);
	activity_print(&run.run, &out);
	assert_non_null(strstr(out.data, "     msecs  "));
	assert_non_null(strstr(out.data, "\navg = 32 msecs, total: 65 msecs, count: 2\n"));
	vec_done(&run.rows);
	buf_done(&out);
}

static void test_names__become_a_path(void **state)
{
	struct buf out = { 0 };

	(void)state;
	activity_put_names("file\0lib\0var\0", 13, &out);
	(void)buf_putc(&out, ' ');
	activity_put_names("", 0, &out);
	(void)buf_putc(&out, ' ');
	activity_put_names("file\0lib\0\0", 10, &out);
	assert_string_equal(out.data, "/var/lib/file / …/lib/file");
	buf_done(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_line__has_columns_of_widths),
		cmocka_unit_test(test_line__has_optional_columns_and_commas),
		cmocka_unit_test(test_json__has_raw_values),
		cmocka_unit_test(test_addresses__are_of_both_families),
		cmocka_unit_test(test_ports__are_in_lists),
		cmocka_unit_test(test_totals__have_the_unit_of_the_rows),
		cmocka_unit_test(test_names__become_a_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view/latency/queue_delay: BCC's columns, with and without the thread before, and JSON. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buf.h"
#include "view/latency/queue_delay.h"

static const struct queue_delay delay = {
	.time_ns = 5,
	.delay_ns = 12345678,
	.pid = 7,
	.tid = 8,
	.cpu = 1,
	.previous_tid = 9,
	.comm = "work\ner",
	.previous_comm = "swapper/1",
};

static void test_delay__text(void **state)
{
	struct buf out = { 0 };

	(void)state;
	queue_delay_heading(false, &out);
	queue_delay_text(&delay, "12:00:00", false, &out);
	assert_string_equal(out.data, "TIME     COMM             TID           LAT(us)\n"
				      "12:00:00 work?er          8               12345\n");
	buf_done(&out);
	queue_delay_heading(true, &out);
	queue_delay_text(&delay, "12:00:00", true, &out);
	assert_string_equal(out.data, "TIME     COMM             TID           LAT(us) "
				      "PREV COMM        PREV TID\n"
				      "12:00:00 work?er          8               12345 "
				      "swapper/1        9     \n");
	buf_done(&out);
}

static void test_delay__json(void **state)
{
	struct buf out = { 0 };

	(void)state;
	queue_delay_json(&delay, &out);
	assert_string_equal(
		out.data,
		"{\"cupel\":1,\"time_ns\":5,\"pid\":7,\"tid\":8,\"comm\":\"work\\u000aer\","
		"\"delay_ns\":12345678,\"cpu\":1,"
		"\"previous\":{\"tid\":9,\"comm\":\"swapper/1\"}}\n");
	buf_done(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_delay__text),
		cmocka_unit_test(test_delay__json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view/timeline: the page carries title and data; the trace has lanes, slices that share their time
 * one after the other, and names that can do no harm. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/err.h"
#include "profile/machine_series.h"
#include "view/state_kind.h"
#include "view/timeline/timeline.h"

static const struct state_kind kinds[] = {
	{ "running", "running", 0x2e9e5b, "", false },
	{ "blocked: disk", "blocked", 0x2f6fde, "M0 0H8", false },
};

static struct timeline timeline_of_one(void)
{
	struct timeline timeline = { .title = "a & b",
				     .about = "",
				     .start_ns = 1000000,
				     .end_ns = 3000000,
				     .kind = kinds,
				     .kinds = 2 };
	struct timeline_lane lane = {
		.name = "</script>\"", .thread = "t", .process = "p", .pid = 1, .tid = 2
	};
	struct timeline_slice exact = { 1000000, 1500000, 500000, 0, 1 };
	struct timeline_slice shared[] = { { 1500000, 2500000, 300000, 1, 0 },
					   { 1500000, 2500000, 700000, 0, 0 } };

	vec_push(&timeline.label, "");
	vec_push(&timeline.label, "timer");
	vec_push(&lane.slice, exact);
	vec_push(&lane.slice, shared[0]);
	vec_push(&lane.slice, shared[1]);
	vec_push(&timeline.lane, lane);
	return timeline;
}

static void test_html(void **state)
{
	struct timeline timeline = timeline_of_one();
	struct buf out = { 0 };
	struct err err;

	(void)state;
	assert_int_equal(timeline_html(&timeline, &out, &err), 0);
	assert_non_null(strstr(out.data, "<title>a &amp; b</title>"));
	assert_non_null(strstr(out.data, "id=\"timeline-data\""));
	assert_non_null(strstr(out.data, "Content-Security-Policy"));
	buf_done(&out);
	timeline_done(&timeline);
}

static void test_chrome_trace(void **state)
{
	struct timeline timeline = timeline_of_one();
	struct machine_sample sample = { .time_ns = 3000000, .interval_ns = 2000000 };
	struct machine_series context = { 0 };
	struct buf out = { 0 };

	(void)state;
	machine_set(&sample, MACHINE_RUNNABLE, 3);
	machine_series_add(&context, &sample);
	timeline.context = &context;
	timeline_chrome_trace(&timeline, &out);
	assert_string_equal(
		out.data,
		"{\"displayTimeUnit\":\"ms\",\"otherData\":{\"title\":\"a & b\",\"about\":\"\"},\n"
		"\"traceEvents\":[\n"
		"{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":0,\"args\":{\"name\":"
		"\"machine\"}},\n"
		"{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":2,\"args\":{\"name\":"
		"\"</script>\\\"\"}},\n"
		"{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"args\":{\"name\":\"p\"}},\n"
		"{\"ph\":\"X\",\"name\":\"running\",\"cat\":\"running\",\"ts\":0.000,"
		"\"dur\":500.000,\"pid\":1,\"tid\":2,\"args\":{\"by\":\"timer\"}},\n"
		"{\"ph\":\"X\",\"name\":\"blocked: disk\",\"cat\":\"blocked\",\"ts\":500.000,"
		"\"dur\":300.000,\"pid\":1,\"tid\":2,\"args\":{\"somewhere_in_us\":1000}},\n"
		"{\"ph\":\"X\",\"name\":\"running\",\"cat\":\"running\",\"ts\":800.000,"
		"\"dur\":700.000,\"pid\":1,\"tid\":2,\"args\":{\"somewhere_in_us\":1000}},\n"
		"{\"ph\":\"C\",\"name\":\"scheduling: running or in a run queue\",\"ts\":0.000,"
		"\"pid\":0,\"args\":{\"tasks\":3}}\n]}\n");
	buf_done(&out);
	machine_series_done(&context);
	timeline_done(&timeline);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_html),
		cmocka_unit_test(test_chrome_trace),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

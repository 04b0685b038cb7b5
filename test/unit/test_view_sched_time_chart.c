/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view/sched/time_chart: rows for CPUs and the busiest threads, totals in the tooltips, shares of
 * short spans. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "profile/sched/sched_spans.h"
#include "view/sched/time_chart.h"

static struct sched_task one = { .index = 0, .pid = 10, .tid = 10, .comm = "<one>" };
static struct sched_task two = { .index = 1, .pid = 20, .tid = 20, .comm = "two" };

#define MS 1000000u

static struct sched_spans both(void)
{
	struct sched_spans spans = { .first_ns = MS, .last_ns = 11 * MS, .cpus = 1 };

	vec_push(&spans.present, ((struct sched_present){ .task = &one }));
	vec_push(&spans.present, ((struct sched_present){ .task = &two }));
	vec_push(&spans.span, ((struct sched_span){ MS, 6 * MS, 0, 0, SCHED_DOING_RUNNING }));
	vec_push(&spans.span, ((struct sched_span){ 6 * MS, 11 * MS, 0, 0, SCHED_DOING_LOCK }));
	vec_push(&spans.span, ((struct sched_span){ 6 * MS, 7 * MS, 1, 0, SCHED_DOING_RUNNING }));
	return spans;
}

static void draw(struct time_chart_options options, struct buf *ret)
{
	struct sched_spans spans = both();

	options.title = "Test";
	time_chart(&spans, &options, ret);
	sched_spans_done(&spans);
}

static void test_chart__shows_totals(void **state)
{
	struct buf out = { 0 };

	(void)state;
	draw((struct time_chart_options){ .width = 100 }, &out);
	assert_non_null(strstr(out.data, "CPU 0: busy 6.000 ms (60.0 %)"));
	assert_non_null(strstr(out.data, "&lt;one&gt; 10: running 5.000 ms (50.0 %)"));
	assert_non_null(strstr(out.data, "&lt;one&gt; 10: blocked: lock 5.000 ms (50.0 %)"));
	assert_non_null(strstr(out.data, "M210 "));
	assert_true(strstr(out.data, "&lt;one&gt; 10") < strstr(out.data, "two 20"));
	buf_done(&out);
}

static void test_chart__shares_a_column(void **state)
{
	struct buf out = { 0 };

	(void)state;
	/* One column: half of it runs, half is blocked. */
	draw((struct time_chart_options){ .width = 1, .no_cpus = true, .max_tasks = 1 }, &out);
	assert_non_null(strstr(out.data, "h1v7.0h-1z"));
	assert_non_null(strstr(out.data, "1 less busy thread is not shown"));
	assert_null(strstr(out.data, "CPU 0"));
	buf_done(&out);
}

/* A disk that is read, a thread's call that failed, and packets. */
static struct sched_spans with_lanes(void)
{
	struct sched_spans spans = both();
	struct sched_lanes *lanes = &spans.lanes;
	struct sched_lane disk = { .kind = SCHED_LANE_DISK, .number = 8 << 20 | 1 };
	struct sched_lane calls = { .kind = SCHED_LANE_CALLS, .task = &one };
	struct sched_lane sent = { .kind = SCHED_LANE_SENT, .name = "eth0" };

	vec_push(&lanes->lane, calls);
	vec_push(&lanes->lane, disk);
	vec_push(&lanes->lane, sent);
	vec_push(&lanes->span, ((struct sched_lane_span){
				       2 * MS, 3 * MS, 0, 0, 1, SCHED_DOING_ERROR, 11, 3, { 0 } }));
	vec_push(&lanes->span,
		 ((struct sched_lane_span){
			 2 * MS, 4 * MS, 8192, 1, 2, SCHED_DOING_READ, 0, -1, { 0 } }));
	vec_push(&lanes->span, ((struct sched_lane_span){
				       5 * MS, 6 * MS, 60, 2, 1, SCHED_DOING_SEND, 0, -1, { 0 } }));
	return spans;
}

static void draw_lanes(struct time_chart_options options, struct buf *ret)
{
	struct sched_spans spans = with_lanes();

	options.title = "Test";
	buf_clear(ret);
	time_chart(&spans, &options, ret);
	sched_spans_done(&spans);
}

static void test_chart__has_lanes(void **state)
{
	struct buf out = { 0 };

	(void)state;
	draw_lanes((struct time_chart_options){ .width = 100 }, &out);
	assert_non_null(strstr(out.data, "disk 8:1: I/O: read 2.000 ms (20.0 %), 2 requests, "
					 "8192 bytes"));
	assert_non_null(strstr(out.data, "eth0 sent: I/O: send, 1 packet, 60 bytes"));
	assert_non_null(strstr(out.data, "10 I/O: I/O: error 1.000 ms (10.0 %), 1 call<"));
	draw_lanes((struct time_chart_options){ .no_devices = true, .no_calls = true }, &out);
	assert_null(strstr(out.data, "disk 8:1"));
	assert_null(strstr(out.data, "I/O: error"));
	buf_done(&out);
}

static void test_chart__short_io_looks_longer(void **state)
{
	struct buf out = { 0 };
	struct time_chart_options options = { .width = 10, .no_cpus = true, .no_tasks = true };

	(void)state;
	draw_lanes(options, &out);
	assert_non_null(strstr(out.data, "h1v14.0h-1z"));
	options.min_ns = 5 * MS;
	draw_lanes(options, &out);
	assert_non_null(strstr(out.data, "h5v14.0h-5z"));
	assert_non_null(strstr(out.data, "error 1.000 ms")); /* that is what was measured */
	buf_done(&out);
}

static void test_chart__a_part_of_the_time(void **state)
{
	struct buf out = { 0 };

	(void)state;
	draw((struct time_chart_options){ .start_ns = 6 * MS }, &out);
	assert_non_null(strstr(out.data, "two 20: running 1.000 ms (20.0 %)"));
	assert_null(strstr(out.data, "&lt;one&gt; 10: running"));
	buf_done(&out);
}

static void test_chart__cuts_long_names(void **state)
{
	struct sched_task task = { .tid = 30, .comm = "kworker/u8:17-events_unbound" };
	struct sched_spans spans = { .first_ns = MS, .last_ns = 2 * MS, .cpus = 1 };
	struct buf out = { 0 };

	(void)state;
	vec_push(&spans.present, ((struct sched_present){ .task = &task }));
	vec_push(&spans.span, ((struct sched_span){ MS, 2 * MS, 0, 0, SCHED_DOING_RUNNING }));
	time_chart(&spans, &(struct time_chart_options){ .title = "Test" }, &out);
	assert_non_null(strstr(out.data, ">kworker/u8:17-events_un\xe2\x80\xa6 30</text>"));
	assert_non_null(strstr(out.data, "kworker/u8:17-events_unbound 30: running"));
	sched_spans_done(&spans);
	buf_done(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_chart__shows_totals),
		cmocka_unit_test(test_chart__shares_a_column),
		cmocka_unit_test(test_chart__has_lanes),
		cmocka_unit_test(test_chart__short_io_looks_longer),
		cmocka_unit_test(test_chart__a_part_of_the_time),
		cmocka_unit_test(test_chart__cuts_long_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

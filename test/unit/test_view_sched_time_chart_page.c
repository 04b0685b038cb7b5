/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view/sched/time_chart_page: the page has title, data and policy, whatever is left out. The data
 * themselves are read by test/live/timechart.sh. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/err.h"
#include "profile/sched/sched_spans.h"
#include "view/sched/time_chart.h"

#define MS 1000000u

static size_t page_of(struct time_chart_options options)
{
	struct sched_task one = { .pid = 10, .tid = 10, .comm = "</script>" };
	struct sched_task two = { .index = 1, .pid = 20, .tid = 20, .comm = "two" };
	struct sched_spans spans = { .first_ns = MS, .last_ns = 11 * MS, .cpus = 5000, .lost = 3 };
	struct buf out = { 0 };
	struct err err;
	size_t len;

	vec_push(&spans.present, ((struct sched_present){ .task = &one }));
	vec_push(&spans.present, ((struct sched_present){ .task = &two }));
	vec_push(&spans.present, ((struct sched_present){ 0 }));
	vec_push(&spans.span, ((struct sched_span){ MS, 6 * MS, 0, 0, SCHED_DOING_RUNNING }));
	vec_push(&spans.span, ((struct sched_span){ 6 * MS, 11 * MS, 0, 0, SCHED_DOING_LOCK }));
	vec_push(&spans.span,
		 ((struct sched_span){ 6 * MS, 7 * MS, 1, 4000, SCHED_DOING_RUNNING }));
	options.title = "a & b";
	assert_int_equal(time_chart_page(&spans, &options, &out, &err), 0);
	assert_non_null(strstr(out.data, "<title>a &amp; b"));
	assert_non_null(strstr(out.data, "id=\"timeline-data\""));
	assert_non_null(strstr(out.data, "Content-Security-Policy"));
	len = out.len;
	buf_done(&out);
	sched_spans_done(&spans);
	return len;
}

static void test_page(void **state)
{
	size_t all = page_of((struct time_chart_options){ 0 });

	(void)state;
	assert_true(page_of((struct time_chart_options){ .no_cpus = true }) < all);
	assert_true(page_of((struct time_chart_options){ .no_tasks = true }) < all);
	assert_true(page_of((struct time_chart_options){ .max_tasks = 1, .about = "host" }) > 0);
	assert_true(page_of((struct time_chart_options){ .start_ns = 20 * MS }) < all);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_page) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}

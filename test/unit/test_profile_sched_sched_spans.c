/* SPDX-License-Identifier: GPL-2.0-or-later */
/* profile/sched/sched_spans: what a thread did when, why it blocked, and what is not known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "profile/sched/sched_spans.h"

static struct sched_task idle = { .index = 0 };
static struct sched_task a = { .index = 1, .pid = 10, .tid = 10, .comm = "a" };
static struct sched_task b = { .index = 2, .pid = 20, .tid = 20, .comm = "b" };

struct moment {
	uint64_t time_ns;
	struct sched_task *from, *to;
	char state;
	const char *chain;
};

static void leave(struct sched_spans *spans, struct moment moment)
{
	struct sched_event event = {
		.kind = SCHED_SWITCH,
		.time_ns = moment.time_ns,
		.current = moment.from,
		.leave = { .next = moment.to, .state = moment.state, .chain = moment.chain }
	};

	spans->sink.event(&spans->sink, &event);
}

static void wake(struct sched_spans *spans, struct sched_task *task, uint64_t time_ns)
{
	struct sched_event event = {
		.kind = SCHED_WAKEUP, .time_ns = time_ns, .current = &idle, .wakeup.task = task
	};

	spans->sink.event(&spans->sink, &event);
}

static void check(const struct sched_spans *spans, size_t i, struct sched_span expected)
{
	assert_true(i < spans->span.count);
	assert_int_equal(spans->span.item[i].task, expected.task);
	assert_int_equal(spans->span.item[i].doing, expected.doing);
	assert_int_equal(spans->span.item[i].start_ns, expected.start_ns);
	assert_int_equal(spans->span.item[i].end_ns, expected.end_ns);
}

static void test_spans__follow_a_thread(void **state)
{
	struct sched_spans spans;

	(void)state;
	sched_spans_init(&spans);
	wake(&spans, &b, 100);
	leave(&spans, (struct moment){ 150, &a, &b, 'S', "futex_do_wait <- do_futex" });
	wake(&spans, &a, 200);
	leave(&spans, (struct moment){ 230, &b, &a, 'R', NULL });
	leave(&spans, (struct moment){ 300, &a, &b, 'D', NULL });
	sched_spans_finish(&spans);
	check(&spans, 0, (struct sched_span){ 100, 150, 1, 0, SCHED_DOING_RUNNING });
	check(&spans, 1, (struct sched_span){ 100, 150, 2, 0, SCHED_DOING_WOKEN });
	check(&spans, 2, (struct sched_span){ 150, 200, 1, 0, SCHED_DOING_LOCK });
	check(&spans, 3, (struct sched_span){ 150, 230, 2, 0, SCHED_DOING_RUNNING });
	check(&spans, 4, (struct sched_span){ 200, 230, 1, 0, SCHED_DOING_WOKEN });
	check(&spans, 5, (struct sched_span){ 230, 300, 1, 0, SCHED_DOING_RUNNING });
	check(&spans, 6, (struct sched_span){ 230, 300, 2, 0, SCHED_DOING_PREEMPTED });
	assert_int_equal(spans.span.count, 7);
	sched_spans_done(&spans);
}

static void test_spans__a_missing_switch_is_no_long_run(void **state)
{
	struct sched_spans spans;

	(void)state;
	sched_spans_init(&spans);
	leave(&spans, (struct moment){ 100, &idle, &a, 'R', NULL });
	leave(&spans,
	      (struct moment){ 500, &b, &idle, 'S', NULL }); /* the switch to b is missing */
	leave(&spans, (struct moment){ 900, &idle, &b, 'R', NULL });
	sched_spans_finish(&spans);
	check(&spans, 0, (struct sched_span){ 500, 900, 2, 0, SCHED_DOING_SLEEPING });
	assert_int_equal(spans.span.count, 1);
	sched_spans_done(&spans);
}

static void test_spans__end_with_the_recording(void **state)
{
	struct sched_spans spans;

	(void)state;
	sched_spans_init(&spans);
	leave(&spans, (struct moment){ 100, &idle, &a, 'R', NULL });
	leave(&spans, (struct moment){ 200, &a, &b, 'S', "do_nanosleep" });
	leave(&spans, (struct moment){ 300, &b, &idle, 'X', NULL });
	sched_spans_finish(&spans);
	check(&spans, 2, (struct sched_span){ 200, 300, 1, 0, SCHED_DOING_TIMER });
	assert_int_equal(spans.span.count, 3); /* b is gone */
	sched_spans_done(&spans);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_spans__follow_a_thread),
		cmocka_unit_test(test_spans__a_missing_switch_is_no_long_run),
		cmocka_unit_test(test_spans__end_with_the_recording),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* format/perf_data_order: time order across rounds, handed over at once and in the background. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/err.h"
#include "format/perf_data_order.h"

#define COUNT 3000

static uint8_t record[COUNT]; /* only their addresses count */

struct got {
	size_t count, fail_at;
	size_t at[COUNT];
};

static int take(void *context, const struct timed_record *item, size_t count, struct err *err)
{
	struct got *got = context;

	for (size_t i = 0; i < count; i++) {
		if (got->fail_at && got->count == got->fail_at)
			return err_set(err, -EIO, "no more");
		got->at[got->count++] = (size_t)(item[i].record - record);
	}
	return 0;
}

static void add(struct order *order, uint64_t time_ns, const uint8_t *bytes)
{
	*order_next(order) = (struct timed_record){ .time_ns = time_ns, .record = bytes };
	order_add(order);
}

/* Rounds of 300 records of three CPUs, whose times are i % 100 of the round; the last tenth of each
 * round is as late as the first of the next. */
static int fill(struct order *order, struct err *err)
{
	int failed = 0;

	for (size_t i = 0; i < COUNT && !failed; i++) {
		add(order, 1 + i / 300 * 90 + i % 100, record + i);
		if (i % 300 != 299)
			continue;
		if (!order_puts_off(order))
			failed = order_flush(order, order->limit_ns, err);
		order->limit_ns = order->newest_ns;
		order->round++;
	}
	if (!failed)
		failed = order_flush(order, UINT64_MAX, err);
	return failed ? failed : order_wait(order, err);
}

static void check(bool background)
{
	struct got got = { 0 };
	struct order order = { .deliver = take, .context = &got };
	struct err err = { 0 };
	uint64_t last = 0;

	if (background)
		order_in_background(&order);
	assert_int_equal(fill(&order, &err), 0);
	assert_int_equal(got.count, COUNT);
	for (size_t n = 0; n < COUNT; n++) {
		uint64_t time_ns = 1 + got.at[n] / 300 * 90 + got.at[n] % 100;

		assert_true(time_ns >= last);
		if (n && time_ns == last)
			assert_true(got.at[n] > got.at[n - 1]); /* the file's order */
		last = time_ns;
	}
	order_done(&order);
}

static void test_order(void **state)
{
	(void)state;
	check(false);
}

static void test_order_in_background(void **state)
{
	(void)state;
	check(true);
}

/* Nearly in order, as the events of one switch are: no run begins. */
static void test_what_is_a_little_late(void **state)
{
	static const uint64_t time_ns[] = { 10, 30, 20, 30, 25, 40, 10, 9 };
	static const size_t in_order[] = { 7, 0, 6, 2, 4, 1, 3, 5 };
	struct got got = { 0 };
	struct order order = { .deliver = take, .context = &got };
	struct err err = { 0 };

	(void)state;
	for (size_t i = 0; i < 8; i++)
		add(&order, time_ns[i], record + i);
	assert_int_equal(order.runs.count, 2); /* the last one might begin a ring */
	assert_int_equal(order_flush(&order, UINT64_MAX, &err), 0);
	assert_int_equal(got.count, 8);
	for (size_t i = 0; i < 8; i++)
		assert_int_equal(got.at[i], in_order[i]);
	order_done(&order);
}

static void test_failure_ends_delivery(void **state)
{
	(void)state;
	for (int background = 0; background < 2; background++) {
		struct got got = { .fail_at = 450 };
		struct order order = { .deliver = take, .context = &got };
		struct err err = { 0 };

		if (background)
			order_in_background(&order);
		assert_int_equal(fill(&order, &err), -EIO);
		assert_string_equal(err.msg, "no more");
		assert_int_equal(got.count, 450);
		order_done(&order);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_order_in_background),
		cmocka_unit_test(test_what_is_a_little_late),
		cmocka_unit_test(test_failure_ends_delivery),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

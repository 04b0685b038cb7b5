/* SPDX-License-Identifier: GPL-2.0-or-later */
/* format/perf_data_order: time order across rounds, handed over at once and in the background. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/err.h"
#include "format/perf_data/perf_data_order.h"

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

/* Rounds of 300 records of three CPUs, with times i % 100 of the round; the last tenth of each
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

struct waiting {
	uint64_t time_ns;
	size_t at;
	bool delivered;
};

static int by_time(const void *a, const void *b)
{
	const struct waiting *left = a, *right = b;

	return left->time_ns != right->time_ns ? (left->time_ns < right->time_ns ? -1 : 1)
	       : left->at < right->at	       ? -1
					       : 1;
}

/* What a flush should hand over, behind what others have. */
static void expect(struct waiting *all, size_t count, uint64_t limit_ns, struct got *ret)
{
	struct waiting chosen[COUNT];
	size_t n = 0;

	for (size_t i = 0; i < count; i++) {
		if (all[i].delivered || all[i].time_ns > limit_ns)
			continue;
		all[i].delivered = true;
		chosen[n++] = all[i];
	}
	qsort(chosen, n, sizeof(*chosen), by_time);
	for (size_t i = 0; i < n; i++)
		ret->at[ret->count++] = chosen[i].at;
}

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

/* Rounds of any size, runs of any length, limits that leave much or little, for one flush or for
 * several: each hands over what is due, in order of time, then of the file. */
static void random_rounds(uint32_t seed, bool background)
{
	static struct waiting all[COUNT];
	struct got got = { 0 }, want = { 0 };
	struct order order = { .deliver = take, .context = &got };
	struct err err = { 0 };
	uint32_t random = seed;
	uint64_t time_ns = 1;

	if (background)
		order_in_background(&order);
	for (size_t i = 0; i < COUNT; i++) {
		time_ns = next_random(&random) % 40 ? time_ns + next_random(&random) % 3
						    : 1 + next_random(&random) % 2000;
		all[i] = (struct waiting){ time_ns, i, false };
		add(&order, time_ns, record + i);
		if (next_random(&random) % 100 < seed % 10) {
			uint64_t limit_ns = next_random(&random) % 2000;

			expect(all, i + 1, limit_ns, &want);
			assert_int_equal(order_flush(&order, limit_ns, &err), 0);
		}
	}
	expect(all, COUNT, UINT64_MAX, &want);
	assert_int_equal(order_flush(&order, UINT64_MAX, &err), 0);
	assert_int_equal(order_wait(&order, &err), 0);
	assert_int_equal(got.count, COUNT);
	assert_memory_equal(got.at, want.at, sizeof(got.at));
	order_done(&order);
}

static void test_random_rounds(void **state)
{
	(void)state;
	for (uint32_t seed = 0; seed < 100; seed++)
		random_rounds(seed, seed % 2);
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
		cmocka_unit_test(test_random_rounds),
		cmocka_unit_test(test_failure_ends_delivery),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

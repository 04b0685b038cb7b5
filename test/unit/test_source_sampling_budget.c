/* SPDX-License-Identifier: GPL-2.0-or-later */
/* source/sampling_budget: which budget applies, when sampling slows down, by how much, and when it
 * returns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "source/options.h"
#include "source/sampling_budget.h"

#define MS 1000000ull

static void open_with(struct sampling_budget *budget, uint64_t hz, double percent, bool everybody)
{
	const struct source_options options = { .frequency.hz = hz, .budget.percent = percent };

	sampling_budget_open(budget, &options, everybody, 4);
}

static bool use(struct sampling_budget *budget, uint64_t taken_ms, uint64_t sampled_ms)
{
	const struct sampling_use use = { .elapsed_ns = 250 * MS,
					  .taken_ns = taken_ms * MS,
					  .sampled_ns = sampled_ms * MS };

	return sampling_budget_update(budget, &use);
}

static void test_sampling_budget__defaults(void **state)
{
	struct sampling_budget budget;
	char text[64];

	(void)state;
	open_with(&budget, 0, 0, true);
	sampling_budget_text(&budget, text, sizeof(text));
	assert_string_equal("1 % of the machine", text);
	open_with(&budget, 0, 0, false);
	sampling_budget_text(&budget, text, sizeof(text));
	assert_string_equal("3 % of the program's time", text);
	open_with(&budget, 5000, 0, true);
	sampling_budget_text(&budget, text, sizeof(text));
	assert_string_equal("25 % of a CPU", text);
	open_with(&budget, 5000, 2.5, true);
	sampling_budget_text(&budget, text, sizeof(text));
	assert_string_equal("2.5 % of the machine", text);
}

static void test_sampling_budget__slows_down_after_a_burst(void **state)
{
	struct sampling_budget budget;

	(void)state;
	open_with(&budget, 10000, 0, false); /* 62.5 ms of 250 */
	assert_false(use(&budget, 62, 1000));
	assert_false(use(&budget, 100, 1000)); /* a burst */
	assert_true(use(&budget, 125, 1000));  /* twice what is granted */
	assert_true(budget.slow > 2 && budget.slow < 2.5);
	assert_false(use(&budget, 56, 1000));
	assert_int_equal(1, budget.changes);
}

static void test_sampling_budget__returns_with_room(void **state)
{
	struct sampling_budget budget;

	(void)state;
	open_with(&budget, 10000, 0, false);
	assert_true(use(&budget, 625, 1000));
	assert_true(budget.slow > 10);
	for (int i = 0; i < 7; i++)
		assert_false(use(&budget, 1, 1000));
	assert_true(use(&budget, 1, 1000));
	assert_true(budget.slow < 1.01);
	assert_true(budget.slowest > 10);
	for (int i = 0; i < 20; i++)
		assert_false(use(&budget, 1, 1000)); /* as asked: nothing to raise */
}

static void test_sampling_budget__is_of_the_program(void **state)
{
	struct sampling_budget budget;

	(void)state;
	open_with(&budget, 0, 10, false);
	assert_false(use(&budget, 99, 1000)); /* four CPUs busy */
	assert_false(use(&budget, 99, 1000));
	assert_true(use(&budget, 99, 250)); /* 25 ms granted */
	open_with(&budget, 0, 10, false);
	for (int i = 0; i < 20; i++)
		assert_false(use(&budget, 2, 0)); /* a program that sleeps */
}

static void test_sampling_budget__begins_with_what_fits(void **state)
{
	const struct source_options none = { .frequency.max = true, .budget.none = true };
	struct sampling_budget budget;

	(void)state;
	open_with(&budget, 100000, 0, false);
	sampling_budget_begin(&budget, 100000, 10000, 1); /* a whole CPU */
	assert_true(budget.slow > 4 && budget.slow < 4.5);
	open_with(&budget, 999, 0, false);
	sampling_budget_begin(&budget, 999, 10000, 1);
	assert_true(budget.slow == 1);
	assert_int_equal(0, budget.changes);
	sampling_budget_open(&budget, &none, true, 4);
	sampling_budget_begin(&budget, 100000, 10000, 4);
	assert_false(use(&budget, 1000, 1000));
	assert_true(budget.slow == 1);
}

static void test_sampling_budget__parses(void **state)
{
	static const char *const bad[] = { "", "0", "-1", "101%", "2%%", "2x", "nan", "nones" };
	struct recording_budget budget = { 0 };

	(void)state;
	assert_true(sampling_budget_parse("2.5%", &budget));
	assert_true(budget.percent == 2.5 && !budget.none);
	assert_true(sampling_budget_parse("none", &budget));
	assert_true(budget.none);
	assert_true(sampling_budget_parse("100", &budget));
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_false(sampling_budget_parse(bad[i], &budget));
	assert_true(budget.percent == 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sampling_budget__parses),
		cmocka_unit_test(test_sampling_budget__defaults),
		cmocka_unit_test(test_sampling_budget__slows_down_after_a_burst),
		cmocka_unit_test(test_sampling_budget__returns_with_room),
		cmocka_unit_test(test_sampling_budget__is_of_the_program),
		cmocka_unit_test(test_sampling_budget__begins_with_what_fits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

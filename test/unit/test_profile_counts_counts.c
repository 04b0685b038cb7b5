/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums, scaling, means with their errors, and derived figures. */
#include <linux/perf_event.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "profile/counts/count_metric.h"
#include "profile/counts/counts.h"
#include "profile/counts/paired_ratio.h"

static void near(double is, double expected)
{
	if (fabs(is - expected) > 0.0005)
		fail_msg("%g, expected %g", is, expected);
}

static void test_count_add__scales_what_took_turns(void **state)
{
	const struct count half = { .value = 50, .enabled_ns = 100, .running_ns = 50 };
	const struct count whole = { .value = 7, .enabled_ns = 100, .running_ns = 100 };
	const struct count never = { .enabled_ns = 100 };
	struct count sum = { .read = false };

	(void)state;
	count_add(&sum, &half, false);
	near(sum.value, 100);
	count_add(&sum, &whole, false);
	count_add(&sum, &never, false);
	near(sum.value, 107);
	assert_int_equal(sum.enabled_ns, 300);
	assert_int_equal(sum.running_ns, 150);
	sum = (struct count){ .read = false };
	count_add(&sum, &half, true);
	near(sum.value, 50);
}

static void test_counts_add_all__every_cpu_has_the_sum_of_its_core(void **state)
{
	const struct counts_place place[] = {
		{ .cpu = 0, .core = 0 },
		{ .cpu = 1, .core = 1 },
		{ .cpu = 2, .core = 0 },
		{ .cpu = 3, .core = 1 },
		{ .cpu = 4, .core = 0, .socket = 1 },
	};
	static const double of_core[] = { 1 + 4, 2 + 8, 1 + 4, 2 + 8, 16 };
	static const struct counts_event event[] = { { .per_core = true }, { .per_core = false } };
	struct counts counts = {
		.by = COUNTS_BY_CPU, .event = event, .events = 2, .place = place, .places = 5
	};
	struct count sum[10];

	(void)state;
	for (size_t i = 0; i < 10; i++)
		sum[i] = (struct count){ .value = 1 << i % 5, .enabled_ns = 10, .running_ns = 5 };
	counts_init(&counts);
	counts_add_all(&counts, sum);
	for (size_t i = 0; i < 5; i++) {
		assert_int_equal(counts_begins_core(place, i), i < 2 || i == 4);
		near(counts_cell(&counts, 0, i)->value.value, of_core[i]); /* scaled before */
		near(counts_cell(&counts, 0, i)->enabled_ns.value, i < 4 ? 20 : 10);
		near(counts_cell(&counts, 1, i)->value.value, 1 << i);
	}
	counts_done(&counts);
}

static void test_counts__mean_and_error_of_runs(void **state)
{
	const struct counts_event event = {
		.name = "cs", .unit = "", .scale = 1, .supported = true
	};
	const struct counts_place place = { .cpus = 1 };
	struct counts counts = { .event = &event, .events = 1, .place = &place, .places = 1 };
	static const double runs[] = { 2, 4, 9 };

	(void)state;
	counts_init(&counts);
	assert_false(counts_is_counted(counts_cell(&counts, 0, 0)));
	for (size_t i = 0; i < 3; i++) {
		struct count run = { .value = runs[i], .enabled_ns = 10, .running_ns = 10 };

		counts_add(&counts, 0, 0, &run);
	}
	near(counts_cell(&counts, 0, 0)->value.value, 5);
	/* variance 13, of the mean 13/3 */
	near(mean_error(&counts_cell(&counts, 0, 0)->value), sqrt(13.0 / 3));
	assert_true(counts_is_counted(counts_cell(&counts, 0, 0)));
	counts_clear(&counts);
	near(mean_error(&counts_cell(&counts, 0, 0)->value), 0);
	counts_done(&counts);
}

#define HW(id) .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_##id

/* What stands beside event `of`, when each of them counted `value`. */
static struct count_metric figure(const struct counts_event *event, const double *value, size_t n,
				  size_t of)
{
	const struct counts_place place = { .cpus = 1 };
	struct counts counts = { .event = event, .events = n, .place = &place, .places = 1 };
	struct count_metric metric[COUNT_METRICS_MAX] = { { .value = -1, .unit = "none" } };

	counts_init(&counts);
	mean_add(&counts.elapsed_ns, 2e9);
	for (size_t i = 0; i < n; i++) {
		struct count count = { .value = value[i], .enabled_ns = 1, .running_ns = 1 };

		counts_add(&counts, i, 0, &count);
	}
	(void)count_metrics(&counts, of, 0, metric);
	counts_done(&counts);
	return metric[0];
}

static void expect(struct count_metric metric, double value, const char *unit)
{
	near(metric.value, value);
	assert_string_equal(metric.unit, unit);
}

static void test_count_metrics__rates_and_ratios(void **state)
{
	const struct counts_event event[] = {
		{ .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_TASK_CLOCK },
		{ .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS },
		{ HW(CPU_CYCLES) },
		{ HW(INSTRUCTIONS) },
		{ HW(BRANCH_INSTRUCTIONS) },
		{ HW(BRANCH_MISSES) },
		{ HW(BRANCH_MISSES), .exclude = 1 },
		{ HW(BRANCH_MISSES), .cgroup = "a" },
	};
	const double value[] = { 1e9, 5000, 3e9, 6e9, 1e9, 2e7, 2e7, 2e7 };

	(void)state;
	expect(figure(event, value, 8, 0), 0.5, "CPUs utilized");
	expect(figure(event, value, 8, 1), 5, "K/sec");
	expect(figure(event, value, 8, 2), 3, "GHz");
	expect(figure(event, value, 8, 3), 2, "insn per cycle");
	expect(figure(event, value, 8, 4), 1000, "M/sec");
	expect(figure(event, value, 8, 5), 2, "of all branches");
	expect(figure(event, value, 8, 6), 20, "M/sec"); /* no branches with its modifiers */
	expect(figure(event, value, 8, 7), -1, "none");	 /* no clock in its cgroup */
	expect(figure(event + 1, value + 1, 1, 0), -1, "none");
}

static void test_count_metrics__stalled_cycles_follow_instructions(void **state)
{
	const struct counts_event event[] = { { HW(CPU_CYCLES) },
					      { HW(INSTRUCTIONS) },
					      { HW(STALLED_CYCLES_FRONTEND) },
					      { HW(STALLED_CYCLES_BACKEND) } };
	const struct counts_place place = { .cpus = 1 };
	struct counts counts = { .event = event, .events = 4, .place = &place, .places = 1 };
	struct count_metric metric[COUNT_METRICS_MAX];
	static const double value[] = { 100, 200, 20, 50 };

	(void)state;
	counts_init(&counts);
	for (size_t i = 0; i < 4; i++) {
		struct count count = { .value = value[i], .enabled_ns = 1, .running_ns = 1 };

		counts_add(&counts, i, 0, &count);
	}
	assert_int_equal(count_metrics(&counts, 1, 0, metric), 2);
	expect(metric[1], 0.25, "stalled cycles per insn");
	assert_int_equal(count_metrics(&counts, 3, 0, metric), 1);
	expect(metric[0], 50, "backend cycles idle");
	counts_done(&counts);
}

static void test_paired_ratio__interval_of_signed_ranks(void **state)
{
	double first[20], second[20];
	struct paired_ratio ratio;

	(void)state;
	for (size_t i = 0; i < 20; i++) {
		first[i] = 1;
		second[i] = exp((double)(i + 1));
	}
	/* tables of the test: 8 of 10 pairs and 52 of 20 are still significant at 5 % */
	ratio = paired_ratio(first, second, 10, 0.05);
	near(log(ratio.ratio), 5.5);
	near(log(ratio.low), 3);
	near(log(ratio.high), 8);
	assert_int_equal(ratio.verdict, RATIO_MORE);
	ratio = paired_ratio(second, first, 10, 0.05);
	near(log(ratio.low), -8);
	assert_int_equal(ratio.verdict, RATIO_LESS);
	ratio = paired_ratio(first, second, 20, 0.05);
	near(log(ratio.low), 7.5);
	ratio = paired_ratio(first, second, 5, 0.05); /* the least p of five is 6 % */
	assert_true(isinf(ratio.high));
	assert_int_equal(ratio.verdict, RATIO_UNDECIDED);
	assert_int_equal(paired_ratio(first, second, 0, 0.05).verdict, RATIO_UNDECIDED);
}

static void test_paired_ratio__same_or_undecided_by_the_margin(void **state)
{
	static const double first[] = { 100, 100, 100, 100, 100, 100, 100, 100, 0, 0 };
	static const double close[] = { 101, 99, 102, 98, 100, 101, 99, 100, 0, 0 };
	static const double far[] = { 150, 60, 140, 70, 130, 90, 110, 100, 5, 0 };

	(void)state;
	assert_int_equal(paired_ratio(first, close, 10, 0.05).verdict, RATIO_SAME);
	assert_int_equal(paired_ratio(first, close, 10, 0.001).verdict, RATIO_UNDECIDED);
	assert_int_equal(paired_ratio(first, far, 10, 0.05).verdict, RATIO_UNDECIDED);
	assert_int_equal(paired_ratio(first + 8, close + 8, 2, 0.05).verdict, RATIO_UNDECIDED);
}

static void test_paired_ratio__zeros_have_no_ratio(void **state)
{
	static const double none[] = { 0, 0, 0, 0, 0, 0, 0, 0 };
	static const double some[] = { 1, 2, 1, 3, 1, 2, 5, 1 };

	(void)state;
	assert_true(isnan(paired_ratio(none, none, 8, 0.05).ratio));
	assert_true(isnan(paired_ratio(none, some, 8, 0.05).high));
	assert_int_equal(paired_ratio(none, none, 8, 0.05).verdict, RATIO_SAME);
	assert_int_equal(paired_ratio(none, some, 8, 0.05).verdict, RATIO_MORE);
	assert_int_equal(paired_ratio(some, none, 8, 0.05).verdict, RATIO_LESS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_count_add__scales_what_took_turns),
		cmocka_unit_test(test_counts_add_all__every_cpu_has_the_sum_of_its_core),
		cmocka_unit_test(test_counts__mean_and_error_of_runs),
		cmocka_unit_test(test_count_metrics__rates_and_ratios),
		cmocka_unit_test(test_count_metrics__stalled_cycles_follow_instructions),
		cmocka_unit_test(test_paired_ratio__interval_of_signed_ranks),
		cmocka_unit_test(test_paired_ratio__same_or_undecided_by_the_margin),
		cmocka_unit_test(test_paired_ratio__zeros_have_no_ratio),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

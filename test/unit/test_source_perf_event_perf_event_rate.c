/* SPDX-License-Identifier: GPL-2.0-or-later */
/* source/perf_event/perf_event_rate: rates that take more than the budget begin lower, of clocks
 * with a period, too. */
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "source/options.h"
#include "source/perf_event/perf_event.h"

static pid_t everybody = -1;

static void open_with(struct perf_source *source, struct perf_selected *selected, int *cpus,
		      const struct source_options *options)
{
	*source = (struct perf_source){
		.options = options, .selected = selected, .selected_count = 1, .tick_ns = 2000
	};
	source->target.pid.item = &everybody;
	source->target.pid.count = 1;
	source->target.cpu.item = cpus;
	source->target.cpu.count = 2;
	sampling_budget_open(&source->budget, options, true, 2);
	perf_source_begin_rate(source);
}

static void test_perf_event_rate__begins_with_what_fits(void **state)
{
	const struct source_options options = { .frequency.max = true };
	struct perf_selected clock = {
		.attr = { .type = PERF_TYPE_SOFTWARE, .freq = 1, .sample_freq = 100000 },
		.asked = 100000,
	};
	int cpus[2] = { 0, 1 };
	struct perf_source source;

	(void)state;
	open_with(&source, &clock, cpus, &options);
	assert_in_range(clock.attr.sample_freq, 10000,
			12500); /* 25 ms / 2 CPUs / 10 us, less 10 % */
	assert_true(perf_source_asked(&source) == 100000);
	perf_source_note_rate(&source, &source.source);
	assert_non_null(strstr(source.source.notes, "slowed down from 100000"));
}

static void test_perf_event_rate__of_periods(void **state)
{
	const struct source_options options = { .period = 20000 };
	struct perf_selected clock = {
		.attr = { .type = PERF_TYPE_SOFTWARE, .sample_period = 20000 },
		.asked = 20000,
	};
	struct perf_selected cycles = { .attr = { .sample_period = 20000 }, .asked = 20000 };
	int cpus[2] = { 0, 1 };
	struct perf_source source;

	(void)state;
	open_with(&source, &clock, cpus, &options);
	assert_in_range(clock.attr.sample_period, 80000, 100000);
	assert_true(perf_source_asked(&source) == 50000);
	open_with(&source, &cycles, cpus, &options); /* their number is not known */
	assert_int_equal(20000, cycles.attr.sample_period);
}

/* Page faults may be few: a frequency asked of them takes nothing from the clock beside them. */
static void test_perf_event_rate__of_counts_is_unknown(void **state)
{
	const struct source_options options = { 0 };
	struct perf_selected list[] = {
		{ .attr = { .type = PERF_TYPE_SOFTWARE,
			    .config = PERF_COUNT_SW_PAGE_FAULTS,
			    .freq = 1,
			    .sample_freq = 2400 },
		  .asked = 2400 },
		{ .attr = { .type = PERF_TYPE_SOFTWARE, .freq = 1, .sample_freq = 999 },
		  .asked = 999 },
	};
	int cpus[2] = { 0, 1 };
	struct perf_source source;

	(void)state;
	open_with(&source, list, cpus, &options);
	source.selected_count = 2;
	perf_source_begin_rate(&source);
	assert_int_equal(999, list[1].attr.sample_freq);
	assert_true(perf_source_rate(&source) == 999);
	assert_true(perf_source_asked(&source) == 999);
}

static void test_perf_event_rate__without_a_limit(void **state)
{
	const struct source_options options = { .frequency.max = true, .budget.none = true };
	struct perf_selected clock = {
		.attr = { .type = PERF_TYPE_SOFTWARE, .freq = 1, .sample_freq = 100000 },
		.asked = 100000,
	};
	int cpus[2] = { 0, 1 };
	struct perf_source source;

	(void)state;
	open_with(&source, &clock, cpus, &options);
	assert_int_equal(100000, clock.attr.sample_freq);
	perf_source_note_rate(&source, &source.source);
	assert_string_equal("", source.source.notes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_perf_event_rate__begins_with_what_fits),
		cmocka_unit_test(test_perf_event_rate__of_periods),
		cmocka_unit_test(test_perf_event_rate__of_counts_is_unknown),
		cmocka_unit_test(test_perf_event_rate__without_a_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* source/perf_event_attr: options become attrs as perf record makes them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/err.h"
#include "source/options.h"
#include "source/perf_event/perf_event.h"

#define BASE (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME)

struct made {
	struct event_list list;
	struct perf_selected selected[4];
};

static void make(struct made *made, const char *events, struct perf_attr_plan *plan)
{
	const struct event_parse_options parse = { .root = "" };
	struct err err;

	*made = (struct made){ 0 };
	assert_int_equal(0, event_list_parse(&made->list, events, &parse, &err));
	plan->many = made->list.spec.count > 1;
	for (size_t i = 0; i < made->list.spec.count; i++) {
		made->selected[i].spec = made->list.spec.item[i];
		perf_attr_fill(&made->selected[i], &made->list, plan);
	}
}

static void test_perf_attr__default_samples_stacks_by_frequency(void **state)
{
	const struct source_options options = { 0 };
	struct perf_attr_plan plan = { .options = &options, .on_exec = true, .frequency_hz = 999 };
	struct made made;
	const struct perf_event_attr *attr = &made.selected[0].attr;

	(void)state;
	make(&made, "cpu-clock", &plan);
	assert_int_equal(BASE | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_PERIOD, attr->sample_type);
	assert_true(attr->freq && attr->sample_freq == 999);
	assert_true(attr->inherit && attr->disabled && attr->enable_on_exec);
	assert_true(attr->mmap2 && attr->comm_exec && attr->task && !attr->build_id);
	assert_true(attr->size <= 128);
	event_list_done(&made.list);
}

static void test_perf_attr__build_ids_of_the_kernel_are_asked_for(void **state)
{
	const struct source_options options = { .kernel_build_ids = true };
	struct perf_attr_plan plan = { .options = &options, .frequency_hz = 999 };
	struct made made;

	(void)state;
	make(&made, "cpu-clock", &plan);
	assert_true(made.selected[0].attr.build_id);
	event_list_done(&made.list);
}

static void test_perf_attr__dwarf_copies_registers_and_stack(void **state)
{
	const struct source_options options = { .call_graph = { .mode = RECORDING_CALL_GRAPH_DWARF,
								.stack_size = 16384 } };
	struct perf_attr_plan plan = { .options = &options, .frequency_hz = 999 };
	struct made made;
	const struct perf_event_attr *attr = &made.selected[0].attr;

	(void)state;
	make(&made, "cpu-clock", &plan);
	assert_true(attr->sample_type & PERF_SAMPLE_STACK_USER);
	assert_true(attr->sample_type & PERF_SAMPLE_REGS_USER);
	assert_int_equal(16384, attr->sample_stack_user);
	assert_int_not_equal(0, attr->sample_regs_user);
	assert_true(attr->exclude_callchain_user);
	event_list_done(&made.list);
}

static void test_perf_attr__members_follow_their_leader(void **state)
{
	const struct source_options options = { 0 };
	struct perf_attr_plan plan = { .options = &options, .on_exec = true, .frequency_hz = 999 };
	struct made made;

	(void)state;
	make(&made, "{cpu-clock,task-clock}:S", &plan);
	assert_true(made.selected[0].attr.disabled);
	assert_false(made.selected[1].attr.disabled || made.selected[1].attr.enable_on_exec);
	assert_true(made.selected[0].attr.sample_type & PERF_SAMPLE_READ);
	assert_true(made.selected[0].attr.read_format & PERF_FORMAT_GROUP);
	assert_int_equal(0, made.selected[1].attr.sample_freq);
	assert_false(made.selected[0].attr.inherit);
	event_list_done(&made.list);
}

static void test_perf_attr__terms_of_an_event_win(void **state)
{
	const struct source_options options = { .period = 5 };
	struct perf_attr_plan plan = { .options = &options, .frequency_hz = 999 };
	struct made made;

	(void)state;
	make(&made, "cpu-clock/freq=50,call-graph=no/,page-faults", &plan);
	assert_true(made.selected[0].attr.freq);
	assert_int_equal(50, made.selected[0].attr.sample_freq);
	assert_false(made.selected[0].attr.sample_type & PERF_SAMPLE_CALLCHAIN);
	assert_false(made.selected[1].attr.freq);
	assert_int_equal(5, made.selected[1].attr.sample_period);
	assert_true(made.selected[1].attr.sample_type & PERF_SAMPLE_IDENTIFIER);
	event_list_done(&made.list);
}

static void test_perf_attr__tracker_shares_the_layout(void **state)
{
	const struct source_options options = { .system_wide = true };
	struct perf_attr_plan plan = { .options = &options, .tracker = true, .frequency_hz = 99 };
	struct perf_selected tracker = { 0 };
	struct made made;
	uint64_t trailer = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_ID |
			   PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_IDENTIFIER;

	(void)state;
	make(&made, "cpu-clock", &plan);
	perf_attr_fill_tracker(&tracker, &made.selected[0], &plan);
	assert_false(made.selected[0].attr.mmap);
	assert_true(tracker.attr.mmap2 && tracker.attr.sample_id_all);
	assert_int_equal(made.selected[0].attr.sample_type & trailer, tracker.attr.sample_type);
	assert_int_equal(PERF_COUNT_SW_DUMMY, tracker.attr.config);
	event_list_done(&made.list);
}

static void test_perf_attr__unify_gives_all_the_same_trailer(void **state)
{
	struct perf_selected two[2] = {
		{ .attr.sample_type = BASE | PERF_SAMPLE_CALLCHAIN },
		{ .attr.sample_type = BASE | PERF_SAMPLE_CPU | PERF_SAMPLE_RAW },
	};

	(void)state;
	perf_attr_unify(two, 2);
	assert_int_equal(BASE | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_CPU, two[0].attr.sample_type);
	assert_int_equal(BASE | PERF_SAMPLE_RAW | PERF_SAMPLE_CPU, two[1].attr.sample_type);
}

static void test_perf_attr__steps_back_from_new_to_old(void **state)
{
	struct perf_event_attr attr = { .read_format = PERF_FORMAT_LOST,
					.build_id = 1,
					.ksymbol = 1,
					.mmap2 = 1,
					.comm_exec = 1,
					.mmap = 1,
					.exclude_guest = 1 };
	int steps = 0;

	(void)state;
	while (perf_attr_step_back(&attr))
		steps++;
	assert_int_equal(5, steps);
	assert_true(attr.mmap);
	assert_false(attr.build_id || attr.ksymbol || attr.mmap2 || attr.exclude_guest);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_perf_attr__default_samples_stacks_by_frequency),
		cmocka_unit_test(test_perf_attr__build_ids_of_the_kernel_are_asked_for),
		cmocka_unit_test(test_perf_attr__dwarf_copies_registers_and_stack),
		cmocka_unit_test(test_perf_attr__members_follow_their_leader),
		cmocka_unit_test(test_perf_attr__terms_of_an_event_win),
		cmocka_unit_test(test_perf_attr__tracker_shares_the_layout),
		cmocka_unit_test(test_perf_attr__unify_gives_all_the_same_trailer),
		cmocka_unit_test(test_perf_attr__steps_back_from_new_to_old),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* profile/change: of all functions that change together, the one is found that did it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "profile/change/change_causes.h"
#include "profile/change/change_scale.h"
#include "profile/change/change_window.h"
#include "profile/change/share_series.h"
#include "profile/profile.h"

#define HOUR_NS ((uint64_t)3600 * 1000000000u)
#define COLUMNS 40
#define CHANGE	25

static const struct change_limits limits = { 0.05, 0.001, 0.05, 4 };

static uint64_t scatter(uint64_t weight)
{
	static uint64_t state = 88172645463325252u;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return weight * (980 + state % 40);
}

/* frames: "a;b;c" from the root. */
static void add(struct profile *p, size_t column, const char *frames, uint64_t weight)
{
	struct profile_sample sample = { .event = profile_event(p, "cpu-clock", "ns"),
					 .thread = profile_thread(p, 1, 1, "x"),
					 .cpu = PROFILE_NO_CPU,
					 .time_ns = column * HOUR_NS,
					 .count = 100 * weight };

	sample.weight = scatter(weight);
	while (*frames) {
		size_t len = strcspn(frames, ";");
		struct frame frame = { .function = strtab_intern(p->strings, frames, len) };

		sample.stack = profile_stack_push(p, sample.stack, profile_frame(p, &frame));
		frames += len + (frames[len] == ';');
	}
	if (weight)
		profile_add(p, &sample);
}

typedef void (*mix)(struct profile *p, size_t column, bool after);

static void usual(struct profile *p, size_t column)
{
	add(p, column, "main;read", 20);
	add(p, column, "main;write", 30);
	add(p, column, "main;sort", 25);
	add(p, column, "main;wait", 15);
}

static void judge(mix of, struct profile **ret_profile, struct changes *ret)
{
	const struct share_columns columns = { 0, HOUR_NS, COLUMNS, 100 };
	struct profile *p = profile_new(PROFILE_KEEP_TIME);
	struct share_series series;

	for (size_t i = 0; i < COLUMNS; i++)
		of(p, i, i >= CHANGE);
	share_series_make(p, 0, &columns, &series);
	assert_int_equal(series.columns, COLUMNS);
	changes_test(&series, &limits, ret);
	for (size_t i = 0; i < ret->item.count; i++)
		ret->item.item[i].q = ret->item.item[i].point.p;
	changes_judge(&series, &limits, ret);
	share_series_done(&series);
	*ret_profile = p;
}

static enum change_fate fate_of(const struct changes *changes, const char *function)
{
	for (size_t i = 0; i < changes->item.count; i++)
		if (strcmp(changes->item.item[i].function, function) == 0)
			return changes->item.item[i].fate;
	return CHANGE_FATE_COUNT;
}

static size_t found(const struct changes *changes)
{
	size_t ret = 0;

	for (size_t i = 0; i < changes->item.count; i++)
		ret += changes->item.item[i].fate == CHANGE_FOUND;
	return ret;
}

static void slower(struct profile *p, size_t column, bool after)
{
	usual(p, column);
	add(p, column, "main;parse", after ? 20 : 10);
	add(p, column, "main;parse;scan", after ? 10 : 5);
}

static void test_change_causes__callers_callees_and_the_rest_follow(void **state)
{
	struct changes changes;
	struct profile *p;

	(void)state;
	judge(slower, &p, &changes);
	assert_int_equal(found(&changes), 1);
	assert_int_equal(fate_of(&changes, "parse"), CHANGE_FOUND);
	assert_int_equal(fate_of(&changes, "scan"), CHANGE_FOLLOWS);
	assert_int_equal(fate_of(&changes, "write"), CHANGE_SPREAD);
	changes_done(&changes);
	profile_free(p);
}

static void renamed(struct profile *p, size_t column, bool after)
{
	usual(p, column);
	add(p, column, after ? "main;work;new" : "main;work;old", 10);
}

static void inlined(struct profile *p, size_t column, bool after)
{
	usual(p, column);
	add(p, column, "main;work", 10);
	add(p, column, after ? "main;work" : "main;work;helper", 6);
}

static void test_change_causes__cost_that_moved_is_no_change(void **state)
{
	struct changes changes;
	struct profile *p;

	(void)state;
	judge(renamed, &p, &changes);
	assert_int_equal(found(&changes), 0);
	assert_int_equal(fate_of(&changes, "old"), CHANGE_MOVED);
	assert_int_equal(fate_of(&changes, "new"), CHANGE_MOVED);
	changes_done(&changes);
	profile_free(p);
	judge(inlined, &p, &changes);
	assert_int_equal(found(&changes), 0);
	assert_int_equal(fate_of(&changes, "helper"), CHANGE_MOVED);
	changes_done(&changes);
	profile_free(p);
}

static void test_change_window__both_sides(void **state)
{
	const struct share_columns columns = { 0, HOUR_NS, COLUMNS, 100 };
	const struct change_point point = { .from = 0, .at = CHANGE, .to = COLUMNS };
	struct profile *p = profile_new(PROFILE_KEEP_TIME);
	struct change_window window;
	struct share_series series;
	uint32_t parse = 0;

	(void)state;
	for (size_t i = 0; i < COLUMNS; i++)
		slower(p, i, i >= CHANGE);
	share_series_make(p, 0, &columns, &series);
	while (strcmp(series.functions.item[parse].name, "parse") != 0)
		parse++;
	change_window_open(&series, &point, 0, &window);
	change_scale_set(&point, 0, &window);
	assert_true(fabs(change_window_total(&window, parse, 0) - 15.0 / 105) < 0.01);
	assert_true(fabs(change_window_total(&window, parse, 1) - 30.0 / 120) < 0.01);
	assert_true(fabs(change_window_self(&window, parse, 1) - 20.0 / 120) < 0.01);
	assert_true(fabs(window.scale - 105.0 / 120) < 0.01);
	assert_null(change_window_moved(&window, parse, 0.14));
	change_window_exclude(&window, parse);
	assert_true(change_window_total(&window, parse, 1) == 0);
	assert_true(change_window_self(&window, parse, 1) > 0);
	change_window_close(&window);
	share_series_done(&series);
	profile_free(p);
}

static void appeared(struct profile *p, size_t column, bool after)
{
	usual(p, column);
	add(p, column, "main;audit", after ? 3 : 0);
	add(p, column, "main;fast", after ? 3 : 12);
}

static void test_change_causes__new_and_faster_functions_are_two(void **state)
{
	struct changes changes;
	struct profile *p;

	(void)state;
	judge(appeared, &p, &changes);
	assert_int_equal(fate_of(&changes, "audit"), CHANGE_FOUND);
	assert_int_equal(fate_of(&changes, "fast"), CHANGE_FOUND);
	assert_int_equal(found(&changes), 2);
	changes_done(&changes);
	profile_free(p);
}

static void gone(struct profile *p, size_t column, bool after)
{
	usual(p, column);
	add(p, column, "main;burst", after && column < CHANGE + 8 ? 40 : 10);
}

static void tiny(struct profile *p, size_t column, bool after)
{
	usual(p, column);
	add(p, column, "main;more", after ? 1030 : 1000);
}

static void test_change_causes__what_went_away_or_is_small_is_set_apart(void **state)
{
	struct changes changes;
	struct profile *p;

	(void)state;
	judge(gone, &p, &changes);
	assert_int_equal(fate_of(&changes, "burst"), CHANGE_GONE);
	assert_int_equal(found(&changes), 0);
	changes_done(&changes);
	profile_free(p);
	judge(tiny, &p, &changes);
	assert_int_equal(found(&changes), 0);
	changes_done(&changes);
	profile_free(p);
}

static void shrinks(struct profile *p, size_t column, bool after)
{
	add(p, column, "main;a", 30);
	add(p, column, "main;b", after ? 10 : 30);
}

static void grows(struct profile *p, size_t column, bool after)
{
	add(p, column, "main;a", 30);
	add(p, column, "main;b", after ? 90 : 30);
}

/* Most functions, and most of the cost, change alike. */
static void leaves(struct profile *p, size_t column, bool after)
{
	static const char *const leaf[] = { "main;b;1", "main;b;2", "main;b;3", "main;b;4" };

	add(p, column, "main;a", 30);
	for (size_t i = 0; i < 4; i++)
		add(p, column, leaf[i], after ? 8 : 20);
}

static void test_change_causes__what_costs_as_much_as_before_is_not_blamed(void **state)
{
	const mix cases[] = { shrinks, grows, leaves };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct changes changes;
		struct profile *p;

		judge(cases[i], &p, &changes);
		assert_int_equal(fate_of(&changes, "a"), CHANGE_SPREAD);
		assert_int_equal(fate_of(&changes, "b"), CHANGE_FOUND);
		assert_int_equal(found(&changes), 1);
		changes_done(&changes);
		profile_free(p);
	}
}

/* The load and a function at once. */
static void busier(struct profile *p, size_t column, bool after)
{
	uint64_t load = after ? 3 : 2;

	add(p, column, "main;read", 20 * load);
	add(p, column, "main;write", 30 * load);
	add(p, column, "main;sort", 25 * load);
	add(p, column, "main;parse", (after ? 20 : 10) * load);
}

static void test_change_causes__load_is_no_change(void **state)
{
	struct changes changes;
	struct profile *p;

	(void)state;
	judge(busier, &p, &changes);
	assert_int_equal(found(&changes), 1);
	assert_int_equal(fate_of(&changes, "parse"), CHANGE_FOUND);
	assert_int_equal(fate_of(&changes, "write"), CHANGE_SPREAD);
	changes_done(&changes);
	profile_free(p);
}

static void nothing(struct profile *p, size_t column, bool after)
{
	(void)after;
	usual(p, column);
}

static void test_change_causes__nothing_is_nothing(void **state)
{
	struct changes changes;
	struct profile *p;

	(void)state;
	judge(nothing, &p, &changes);
	assert_int_equal(found(&changes), 0);
	assert_true(changes.tests >= 4);
	assert_string_equal(change_fate_text(CHANGE_FOUND), "found");
	changes_done(&changes);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_change_causes__callers_callees_and_the_rest_follow),
		cmocka_unit_test(test_change_window__both_sides),
		cmocka_unit_test(test_change_causes__cost_that_moved_is_no_change),
		cmocka_unit_test(test_change_causes__new_and_faster_functions_are_two),
		cmocka_unit_test(test_change_causes__what_went_away_or_is_small_is_set_apart),
		cmocka_unit_test(test_change_causes__what_costs_as_much_as_before_is_not_blamed),
		cmocka_unit_test(test_change_causes__load_is_no_change),
		cmocka_unit_test(test_change_causes__nothing_is_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which probes are placed, and when there are too many hits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/err.h"
#include "profile/heap/heap_calls.h"
#include "profile/profile.h"
#include "session/heap/heap_calls_watch.h"
#include "session/load/load.h"
#include "session/record/recording_options.h"

static void test_heap_calls_watch__events_and_values(void **state)
{
	struct recording_options options = { 0 };
	struct load_options load = { 0 };
	struct arena arena = { 0 };

	(void)state;
	heap_calls_select("./app", (1u << HEAP_CALL_COUNT) - 1, &arena, &options);
	assert_int_equal(2 * HEAP_CALL_COUNT - 1, options.source.selector.count);
	assert_string_equal("probe:./app:malloc arg1", options.source.selector.item[0].text);
	assert_string_equal("uretprobe:./app:malloc $retval", options.source.selector.item[1].text);
	assert_string_equal("probe:./app:free arg1", vec_last(&options.source.selector)->text);
	options.source.selector.count = 0;
	heap_calls_select("./app", 1u << HEAP_CALL_REALLOC, &arena, &options);
	assert_int_equal(2, options.source.selector.count);
	assert_string_equal("probe:./app:realloc arg1 arg2", options.source.selector.item[0].text);
	heap_calls_load(&load);
	assert_string_equal("arg1", load.values[0].name[HEAP_CALLS_FIRST]);
	assert_string_equal("arg2", load.values[0].name[HEAP_CALLS_SECOND]);
	assert_string_equal("retval", load.values[0].name[HEAP_CALLS_RESULT]);
	vec_done(&options.source.selector);
	arena_done(&arena);
}

static void test_heap_calls_watch__too_many(void **state)
{
	struct heap_calls_guard guard = { .hz = 0 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(0, heap_calls_check(&guard, "./app", &err));
	guard.hz = 123456;
	assert_true(heap_calls_check(&guard, "./app", &err) < 0);
	assert_non_null(strstr(err.msg, "./app: 123456 hits a second"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_heap_calls_watch__events_and_values),
		cmocka_unit_test(test_heap_calls_watch__too_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events that are recorded of another profiler, and what is read of them; test/live/heap.sh has
 * real ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "profile/heap/heap_producer.h"
#include "profile/profile.h"
#include "session/heap/heap_producer_watch.h"
#include "session/load/load.h"
#include "session/record/recording_options.h"

static void test_heap_producer_watch__events_and_values(void **state)
{
	struct recording_options options = { 0 };
	struct load_options load = { 0 };
	struct arena arena = { 0 };

	(void)state;
	heap_producer_select("/lib/libx.so", &arena, &options);
	assert_int_equal(2, options.source.selector.count);
	assert_string_equal("usdt:/lib/libx.so:otel_memory:alloc arg1 arg2 arg3",
			    options.source.selector.item[0].text);
	assert_string_equal("usdt:/lib/libx.so:otel_memory:free arg1",
			    options.source.selector.item[1].text);
	assert_int_equal(1, options.source.period);
	heap_producer_load(&load);
	assert_true(load.keep & PROFILE_ADDR_IS_VALUES && load.keep & PROFILE_KEEP_TIME);
	assert_null(load.values[0].event);
	assert_string_equal("arg1", load.values[0].name[HEAP_PRODUCER_ADDRESS]);
	assert_string_equal("arg2", load.values[0].name[HEAP_PRODUCER_SIZE]);
	assert_string_equal("arg3", load.values[0].name[HEAP_PRODUCER_WEIGHT]);
	vec_done(&options.source.selector);
	arena_done(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_heap_producer_watch__events_and_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

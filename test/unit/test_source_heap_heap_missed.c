/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text about programs that did not load the library. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buf.h"
#include "heap/target.h"
#include "source/heap/heap_missed.h"

static void test_heap_missed__text(void **state)
{
	struct heap_missed reasons[HEAP_TARGETS] = { 0 };
	struct buf out = { 0 };

	(void)state;
	heap_missed_put(reasons, 0, &out);
	assert_int_equal(out.len, 0);
	heap_missed_add(reasons, "/nowhere/one");
	heap_missed_put(reasons, 0, &out);
	assert_string_equal(out.data, "1 program was not sampled: 1 that cannot be read from here "
				      "(one)");
	heap_missed_add(reasons, "/nowhere/two");
	heap_missed_add(reasons, "/nowhere/two");
	heap_missed_add(reasons, "/bin/sh");
	out.len = 0;
	heap_missed_put(reasons, 5, &out);
	assert_string_equal(out.data, "9 programs were not sampled: 1 started without the library "
				      "(sh), 3 that cannot be read from here (one, two)");
	buf_done(&out);
}

/* Names that are many do not grow the text without end. */
static void test_heap_missed__many(void **state)
{
	struct heap_missed reasons[HEAP_TARGETS] = { 0 };
	struct buf out = { 0 };

	(void)state;
	for (int i = 0; i < 1000; i++) {
		out.len = 0;
		(void)buf_printf(&out, "/nowhere/program%d", i);
		heap_missed_add(reasons, out.data);
	}
	out.len = 0;
	heap_missed_put(reasons, 0, &out);
	assert_true(out.len < 160);
	buf_done(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_heap_missed__text),
		cmocka_unit_test(test_heap_missed__many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

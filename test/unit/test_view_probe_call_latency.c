/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view/probe/call_latency and view/latency/bucket_rows: distributions of powers of two and of
 * steps.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "view/latency/bucket_rows.h"
#include "view/probe/call_latency.h"

static const uint64_t slots[CALL_TIME_SLOTS] = { [1] = 1, [2] = 4 };
static const struct call_latency times[] = { { "f", 6, 5, 20000, slots },
					     { "never", 0, 0, 0, slots } };

static void test_text__powers_of_two(void **state)
{
	const struct call_latency_view view = { "usecs", 1000, 0, 0 };
	struct buf out = { 0 };

	(void)state;
	call_latency_text(times, 2, &view, &out);
	assert_string_equal(
		out.data,
		"\nFunction = f\n"
		"     usecs               : count     distribution\n"
		"         0 -> 1          : 0        |                                        |\n"
		"         2 -> 3          : 1        |**********                              |\n"
		"         4 -> 7          : 4        |****************************************|\n"
		"\navg = 4 usecs, total: 20 usecs, count: 5\n");
	buf_done(&out);
}

static void test_json__steps(void **state)
{
	const struct call_latency_view view = { "usecs", 1000, 100, 50 };
	struct buf out = { 0 };

	(void)state;
	call_latency_json(times, 2, &view, &out);
	assert_string_equal(out.data,
			    "{\"cupel\":1,\"what\":\"function latency\",\"unit\":\"usecs\","
			    "\"functions\":[{\"name\":\"f\",\"calls\":6,\"returned\":5,"
			    "\"total_ns\":20000,\"buckets\":["
			    "{\"from\":100,\"to\":149,\"count\":1},"
			    "{\"from\":150,\"to\":199,\"count\":4}]}]}\n");
	buf_done(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text__powers_of_two),
		cmocka_unit_test(test_json__steps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

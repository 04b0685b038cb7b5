/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view/probe: counts of calls as BCC prints them, and as JSON. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "view/probe/function_counts.h"

static const char *const names[] = { "often", "never", "once \"quoted\"" };
static const uint64_t counts[] = { 1000000, 0, 1 };
static const struct function_counts all = { names, counts, 3 };

static void test_counts__text(void **state)
{
	struct buf out = { 0 };

	(void)state;
	function_counts_text(&all, &out);
	assert_string_equal(out.data, "FUNC                                    COUNT\n"
				      "once \"quoted\"                               1\n"
				      "often                                 1000000\n");
	buf_done(&out);
}

static void test_counts__json(void **state)
{
	struct buf out = { 0 };

	(void)state;
	function_counts_json(&all, &out);
	assert_string_equal(out.data,
			    "{\"cupel\":1,\"what\":\"calls\",\"probed\":3,\"calls\":1000001,"
			    "\"functions\":[{\"name\":\"often\",\"calls\":1000000},"
			    "{\"name\":\"once \\\"quoted\\\"\",\"calls\":1}]}\n");
	buf_done(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts__text),
		cmocka_unit_test(test_counts__json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view/ledger/ledger_about: sums in a line, how exact slices are, and what is missing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "profile/ledger/ledger.h"
#include "profile/ledger/ledger_slices.h"
#include "view/ledger/ledger_about.h"

static void test_about__sums(void **state)
{
	const struct ledger ledger = { .start_ns = 1000000000, .end_ns = 3500000000 };
	struct ledger_slices slices = { 0 };
	struct buf out = { 0 };

	(void)state;
	ledger_about(&ledger, &out);
	assert_string_equal(
		out.data, "2.500 s \xc2\xb7 0 threads \xc2\xb7 0.000 thread-seconds, 0.0 % of them "
			  "idle \xc2\xb7 unaccounted 0.000 %");
	buf_done(&out);
	ledger_slices_about(&slices, &ledger, &out);
	assert_non_null(strstr(out.data, "unaccounted 0.000 % \xc2\xb7 every interval"));
	buf_done(&out);
	slices.together_ns = 2500000;
	ledger_slices_about(&slices, &ledger, &out);
	assert_non_null(strstr(out.data, "\xc2\xb7 intervals below 2.5 ms merged"));
	buf_done(&out);
}

static void test_about__what_is_missing(void **state)
{
	struct ledger ledger = { 0 };
	struct buf out = { 0 };

	(void)state;
	ledger_missing(&ledger, &out);
	assert_int_equal(out.len, 0);
	ledger.counts.lost_threads = 1;
	ledger.counts.lost_spans = 7;
	ledger_missing(&ledger, &out);
	assert_string_equal(out.data,
			    "Some threads are missing: see the text output of cupel wall. "
			    "7 intervals were lost and appear as gaps.");
	buf_done(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_about__sums),
		cmocka_unit_test(test_about__what_is_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

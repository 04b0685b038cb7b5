/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Targets that cannot be watched. test/live/rss.sh has the others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "session/resident/resident_watch.h"

static void refuse(const char *pid)
{
	const struct resident_watch_options options = { .pid = pid };
	struct resident_watch watch;
	struct err err = { 0 };

	assert_true(resident_watch(&options, NULL, &watch, &err) < 0);
	assert_int_not_equal(err.msg[0], '\0');
	resident_watch_done(&watch);
}

static void test_resident_watch__one_process(void **state)
{
	(void)state;
	refuse("1,2");
	refuse("x");
	refuse("");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_resident_watch__one_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

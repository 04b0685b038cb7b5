/* SPDX-License-Identifier: GPL-2.0-or-later */
/* source/id_list: ids of processes and threads; CPUs are tested with pmu. */
#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "source/id_list.h"

static void test_id_list__takes_ids(void **state)
{
	struct id_list list = { 0 };
	struct err err;

	(void)state;
	assert_int_equal(0, id_list_parse(NULL, "process", &list, &err));
	assert_int_equal(0, id_list_parse("1,22,2147483646", "process", &list, &err));
	assert_int_equal(3, list.count);
	assert_int_equal(22, list.item[1]);
	assert_int_equal(2147483646, list.item[2]);
	vec_done(&list);
}

static void test_id_list__refuses(void **state)
{
	static const char *const bad[] = { "",	  "0",	"1,", ",1",	   "1x",
					   "1-3", " 1", "-1", "2147483647" };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct id_list list = { 0 };
		struct err err;

		assert_int_equal(-EINVAL, id_list_parse(bad[i], "thread", &list, &err));
		assert_non_null(strstr(err.msg, "not a list of thread ids"));
		vec_done(&list);
	}
}

static void test_id_take__stops_behind_the_number(void **state)
{
	const char *text = "12\tx", *none = "x";
	int value = 0;

	(void)state;
	assert_true(id_take(&text, 13, &value));
	assert_int_equal(12, value);
	assert_string_equal("\tx", text);
	assert_false(id_take(&none, 13, &value));
	text = "13";
	assert_false(id_take(&text, 13, &value));
	text = "99999999999999999999";
	assert_false(id_take(&text, INT_MAX, &value));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_id_list__takes_ids),
		cmocka_unit_test(test_id_list__refuses),
		cmocka_unit_test(test_id_take__stops_behind_the_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

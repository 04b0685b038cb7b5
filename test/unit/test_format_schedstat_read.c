/* SPDX-License-Identifier: GPL-2.0-or-later */
/* format/schedstat/schedstat_read: readings in a row, and lines that are not as they should be. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "format/schedstat_read.h"
#include "profile/sched/schedstat.h"

#define CPU "1 2 3 4 5 6 7 8 9\n"
#define TEN "1 2 3 4 5 6 7 8 9 10 "

static int parse(const char *text, struct schedstat *ret, struct err *err)
{
	return schedstat_read(&text, text + strlen(text), ret, err);
}

static void test_two_readings(void **state)
{
	static const char text[] = "version 15\ntimestamp 77\ncpu3 " CPU
				   "domain0 00000001,00000002 " TEN TEN TEN
				   "1 2 3 4 5 6\nversion 17\ntimestamp 78\ncpu0 " CPU
				   "domain0 MC 3 " TEN TEN TEN TEN "1 2 3 4 5\n";
	const char *at = text, *end = text + strlen(text);
	struct schedstat stat;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(schedstat_read(&at, end, &stat, &err), 0);
	assert_int_equal(stat.version, 15);
	assert_int_equal(stat.jiffies, 77);
	assert_int_equal(stat.cpu.item[0].cpu, 3);
	assert_int_equal(stat.cpu.item[0].value[8], 9);
	assert_int_equal(stat.cpu.item[0].domain_count, 1);
	assert_string_equal(stat.domain.item[0].name, "domain0");
	assert_string_equal(stat.domain.item[0].cpus, "00000001,00000002");
	assert_int_equal(stat.domain.item[0].value[35], 6);
	schedstat_done(&stat);
	assert_int_equal(schedstat_read(&at, end, &stat, &err), 0);
	assert_int_equal(stat.version, 17);
	assert_string_equal(stat.domain.item[0].name, "MC");
	assert_int_equal(stat.domain.item[0].value[44], 5);
	schedstat_done(&stat);
	assert_int_equal(schedstat_read(&at, end, &stat, &err), -ENODATA);
}

static void refuse(const char *text, int code, const char *why)
{
	struct schedstat stat;
	struct err err = { 0 };

	assert_int_equal(parse(text, &stat, &err), code);
	assert_non_null(strstr(err.msg, why));
}

static void test_refused(void **state)
{
	(void)state;
	refuse("", -ENODATA, "empty");
	refuse("v 17\n", -EBADMSG, "missing version");
	refuse("version 14\n", -ENOTSUP, "version 14");
	refuse("version 18\n", -ENOTSUP, "15 to 17");
	refuse("version 17\ncpu0 1 2 3\n", -EBADMSG, "3 of 9 numbers");
	refuse("version 17\ncpu0 1 2 3 4 5 6 7 8 9 10\n", -EBADMSG, "more than 9");
	refuse("version 17\ncpu0 1 x 3 4 5 6 7 8 9\n", -EBADMSG, "invalid number 'x'");
	refuse("version 17\ncpu0 18446744073709551616 2 3 4 5 6 7 8 9\n", -EBADMSG,
	       "invalid number");
	refuse("version 17\ncpu65536 " CPU, -EBADMSG, "too many CPUs");
	refuse("version 17\ndomain0 MC 3 1\n", -EBADMSG, "without a CPU");
	refuse("version 17\ncpu0 " CPU "domain0\n", -EBADMSG, "without a mask");
	refuse("version 17\nnode0 1\n", -EBADMSG, "unknown line");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_two_readings),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

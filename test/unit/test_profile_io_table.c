/* SPDX-License-Identifier: GPL-2.0-or-later */
/* profile/io_table: rows of each table, damaged names, flame graphs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "io_requests.h"
#include "profile/io_table.h"

static void test_table__sums_up(void **state)
{
	struct profile *profile = sample_profile();
	struct io_table table = { 0 };

	(void)state;
	io_table_fill(&table, profile);
	assert_int_equal(table.total.count, 4);
	assert_int_equal(table.total.ns, 7000000);
	assert_int_equal(table.slow.count, 1);
	assert_int_equal(table.row[IO_BY_FILE].count, 2);
	assert_string_equal(profile_string(profile, table.row[IO_BY_FILE].item[0].name),
			    "/data/wal");
	assert_string_equal(profile_string(profile, table.row[IO_BY_FILE].item[1].name),
			    "file:[1234]");
	assert_int_equal(table.row[IO_BY_PROCESS].count, 1);
	assert_int_equal(table.row[IO_BY_DISK].count, 1);
	assert_int_equal(table.row[IO_BY_DISK].item[0].sum.disk_written, 8192);
	assert_int_equal(table.row[IO_BY_OPERATION].item[0].operation, IO_SYNC);
	assert_int_equal(io_longest_wait(&table.total), IO_LAYER_DEVICE);
	io_table_done(&table);
	profile_free(profile);
}

static void test_flame__has_requests_on_top(void **state)
{
	struct profile *profile = sample_profile();
	uint64_t bytes = 0;

	(void)state;
	io_flame_make(profile, IO_WEIGHT_BYTES);
	for (size_t i = 0; i < profile->samples.count; i++)
		bytes += profile->samples.item[i].weight;
	assert_int_equal(profile->samples.count, 4);
	assert_int_equal(bytes, 4 * 4096);
	profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table__sums_up),
		cmocka_unit_test(test_flame__has_requests_on_top),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

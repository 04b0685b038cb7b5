/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view/io: layers and the bottleneck in words, JSON. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "io_requests.h"
#include "profile/io_table.h"
#include "view/io/io_view.h"

static void test_layers__are_said_longest_first(void **state)
{
	const struct io_data data = request(IO_SYNC, 4000000);
	struct buf out = { 0 };

	(void)state;
	io_put_layers("fsync", &data.sum, &out);
	assert_string_equal(out.data, "fsync 4.000 ms = device 3.000 + running 1.000");
	buf_done(&out);
}

static void test_text__names_the_bottleneck(void **state)
{
	struct profile *profile = sample_profile();
	struct io_table table = { 0 };
	const struct io_view view = {
		.profile = profile, .table = &table, .slower_ns = 1000000, .duration_ns = 1000000000
	};
	struct buf out = { 0 };

	(void)state;
	io_table_fill(&table, profile);
	table.row[IO_BY_DISK].item[0].name = strtab_intern(profile->strings, "sda", 3);
	io_text(&view, &out);
	assert_non_null(strstr(out.data,
			       "Bottleneck: 75 % of the time in I/O is device sda, 57 % of it "
			       "in fsync, 71 % of /data/wal, 100 % by program(7)\n"));
	assert_non_null(strstr(out.data, "Requests of 1 ms or more: 1\n"));
	buf_done(&out);
	io_table_done(&table);
	profile_free(profile);
}

static void test_text__has_the_bytes_of_the_disk(void **state)
{
	struct profile *profile = sample_profile();
	struct io_table table = { 0 };
	const struct io_view view = { .profile = profile, .table = &table };
	struct buf out = { 0 };
	const char *disk;

	(void)state;
	io_table_fill(&table, profile);
	table.row[IO_BY_DISK].item[0].name = strtab_intern(profile->strings, "sda", 3);
	io_text(&view, &out);
	disk = strstr(out.data, "By disk");
	assert_non_null(disk);
	assert_non_null(strstr(disk, "         1     8.00 KiB ")); /* its call moved 4 */
	buf_done(&out);
	table.row[IO_BY_DISK].item[0].sum.requests = 0;
	io_text(&view, &out);
	disk = strstr(out.data, "By disk");
	assert_non_null(disk);
	assert_non_null(strstr(disk, "         1            - "));
	buf_done(&out);
	io_table_done(&table);
	profile_free(profile);
}

static void test_json__is_json(void **state)
{
	struct profile *profile = sample_profile();
	struct io_table table = { 0 };
	const struct io_view view = { .profile = profile, .table = &table };
	struct json json = { 0 };
	struct buf out = { 0 };
	struct err err = { 0 };
	json_id files;

	(void)state;
	io_table_fill(&table, profile);
	io_json(&view, &out);
	assert_int_equal(json_parse(out.data, out.len, &json, &err), 0);
	files = json_get(&json, 0, "files");
	assert_int_equal(json_count(&json, files), 2);
	json_done(&json);
	buf_done(&out);
	io_table_done(&table);
	profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layers__are_said_longest_first),
		cmocka_unit_test(test_text__names_the_bottleneck),
		cmocka_unit_test(test_text__has_the_bytes_of_the_disk),
		cmocka_unit_test(test_json__is_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

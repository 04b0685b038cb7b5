/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Touched pages of mappings: text of smaps, and this process's own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "proc/referenced_map.h"

static void test_referenced_map__sums_mappings_of_a_file(void **state)
{
	static const char text[] =
		"1000-5000 r-xp 00000000 fe:00 604      /usr/bin/app\n"
		"Rss:                  16 kB\nReferenced:           16 kB\n"
		"5000-9000 rw-p 00000000 fe:00 604      /usr/bin/app\n"
		"Rss:                  16 kB\nReferenced:            4 kB\nSwap:     8 kB\n"
		"a000-f000 rw-p 00000000 00:00 0 \n"
		"Rss:                  20 kB\nReferenced:            0 kB\nnonsense\n"
		"Rss: 99999999999999999999999 kB";
	struct referenced_map map;

	(void)state;
	referenced_map_parse(text, sizeof(text) - 1, &map);
	assert_int_equal(map.item.count, 2);
	assert_string_equal(strtab_get(map.strings, map.item.item[0].path), "");
	assert_int_equal(map.item.item[0].resident, 20480);
	assert_int_equal(map.item.item[1].count, 2);
	assert_int_equal(map.item.item[1].referenced, 20480);
	assert_int_equal(map.swapped, 8192);
	referenced_map_done(&map);
}

static void test_referenced_map__of_this_process(void **state)
{
	struct referenced_map map;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(referenced_map_clear(getpid(), &err), 0);
	assert_int_equal(referenced_map_read(getpid(), &map, &err), 0);
	assert_true(map.resident > 0);
	referenced_map_done(&map);
	assert_true(referenced_map_clear(-1, &err) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_referenced_map__sums_mappings_of_a_file),
		cmocka_unit_test(test_referenced_map__of_this_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* base/map: all keys, many of them, and values that can be changed in place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/map.h"

static void test_map__keeps_all_keys(void **state)
{
	static const uint64_t edges[] = { 0, 1, UINT64_MAX, UINT64_MAX - 1, 1ull << 63 };
	struct map map = { 0 };
	uint64_t value;

	(void)state;
	assert_false(map_get(&map, 0, &value));
	for (uint64_t i = 0; i < 5; i++)
		map_set(&map, edges[i], i);
	for (uint64_t i = 0; i < 20000; i++)
		map_set(&map, i * 4096 + 7, i);
	for (uint64_t i = 0; i < 5; i++) {
		assert_true(map_get(&map, edges[i], &value));
		assert_int_equal(i, value);
	}
	for (uint64_t i = 0; i < 20000; i++) {
		assert_true(map_get(&map, i * 4096 + 7, &value));
		assert_int_equal(i, value);
	}
	assert_false(map_get(&map, 8, &value));
	assert_int_equal(20005, map.count);
	map_done(&map);
}

static void test_map__add_reports_new_keys(void **state)
{
	struct map map = { 0 };
	uint64_t value;
	bool added;

	(void)state;
	*map_add(&map, 5, &added) += 2;
	assert_true(added);
	*map_add(&map, 5, &added) += 3;
	assert_false(added);
	assert_true(map_get(&map, 5, &value));
	assert_int_equal(5, value);
	map_set(&map, 5, 1);
	assert_true(map_get(&map, 5, &value));
	assert_int_equal(1, value);
	assert_int_equal(1, map.count);
	map_done(&map);
}

static void test_map__hashes_of_different_bytes_differ(void **state)
{
	(void)state;
	assert_true(hash_bytes("a", 1) != hash_bytes("b", 1));
	assert_true(hash_bytes("ab", 2) != hash_bytes("ab", 1));
	assert_true(hash_bytes("x", 1) == hash_bytes("x", 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_map__keeps_all_keys),
		cmocka_unit_test(test_map__add_reports_new_keys),
		cmocka_unit_test(test_map__hashes_of_different_bytes_differ),
	};

	return cmocka_run_group_tests_name("base/map", tests, NULL, NULL);
}

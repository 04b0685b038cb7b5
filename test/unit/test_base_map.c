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

/* Slots are shared by many keys, and the table wraps around: each removal must leave all others. */
static void test_map__removes_one_and_keeps_the_others(void **state)
{
	uint64_t there[200] = { 0 }, random = 1, value;
	struct map map = { 0 };
	size_t count = 0;

	(void)state;
	map_remove(&map, 1);
	for (int round = 0; round < 20000; round++) {
		uint64_t key;

		random = random * 6364136223846793005u + 1442695040888963407u;
		key = (random >> 33) % 200;
		count += there[key] ? 0 : 1;
		if (random >> 63) {
			map_set(&map, key, there[key] = (uint64_t)round + 1);
		} else {
			map_remove(&map, key);
			there[key] = 0;
			count--;
		}
		assert_int_equal(count, map.count);
		for (key = 0; key < 200; key++) {
			assert_int_equal(there[key] != 0, map_get(&map, key, &value));
			assert_true(!there[key] || value == there[key]);
		}
	}
	map_done(&map);
}

/* Numbers that come and go need no more room than those that are there at a time. */
static void test_map__room_of_removed_keys_is_used_again(void **state)
{
	struct map map = { 0 };

	(void)state;
	for (uint64_t key = 0; key < 100000; key++) {
		map_set(&map, key, key);
		if (key >= 10)
			map_remove(&map, key - 10);
	}
	assert_int_equal(10, map.count);
	assert_true(map.capacity <= 32);
	map_done(&map);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_map__keeps_all_keys),
		cmocka_unit_test(test_map__add_reports_new_keys),
		cmocka_unit_test(test_map__hashes_of_different_bytes_differ),
		cmocka_unit_test(test_map__removes_one_and_keeps_the_others),
		cmocka_unit_test(test_map__room_of_removed_keys_is_used_again),
	};

	return cmocka_run_group_tests_name("base/map", tests, NULL, NULL);
}

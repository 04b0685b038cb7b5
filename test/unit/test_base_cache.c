/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The cache answers with what was put in last, or not at all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/cache.h"
#include "base/map.h"

static void test_cache__empty_has_nothing(void **state)
{
	struct cache cache = { 0 };
	uint32_t value;

	(void)state;
	assert_false(cache_get(&cache, 0, &value));
	cache_put(&cache, 5, 7);
	assert_false(cache_get(&cache, 0, &value)); /* 0 is never stored */
	cache_done(&cache);
}

static void test_cache__keeps_most_and_never_lies(void **state)
{
	struct cache cache = { 0 };
	uint32_t value, found = 0;

	(void)state;
	for (uint32_t i = 0; i < 100000; i++)
		cache_put(&cache, hash_u64(i), i);
	for (uint32_t i = 0; i < 100000; i++)
		if (cache_get(&cache, hash_u64(i), &value)) {
			assert_int_equal(value, i);
			found++;
		}
	assert_true(found > 60000);
	cache_done(&cache);
}

/* Keys with equal low bits share a set. */
static void test_cache__the_newest_of_a_set_stay(void **state)
{
	struct cache cache = { 0 };
	uint32_t value;

	(void)state;
	cache_put(&cache, 3, 1);
	cache_put(&cache, 3, 2);
	assert_true(cache_get(&cache, 3, &value));
	assert_int_equal(value, 2);
	for (uint64_t i = 1; i <= CACHE_WAYS; i++) {
		assert_true(cache_get(&cache, 3, &value));
		cache_put(&cache, i << 40 | 3, (uint32_t)i);
	}
	assert_false(cache_get(&cache, 3, &value));
	for (uint64_t i = 1; i <= CACHE_WAYS; i++) {
		assert_true(cache_get(&cache, i << 40 | 3, &value));
		assert_int_equal(value, i);
	}
	cache_done(&cache);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cache__empty_has_nothing),
		cmocka_unit_test(test_cache__keeps_most_and_never_lies),
		cmocka_unit_test(test_cache__the_newest_of_a_set_stay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* proc/library_cache: the dynamic linker's list, whole, cut off and lying. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "proc/library_cache.h"

struct entry {
	int32_t flags;
	uint32_t key, value, unused;
	uint64_t hwcap;
};

struct cache {
	char magic[20];
	uint32_t count, strings;
	uint32_t flags, extension, unused[3];
	struct entry entry[3];
	char text[64];
};

#define TEXT_AT(offset) (uint32_t)(offsetof(struct cache, text) + (offset))

static void make(struct cache *cache)
{
	static const char text[] = "libc.so.6\0/lib/libc.so.6\0libcap.so.2\0/lib/libcap.so.2";

	memset(cache, 0, sizeof(*cache));
	memcpy(cache->magic, "glibc-ld.so.cache1.1", 20);
	cache->count = 3;
	memcpy(cache->text, text, sizeof(text));
	cache->entry[0] = (struct entry){ .key = TEXT_AT(25), .value = TEXT_AT(37) };
	cache->entry[1] = (struct entry){ .key = TEXT_AT(0), .value = TEXT_AT(10) };
	cache->entry[2] = (struct entry){ .key = 5000, .value = TEXT_AT(10) };
}

static const char *find(const void *data, size_t len, const char *name)
{
	struct library_cache cache;
	uint32_t at = 0;

	assert_true(library_cache_parse(data, len, &cache));
	return library_cache_next(&cache, name, &at);
}

static void test_cache__finds_by_any_spelling(void **state)
{
	struct cache cache;

	(void)state;
	make(&cache);
	assert_string_equal(find(&cache, sizeof(cache), "c"), "/lib/libc.so.6");
	assert_string_equal(find(&cache, sizeof(cache), "libc"), "/lib/libc.so.6");
	assert_string_equal(find(&cache, sizeof(cache), "libc.so.6"), "/lib/libc.so.6");
	assert_string_equal(find(&cache, sizeof(cache), "cap"), "/lib/libcap.so.2");
	assert_null(find(&cache, sizeof(cache), "ca"));
	assert_null(find(&cache, sizeof(cache), ""));
}

static void test_cache__behind_an_older_one(void **state)
{
	struct {
		char magic[12];
		uint32_t count;
		uint32_t entry[3], padding;
		struct cache cache;
	} both = { .magic = "ld.so-1.7.0", .count = 1 };

	(void)state;
	make(&both.cache);
	assert_string_equal(find(&both, sizeof(both), "c"), "/lib/libc.so.6");
	both.count = UINT32_MAX;
	assert_false(library_cache_parse((const uint8_t *)&both, sizeof(both),
					 &(struct library_cache){ 0 }));
}

static void test_cache__cut_off(void **state)
{
	struct library_cache parsed;
	struct cache cache;

	(void)state;
	make(&cache);
	cache.count = UINT32_MAX;
	for (size_t len = 0; len < sizeof(cache); len++) {
		uint8_t *copy = malloc(len + 1);
		uint32_t at = 0;

		memcpy(copy, &cache, len);
		if (library_cache_parse(copy, len, &parsed))
			while (library_cache_next(&parsed, "c", &at))
				continue;
		free(copy);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cache__finds_by_any_spelling),
		cmocka_unit_test(test_cache__behind_an_older_one),
		cmocka_unit_test(test_cache__cut_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

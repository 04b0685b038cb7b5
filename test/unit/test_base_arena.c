/* SPDX-License-Identifier: GPL-2.0-or-later */
/* base/arena: memory is zeroed, aligned, stays where it is and is counted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"

static void test_arena__memory_is_zeroed_and_aligned(void **state)
{
	struct arena arena = { 0 };

	(void)state;
	for (size_t size = 1; size < 200000; size = size * 3 + 1) {
		char *p = arena_alloc(&arena, size);

		assert_int_equal(0, (uintptr_t)p % 16);
		for (size_t i = 0; i < size; i++)
			assert_int_equal(0, p[i]);
		memset(p, 0xff, size);
	}
	arena_done(&arena);
	assert_int_equal(0, arena.used_bytes);
}

static void test_arena__objects_do_not_move_or_overlap(void **state)
{
	struct arena arena = { 0 };
	uint64_t *item[10000];

	(void)state;
	for (size_t i = 0; i < 10000; i++) {
		item[i] = arena_new(&arena, uint64_t);
		*item[i] = i;
	}
	for (size_t i = 0; i < 10000; i++)
		assert_int_equal(i, *item[i]);
	assert_true(arena.used_bytes >= 10000 * sizeof(uint64_t));
	arena_done(&arena);
}

static void test_arena__copies_strings(void **state)
{
	struct arena arena = { 0 };
	char text[] = "abc";
	const char *whole, *part;

	(void)state;
	whole = arena_strdup(&arena, text);
	part = arena_strndup(&arena, text, 2);
	text[0] = 'x';
	assert_string_equal("abc", whole);
	assert_string_equal("ab", part);
	arena_done(&arena);
}

static void test_mem__tables_are_zeroed_and_aligned(void **state)
{
	(void)state;
	for (size_t size = 1; size < 9000000; size = size * 7 + 1) {
		char *p = mem_table(size);

		assert_int_equal(0, (uintptr_t)p % 64);
		for (size_t i = 0; i < size; i += 61)
			assert_int_equal(0, p[i]);
		assert_int_equal(0, p[size - 1]);
		memset(p, 1, size);
		free(p);
	}
}

static void test_mem__large_memory_keeps_its_content(void **state)
{
	size_t size = 1000;
	char *p = mem_alloc(size);

	(void)state;
	memset(p, 1, size);
	for (; size < 20000000; size *= 3) {
		p = mem_realloc(p, size * 3);
		assert_int_equal(1, p[0]);
		assert_int_equal(1, p[size - 1]);
		memset(p + size, 1, size * 2);
	}
	free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arena__memory_is_zeroed_and_aligned),
		cmocka_unit_test(test_arena__objects_do_not_move_or_overlap),
		cmocka_unit_test(test_arena__copies_strings),
		cmocka_unit_test(test_mem__tables_are_zeroed_and_aligned),
		cmocka_unit_test(test_mem__large_memory_keeps_its_content),
	};

	return cmocka_run_group_tests_name("base/arena", tests, NULL, NULL);
}

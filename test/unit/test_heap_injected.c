/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The library for running processes, in this one: calls of the allocator by all objects go through
 * it, and do not any more afterwards. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#define cupel_heap_alloc seen_alloc
#define cupel_heap_free	 seen_free
#include "heap/injected.c"
#include "heap/injected.h"
#include "heap/injected_objects.c"
#include "heap/injected_objects.h"
#include "heap/sampler.c"

static struct {
	uint64_t size, address, freed;
} last;

void seen_alloc(uint64_t address, uint64_t size, uint64_t token, uint64_t weight)
{
	(void)token;
	(void)weight;
	last.address = address;
	last.size = size;
}

void seen_free(uint64_t address, uint64_t unused, uint64_t token)
{
	(void)unused;
	(void)token;
	last.freed = address;
}

static struct heap_inject request(void)
{
	return (struct heap_inject){ .headers = getauxval(AT_PHDR),
				     .header_count = getauxval(AT_PHNUM),
				     .token = 1,
				     .seed = 2,
				     .owner = 3 };
}

static bool is_seen(void)
{
	void *volatile block = malloc(1234);
	bool seen = last.size == 1234 && last.address == (uintptr_t)block;

	free(block);
	return seen && last.freed == (uintptr_t)block;
}

static void test_injected__begin_and_end(void **state)
{
	struct heap_inject begin = request(), again = request(), end = request();
	char *volatile text;

	(void)state;
	assert_false(is_seen());
	assert_int_equal(cupel_heap_begin(&begin), HEAP_INJECT_DONE);
	assert_int_equal(cupel_heap_owner, 3);
	assert_in_range(begin.slots, 4, 100000);
	assert_in_range(begin.objects, 2, 1000);
	assert_int_equal(begin.own_malloc, 0);
	assert_true(is_seen());
	text = strdup("in the C library"); /* which allocates itself */
	assert_int_equal(last.size, sizeof("in the C library"));
	free(text);
	assert_int_equal(cupel_heap_repeat(&again), HEAP_INJECT_DONE);
	assert_int_equal(again.slots, 0); /* there is nothing new */
	assert_int_equal(cupel_heap_end(&end), HEAP_INJECT_DONE);
	assert_int_equal(end.slots, begin.slots);
	assert_int_equal(cupel_heap_owner, 0);
	memset(&last, 0, sizeof(last));
	assert_false(is_seen());
}

static void test_injected__all_functions(void **state)
{
	struct heap_inject begin = request(), end = request();
	void *volatile block;

	(void)state;
	assert_int_equal(cupel_heap_begin(&begin), HEAP_INJECT_DONE);
	block = calloc(7, 11);
	assert_int_equal(last.size, 77);
	block = realloc(block, 500);
	assert_int_equal(last.size, 500);
	assert_null(realloc(block, SIZE_MAX / 4));
	assert_int_equal(last.size, HEAP_KEPT);
	block = reallocarray(block, 10, 20);
	assert_int_equal(last.size, 200);
	free(block);
	assert_int_equal(last.freed, (uintptr_t)block);
	block = aligned_alloc(64, 640);
	assert_int_equal(last.size, 640);
	free(block);
	assert_int_equal(posix_memalign((void **)&block, 64, 128), 0);
	assert_int_equal(last.size, 128);
	free(block);
	assert_int_equal(cupel_heap_end(&end), HEAP_INJECT_DONE);
}

static void test_injected__a_program_without_a_loader(void **state)
{
	struct heap_inject none = request();

	(void)state;
	none.header_count = 0;
	assert_int_equal(cupel_heap_begin(&none), HEAP_INJECT_STATIC);
}

static void test_injected__threads_have_places(void **state)
{
	struct heap_thread *first = find_thread(0x1000), *other = find_thread(0x2000);

	(void)state;
	assert_ptr_not_equal(first, other);
	assert_ptr_equal(find_thread(0x1000), first);
	for (uintptr_t i = 1; i < 3u << THREAD_BITS; i++)
		assert_non_null(find_thread(i << 12)); /* more than there are places */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_injected__begin_and_end),
		cmocka_unit_test(test_injected__all_functions),
		cmocka_unit_test(test_injected__a_program_without_a_loader),
		cmocka_unit_test(test_injected__threads_have_places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

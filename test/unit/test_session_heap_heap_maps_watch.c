/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the heap of brk ends; how recordings of such calls are read. test/live/heap_maps.sh records
 * them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "profile/heap/heap.h"
#include "profile/heap/heap_maps.h"
#include "profile/profile.h"
#include "session/heap/heap_maps_watch.h"
#include "session/load/load.h"

static void test_heap_maps__break_of_a_process(void **state)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), before = (uint64_t)(uintptr_t)sbrk(0);

	(void)state;
	assert_int_equal(heap_maps_break(0), 0);
	if (heap_maps_break((uint32_t)getpid()) == 0)
		skip(); /* a sanitizer's allocator does not use it */
	assert_true(heap_maps_break((uint32_t)getpid()) - before < page);
}

static void test_heap_maps__values_are_as_the_profile_has_them(void **state)
{
	static const struct {
		const char *event, *name;
		size_t place;
	} expected[] = {
		{ "syscalls:sys_enter_mmap", "len", HEAP_MAPS_LEN },
		{ "syscalls:sys_enter_mmap", "prot", HEAP_MAPS_PROT },
		{ "syscalls:sys_enter_mmap", "flags", HEAP_MAPS_FLAGS },
		{ "syscalls:sys_enter_mremap", "old_len", HEAP_MAPS_LEN },
		{ "syscalls:sys_enter_mremap", "new_len", HEAP_MAPS_NEW_LEN },
		{ "syscalls:sys_enter_mprotect", "prot", HEAP_MAPS_PROT },
		{ "syscalls:sys_enter_brk", "brk", HEAP_MAPS_START },
		{ "syscalls:sys_exit_brk", "ret", HEAP_MAPS_RESULT },
	};
	struct load_options load = { 0 };

	(void)state;
	heap_maps_load(&load);
	assert_true(load.keep & PROFILE_ADDR_IS_VALUES && load.keep & PROFILE_KEEP_TIME);
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		const struct load_values *values = load.values;

		while (values->event && strcmp(values->event, expected[i].event) != 0)
			values++;
		assert_non_null(values->event);
		assert_string_equal(values->name[expected[i].place], expected[i].name);
	}
}

static void test_heap_maps__nothing_was_recorded(void **state)
{
	struct profile *profile = profile_new(PROFILE_KEEP_TIME);
	struct heap_summary summary;

	(void)state;
	heap_maps_finish(profile, 0, 0, &summary);
	assert_int_equal(summary.samples, 0);
	heap_summary_done(&summary);
	profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_heap_maps__break_of_a_process),
		cmocka_unit_test(test_heap_maps__values_are_as_the_profile_has_them),
		cmocka_unit_test(test_heap_maps__nothing_was_recorded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

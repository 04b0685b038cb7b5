/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Resident memory at the peak of a heap: the kernel's text, and which reading is the closest. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "profile/profile.h"
#include "session/heap/heap_resident.h"
#include "view/heap/heap_memory.h"
#include "view/heap/heap_view.h"

static void test_heap_memory__is_parsed(void **state)
{
	static const char text[] = "Name:\tRssAnon:\nVmRSS:\t 1000 kB\nRssAnon:\t     600 kB\n"
				   "RssFile:\t     300 kB\nRssShmem:\t     100 kB\n"
				   "VmSwap:\t      8 kB\n";
	struct heap_memory memory = { 0 };

	(void)state;
	assert_true(heap_memory_parse(text, &memory));
	assert_int_equal(600 << 10, memory.anonymous);
	assert_int_equal(300 << 10, memory.file);
	assert_int_equal(100 << 10, memory.shared);
	assert_int_equal(8 << 10, memory.swapped);
	assert_false(heap_memory_parse("Name:\tkthreadd\n", &memory));
	assert_false(heap_memory_parse("", &memory));
}

static void test_heap_resident__closest_to_the_peak(void **state)
{
	struct heap_resident resident = { .pid = 7 };
	struct heap_summary summary = { .peak_ns = 500,
					.peak_pid = 7,
					.peak = { 1000, 900, 1100 } };
	struct heap_memory memory;

	(void)state;
	vec_push(&summary.lives.process, ((struct heap_process){ .pid = 7, .first_ns = 1000 }));
	assert_false(heap_resident_at_peak(&resident, &summary, &memory));
	for (uint64_t time = 1000; time < 2000; time += 100)
		vec_push(&resident.item,
			 ((struct heap_memory){ .anonymous = time, .time_ns = time + 40 }));
	assert_true(heap_resident_at_peak(&resident, &summary, &memory));
	assert_int_equal(1500, memory.anonymous);
	assert_int_equal(40, memory.after_peak_ns);
	summary.peak_pid = 8;
	assert_false(heap_resident_at_peak(&resident, &summary, &memory));
	heap_resident_done(&resident);
	heap_summary_done(&summary);
}

static void test_heap_memory__says_what_the_gap_is(void **state)
{
	struct profile *p = profile_new(0);
	const struct heap_summary summary = { .peak = { 3 << 20, 0, 0 } };
	const struct heap_memory memory = { .anonymous = 5 << 20,
					    .file = 1 << 20,
					    .after_peak_ns = -2000000 };
	struct heap_view view = { .profile = p, .summary = &summary, .memory = &memory };
	struct buf text = { 0 };

	(void)state;
	(void)profile_module(p, "/usr/bin/python3.11", "");
	heap_memory_text(&view, &text);
	heap_runtimes_text(&view, &text);
	assert_non_null(strstr(text.data, "6.00 MiB   read 2 ms before the peak"));
	assert_non_null(strstr(text.data, "3.00 MiB   live blocks"));
	assert_non_null(strstr(text.data, "2.00 MiB   other anonymous memory"));
	assert_non_null(strstr(text.data, "PYTHONMALLOC=malloc"));
	view.memory = NULL;
	buf_clear(&text);
	heap_memory_text(&view, &text);
	heap_memory_json(&view, &text);
	assert_int_equal(0, text.len);
	buf_done(&text);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_heap_memory__is_parsed),
		cmocka_unit_test(test_heap_resident__closest_to_the_peak),
		cmocka_unit_test(test_heap_memory__says_what_the_gap_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

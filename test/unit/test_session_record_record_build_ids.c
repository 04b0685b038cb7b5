/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/record_build_ids: each module once, the kernel under its own name. */
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "session/record/record_build_ids.h"

static struct event map_of(const char *path, uint8_t id)
{
	struct event event = { .type = EVENT_MMAP, .misc = PERF_RECORD_MISC_USER };

	event.mmap.path = path;
	event.mmap.build_id.len = 20;
	memset(event.mmap.build_id.bytes, id, 20);
	return event;
}

static void test_record_build_ids__keeps_each_once(void **state)
{
	struct event events[] = { map_of("/a", 1), map_of("/b", 2), map_of("/a", 1),
				  map_of("/a", 3) };
	struct record_build_ids ids = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++)
		record_build_ids_event(&ids, &events[i]);
	assert_int_equal(3, ids.item.count); /* /a was replaced by another file */
	assert_string_equal("/a", ids.item.item[0].build_id.path);
	assert_int_equal(20, ids.item.item[0].build_id.id.len);
	assert_int_equal(2, ids.item.item[1].build_id.id.bytes[19]);
	assert_int_equal(PERF_RECORD_MISC_USER, ids.item.item[0].misc);
	record_build_ids_done(&ids);
}

static void test_record_build_ids__names_the_kernel(void **state)
{
	struct event event = { .type = EVENT_MMAP, .misc = PERF_RECORD_MISC_KERNEL };
	struct record_build_ids ids = { 0 };

	(void)state;
	event.mmap.path = "[kernel.kallsyms]_text";
	record_build_ids_event(&ids, &event);
	assert_int_equal(0, ids.item.count); /* no id */
	event.mmap.build_id.len = 20;
	record_build_ids_event(&ids, &event);
	assert_int_equal(1, ids.item.count);
	assert_string_equal("[kernel.kallsyms]", ids.item.item[0].build_id.path);
	record_build_ids_done(&ids);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_record_build_ids__keeps_each_once),
		cmocka_unit_test(test_record_build_ids__names_the_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

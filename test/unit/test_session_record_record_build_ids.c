/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/record_build_ids: each module once, the kernel under its own name, nothing from records
 * that lie. */
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "session/record/record_build_ids.h"

struct map_record {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t addr, len, pgoff;
	uint8_t build_id_len, pad[3], build_id[20];
	uint32_t prot, flags;
	char path[16];
};

static struct map_record map_of(const char *path, uint8_t id)
{
	struct map_record map = {
		.header = { .type = PERF_RECORD_MMAP2,
			    .misc = PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_BUILD_ID,
			    .size = sizeof(map) },
		.build_id_len = 20,
	};

	memset(map.build_id, id, sizeof(map.build_id));
	(void)snprintf(map.path, sizeof(map.path), "%s", path);
	return map;
}

static void test_record_build_ids__keeps_each_once(void **state)
{
	struct map_record records[] = { map_of("/a", 1), map_of("/b", 2), map_of("/a", 1),
					map_of("/a", 3) };
	struct record_build_ids ids = { 0 };

	(void)state;
	record_build_ids_records(&ids, (const uint8_t *)records, sizeof(records));
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

static void test_record_build_ids__ignores_bad_records(void **state)
{
	struct map_record map = map_of("/a", 1);
	struct record_build_ids ids = { 0 };

	(void)state;
	memset(map.path, 'x', sizeof(map.path)); /* no end */
	record_build_ids_records(&ids, (const uint8_t *)&map, sizeof(map));
	map = map_of("/a", 1);
	map.build_id_len = 200;
	record_build_ids_records(&ids, (const uint8_t *)&map, sizeof(map));
	map = map_of("/a", 1);
	record_build_ids_records(&ids, (const uint8_t *)&map, sizeof(map) - 8);
	map.header.size = 0;
	record_build_ids_records(&ids, (const uint8_t *)&map, sizeof(map));
	assert_int_equal(0, ids.item.count);
	record_build_ids_done(&ids);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_record_build_ids__keeps_each_once),
		cmocka_unit_test(test_record_build_ids__names_the_kernel),
		cmocka_unit_test(test_record_build_ids__ignores_bad_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

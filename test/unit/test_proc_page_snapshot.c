/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pages of this process, and snapshots that are not whole. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/err.h"
#include "event/page_map.h"
#include "proc/page_snapshot.h"

#define PAGES 16

static uint64_t kind_at(const struct page_map *map, uint64_t address)
{
	for (size_t i = 0; i < map->range.count; i++)
		if (map->range.item[i].start <= address && address < map->range.item[i].end)
			return map->range.item[i].kind;
	return 0;
}

static const struct page_area *area_at(const struct page_map *map, uint64_t address)
{
	for (size_t i = 0; i < map->area.count; i++)
		if (map->area.item[i].start <= address && address < map->area.item[i].end)
			return &map->area.item[i];
	return NULL;
}

static void test_page_snapshot__own_pages(void **state)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	char *room = mmap(NULL, PAGES * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			  -1, 0);
	uint64_t at = (uintptr_t)room, code = (uintptr_t)test_page_snapshot__own_pages;
	struct buf bytes = { 0 };
	struct page_map map;
	struct err err = { 0 };

	(void)state;
	assert_ptr_not_equal(room, MAP_FAILED);
	(void)madvise(room, PAGES * size, MADV_NOHUGEPAGE); /* kernels may be without */
	room[3 * size] = 1;
	room[4 * size] = 1;
	assert_int_equal(page_snapshot_read(getpid(), &bytes, &err), 0);
	assert_int_equal(page_snapshot_parse(bytes.data, bytes.len, &map, &err), 0);
	assert_int_equal(kind_at(&map, at), 0);
	assert_int_equal(kind_at(&map, at + 3 * size), PAGE_PRESENT);
	assert_int_equal(kind_at(&map, at + 4 * size), PAGE_PRESENT);
	assert_int_equal(kind_at(&map, at + 5 * size), 0);
	assert_true(kind_at(&map, code) & PAGE_FILE);
	assert_true(area_at(&map, at)->writable);
	assert_true(area_at(&map, at)->rss >= 2 * size);
	assert_int_equal(area_at(&map, code)->path[0], '/');
	assert_true(map.counted > 2 * size);
	page_map_done(&map);
	assert_int_equal(munmap(room, PAGES * size), 0);
	for (size_t len = 0; len < bytes.len; len += len < 64 ? 1 : bytes.len / 7) {
		assert_int_equal(page_snapshot_parse(bytes.data, len, &map, &err), -22);
		page_map_done(&map);
	}
	buf_done(&bytes);
}

/* A mapping that grew between two pieces of smaps, as a process that runs has it. */
static void test_page_snapshot__mapping_that_comes_twice(void **state)
{
	static const char smaps[] = "00010000-00020000 rw-p 00000000 00:00 0 \n"
				    "Rss:                  16 kB\n"
				    "00020000-00030000 rw-p 00000000 00:00 0 [heap]\n"
				    "Rss:                  32 kB\n"
				    "00018000-00040000 rw-p 00000000 00:00 0 [heap]\n"
				    "Rss:                  64 kB\n";
	const uint64_t header[4] = { 0x0001706e73677063ull, sizeof(smaps) - 1, 0, 0 };
	struct buf bytes = { 0 };
	struct page_map map;
	struct err err = { 0 };

	(void)state;
	(void)buf_append(&bytes, header, sizeof(header));
	(void)buf_append(&bytes, smaps, sizeof(smaps) - 1);
	assert_int_equal(page_snapshot_parse(bytes.data, bytes.len, &map, &err), 0);
	assert_int_equal(map.area.count, 2);
	assert_int_equal(map.area.item[0].end, 0x18000);
	assert_int_equal(map.area.item[1].start, 0x18000);
	assert_int_equal(map.area.item[1].rss, 64 << 10);
	page_map_done(&map);
	buf_done(&bytes);
}

static void test_page_snapshot__no_process(void **state)
{
	struct buf bytes = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(page_snapshot_read(0x7fffffff, &bytes, &err), -2);
	assert_non_null(strstr(err.msg, "pagemap"));
	buf_done(&bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_page_snapshot__own_pages),
		cmocka_unit_test(test_page_snapshot__mapping_that_comes_twice),
		cmocka_unit_test(test_page_snapshot__no_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

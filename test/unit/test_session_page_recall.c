/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pages that were dropped are there again, up to the end of the mapping. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "session/unwind/page_recall.h"

#define PAGE 4096u

/* Bit 63 of an entry of /proc/PID/pagemap. */
static bool is_present(const uint8_t *page)
{
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	uint64_t entry = 0;

	assert_true(fd >= 0);
	assert_int_equal(sizeof(entry), pread(fd, &entry, sizeof(entry),
					      (off_t)((uintptr_t)page / PAGE * sizeof(entry))));
	(void)close(fd);
	return entry >> 63;
}

static void test_page_recall__brings_pages_back(void **state)
{
	uint8_t *pages =
		mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct page_recall recall = { 0 };

	(void)state;
	assert_true(pages != MAP_FAILED);
	for (int i = 0; i < 4; i++)
		pages[i * PAGE] = (uint8_t)i;
	assert_int_equal(0, madvise(pages, 4 * PAGE, MADV_DONTNEED));
	assert_false(is_present(pages + PAGE));
	page_recall(&recall, (uint32_t)getpid(), (uintptr_t)pages + PAGE + 8);
	for (int i = 1; i < 4; i++)
		assert_true(is_present(pages + i * PAGE));
	(void)munmap(pages, 4 * PAGE);
}

static void test_page_recall__survives_what_is_not_there(void **state)
{
	struct page_recall recall = { 0 };

	(void)state;
	page_recall(&recall, (uint32_t)getpid(), 16);
	recall.last_ns = 0;
	page_recall(&recall, 2147483646, 0x7f0000000000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_page_recall__brings_pages_back),
		cmocka_unit_test(test_page_recall__survives_what_is_not_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looking at pages: frames of this process's own, what is refused, a run that ends too early. The
 * whole of it is in test/live/mem_cold.sh. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "proc/page_frames.h"
#include "session/heap/heap_cold_watch.h"
#include "source/damon.h"

static void test_page_frames__of_this_process(void **state)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	char *pages =
		mmap(NULL, 3 * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t address[4], frame[4];
	struct err err = { 0 };

	(void)state;
	assert_true(pages != MAP_FAILED);
	pages[0] = pages[size] = 1; /* the third one is not there */
	for (size_t i = 0; i < 3; i++)
		address[i] = (uintptr_t)pages + i * size;
	address[3] = (uintptr_t)page_frames_read; /* of a file */
	assert_int_equal(page_frames_read(getpid(), address, 4, frame, &err), 0);
	assert_int_equal(frame[2], 0);
	assert_int_equal(frame[3], 0);
	if (frame[0]) { /* they are for root */
		assert_true(frame[1] && frame[0] != frame[1]);
		frame[1] = 0;
		if (page_frames_keep_listed(frame, 4, &err) == 0)
			assert_int_equal(frame[1], 0);
	}
	assert_true(page_frames_read(-1, address, 4, frame, &err) < 0);
	(void)munmap(pages, 3 * size);
}

static void test_damon__refusals_have_a_reason(void **state)
{
	struct damon *damon = NULL;
	struct err err = { 0 };
	uint64_t none = 0;

	(void)state;
	assert_true(damon_start(&none, 0, 1000000000, &damon, &err) < 0);
	assert_string_equal(err.msg, "no pages to look at");
	assert_null(damon);
	if (damon_check(&err))
		assert_non_null(strstr(err.msg, "/sys/kernel/mm/damon/"));
	damon_end(NULL);
}

static void test_heap_cold_watch__run_that_ended_early(void **state)
{
	struct heap_cold_watch watch = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_true(heap_cold_check(&watch, &err) < 0);
	assert_non_null(strstr(err.msg, "--after"));
	heap_cold_watch_done(&watch);
	watch.done = true;
	assert_int_equal(heap_cold_check(&watch, &err), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_page_frames__of_this_process),
		cmocka_unit_test(test_damon__refusals_have_a_reason),
		cmocka_unit_test(test_heap_cold_watch__run_that_ended_early),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/heap/remote_read: memory of a process, and what is none. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "session/heap/remote.h"

static void test_remote_read__copies_or_fails_whole(void **state)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *two =
		mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char copy[8] = "";

	(void)state;
	assert_true(two != MAP_FAILED);
	memcpy(two + page - 4, "text", 4);
	assert_int_equal(0, remote_read(getpid(), (uintptr_t)two + page - 4, copy, 4));
	assert_string_equal("text", copy);
	assert_int_equal(0, munmap(two + page, page));
	assert_int_equal(-EFAULT, remote_read(getpid(), (uintptr_t)two + page - 4, copy, 8));
	assert_int_equal(-EFAULT, remote_read(getpid(), (uintptr_t)two + page, copy, 8));
	(void)munmap(two, page);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_remote_read__copies_or_fails_whole),
	};

	return cmocka_run_group_tests_name("session/heap/remote_read", tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A mount of tracefs of the process alone: made once, as root only. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include "source/event_spec/tracefs_mount.h"

static void test_tracefs_mount__is_made_once(void **state)
{
	int fd = tracefs_mount();
	char path[64];

	(void)state;
	if (fd < 0) /* not root, or a kernel without tracefs */
		skip();
	assert_int_equal(tracefs_mount(), fd);
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d/events", fd);
	assert_int_equal(access(path, R_OK | X_OK), 0);
	assert_int_equal(close(fd), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tracefs_mount__is_made_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

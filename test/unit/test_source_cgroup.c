/* SPDX-License-Identifier: GPL-2.0-or-later */
/* source/cgroup: the right one of the mounts of a system. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "source/cgroup.h"

static int mount_of(const char *mounts, char *ret, size_t size)
{
	char root[] = "/tmp/cupel-test-XXXXXX", path[256];
	struct err err;
	FILE *file;
	int code;

	assert_non_null(mkdtemp(root));
	(void)snprintf(path, sizeof(path), "%s/proc", root);
	assert_int_equal(0, mkdir(path, 0755));
	(void)snprintf(path, sizeof(path), "%s/proc/self", root);
	assert_int_equal(0, mkdir(path, 0755));
	(void)snprintf(path, sizeof(path), "%s/proc/self/mounts", root);
	file = fopen(path, "we");
	assert_non_null(file);
	assert_true(fputs(mounts, file) >= 0);
	assert_int_equal(0, fclose(file));
	code = cgroup_mount(root, ret, size, &err);
	assert_int_equal(0, unlink(path));
	for (const char *const *name = (const char *const[]){ "/proc/self", "/proc", "", NULL };
	     *name; name++) {
		(void)snprintf(path, sizeof(path), "%s%s", root, *name);
		assert_int_equal(0, rmdir(path));
	}
	return code;
}

static void test_cgroup_mount__takes_version_2(void **state)
{
	char where[256];

	(void)state;
	assert_int_equal(0, mount_of("proc /proc proc rw 0 0\n"
				     "cgroup /sys/fs/cgroup/cpu cgroup rw,cpu 0 0\n"
				     "cgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0\n"
				     "cgroup2 /chroot/sys/fs/cgroup cgroup2 rw 0 0\n",
				     where, sizeof(where)));
	assert_string_equal("/sys/fs/cgroup/unified", where);
}

static void test_cgroup_mount__prefers_the_controller_of_version_1(void **state)
{
	char where[256];

	(void)state;
	assert_int_equal(0, mount_of("cgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0\n"
				     "cgroup /sys/fs/cgroup/perf cgroup rw,perf_event 0 0\n",
				     where, sizeof(where)));
	assert_string_equal("/sys/fs/cgroup/perf", where);
}

static void test_cgroup_mount__none_is_an_error(void **state)
{
	char where[256];

	(void)state;
	assert_int_equal(-ENOENT, mount_of("", where, sizeof(where)));
	assert_int_equal(-ENOENT, mount_of("proc /proc proc rw 0 0\n", where, sizeof(where)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cgroup_mount__takes_version_2),
		cmocka_unit_test(test_cgroup_mount__prefers_the_controller_of_version_1),
		cmocka_unit_test(test_cgroup_mount__none_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

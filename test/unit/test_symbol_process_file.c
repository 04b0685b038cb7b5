/* SPDX-License-Identifier: GPL-2.0-or-later */
/* symbol/process_file: accepted owners of files, and files that are not opened. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/map.h"
#include "symbol/process_file.h"
#include "symbol/symbolizer.h"

static const char *const numbered[2] = { "/tmp/cupel-test-", ".map" };

static void make_path(char *path, size_t room)
{
	(void)snprintf(path, room, "/tmp/cupel-test-%d.map", (int)getpid());
}

static int open_own(struct err *err)
{
	int fd = process_file_open_numbered(numbered, (uint32_t)getpid(), NULL, err);

	if (fd >= 0)
		assert_int_equal(0, close(fd));
	return fd < 0 ? fd : 0;
}

static void test_process_file__opens_own_files(void **state)
{
	const struct symbol_options elsewhere = { .symfs = "/nowhere" };
	struct err err = { 0 };
	char path[64];
	int fd;

	(void)state;
	make_path(path, sizeof(path));
	assert_int_equal(-ENOENT, open_own(&err));
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(0, close(fd));
	assert_int_equal(0, open_own(&err));
	assert_int_equal(-ENOENT, process_file_open_numbered(numbered, (uint32_t)getpid(),
							     &elsewhere, &err));
	assert_int_equal(-ENOENT, process_file_open_numbered(numbered, 0, NULL, &err));
	if (geteuid() == 0) { /* this process is root's: a file of another user is suspect */
		assert_int_equal(0, chown(path, 12345, 12345));
		assert_int_equal(-EPERM, open_own(&err));
		assert_non_null(strstr(err.msg, "owned by another user, ignored"));
	}
	assert_int_equal(0, unlink(path));
}

/* The process is gone: a remembered user counts, else only this one. */
static void test_process_file__of_a_process_that_ended(void **state)
{
	static const char path[] = "/tmp/cupel-test-999999999.map";
	const uint32_t pid = 999999999;
	struct map users = { 0 };
	struct symbol_options options = { .users = &users };
	struct err err = { 0 };
	int fd;

	(void)state;
	if (geteuid())
		skip();
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(0, fchown(fd, 12345, 12345));
	assert_int_equal(0, close(fd));
	assert_int_equal(-EPERM, process_file_open_numbered(numbered, pid, NULL, &err));
	assert_int_equal(-EPERM, process_file_open_numbered(numbered, pid, &options, &err));
	map_set(&users, pid, 23456);
	assert_int_equal(-EPERM, process_file_open_numbered(numbered, pid, &options, &err));
	map_set(&users, pid, 12345);
	fd = process_file_open_numbered(numbered, pid, &options, &err);
	assert_true(fd >= 0);
	assert_int_equal(0, close(fd));
	map_done(&users);
	assert_int_equal(0, unlink(path));
}

static void test_process_file__links_and_fifos_are_not_followed(void **state)
{
	struct err err = { 0 };
	char path[64];

	(void)state;
	make_path(path, sizeof(path));
	assert_int_equal(0, symlink("/etc/passwd", path));
	assert_int_equal(-ELOOP, open_own(&err));
	assert_int_equal(0, unlink(path));
	assert_int_equal(0, mkfifo(path, 0600));
	assert_int_equal(-EINVAL, open_own(&err)); /* does not hang */
	assert_int_equal(0, unlink(path));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_process_file__opens_own_files),
		cmocka_unit_test(test_process_file__of_a_process_that_ended),
		cmocka_unit_test(test_process_file__links_and_fifos_are_not_followed),
	};

	return cmocka_run_group_tests_name("symbol/process_file", tests, NULL, NULL);
}

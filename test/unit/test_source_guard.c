/* SPDX-License-Identifier: GPL-2.0-or-later */
/* source/guard: changes are undone at the end, also when their owner is killed. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "source/guard.h"

static char folder[64], inner[96], inner_file[112], file[96];

static void make_files(void)
{
	int fd;

	(void)snprintf(folder, sizeof(folder), "/tmp/cupel-guard-XXXXXX");
	assert_non_null(mkdtemp(folder));
	(void)snprintf(inner, sizeof(inner), "%s/instance", folder);
	(void)snprintf(file, sizeof(file), "%s/setting", folder);
	(void)snprintf(inner_file, sizeof(inner_file), "%s/library", inner);
	assert_int_equal(mkdir(inner, 0700), 0);
	fd = open(inner_file, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	(void)close(fd);
	fd = open(file, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "changed", 7), 7);
	(void)close(fd);
}

static void check_undone(void)
{
	struct buf text = { .limit = 100 };
	struct err err = { 0 };

	assert_int_equal(access(inner, F_OK), -1);
	assert_int_equal(fd_read_file(file, &text, &err), 0);
	assert_string_equal(text.data, "first\nsecond\n");
	buf_done(&text);
	(void)unlink(file);
	(void)rmdir(folder);
}

static void announce(struct guard **ret)
{
	struct err err = { 0 };

	assert_int_equal(guard_start(-1, ret, &err), 0);
	assert_int_equal(guard_remove(*ret, inner, &err), 0);
	assert_int_equal(guard_remove(*ret, inner_file, &err), 0);
	assert_int_equal(guard_restore(*ret, file, "first\nsecond\n", &err), 0);
	assert_int_equal(guard_restore(*ret, file, "later\n", &err), 0); /* undone first */
}

static void test_guard__undoes_in_reverse(void **state)
{
	struct guard *guard;

	(void)state;
	make_files();
	announce(&guard);
	assert_int_equal(access(inner, F_OK), 0);
	assert_true(guard_end(guard, 5000));
	check_undone();
}

static void test_guard__outlives_its_owner(void **state)
{
	struct guard *guard;
	pid_t owner;

	(void)state;
	make_files();
	owner = fork();
	if (owner == 0) {
		announce(&guard);
		(void)raise(SIGKILL);
	}
	assert_int_equal(waitpid(owner, NULL, 0), owner);
	for (int i = 0; i < 500 && access(inner, F_OK) == 0; i++)
		(void)usleep(10000);
	check_undone();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_guard__undoes_in_reverse),
		cmocka_unit_test(test_guard__outlives_its_owner),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* source/guard: changes are undone at the end, also when their owner is killed. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
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

/* The children of this process that are guards; at most 2. */
static size_t find_guards(pid_t *ret)
{
	struct buf text = { .limit = 4096 };
	struct err err = { 0 };
	char path[64];
	size_t count = 0;

	(void)snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
	assert_int_equal(fd_read_file(path, &text, &err), 0);
	for (char *at = text.data; at && *at && count < 2; at += strspn(at, " "))
		ret[count++] = (pid_t)strtol(at, &at, 10);
	buf_done(&text);
	return count;
}

/* Bit i: the guard i is killed. */
static void kill_guards(unsigned which)
{
	pid_t pid[2];

	assert_int_equal(find_guards(pid), 2);
	for (unsigned i = 0; i < 2; i++)
		if (which >> i & 1) {
			assert_int_equal(kill(pid[i], SIGKILL), 0);
			assert_int_equal(waitpid(pid[i], NULL, 0), pid[i]);
		}
}

static void test_guard__may_be_killed(void **state)
{
	struct guard *guard;

	(void)state;
	for (unsigned which = 1; which <= 3; which++) {
		make_files();
		announce(&guard);
		kill_guards(which);
		assert_true(guard_end(guard, 5000));
		check_undone();
	}
}

static void test_guard__may_be_killed_with_its_owner(void **state)
{
	struct guard *guard;
	pid_t owner;

	(void)state;
	for (unsigned which = 1; which <= 2; which++) {
		make_files();
		owner = fork();
		if (owner == 0) {
			announce(&guard);
			kill_guards(which);
			(void)raise(SIGKILL);
		}
		assert_int_equal(waitpid(owner, NULL, 0), owner);
		for (int i = 0; i < 500 && access(inner, F_OK) == 0; i++)
			(void)usleep(10000);
		check_undone();
	}
}

static void test_guard__writes_lines(void **state)
{
	struct buf text = { .limit = 100 };
	struct err err = { 0 };
	struct guard *guard;

	(void)state;
	make_files();
	announce(&guard);
	assert_int_equal(guard_write(guard, file, "-:third\n", &err), 0); /* undone first */
	assert_true(guard_end(guard, 5000));
	check_undone();
	make_files();
	assert_int_equal(guard_start(-1, &guard, &err), 0);
	assert_int_equal(guard_write(guard, file, "-:x\n", &err), 0);
	assert_int_equal(guard_write(guard, inner_file, "-:x\n", &err), 0);
	assert_int_equal(guard_write(guard, "/no/such/file", "-:x\n", &err), 0);
	assert_true(guard_end(guard, 5000));
	assert_int_equal(fd_read_file(file, &text, &err), 0);
	assert_string_equal(text.data, "changed-:x\n"); /* appended */
	buf_done(&text);
	(void)unlink(inner_file);
	(void)rmdir(inner);
	(void)unlink(file);
	(void)rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_guard__may_be_killed),
		cmocka_unit_test(test_guard__may_be_killed_with_its_owner),
		cmocka_unit_test(test_guard__writes_lines),
		cmocka_unit_test(test_guard__undoes_in_reverse),
		cmocka_unit_test(test_guard__outlives_its_owner),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* command/reader: a reader that is root's writes what its command line names, and nothing else. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/memory_limit.h"
#include "command/option/option.h"
#include "command/reader.h"

/* In a separate process: returns 0 if only named files can be written. */
static int write_outputs(void)
{
	char *words[] = { (char *)(uintptr_t) "report", (char *)(uintptr_t) "--output=named" };
	struct err err = { 0 };
	int fd;

	reader_begin(&(struct option_words){ 2, words }, true);
	fd = reader_open_output("named", &err);
	if (fd < 0 || write(fd, "text", 4) != 4)
		return 1;
	if (reader_close_output("named", fd, true, &err))
		return 6;
	fd = reader_open_output("named", &err);
	if (fd < 0 || write(fd, "less", 3) != 3 || reader_close_output("named", fd, false, &err))
		return 7; /* the older file stays */
	if (reader_open_output("other", &err) != -EPERM)
		return 2;
	fd = reader_open_output("/dev/stdout", &err);
	if (fd < 0 || reader_open_output("/proc/self/fd/1", &err) < 0)
		return 4;
	if (reader_open_output("/dev/fd/999", &err) != -EBADF)
		return 5;
	return open("other", O_WRONLY | O_CREAT, 0600) >= 0 ? 3 : 0;
}

static void test_reader__writes_only_what_is_named(void **state)
{
	char folder[] = "/tmp/cupel_reader_XXXXXX";
	struct stat st;
	int status;
	pid_t pid;

	(void)state;
	if (geteuid() != 0 || !MEMORY_LIMIT_METERED)
		skip();
	assert_non_null(mkdtemp(folder));
	pid = fork();
	if (pid == 0)
		_exit(chdir(folder) ? 100 : write_outputs());
	assert_int_equal(pid, waitpid(pid, &status, 0));
	assert_true(WIFEXITED(status));
	assert_int_equal(0, WEXITSTATUS(status));
	assert_int_equal(0, chdir(folder));
	assert_int_equal(0, stat("named", &st));
	assert_int_equal(4, st.st_size);
	assert_int_equal(-1, stat("other", &st));
	assert_int_equal(0, unlink("named"));
	assert_int_equal(0, rmdir(folder));
}

static void test_reader__follows_no_foreign_link(void **state)
{
	char folder[] = "/tmp/cupel_reader_XXXXXX";
	struct err err = { 0 };
	int fd;

	(void)state;
	if (geteuid() != 0)
		skip();
	assert_non_null(mkdtemp(folder));
	assert_int_equal(0, chdir(folder));
	assert_int_equal(0, symlink("target", "link"));
	fd = reader_open_output("link", &err); /* our own is followed */
	assert_true(fd >= 0);
	assert_int_equal(0, reader_close_output("link", fd, true, &err));
	assert_int_equal(0, access("target", F_OK));
	assert_int_equal(0, lchown("link", 65534, 65534));
	assert_int_equal(-ELOOP, reader_open_output("link", &err));
	assert_int_equal(0, unlink("target"));
	assert_int_equal(0, unlink("link"));
	assert_int_equal(0, rmdir(folder));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reader__writes_only_what_is_named),
		cmocka_unit_test(test_reader__follows_no_foreign_link),
	};

	return cmocka_run_group_tests_name("command/reader", tests, NULL, NULL);
}

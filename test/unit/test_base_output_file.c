/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A result file replaces an older one when it is whole, and only then. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/output_file.h"

static void write_to(const char *path, const char *text, bool keep)
{
	struct output_file file;
	int fd = output_file_open(&file, path);

	assert_true(fd >= 0);
	assert_int_equal(strlen(text), write(fd, text, strlen(text)));
	assert_int_equal(0, close(fd));
	assert_int_equal(0, output_file_end(&file, keep));
}

static void check(const char *path, const char *text)
{
	char found[64] = "";
	int fd = open(path, O_RDONLY);

	assert_true(fd >= 0);
	assert_true(read(fd, found, sizeof(found) - 1) >= 0);
	(void)close(fd);
	assert_string_equal(text, found);
}

static void test_output_file__stays_until_the_new_one_is_whole(void **state)
{
	struct stat st;

	(void)state;
	write_to("file", "older", true);
	assert_int_equal(0, chmod("file", 0640));
	write_to("file", "trunc", false);
	check("file", "older");
	write_to("file", "newer", true);
	check("file", "newer");
	assert_int_equal(0, stat("file", &st));
	assert_int_equal(0640, st.st_mode & 07777);
	assert_int_equal(0, unlink("file"));
}

static void test_output_file__drops_a_first_one(void **state)
{
	(void)state;
	write_to("first", "half", false);
	assert_int_equal(-1, access("first", F_OK));
}

static void test_output_file__replaces_what_a_link_leads_to(void **state)
{
	struct stat st;

	(void)state;
	write_to("target", "older", true);
	assert_int_equal(0, symlink("target", "link"));
	write_to("link", "newer", true);
	check("target", "newer");
	assert_int_equal(0, lstat("link", &st));
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(0, unlink("link"));
	assert_int_equal(0, unlink("target"));
}

static void test_output_file__devices_are_written_in_place(void **state)
{
	struct output_file file;
	struct stat st;

	(void)state;
	write_to("/dev/null", "text", true);
	assert_int_equal(0, stat("/dev/null", &st));
	assert_true(S_ISCHR(st.st_mode));
	assert_int_equal(-ENOENT, output_file_open(&file, "no/such/folder"));
}

/* The file behind the link must stay as it is. */
static void test_output_file__follows_no_link_of_another_user(void **state)
{
	struct output_file file;
	struct err err = { 0 };
	int fd;

	(void)state;
	write_to("precious", "older", true);
	assert_int_equal(0, symlink("precious", "link"));
	fd = output_file_open_in_place("link", 0600); /* our own */
	assert_true(fd >= 0);
	(void)close(fd);
	check("precious", "");
	write_to("precious", "older", true);
	if (geteuid() == 0) {
		assert_int_equal(0, lchown("link", 65534, 65534));
		assert_int_equal(-ELOOP, output_file_open(&file, "link"));
		assert_int_equal(-ELOOP, output_file_open_in_place("link", 0600));
		check("precious", "older");
		assert_int_equal(-ELOOP, output_file_error("link", -ELOOP, &err));
		assert_string_equal("link: a symbolic link of another user", err.msg);
	}
	assert_int_equal(0, unlink("link"));
	assert_int_equal(0, unlink("precious"));
}

static int enter(void **state)
{
	static char folder[] = "/tmp/cupel_output_XXXXXX";

	*state = mkdtemp(folder);
	return !*state || chdir(*state);
}

/* Fails when a temporary file is left. */
static int leave(void **state)
{
	return chdir("/") || rmdir(*state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_output_file__stays_until_the_new_one_is_whole),
		cmocka_unit_test(test_output_file__drops_a_first_one),
		cmocka_unit_test(test_output_file__replaces_what_a_link_leads_to),
		cmocka_unit_test(test_output_file__devices_are_written_in_place),
		cmocka_unit_test(test_output_file__follows_no_link_of_another_user),
	};

	return cmocka_run_group_tests_name("base/output_file", tests, enter, leave);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An input is known by each of its names, and nothing but regular files is one. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/input_files.h"

static void test_names(void **state)
{
	char folder[] = "/tmp/cupel-inputs-XXXXXX";
	int fd;

	(void)state;
	assert_non_null(mkdtemp(folder));
	assert_int_equal(0, chdir(folder));
	fd = open("in", O_WRONLY | O_CREAT, 0600);
	assert_true(fd >= 0);
	assert_int_equal(0, close(fd));
	fd = open("other", O_WRONLY | O_CREAT, 0600);
	assert_true(fd >= 0);
	assert_int_equal(0, close(fd));
	assert_int_equal(0, link("in", "hard"));
	assert_int_equal(0, symlink("in", "soft"));
	assert_false(input_files_have("in"));
	input_files_add_path("missing");
	input_files_add_path("/dev/null");
	input_files_add_path("soft");
	input_files_add_path("in");
	assert_true(input_files_have("in"));
	assert_true(input_files_have("hard"));
	assert_true(input_files_have("soft"));
	assert_false(input_files_have("other"));
	assert_false(input_files_have("missing"));
	assert_false(input_files_have("/dev/null"));
	(void)unlink("in");
	(void)unlink("hard");
	(void)unlink("soft");
	(void)unlink("other");
	(void)rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_names) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A picture is written, or kept elsewhere. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/err.h"
#include "command/picture_write.h"
#include "profile/profile.h"

static void test_picture_write__fails_on_a_full_device(void **state)
{
	struct profile *profile = profile_new(0);
	struct buf picture = { 0 };
	struct err err = { 0 };

	(void)state;
	(void)buf_puts(&picture, "<svg/>");
	assert_int_not_equal(0, picture_write(profile, "/dev/full", false, &picture, &err));
	assert_non_null(strstr(err.msg, "/dev/full: No space left on device"));
	assert_int_equal(0, picture_write(profile, "/dev/null", true, &picture, &err));
	buf_done(&picture);
	profile_free(profile);
}

static void test_picture_rescue__names_the_file(void **state)
{
	static const char before[] = "the picture of the recording is in ";
	struct buf picture = { 0 };
	struct err err = { 0 };
	char found[16] = "";
	int fd;

	(void)state;
	(void)buf_puts(&picture, "<svg/>");
	picture_rescue(&picture, &err);
	assert_memory_equal(before, err.hint, sizeof(before) - 1);
	fd = open(err.hint + sizeof(before) - 1, O_RDONLY);
	assert_true(fd >= 0);
	assert_int_equal(6, read(fd, found, sizeof(found)));
	assert_string_equal("<svg/>", found);
	(void)close(fd);
	assert_int_equal(0, unlink(err.hint + sizeof(before) - 1));
	buf_done(&picture);
}

static void test_picture_put_words__stops_after_a_line(void **state)
{
	const char *words[] = { "cc",
				"a\x1b"
				"b",
				"a path of some eighty bytes that fills all that a title "
				"shows of a command",
				"left out" };
	struct buf title = { 0 };

	(void)state;
	picture_put_words(words, 4, &title);
	assert_string_equal(
		"cc a?b a path of some eighty bytes that fills all that a title shows of a "
		"command",
		title.data);
	buf_done(&title);
}

static void test_picture_put_machine__leaves_out_what_is_unknown(void **state)
{
	struct buf both = { 0 }, release = { 0 };

	(void)state;
	picture_put_machine("box", "6.1", &both);
	assert_string_equal("box \xc2\xb7 Linux 6.1", both.data);
	picture_put_machine(NULL, "6.1", &release);
	assert_string_equal("Linux 6.1", release.data);
	buf_done(&both);
	buf_done(&release);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_picture_write__fails_on_a_full_device),
		cmocka_unit_test(test_picture_rescue__names_the_file),
		cmocka_unit_test(test_picture_put_words__stops_after_a_line),
		cmocka_unit_test(test_picture_put_machine__leaves_out_what_is_unknown),
	};

	return cmocka_run_group_tests_name("command/picture_write", tests, NULL, NULL);
}

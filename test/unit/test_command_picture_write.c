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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_picture_write__fails_on_a_full_device),
		cmocka_unit_test(test_picture_rescue__names_the_file),
	};

	return cmocka_run_group_tests_name("command/picture_write", tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* base/user_cache: finds stored files, except those that other users may write. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/fd.h"
#include "base/user_cache.h"

static void read_back(int folder, const char *name, char *ret, size_t size)
{
	AUTO_CLOSE int fd = user_cache_get(folder, name);
	ssize_t n;

	assert_true(fd >= 0);
	n = fd_read_full(fd, ret, size - 1);
	assert_true(n >= 0);
	ret[n] = '\0';
}

static void test_user_cache__keeps_files(void **state)
{
	char home[] = "/tmp/user_cache_XXXXXX", path[128], text[16];
	int folder;

	(void)state;
	assert_non_null(mkdtemp(home));
	assert_int_equal(0, setenv("XDG_CACHE_HOME", home, 1));
	folder = user_cache_open(NULL, "things");
	assert_true(folder >= 0);
	assert_int_equal(-1, user_cache_get(folder, "a"));
	assert_true(user_cache_put(folder, "a", "first", 5));
	assert_true(user_cache_put(folder, "a", "second", 6));
	read_back(folder, "a", text, sizeof(text));
	assert_string_equal("second", text);
	(void)snprintf(path, sizeof(path), "%s/cupel/things/a", home);
	assert_int_equal(0, chmod(path, 0620));
	assert_int_equal(-1, user_cache_get(folder, "a"));
	assert_false(user_cache_put(folder, "no/such", "x", 1));
	assert_int_equal(0, unlink(path));
	assert_int_equal(0, symlink("/etc/passwd", path));
	assert_int_equal(-1, user_cache_get(folder, "a"));
	assert_int_equal(0, unlink(path));
	(void)close(folder);
	(void)snprintf(path, sizeof(path), "%s/cupel/things", home);
	assert_int_equal(0, rmdir(path)); /* no temporary file stayed */
	(void)snprintf(path, sizeof(path), "%s/cupel", home);
	assert_int_equal(0, rmdir(path));
	assert_int_equal(0, rmdir(home));
}

static void test_user_cache__can_be_none(void **state)
{
	(void)state;
	assert_int_equal(-1, user_cache_open("/proc/no/such/folder", "things"));
	assert_int_equal(0, unsetenv("XDG_CACHE_HOME"));
	assert_int_equal(0, setenv("HOME", "/no-such-home", 1)); /* which is not made */
	assert_int_equal(-1, user_cache_open(NULL, "things"));
	assert_int_equal(-1, access("/no-such-home", F_OK));
	assert_int_equal(0, unsetenv("HOME"));
	assert_int_equal(-1, user_cache_open(NULL, "things"));
}

static void test_user_cache__is_the_users_own_folder(void **state)
{
	char home[] = "/tmp/user_cache_XXXXXX", path[64], other[64];

	(void)state;
	assert_non_null(mkdtemp(home));
	assert_int_equal(0, setenv("XDG_CACHE_HOME", home, 1));
	(void)snprintf(path, sizeof(path), "%s/cupel", home);
	(void)snprintf(other, sizeof(other), "%s/other", home);
	assert_int_equal(0, mkdir(other, 0700));
	assert_int_equal(0, symlink(other, path));
	assert_int_equal(-1, user_cache_open(NULL, "things"));
	assert_int_equal(0, unlink(path));
	assert_int_equal(0, mkdir(path, 0700));
	assert_int_equal(0, chmod(path, 0777));
	assert_int_equal(-1, user_cache_open(NULL, "things"));
	if (geteuid() == 0) { /* a folder that another user owns */
		assert_int_equal(0, chmod(path, 0700));
		assert_int_equal(0, chown(path, 65534, 65534));
		assert_int_equal(-1, user_cache_open(NULL, "things"));
		assert_int_equal(0, chown(path, 0, 0));
		assert_int_equal(0, chown(home, 65534, 65534));
		assert_int_equal(-1, user_cache_open(NULL, "things"));
	}
	assert_int_equal(0, rmdir(path));
	assert_int_equal(0, rmdir(other));
	assert_int_equal(0, rmdir(home));
}

/* Folders on the way: links count if the user or root made them. */
static void test_user_cache__is_not_where_others_can_replace_it(void **state)
{
	char top[] = "/tmp/user_cache_XXXXXX", link[64], below[64], made[64];

	(void)state;
	assert_non_null(mkdtemp(top));
	(void)snprintf(link, sizeof(link), "%s/link", top);
	(void)snprintf(below, sizeof(below), "%s/below", top);
	(void)snprintf(made, sizeof(made), "%s/below/new", top);
	assert_int_equal(0, mkdir(below, 0700));
	assert_int_equal(0, symlink(below, link));
	assert_int_equal(0, setenv("XDG_CACHE_HOME", link, 1));
	AUTO_CLOSE int own = user_cache_open(NULL, "things");
	assert_true(own >= 0);
	if (geteuid() == 0) {
		assert_int_equal(0, lchown(link, 65534, 65534));
		assert_int_equal(-1, user_cache_open(NULL, "things"));
		assert_int_equal(0, chown(below, 65534, 65534));
		assert_int_equal(0, setenv("XDG_CACHE_HOME", made, 1));
		assert_int_equal(-1, user_cache_open(NULL, "things"));
		assert_int_equal(-1, access(made, F_OK)); /* nothing is made there */
	}
	(void)snprintf(made, sizeof(made), "%s/below/cupel/things", top);
	assert_int_equal(0, rmdir(made));
	(void)snprintf(made, sizeof(made), "%s/below/cupel", top);
	assert_int_equal(0, rmdir(made));
	assert_int_equal(0, rmdir(below));
	assert_int_equal(0, unlink(link));
	assert_int_equal(0, rmdir(top));
}

static void test_user_cache__knows_its_temporary_files(void **state)
{
	(void)state;
	assert_true(user_cache_is_temporary(".01234567890123456789"));
	assert_false(user_cache_is_temporary(".012345678901234567890"));
	assert_false(user_cache_is_temporary(".123"));
	assert_false(user_cache_is_temporary("."));
	assert_false(user_cache_is_temporary(".."));
	assert_false(user_cache_is_temporary(".bashrc"));
	assert_false(user_cache_is_temporary("123"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_user_cache__keeps_files),
		cmocka_unit_test(test_user_cache__can_be_none),
		cmocka_unit_test(test_user_cache__is_the_users_own_folder),
		cmocka_unit_test(test_user_cache__is_not_where_others_can_replace_it),
		cmocka_unit_test(test_user_cache__knows_its_temporary_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

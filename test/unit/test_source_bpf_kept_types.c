/* SPDX-License-Identifier: GPL-2.0-or-later */
/* source/bpf/kept_types: what was kept for the same object and kernel comes back, nothing else. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "source/bpf/kept_types.h"

static char home[] = "/tmp/kept_types_XXXXXX";

static int make_home(void **state)
{
	(void)state;
	return !mkdtemp(home) || setenv("XDG_CACHE_HOME", home, 1);
}

static int remove_home(void **state)
{
	char command[128];

	(void)state;
	(void)snprintf(command, sizeof(command), "rm -r %s", home);
	return system(command); /* NOLINT: a path of our own */
}

/* What is kept for the object "o" that names `wanted`; "" = nothing. */
static void get(const char *wanted, char *ret, size_t size)
{
	int to = memfd_create("to", MFD_CLOEXEC);
	struct kept_types kept;
	ssize_t n;

	assert_true(to >= 0);
	kept_types_open(&kept, "o", wanted, strlen(wanted));
	if (kept.folder < 0)
		skip(); /* a kernel that does not say which one it is */
	if (!kept_types_get(&kept, to))
		assert_int_equal(0, lseek(to, 0, SEEK_CUR));
	n = pread(to, ret, size - 1, 0);
	assert_true(n >= 0);
	ret[n] = '\0';
	kept_types_close(&kept);
	(void)close(to);
}

static void put(const char *wanted, const char *types)
{
	struct kept_types kept;

	kept_types_open(&kept, "o", wanted, strlen(wanted));
	kept_types_put(&kept, types, strlen(types));
	kept_types_close(&kept);
}

static void test_kept_types__come_back(void **state)
{
	char text[32];

	(void)state;
	get("one", text, sizeof(text));
	assert_string_equal("", text);
	put("one", "types of one");
	get("one", text, sizeof(text));
	assert_string_equal("types of one", text);
	get("two", text, sizeof(text));
	assert_string_equal("", text);
	put("two", "types of two"); /* the same object, changed */
	get("one", text, sizeof(text));
	assert_string_equal("", text);
}

static void test_kept_types__damaged(void **state)
{
	char text[32], path[128];

	(void)state;
	put("one", "types of one");
	get("one", text, sizeof(text));
	assert_string_equal("types of one", text);
	(void)snprintf(path, sizeof(path), "%s/cupel/bpf/o.types", home);
	for (int len = 28; len-- > 0;) {
		assert_int_equal(0, truncate(path, len));
		get("one", text, sizeof(text));
		assert_string_equal("", text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kept_types__come_back),
		cmocka_unit_test(test_kept_types__damaged),
	};

	return cmocka_run_group_tests(tests, make_home, remove_home);
}

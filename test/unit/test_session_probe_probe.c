/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/probe: functions of this very program are found by their names, and what is not there is
 * refused with the reason. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "session/probe/kernel_functions.h"
#include "session/probe/probe_binary.h"
#include "session/probe/probe_set.h"
#include "session/probe/probe_signature.h"

#define SELF "/proc/self/exe"

__attribute__((noinline, used)) static int probe_me_first(int x)
{
	return x + 1;
}

__attribute__((noinline, used)) static int probe_me_second(int x)
{
	return x + 2;
}

__attribute__((noinline, used)) static int probe_calls_back(int (*back)(int), int n)
{
	return back(n) + n;
}

static int add(struct probe_set *set, const char *text, struct err *err)
{
	const struct probe_set_options options = { 0 };

	*err = (struct err){ 0 };
	return probe_set_add(set, text, &options, err);
}

static void test_set__names_and_globs(void **state)
{
	struct probe_set set = { 0 };
	struct err err;

	(void)state;
	assert_int_equal(add(&set, SELF ":probe_me_first", &err), 0);
	assert_int_equal(set.choice.places.count, 1);
	assert_string_equal(set.choice.names.item[0], "probe_me_first");
	assert_int_equal(add(&set, SELF ":probe_me_*", &err), 0);
	assert_int_equal(set.choice.places.count, 2); /* the first one is there already */
	assert_int_equal(set.choice.binaries.count, 1);
	assert_int_equal(add(&set, "r:" SELF ":main+0", &err), 0);
	assert_non_null(strstr(set.placed.data, "probe_me_first"));
	probe_set_done(&set);
}

static void test_set__refuses_with_the_reason(void **state)
{
	struct probe_set set = { 0 };
	struct err err;

	(void)state;
	assert_int_equal(add(&set, SELF ":probe_me_frist", &err), -ENOENT);
	assert_non_null(strstr(err.hint, "'probe_me_first'"));
	assert_int_equal(add(&set, SELF ":malloc", &err), -ENOENT);
	assert_non_null(strstr(err.msg, "another library"));
	assert_int_equal(add(&set, SELF ":0x7fffffffff", &err), -ENOENT);
	assert_int_equal(add(&set, "/nowhere:main", &err), -ENOENT);
	assert_int_equal(add(&set, "nosuchlibrary:main", &err), -ENOENT);
	assert_int_equal(add(&set, "usdt:" SELF ":none", &err), -ENOENT);
	assert_int_equal(add(&set, "vfs_read", &err), -EOPNOTSUPP);
	assert_true(err.hint[0]);
	assert_int_equal(add(&set, "r:c:_setjmp", &err), -EOPNOTSUPP);
	assert_non_null(strstr(err.msg, "returns twice"));
	assert_int_equal(add(&set, "r:c:swapcontext", &err), -EOPNOTSUPP);
	assert_int_equal(set.choice.places.count, 0);
	probe_set_done(&set);
}

/* An exception may pass through what calls back, so its return address must stay. */
static void test_set__exits_of_what_calls_back(void **state)
{
	struct probe_set set = { 0 };
	const struct probe_place *entry;
	struct err err;

	(void)state;
	assert_int_equal(add(&set, "r:" SELF ":probe_calls_back", &err), 0);
	entry = &set.choice.places.item[0];
	assert_true(entry->has_exits);
	assert_false(entry->shares_exits);
	assert_true(set.choice.exits.count > 0);
	for (size_t i = 0; i < set.choice.exits.count; i++) {
		assert_int_equal(set.choice.exits.item[i].entry, entry->offset);
		assert_true(set.choice.exits.item[i].offset > entry->offset);
	}
	assert_int_equal(add(&set, SELF ":probe_calls_back", &err), 0);
	probe_set_done(&set);
}

static void test_kernel__names_and_tracepoints(void **state)
{
	char all[] = "vfs_read\nvfs_write\n__ftrace_invalid_address___64\nvfs_read\n"
		     "ext4_sync [ext4]\n";
	char again[sizeof(all)];
	struct kernel_functions found = { 0 };
	struct arena arena = { 0 };
	struct buf points = { 0 };
	struct err err = { 0 };

	(void)state;
	memcpy(again, all, sizeof(all));
	assert_int_equal(kernel_functions_match(all, "*", &arena, &found, &err), 0);
	assert_int_equal(found.item.count, 3);
	assert_string_equal(found.item.item[0], "ext4_sync");
	assert_string_equal(found.item.item[2], "vfs_write");
	kernel_functions_done(&found);
	assert_int_equal(kernel_functions_match(again, "vfs_raed", &arena, &found, &err), -ENOENT);
	assert_non_null(strstr(err.hint, "'vfs_read'"));
	kernel_functions_put_tracepoints("vfs_read", &points);
	assert_string_equal(points.data, "t:syscalls:sys_enter_read");
	buf_clear(&points);
	kernel_functions_put_tracepoints("__x64_sys_fchown", &points);
	assert_string_equal(points.data, "t:syscalls:sys_enter_fchown");
	buf_clear(&points);
	kernel_functions_put_tracepoints("nothing", &points);
	assert_int_equal(points.len, 0);
	buf_done(&points);
	arena_done(&arena);
}

static int add_at(struct probe_set *set, const char *kind, uint64_t offset, struct err *err)
{
	char text[128];

	(void)snprintf(text, sizeof(text), "%s" SELF ":probe_me_first+%llu", kind,
		       (unsigned long long)offset);
	return add(set, text, err);
}

static void test_set__only_starts_of_instructions(void **state)
{
	struct probe_set set = { 0 };
	struct err err;
	int good = 0, bad = 0;

	(void)state;
	for (uint64_t i = 0; i < 8; i++) {
		int code = add_at(&set, "", i, &err);

		good += code == 0;
		bad += code == -EINVAL && strstr(err.msg, "no instruction starts at") &&
		       strstr(err.hint, "probe_me_first+");
	}
	assert_true(good > 1 && bad);
	assert_int_equal(add_at(&set, "", 4000, &err), -ENOENT);
	assert_non_null(strstr(err.msg, "behind the function's end"));
	assert_int_equal(add_at(&set, "", 1ull << 32, &err), -ENOENT);
	assert_int_equal(add(&set, SELF ":0x10", &err), -ENOENT); /* the header */
	assert_non_null(strstr(err.msg, "in no function"));
	/* what is on the stack there is no return address */
	assert_int_not_equal(probe_set_add(&set, SELF ":probe_me_first+4",
					   &(struct probe_set_options){ .returns = true }, &err),
			     0);
	assert_non_null(strstr(err.msg, "only whole functions"));
	probe_set_done(&set);
}

static void test_match__mangled_names(void **state)
{
	(void)state;
	assert_true(probe_name_matches("_ZN2ns1fEi", "ns::f", true));
	assert_true(probe_name_matches("_ZN2ns1fEi", "ns::*", true));
	assert_true(probe_name_matches("_ZNK1C1gEPFvvE", "C::g", true));
	assert_false(probe_name_matches("_ZN2ns1fEi", "ns::f", false));
	assert_false(probe_name_matches("_ZN2ns1fEi", "f", true));
	assert_true(probe_name_matches("malloc", "m?lloc", false));
}

static void test_binary__is_found_as_the_linker_finds_it(void **state)
{
	struct err err = { 0 };
	char *path;

	(void)state;
	assert_int_equal(probe_binary_find("c", 0, &path, &err), 0);
	assert_non_null(strstr(path, "libc.so.6"));
	free(path);
	assert_int_equal(probe_binary_find("sh", 0, &path, &err), 0);
	free(path);
	assert_int_equal(probe_binary_find("libc.so.6", (int)getpid(), &path, &err), 0);
	assert_non_null(strstr(path, "/root/"));
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_set__names_and_globs),
		cmocka_unit_test(test_set__refuses_with_the_reason),
		cmocka_unit_test(test_set__only_starts_of_instructions),
		cmocka_unit_test(test_set__exits_of_what_calls_back),
		cmocka_unit_test(test_kernel__names_and_tracepoints),
		cmocka_unit_test(test_match__mangled_names),
		cmocka_unit_test(test_binary__is_found_as_the_linker_finds_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

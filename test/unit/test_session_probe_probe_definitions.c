/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/probe: definitions of probes are kept under their names, in a file that only the user may
 * write. */
#include <errno.h>
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

#include "base/arena.h"
#include "base/err.h"
#include "session/probe/probe_definitions.h"

struct folder {
	char path[64], store[128];
};

static int make(void **state)
{
	struct folder *folder = calloc(1, sizeof(*folder));

	assert_non_null(folder);
	(void)snprintf(folder->path, sizeof(folder->path), "%s", "/tmp/probe_definitions_XXXXXX");
	assert_non_null(mkdtemp(folder->path));
	(void)snprintf(folder->store, sizeof(folder->store), "%s/cupel/probes", folder->path);
	assert_int_equal(setenv("XDG_CONFIG_HOME", folder->path, 1), 0);
	*state = folder;
	return 0;
}

static int drop(void **state)
{
	struct folder *folder = *state;
	char *slash;

	(void)unlink(folder->store);
	slash = strrchr(folder->store, '/');
	*slash = '\0';
	(void)rmdir(folder->store);
	assert_int_equal(rmdir(folder->path), 0); /* nothing else is there */
	free(folder);
	return 0;
}

#define SPEC "probe:/usr/lib/libc.so.6:malloc size=$arg1:u64"

static void test_definitions__are_kept_found_and_removed(void **state)
{
	const struct folder *folder = *state;
	struct err err = { 0 };
	struct stat st;
	char *spec = NULL;

	assert_int_equal(probe_definition_find("probe_libc:malloc", &spec, &err), -ENOENT);
	assert_int_equal(access(folder->store, F_OK), -1); /* reading makes nothing */
	assert_int_equal(probe_definition_add("probe_libc:malloc", SPEC, &err), 0);
	assert_int_equal(probe_definition_add("probe_libc:calloc", "probe:/x:calloc", &err), 0);
	assert_int_equal(stat(folder->store, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(probe_definition_add("probe_libc:malloc", SPEC, &err), -EEXIST);
	assert_non_null(strstr(err.hint, "-f"));
	assert_int_equal(probe_definition_find("probe_libc:malloc", &spec, &err), 0);
	assert_string_equal(spec, SPEC);
	free(spec);
	assert_int_equal(probe_definition_find("probe_libc:maloc", &spec, &err), -ENOENT);
	assert_non_null(strstr(err.hint, "'probe_libc:malloc'"));
	assert_int_equal(probe_definition_remove("probe_libc:malloc", &err), 0);
	assert_int_equal(probe_definition_remove("probe_libc:malloc", &err), -ENOENT);
	assert_int_equal(probe_definition_find("probe_libc:calloc", &spec, &err), 0);
	free(spec);
}

static void test_definitions__in_lists_of_events(void **state)
{
	static const char *const same[] = { "cpu-clock", "sched:sched_switch", "a:bc",
					    "xa:b",	 "probe:c:a:b",	       "a:b:u" };
	struct arena arena = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(probe_definition_add("a:b", "probe:/x:f x=$arg1", &err), 0);
	for (size_t i = 0; i < sizeof(same) / sizeof(*same); i++)
		assert_ptr_equal(probe_definitions_expand(same[i], &arena), same[i]);
	assert_string_equal(probe_definitions_expand("a:b", &arena), "a:b=probe:/x:f x=$arg1");
	assert_string_equal(probe_definitions_expand("{cycles,a:b},a:b", &arena),
			    "{cycles,a:b=probe:/x:f x=$arg1},a:b=probe:/x:f x=$arg1");
	assert_int_equal(probe_definition_add("a:c", "probe:/x:g", &err), 0);
	assert_string_equal(probe_definitions_expand("cycles,a:*,b:*", &arena),
			    "cycles,a:b=probe:/x:f x=$arg1,a:c=probe:/x:g,b:*");
	assert_string_equal(probe_definitions_expand("a:[c-d]", &arena), "a:c=probe:/x:g");
	assert_string_equal(probe_definitions_expand("*:c", &arena), "*:c");
	assert_string_equal(probe_definitions_expand("a:d*", &arena), "a:d*");
	assert_string_equal(probe_definitions_expand("probe:a:*", &arena), "probe:a:*");
	assert_string_equal(probe_definitions_expand("a:*:u", &arena), "a:*:u");
	arena_done(&arena);
}

static void test_definitions__of_others_are_not_read(void **state)
{
	const struct folder *folder = *state;
	struct err err = { 0 };
	char *spec = NULL;

	assert_int_equal(probe_definition_add("probe_libc:malloc", SPEC, &err), 0);
	assert_int_equal(chmod(folder->store, 0622), 0);
	assert_int_equal(probe_definition_find("probe_libc:malloc", &spec, &err), -EACCES);
	assert_int_equal(probe_definition_add("probe_libc:x", SPEC, &err), -EACCES);
}

static void test_definitions__lines(void **state)
{
	static const char text[] = "b:one\tprobe:/x:f\n"
				   "malformed\n"
				   "no_group\tprobe:/x:f\n"
				   "a:none\tprobe:/x:\n"
				   "a:\tprobe:/x:f\n"
				   "a:esc\tprobe:/x:\033[2J\n"
				   "a:two\tprobe:/x:ns::f+4 a=b c\n"
				   "b:one\tprobe:/y:g";
	struct probe_definitions all;

	(void)state;
	probe_definitions_parse(text, sizeof(text) - 1, &all);
	assert_int_equal(all.item.count, 2);
	assert_string_equal(all.item.item[0].name, "a:two");
	assert_string_equal(probe_spec_place(all.item.item[0].spec), "ns::f+4 a=b c");
	assert_string_equal(all.item.item[1].name, "b:one");
	probe_definitions_done(&all);
	probe_definitions_parse("", 0, &all);
	assert_int_equal(all.item.count, 0);
	probe_definitions_done(&all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_definitions__are_kept_found_and_removed, make,
						drop),
		cmocka_unit_test_setup_teardown(test_definitions__in_lists_of_events, make, drop),
		cmocka_unit_test_setup_teardown(test_definitions__of_others_are_not_read, make,
						drop),
		cmocka_unit_test(test_definitions__lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/probe: what is listed of persistent probes, functions by filter, and names of
 * definitions. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "session/probe/fetch_expression.h"
#include "session/probe/probe_arguments.h"
#include "session/probe/probe_define.h"
#include "session/probe/probe_request.h"
#include "session/probe/probe_source.h"
#include "session/probe/show_probes.h"

static void test_filter__globs(void **state)
{
	(void)state;
	assert_true(probe_filter_matches("w*", "work"));
	assert_false(probe_filter_matches("!w*", "work"));
	assert_true(probe_filter_matches("!_* & !*@plt", "work"));
	assert_false(probe_filter_matches("!_* & !*@plt", "puts@plt"));
	assert_false(probe_filter_matches("!_* & !*@plt", "_start"));
	assert_true(probe_filter_matches("a|w* & *k", "work"));
	assert_false(probe_filter_matches("a|w* & *x", "work"));
	assert_false(probe_filter_matches("", "work"));
}

static void check_name(const char *definition, const char *path, const char *function,
		       const char *wanted)
{
	struct arena arena = { 0 };
	struct probe_request request;
	struct buf name = { 0 };
	struct err err = { 0 };

	assert_int_equal(probe_request_parse(definition, &arena, &request, &err), 0);
	probe_request_name(&request, path, function, &name);
	assert_string_equal(name.data, wanted);
	buf_done(&name);
	arena_done(&arena);
}

static void test_request__has_perfs_name(void **state)
{
	(void)state;
	check_name("malloc size=$arg1", "/usr/lib/libc.so.6", NULL, "probe_libc:malloc");
	check_name("work%return", "/tmp/my-prog", NULL, "probe_my:work__return");
	check_name("work:3", "/a/b", NULL, "probe_b:work_L3");
	check_name("work.c:7", "/a/b", "work", "probe_b:work");
	check_name("work.c;*x*", "/a/b", "work.constprop.0", "probe_b:work");
	check_name("0x1234", "/a/b", NULL, "probe_b:place");
	check_name("ns::C::f", "/a/b", NULL, "probe_b:ns__C__f");
	check_name("x=work+4 a", "/a/b", NULL, "probe_b:x");
	check_name("g:x=work", "/a/b", NULL, "g:x");
}

static void test_request__malformed(void **state)
{
	static const char *const bad[] = { "", " ", "1x=work", "g:=work", "=work", "wo\trk\033" };
	struct arena arena = { 0 };
	struct probe_request request;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct err err = { 0 };

		assert_int_not_equal(probe_request_parse(bad[i], &arena, &request, &err), 0);
		assert_true(err.usage);
	}
	arena_done(&arena);
}

static void test_arguments__are_split_and_named(void **state)
{
	const struct fetch_scope scope = { 0 };
	struct probe_arguments all = { 0 };
	struct arena arena = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(probe_arguments_parse("  a=$arg1:u64 p->name:string b==c n=f(1 , 2)",
					       &scope, &arena, &all, &err),
			 0);
	assert_int_equal(all.item.count, 4);
	assert_string_equal(all.item.item[0].name, "a");
	assert_string_equal(all.item.item[0].expression, "$arg1:u64");
	assert_string_equal(all.item.item[1].name, "name");
	assert_string_equal(all.item.item[1].expression, "p->name:string");
	assert_string_equal(all.item.item[2].name, "c");
	assert_string_equal(all.item.item[3].expression, "f(1 , 2)");
	assert_int_not_equal(probe_arguments_parse("$vars", &scope, &arena, &all, &err), 0);
	assert_non_null(strstr(err.msg, "no debug info"));
	probe_arguments_done(&all);
	arena_done(&arena);
}

static void test_source__matches_without_blanks(void **state)
{
	(void)state;
	assert_true(probe_source_matches("\tsum += p->x * i;\nnext", "sum+=*"));
	assert_true(probe_source_matches("\tsum += p->x * i;", "*p->x * i;"));
	assert_false(probe_source_matches("\tsum += p->x * i;", "sum"));
	assert_false(probe_source_matches("\n", "*"));
}

static void put_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static void run(const char *command, const char *path, const char *below)
{
	char text[256];

	(void)snprintf(text, sizeof(text), "%s %s%s", command, path, below);
	assert_int_equal(system(text), 0);
}

static void test_list__says_what_has_changed(void **state)
{
	char root[] = "/tmp/show_probes_XXXXXX", path[128];
	struct buf out = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_non_null(mkdtemp(root));
	assert_int_equal(setenv("XDG_CONFIG_HOME", root, 1), 0);
	run("mkdir -p", root, "/sys/kernel/tracing/events");
	(void)snprintf(path, sizeof(path), "%s/sys/kernel/tracing/uprobe_events", root);
	put_file(path, "p:probe_gone/f /nowhere/at/all:0x1000 a=%di b=%si\n"
		       "p:probe_self/f /proc/self/exe:0x7fffffff\n");
	(void)snprintf(path, sizeof(path), "%s/sys/kernel/tracing/kprobe_events", root);
	put_file(path, "p:kprobes/f vfs_read+0\nr:kprobes/g vfs_read+0\n");
	assert_int_equal(show_probes(NULL, root, &out, &err), 0);
	assert_non_null(strstr(out.data,
			       "  probe_gone:f         (on 0x1000 in /nowhere/at/all with a "
			       "b) [the file is gone]\n"));
	assert_non_null(strstr(out.data, "(on 0x7fffffff in /proc/self/exe) [no code is there: the "
					 "file has changed]\n"));
	assert_non_null(strstr(out.data, "  kprobes:f            (on vfs_read)\n"));
	assert_non_null(strstr(out.data, "  kprobes:g            (on vfs_read%return)\n"));
	buf_clear(&out);
	assert_int_equal(show_probes("probe_self:*", root, &out, &err), 0);
	assert_null(strstr(out.data, "probe_gone"));
	buf_clear(&out);
	assert_int_equal(remove_probes("probe_*:f", root, &out, &err), 0);
	assert_string_equal(out.data, "Removed event: probe_gone:f\nRemoved event: probe_self:f\n");
	assert_int_equal(remove_probes("probe_none:*", root, &out, &err), -ENOENT);
	buf_done(&out);
	run("rm -r", root, "");
}

static void test_define__checks_places_and_arguments(void **state)
{
	struct probe_defined_list defined = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(
		probe_define("/proc/self/exe", "x:y=main n=$arg1:u32", NULL, &defined, &err), 0);
	assert_int_equal(defined.item.count, 1);
	assert_string_equal(defined.item.item[0].name.data, "x:y");
	assert_non_null(strstr(defined.item.item[0].spec.data, ":main n=$arg1:u32"));
	assert_int_equal(probe_define_again(defined.item.item[0].spec.data, &err), 0);
	probe_defined_list_done(&defined);
	defined = (struct probe_defined_list){ 0 };
	assert_int_equal(probe_define("/nowhere", "main", NULL, &defined, &err), -ENOENT);
	assert_int_not_equal(probe_define_again("probe:/nowhere:main", &err), 0);
	probe_defined_list_done(&defined);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_filter__globs),
		cmocka_unit_test(test_request__has_perfs_name),
		cmocka_unit_test(test_request__malformed),
		cmocka_unit_test(test_arguments__are_split_and_named),
		cmocka_unit_test(test_source__matches_without_blanks),
		cmocka_unit_test(test_list__says_what_has_changed),
		cmocka_unit_test(test_define__checks_places_and_arguments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

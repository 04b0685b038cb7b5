/* SPDX-License-Identifier: GPL-2.0-or-later */
/* symbol/perfmap: parsing, updates and garbage; and a real map of this process. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <stdio.h>
#include <unistd.h>

#include "proc/module.h"
#include "symbol/jit/perfmap.h"
#include "symbol/symbolizer.h"

static void parse(const char *text, struct perfmap *ret)
{
	perfmap_parse(strdup(text), strlen(text), ret);
}

static const char *name_at(const struct perfmap *map, uint64_t address)
{
	const struct range *range = range_table_find(&map->ranges, address);

	return range ? map->text + range->name : NULL;
}

static void test_perfmap__names_keep_their_spaces(void **state)
{
	struct perfmap map;

	(void)state;
	parse("7f0000001000 40 JS:~foo a.js:1:2\r\n0x7F0000002000 0x10 Lint;::f(I)V  \n", &map);
	assert_int_equal(0, map.malformed);
	assert_string_equal("JS:~foo a.js:1:2", name_at(&map, 0x7f000000103f));
	assert_null(name_at(&map, 0x7f0000001040));
	assert_string_equal("Lint;::f(I)V", name_at(&map, 0x7f0000002000));
	perfmap_done(&map);
}

static void test_perfmap__later_entries_win(void **state)
{
	struct perfmap map;

	(void)state;
	parse("1000 100 old\n1000 100 new\n1080 10 inner\n10f0 20 tail\n", &map);
	assert_string_equal("new", name_at(&map, 0x1000));
	assert_string_equal("inner", name_at(&map, 0x1080));
	assert_string_equal("new", name_at(&map, 0x1090));
	assert_string_equal("tail", name_at(&map, 0x10f0));
	assert_string_equal("tail", name_at(&map, 0x110f));
	assert_null(name_at(&map, 0x1110));
	perfmap_done(&map);
}

static void test_perfmap__garbage_is_counted(void **state)
{
	struct perfmap map;

	(void)state;
	parse("garbage\n\n1000\n1000 \n1000 10\n1000 10 \n1000 0 empty\n"
	      "ffffffffffffffff 10 wraps\n11112222333344445 1 long\n2000 10 \001ok\n3000 8 end",
	      &map);
	assert_int_equal(9, map.malformed);
	assert_string_equal("?ok", name_at(&map, 0x2000));
	assert_string_equal("end", name_at(&map, 0x3007));
	perfmap_done(&map);
}

static void test_perfmap__finds_the_map_of_a_process(void **state)
{
	struct module_table *modules = module_table_new();
	struct module *module =
		module_table_named(modules, MODULE_JIT, "//anon", (uint32_t)getpid());
	struct symbol_options options = { .demangle = true };
	struct symbolizer *symbolizer = symbolizer_open(module, &options);
	struct symbol symbol;
	char path[64];
	FILE *file;

	(void)state;
	assert_false(symbolizer_resolve(symbolizer, 0x1234, &symbol));
	assert_string_equal("no perf map for this process", symbolizer_problem(symbolizer));
	symbolizer_close(symbolizer);

	(void)snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	file = fopen(path, "we");
	assert_non_null(file);
	assert_true(fputs("1000 1000 hot loop\nbad\n", file) >= 0);
	assert_int_equal(0, fclose(file));
	symbolizer = symbolizer_open(module, &options);
	assert_true(symbolizer_resolve(symbolizer, 0x1234, &symbol));
	assert_string_equal("hot loop", symbol.frame[0].name);
	assert_int_equal(0x1000, symbol.start);
	assert_string_equal("1 invalid lines in the perf map", symbolizer_problem(symbolizer));
	symbolizer_close(symbolizer);
	module_table_free(modules);
	assert_int_equal(0, unlink(path));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_perfmap__names_keep_their_spaces),
		cmocka_unit_test(test_perfmap__later_entries_win),
		cmocka_unit_test(test_perfmap__garbage_is_counted),
		cmocka_unit_test(test_perfmap__finds_the_map_of_a_process),
	};

	return cmocka_run_group_tests_name("symbol/perfmap", tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Python functions as paths of mappings, and back. */
#include "symbol/python/python_place.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "proc/module.h"
#include "symbol/symbolizer.h"

static void expect(const char *name, const char *file, const char *path, const char *shown)
{
	const struct symbol_options options = { .symfs = "" };
	struct module module = { .kind = MODULE_PYTHON };
	struct symbolizer *symbolizer;
	struct symbol symbol;
	struct buf buf = { 0 };

	python_place_put(name, file, &buf);
	(void)buf_putc(&buf, '\0');
	assert_string_equal(buf.data, path);
	assert_int_equal(module_kind_of((const char *)buf.data, 0), MODULE_PYTHON);
	module.path = (const char *)buf.data;
	symbolizer = symbolizer_open(&module, &options);
	assert_true(symbolizer_resolve(
		symbolizer, python_place_address(5, 42) - 1 - python_place_start(5), &symbol));
	assert_int_equal(symbol.frame[0].line, 42);
	assert_true(symbolizer_resolve(
		symbolizer, python_place_address(5, 42) - python_place_start(5), &symbol));
	assert_int_equal(symbol.frame[0].line, 42);
	assert_string_equal(symbol.frame[0].name, shown);
	symbolizer_close(symbolizer);
	buf_done(&buf);
}

static void test_python_place__there_and_back(void **state)
{
	(void)state;
	expect("Job.run", "/srv/my app (1).py", "[python] Job.run (/srv/my app (1).py)",
	       "Job.run@my app (1).py");
	expect("f.<locals>.<lambda>", "x.py", "[python] f.<locals>.<lambda> (x.py)",
	       "f.<locals>.<lambda>@x.py");
	expect("[unread]", "", "[python] [unread] ()", "[unread]");
}

static void test_python_place__hostile_names(void **state)
{
	(void)state;
	expect("a (b)", "c", "[python] a ?b) (c)", "a ?b)@c");
	expect("a\x1b[31m", "c\n", "[python] a?[31m (c?)", "a?[31m@c?");
}

static void test_python_place__ignores_other_files(void **state)
{
	struct python_place_name place;

	(void)state;
	assert_false(python_place_parse("/usr/bin/python3", &place));
	assert_false(python_place_parse("[python] ", &place));
	assert_false(python_place_parse("[python] )", &place));
	assert_false(python_place_parse("[python] a (b", &place));
	assert_true(python_place_parse("[python]  ()", &place));
	assert_int_equal(place.file_len, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_python_place__there_and_back),
		cmocka_unit_test(test_python_place__hostile_names),
		cmocka_unit_test(test_python_place__ignores_other_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

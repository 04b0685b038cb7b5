/* SPDX-License-Identifier: GPL-2.0-or-later */
/* symbol/kept: what is written is read again, for the module that it was of and no other; damaged
 * bytes are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/err.h"
#include "proc/module.h"
#include "symbol/kept/kept_names.h"
#include "symbol/symbolizer.h"

static const struct module program = {
	.kind = MODULE_FILE, .path = "/no/such/program", .maj = 8, .min = 1, .ino = 77
};
static const struct module with_id = { .kind = MODULE_FILE,
				       .path = "/no/such/library",
				       .build_id = { 3, "abc" } };

static void fill(struct buf *ret)
{
	struct kept_names_writer *writer = kept_names_writer_new();
	struct symbol one = { .start = 0x100, .end = 0x140, .binding = 'g', .count = 1 };
	struct symbol two = { .start = 0x200, .end = 0x280, .binding = 'l', .count = 2 };

	one.frame[0] = (struct symbol_frame){ .name = "hot" };
	two.frame[0] = (struct symbol_frame){ "inner", "in.h", 7, true };
	two.frame[1] = (struct symbol_frame){ "outer", "out.c", 9, false };
	kept_names_add(writer, &program, 0x220, &two);
	kept_names_add(writer, &with_id, 0x110, &one);
	kept_names_add(writer, &program, 0x110, &one);
	kept_names_add(writer, &program, 0x130, &one); /* the same function */
	kept_names_write(writer, ret);
	kept_names_writer_free(writer);
}

static struct kept_names *parse(const struct buf *bytes)
{
	struct kept_names *names = NULL;
	struct err err = { 0 };

	assert_int_equal(kept_names_parse((const uint8_t *)bytes->data, bytes->len, &names, &err),
			 0);
	return names;
}

static void test_what_is_written_is_read(void **state)
{
	struct buf bytes = { 0 };
	struct kept_names *names;
	const struct kept_module *module;
	const struct kept_place *place;
	struct symbol symbol;

	(void)state;
	fill(&bytes);
	names = parse(&bytes);
	module = kept_names_find(names, &program);
	assert_int_equal(module->place_count, 2);
	assert_null(kept_module_place(module, 0xff));
	assert_null(kept_module_place(module, 0x140));
	place = kept_module_place(module, 0x13f); /* never hit, but of that function */
	kept_module_symbol(module, place, 0x13f, &symbol);
	assert_string_equal(symbol.frame[0].name, "hot");
	assert_int_equal(symbol.binding, 'g');
	place = kept_module_place(module, 0x220);
	kept_module_symbol(module, place, 0x220, &symbol);
	assert_int_equal(symbol.count, 2);
	assert_string_equal(symbol.frame[0].name, "inner");
	assert_string_equal(symbol.frame[0].file, "in.h");
	assert_int_equal(symbol.frame[0].line, 7);
	assert_true(symbol.frame[0].inlined);
	assert_int_equal(symbol.start, 0x200);
	assert_int_equal(symbol.end, 0x280);
	place = kept_module_place(module, 0x222); /* not what is inlined elsewhere */
	kept_module_symbol(module, place, 0x222, &symbol);
	assert_int_equal(symbol.count, 1);
	assert_string_equal(symbol.frame[0].name, "outer");
	assert_null(symbol.frame[0].file);
	kept_names_free(names);
	buf_done(&bytes);
}

static void test_a_module_is_found_by_its_identity(void **state)
{
	struct buf bytes = { 0 };
	struct kept_names *names;
	struct module other;

	(void)state;
	fill(&bytes);
	names = parse(&bytes);
	other = program;
	other.ino++;
	assert_null(kept_names_find(names, &other));
	other = program;
	other.build_id = with_id.build_id;
	assert_ptr_equal(kept_names_find(names, &other), kept_names_find(names, &with_id));
	other.build_id.bytes[0]++;
	assert_null(kept_names_find(names, &other));
	assert_null(kept_names_find(NULL, &program));
	assert_false(kept_module_is_file(kept_names_find(names, &program), "/proc/self/exe"));
	kept_names_free(names);
	buf_done(&bytes);
}

static void test_the_chain_names_a_missing_file(void **state)
{
	struct symbol_options options = { .inlines = true };
	struct buf bytes = { 0 };
	struct symbolizer *symbolizer;
	struct symbol symbol;

	(void)state;
	fill(&bytes);
	options.kept = parse(&bytes);
	symbolizer = symbolizer_open(&program, &options);
	assert_true(symbolizer_resolve(symbolizer, 0x220, &symbol));
	assert_int_equal(symbol.count, 2);
	assert_false(symbolizer_resolve(symbolizer, 0x300, &symbol));
	symbolizer_close(symbolizer);
	options.inlines = false;
	symbolizer = symbolizer_open(&program, &options);
	assert_true(symbolizer_resolve(symbolizer, 0x220, &symbol));
	assert_int_equal(symbol.count, 1);
	assert_string_equal(symbol.frame[0].name, "outer");
	symbolizer_close(symbolizer);
	kept_names_free((struct kept_names *)(uintptr_t)options.kept);
	buf_done(&bytes);
}

static void test_what_is_cut_off_is_refused(void **state)
{
	struct buf bytes = { 0 };
	struct kept_names *names;
	struct err err = { 0 };

	(void)state;
	fill(&bytes);
	for (size_t len = 0; len < bytes.len; len++)
		assert_true(kept_names_parse((const uint8_t *)bytes.data, len, &names, &err) < 0);
	buf_done(&bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_written_is_read),
		cmocka_unit_test(test_a_module_is_found_by_its_identity),
		cmocka_unit_test(test_the_chain_names_a_missing_file),
		cmocka_unit_test(test_what_is_cut_off_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

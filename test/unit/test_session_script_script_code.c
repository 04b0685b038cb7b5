/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/script/script_code: the instruction at a place of a file; none where there is no code. */
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "proc/module.h"
#include "session/replay.h"
#include "session/script/script_code.h"
#include "symbol/code/code_image.h"
#include "symbol/code/disassembler.h"

extern const Elf64_Ehdr __ehdr_start; /* by the linker */

int main(void);

/* Where main() is in the file of this test. */
static uint64_t offset_of_main(const struct module *module, const struct symbol_options *options)
{
	/* a program that is linked to a fixed place has its addresses in the file */
	uintptr_t base = __ehdr_start.e_type == ET_DYN ? (uintptr_t)&__ehdr_start : 0;
	uint64_t address = (uintptr_t)main - base, offset;
	struct code_image *image;
	struct err err = { 0 };

	assert_int_equal(0, code_image_open(module, options, &image, &err));
	assert_true(code_image_offset(image, address, &offset));
	code_image_close(image);
	return offset;
}

static void test_script_code__bytes_of_an_instruction(void **state)
{
	const struct symbol_options options = { 0 };
	struct module_table *table = module_table_new();
	struct replay_frame frame = { .module = module_table_named(table, MODULE_FILE,
								   "/proc/self/exe", 0) };
	struct replay_frame gone = { .module = module_table_named(table, MODULE_FILE,
								  "/nowhere/app", 0) };
	struct script_code *code = script_code_new(&options);
	const uint8_t *bytes = NULL;
	struct err err = { 0 };
	size_t len;

	(void)state;
	if (disassembler_load(&err))
		skip(); /* the decoder is not installed */
	frame.offset = offset_of_main(frame.module, &options);
	len = script_code_at(code, &frame, &bytes);
	assert_true(len > 0 && len < 16);
	assert_memory_equal((const void *)(uintptr_t)main, bytes, len);
	assert_int_equal(0, script_code_at(code, &gone, &bytes));
	assert_int_equal(len, script_code_at(code, &frame, &bytes)); /* from the open file */
	frame.offset = UINT64_MAX;
	assert_int_equal(0, script_code_at(code, &frame, &bytes));
	script_code_free(code);
	module_table_free(table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_script_code__bytes_of_an_instruction),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

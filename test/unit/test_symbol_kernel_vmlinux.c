/* SPDX-License-Identifier: GPL-2.0-or-later */
/* symbol/vmlinux: the image a user names, slid to where the kernel lay; never another kernel's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/fd.h"
#include "elf_builder.h"
#include "proc/module.h"
#include "symbol/symbolizer.h"

#define TEXT 0xffffffff9a000000u

static void test_vmlinux__names_at_the_recorded_place(void **state)
{
	char path[] = "/tmp/cupel-vmlinux-XXXXXX";
	AUTO_CLOSE int fd = mkstemp(path);
	struct symbol_options options = { .vmlinux_path = path,
					  .kallsyms_path = "/proc/nonexistent" };
	struct module_table *modules = module_table_new();
	struct module *kernel = module_table_named(modules, MODULE_KERNEL, "[kernel.kallsyms]", 0);
	struct symbolizer *symbolizer;
	struct elf_builder b;
	struct symbol symbol;

	(void)state;
	builder_start(&b, false);
	builder_build_id(&b, "aaaaaaaaaaaaaaaaaaaa");
	builder_symbol(&b, "schedule", 0x20, 0x10, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC));
	builder_finish(&b);
	assert_int_equal(0, fd_write_all(fd, b.data, b.len));
	kernel->text_start = TEXT;
	kernel->build_id = (struct build_id){ 20, "aaaaaaaaaaaaaaaaaaaa" };
	symbolizer = symbolizer_open(kernel, &options);
	assert_true(symbolizer_resolve(symbolizer, TEXT + 0x2f, &symbol));
	assert_string_equal("schedule", symbol.frame[0].name);
	assert_int_equal(TEXT + 0x20, symbol.start);
	assert_int_equal(TEXT + 0x30, symbol.end);
	assert_false(symbolizer_resolve(symbolizer, TEXT + 0x30, &symbol));
	symbolizer_close(symbolizer);

	kernel->build_id.bytes[0]++;
	symbolizer = symbolizer_open(kernel, &options);
	assert_false(symbolizer_resolve(symbolizer, TEXT + 0x2f, &symbol));
	assert_non_null(strstr(symbolizer_problem(symbolizer), "not the recorded kernel"));
	symbolizer_close(symbolizer);
	module_table_free(modules);
	assert_int_equal(0, unlink(path));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_vmlinux__names_at_the_recorded_place),
	};

	return cmocka_run_group_tests_name("symbol/vmlinux", tests, NULL, NULL);
}

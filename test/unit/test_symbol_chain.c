/* SPDX-License-Identifier: GPL-2.0-or-later */
/* symbol/chain: every kind of module gets the symbolizers that are for it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <sys/auxv.h>

#include "proc/module.h"
#include "symbol/symbolizer.h"

static const struct symbol_options options = { .demangle = true };

static void test_chain__bpf_programs_are_what_the_recording_says(void **state)
{
	struct module_table *modules = module_table_new();
	struct module *module =
		module_table_named(modules, MODULE_BPF, "bpf_prog_6deef7357e7b4530_sd_fw", 0);
	struct symbolizer *symbolizer;
	struct symbol symbol;

	(void)state;
	module->map_start = 0xffffffffc0400000;
	module->map_end = module->map_start + 0x80;
	symbolizer = symbolizer_open(module, &options);
	assert_true(symbolizer_resolve(symbolizer, module->map_start + 4, &symbol));
	assert_string_equal("bpf_prog_6deef7357e7b4530_sd_fw", symbol.frame[0].name);
	assert_int_equal(module->map_start, symbol.start);
	assert_null(symbolizer_problem(symbolizer));
	symbolizer_close(symbolizer);
	module_table_free(modules);
}

static void test_chain__vdso_is_that_of_this_process(void **state)
{
	struct module_table *modules = module_table_new();
	struct module *module = module_table_named(modules, MODULE_VDSO, "[vdso]", 0);
	struct symbolizer *symbolizer;
	struct symbol symbol;
	size_t named = 0;

	(void)state;
	if (!getauxval(AT_SYSINFO_EHDR))
		skip(); /* a kernel without vDSO */
	symbolizer = symbolizer_open(module, &options);
	for (uint64_t offset = 0; offset < 8192; offset += 16)
		named += symbolizer_resolve(symbolizer, offset, &symbol) &&
			 strstr(symbol.frame[0].name, "clock_gettime");
	assert_true(named > 0);
	symbolizer_close(symbolizer);
	module->build_id = (struct build_id){ 20, "not this kernel" };
	symbolizer = symbolizer_open(module, &options);
	assert_false(symbolizer_resolve(symbolizer, 0x800, &symbol));
	assert_string_equal("build id differs: recorded on another kernel",
			    symbolizer_problem(symbolizer));
	symbolizer_close(symbolizer);
	module_table_free(modules);
}

static void test_chain__knows_nothing_of_unknown_modules(void **state)
{
	struct module_table *modules = module_table_new();
	struct symbolizer *symbolizer =
		symbolizer_open(module_table_get(modules, (module_id){ 0 }), &options);
	struct symbol symbol;

	(void)state;
	assert_false(symbolizer_resolve(symbolizer, 0x1234, &symbol));
	symbolizer_close(symbolizer);
	symbolizer_close(NULL);
	module_table_free(modules);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_chain__bpf_programs_are_what_the_recording_says),
		cmocka_unit_test(test_chain__vdso_is_that_of_this_process),
		cmocka_unit_test(test_chain__knows_nothing_of_unknown_modules),
	};

	return cmocka_run_group_tests_name("symbol/chain", tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* symbol/kernel: kallsyms of the recorded kernel only, slid when it lay elsewhere; read once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <stdio.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fd.h"
#include "proc/elf_file.h"
#include "proc/module.h"
#include "symbol/shared.h"
#include "symbol/symbolizer.h"

static char list[] = "/tmp/cupel-kallsyms-XXXXXX";

static const char text[] = "ffffffff81000000 T _text\nffffffff81000100 T do_work\n"
			   "ffffffffc0201000 t mod_run\t[mod]\n";

struct fixture {
	struct module_table *modules;
	struct module *kernel, *kmodule;
	struct symbol_options options;
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	AUTO_CLOSE int fd = -1;

	memcpy(list, "/tmp/cupel-kallsyms-XXXXXX", sizeof(list));
	fd = mkstemp(list);
	if (!f || fd < 0 || fd_write_all(fd, text, sizeof(text) - 1))
		return -1;
	f->modules = module_table_new();
	f->kernel = module_table_named(f->modules, MODULE_KERNEL, "[kernel.kallsyms]", 0);
	f->kmodule = module_table_named(f->modules, MODULE_KMODULE, "[mod]", 0);
	f->options = (struct symbol_options){ .kallsyms_path = list, .modules = f->modules };
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	module_table_free(f->modules);
	free(f);
	return unlink(list);
}

static void check(const struct fixture *f, const struct module *module, uint64_t address,
		  const char *name, const char *problem)
{
	struct symbolizer *symbolizer = symbolizer_open(module, &f->options);
	struct symbol symbol;
	bool found = symbolizer_resolve(symbolizer, address, &symbol);

	assert_int_equal(name != NULL, found);
	if (name)
		assert_string_equal(name, symbol.frame[0].name);
	if (problem)
		assert_string_equal(problem, symbolizer_problem(symbolizer));
	else
		assert_null(symbolizer_problem(symbolizer));
	symbolizer_close(symbolizer);
}

static void test_kernel__names_kernel_and_modules(void **state)
{
	const struct fixture *f = *state;

	check(f, f->kernel, 0xffffffff81000104, "do_work", NULL);
	check(f, f->kmodule, 0xffffffffc0201004, "mod_run", NULL);
	check(f, f->kernel, 0xffffffff80000000, NULL, NULL);
}

static void test_kernel__slides_with_kaslr(void **state)
{
	struct fixture *f = *state;

	f->kernel->text_start = 0xffffffff9a000000;
	check(f, f->kernel, 0xffffffff9a000104, "do_work", NULL);
	check(f, f->kmodule, 0xffffffffc0201004, NULL,
	      "recorded before the last boot: the module has moved");
	f->kernel->text_start = 0xffffffff81000000;
	check(f, f->kmodule, 0xffffffffc0201004, "mod_run", NULL);
}

static void test_kernel__other_kernels_are_refused(void **state)
{
	struct fixture *f = *state;
	struct build_id running;

	f->options.kallsyms_path = NULL;
	symbol_running_kernel(&running);
	if (!running.len)
		skip(); /* /sys/kernel/notes cannot be read */
	f->kernel->build_id = running;
	f->kernel->build_id.bytes[0] ^= 1;
	check(f, f->kernel, 0xffffffff81000104, NULL,
	      "build id differs: recorded on another kernel");
	check(f, f->kmodule, 0xffffffffc0201004, NULL,
	      "build id differs: recorded on another kernel");
}

static void test_kernel__shared_list_is_read_once(void **state)
{
	struct fixture *f = *state;
	const struct kallsyms *first, *second;
	struct err err = { 0 };

	f->options.shared = symbol_shared_new();
	assert_int_equal(0, symbol_shared_kallsyms(f->options.shared, list, &first, &err));
	assert_int_equal(
		0, symbol_shared_kallsyms(f->options.shared, "/proc/nonexistent", &second, &err));
	assert_ptr_equal(first, second);
	check(f, f->kernel, 0xffffffff81000104, "do_work", NULL);
	symbol_shared_free(f->options.shared);
	f->options.shared = NULL;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_kernel__names_kernel_and_modules, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_kernel__slides_with_kaslr, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_kernel__other_kernels_are_refused, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_kernel__shared_list_is_read_once, set_up,
						tear_down),
	};

	return cmocka_run_group_tests_name("symbol/kernel", tests, NULL, NULL);
}

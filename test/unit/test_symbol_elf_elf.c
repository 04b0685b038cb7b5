/* SPDX-License-Identifier: GPL-2.0-or-later */
/* symbol/elf: symbol tables made to measure, then this very program through the chain. */
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
#include "base/map.h"
#include "elf_builder.h"
#include "proc/elf_file.h"
#include "proc/module.h"
#include "symbol/elf/elf_symbols.h"
#include "symbol/symbolizer.h"

#define TEXT BUILDER_TEXT_ADDR

static const uint8_t global_func = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
static const uint8_t local_func = ELF64_ST_INFO(STB_LOCAL, STT_FUNC);
static const uint8_t weak_func = ELF64_ST_INFO(STB_WEAK, STT_FUNC);
static const uint8_t local_label = ELF64_ST_INFO(STB_LOCAL, STT_NOTYPE);

static struct elf_symbols *open_symbols(struct elf_builder *b, struct elf_file **elf)
{
	struct err err = { 0 };

	builder_finish(b);
	assert_int_equal(0, elf_file_parse(b->data, b->len, elf, &err));
	return elf_symbols_new(*elf, NULL, true);
}

static const char *name_at(struct elf_symbols *symbols, uint64_t vaddr)
{
	static struct symbol symbol;

	return elf_symbols_find(symbols, vaddr, &symbol) ? symbol.frame[0].name : NULL;
}

static void test_elf__one_name_per_address(void **state)
{
	struct elf_builder b;
	struct elf_symbols *symbols;
	struct elf_file *elf;

	(void)state;
	builder_start(&b, false);
	builder_symbol(&b, "weak_is_long", 0, 16, weak_func);
	builder_symbol(&b, "local", 0, 16, local_func);
	builder_symbol(&b, "__global", 0, 16, global_func);
	builder_symbol(&b, "_global", 0, 16, global_func);
	builder_symbol(&b, "_global_longer", 0, 16, global_func);
	builder_symbol(&b, "label", 16, 0, local_label);
	builder_symbol(&b, "sized", 16, 4, local_func);
	builder_symbol(&b, "_ZN1a1bEi", 32, 4, global_func);
	builder_symbol(&b, "_ZN1a4longEi", 32, 4, global_func);
	builder_symbol(&b, "_ZN1a2cdEi", 32, 4, global_func);
	symbols = open_symbols(&b, &elf);
	assert_string_equal("_global_longer", name_at(symbols, TEXT));
	assert_string_equal("sized", name_at(symbols, TEXT + 16));
	assert_null(name_at(symbols, TEXT + 20));
	assert_string_equal("a::long", name_at(symbols, TEXT + 32));
	elf_symbols_free(symbols);
	elf_file_close(elf);
}

static void test_elf__symbols_nest_and_fill(void **state)
{
	struct elf_builder b;
	struct elf_symbols *symbols;
	struct elf_file *elf;

	(void)state;
	builder_start(&b, true);
	builder_symbol(&b, "last", 0xf0, 0, global_func);
	builder_symbol(&b, "outer", 0x10, 0x40, global_func);
	builder_symbol(&b, "inner", 0x20, 0x10, local_func);
	builder_symbol(&b, "innermost", 0x24, 4, local_func);
	builder_symbol(&b, "open", 0x60, 0, local_func);
	builder_symbol(&b, "after", 0x80, 8, local_func);
	builder_symbol(&b, "end_mark", 0x100, 0, local_label);
	symbols = open_symbols(&b, &elf);
	assert_null(name_at(symbols, TEXT + 0xf));
	assert_string_equal("outer", name_at(symbols, TEXT + 0x1f));
	assert_string_equal("inner", name_at(symbols, TEXT + 0x20));
	assert_string_equal("innermost", name_at(symbols, TEXT + 0x27));
	assert_string_equal("inner", name_at(symbols, TEXT + 0x28));
	assert_string_equal("outer", name_at(symbols, TEXT + 0x4f));
	assert_null(name_at(symbols, TEXT + 0x50));
	assert_string_equal("open", name_at(symbols, TEXT + 0x7f));
	assert_null(name_at(symbols, TEXT + 0x88));
	assert_string_equal("last", name_at(symbols, TEXT + 0xff));
	assert_null(name_at(symbols, TEXT + 0x100)); /* not past the section */
	elf_symbols_free(symbols);
	elf_file_close(elf);
}

static __attribute__((noinline)) int a_static_function(int x)
{
	return x * 3 + 1;
}

/* File offset of an address of this program, by its own maps. */
static uint64_t own_offset(uintptr_t address)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned long from, to, offset, ret = 0;
	char line[4096];

	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %*s %lx", &from, &to, &offset) == 3 && address >= from &&
		    address < to)
			ret = address - from + offset;
	assert_int_equal(0, fclose(maps));
	return ret;
}

static void test_elf__names_this_program(void **state)
{
	uintptr_t address = (uintptr_t)a_static_function;
	struct module_table *modules = module_table_new();
	struct symbol_options options = { .demangle = true };
	struct symbolizer *symbolizer;
	struct module *module;
	struct symbol symbol;
	char path[4096] = "";

	(void)state;
	assert_int_equal(4, a_static_function(1));
	assert_true(readlink("/proc/self/exe", path, sizeof(path) - 1) > 0);
	module = module_table_named(modules, MODULE_FILE, path, (uint32_t)getpid());
	symbolizer = symbolizer_open(module, &options);
	assert_true(symbolizer_resolve(symbolizer, own_offset(address) + 1, &symbol));
	assert_int_equal(1, symbol.count);
	assert_string_equal("a_static_function", symbol.frame[0].name);
	assert_int_equal(own_offset(address), symbol.start);
	assert_true(symbol.end > symbol.start + 1);
	assert_int_equal('l', symbol.binding);
	assert_null(symbolizer_problem(symbolizer));
	symbolizer_close(symbolizer);
	module_table_free(modules);
}

/* Offsets with the same grain number have the same symbol; those with SYMBOL_NONE have none. */
static void test_elf__grain_predicts_the_symbol(void **state)
{
	struct module_table *modules = module_table_new();
	struct symbol_options options = { .demangle = true };
	struct symbolizer *symbolizer;
	uint64_t end = own_offset((uintptr_t)a_static_function) + 4096;
	struct map names = { 0 };
	struct symbol symbol;
	char path[4096] = "";
	size_t functions = 0, nameless = 0;

	(void)state;
	assert_true(readlink("/proc/self/exe", path, sizeof(path) - 1) > 0);
	symbolizer = symbolizer_open(
		module_table_named(modules, MODULE_FILE, path, (uint32_t)getpid()), &options);
	for (uint64_t offset = 0; offset < end; offset += 3) {
		enum symbol_grain grain;
		uint64_t number, *name;
		bool added;

		grain = symbolizer_grain(symbolizer, offset, &number);
		assert_int_equal(grain != SYMBOL_NONE,
				 symbolizer_resolve(symbolizer, offset, &symbol));
		nameless += grain == SYMBOL_NONE;
		if (grain != SYMBOL_FUNCTION)
			continue;
		name = map_add(&names, number, &added);
		functions += added;
		if (added)
			*name = (uintptr_t)symbol.frame[0].name;
		assert_ptr_equal((const char *)(uintptr_t)*name, symbol.frame[0].name);
		assert_int_equal(1, symbol.count);
	}
	assert_true(functions > 10 && nameless > 10);
	map_done(&names);
	symbolizer_close(symbolizer);
	module_table_free(modules);
}

/* Copies of a library in containers come down to one debug file, recordings that are compared to
 * one of each. */
static void test_elf__files_are_read_once(void **state)
{
	uint64_t offset = own_offset((uintptr_t)a_static_function) + 1;
	struct module_table *modules = module_table_new();
	struct symbol_options options = { .lines = true, .shared = symbol_shared_new() };
	struct symbol_options of_table = { .shared = options.shared };
	struct symbolizer *symbolizer[2];
	struct symbol symbol[2];
	struct module *module;
	char path[4096] = "";

	(void)state;
	assert_true(readlink("/proc/self/exe", path, sizeof(path) - 1) > 0);
	module = module_table_named(modules, MODULE_FILE, path, (uint32_t)getpid());
	for (int i = 0; i < 2; i++) {
		symbolizer[i] = symbolizer_open(module, &options);
		assert_true(symbolizer_resolve(symbolizer[i], offset, &symbol[i]));
	}
	assert_non_null(symbol[0].frame[0].file);
	assert_ptr_equal(symbol[0].frame[0].file, symbol[1].frame[0].file);
	symbolizer_close(symbolizer[0]);
	assert_true(symbolizer_resolve(symbolizer[1], offset, &symbol[1]));
	symbolizer_close(symbolizer[1]);
	for (int i = 0; i < 2; i++) { /* the table without the DWARF; the first one is closed */
		symbolizer[0] = symbolizer_open(module, &of_table);
		assert_true(symbolizer_resolve(symbolizer[0], offset, &symbol[i]));
		symbolizer_close(symbolizer[0]);
	}
	assert_string_equal(symbol[0].frame[0].name, "a_static_function");
	assert_ptr_equal(symbol[0].frame[0].name, symbol[1].frame[0].name);
	symbol_shared_free(options.shared);
	module_table_free(modules);
}

static void test_elf__reports_problems(void **state)
{
	struct module_table *modules = module_table_new();
	struct symbol_options options = { .demangle = true };
	struct symbolizer *symbolizer;
	struct symbol symbol;

	(void)state;
	symbolizer = symbolizer_open(
		module_table_named(modules, MODULE_FILE, "/proc/nonexistent/lib.so", 0), &options);
	assert_false(symbolizer_resolve(symbolizer, 0, &symbol));
	assert_string_equal("no such file", symbolizer_problem(symbolizer));
	symbolizer_close(symbolizer);
	symbolizer = symbolizer_open(module_table_named(modules, MODULE_FILE, "/etc/passwd", 0),
				     &options);
	assert_string_equal("not an ELF file", symbolizer_problem(symbolizer));
	symbolizer_close(symbolizer);
	module_table_free(modules);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_elf__one_name_per_address),
		cmocka_unit_test(test_elf__symbols_nest_and_fill),
		cmocka_unit_test(test_elf__names_this_program),
		cmocka_unit_test(test_elf__grain_predicts_the_symbol),
		cmocka_unit_test(test_elf__files_are_read_once),
		cmocka_unit_test(test_elf__reports_problems),
	};

	return cmocka_run_group_tests_name("symbol/elf", tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* symbol/dwarf: programs compiled here with each DWARF version and compiler give the chain of
 * inlined functions and the lines that their source has; damage gives less, never a crash. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/par.h"
#include "proc/elf_file.h"
#include "proc/section_cache.h"
#include "symbol/dwarf/dwarf.h"
#include "symbol/symbolizer.h"

/* `mark` lies in code of inner(), inlined into middle(), inlined into outer(). */
static const char source_c[] =
	"static inline __attribute__((always_inline)) int inner(int x)\n"
	"{\n"
	"	__asm__ volatile(\".globl mark\\nmark: nop\");\n" /* line 3 */
	"	return x + 1;\n"
	"}\n"
	"static inline __attribute__((always_inline)) int middle(int x)\n"
	"{\n"
	"	return inner(x) * 2;\n" /* line 8 */
	"}\n"
	"__attribute__((noinline)) int outer(int x)\n"
	"{\n"
	"	return middle(x) - 1;\n" /* line 12 */
	"}\n"
	"int main(int argc, char **argv)\n"
	"{\n"
	"	(void)argv;\n"
	"	return outer(argc);\n"
	"}\n";

static const char source_cpp[] =
	"namespace space { struct Thing {\n"
	"	template <class T> static inline __attribute__((always_inline)) T inner(T x)\n"
	"	{\n"
	"		__asm__ volatile(\".globl mark\\nmark: nop\");\n" /* line 4 */
	"		return x + 1;\n"
	"	}\n"
	"	__attribute__((noinline)) int outer(int x) { return inner<int>(x) * 2; }\n"
	"}; }\n"
	"int main(int argc, char **) { return space::Thing().outer(argc); }\n";

struct fixture {
	char dir[32];
	char path[64];
	struct elf_file *elf;
	struct dwarf *dwarf;
};

static int run(const char *format, ...) __attribute__((format(printf, 1, 2)));

static int run(const char *format, ...)
{
	char command[512];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(command, sizeof(command), format, args);
	va_end(args);
	return system(command);
}

/* Compiles the source; false when this compiler or option is not there. */
static bool build(struct fixture *f, const char *compiler, const char *source)
{
	char path[64];
	FILE *file;

	(void)snprintf(f->dir, sizeof(f->dir), "/tmp/cupel-dwarf-XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	(void)snprintf(path, sizeof(path), "%s/t.c", f->dir);
	(void)snprintf(f->path, sizeof(f->path), "%s/t", f->dir);
	file = fopen(path, "we");
	assert_non_null(file);
	assert_true(fputs(source, file) >= 0);
	assert_int_equal(fclose(file), 0);
	return !run("cd %s && %s -O2 t.c -o t 2>/dev/null", f->dir, compiler);
}

static void open_elf(struct fixture *f, const struct dwarf_options *options)
{
	struct err err = { 0 };

	assert_int_equal(elf_file_open(f->path, &f->elf, &err), 0);
	assert_int_equal(dwarf_open(f->elf, options, &f->dwarf, &err), 0);
}

static void clean(struct fixture *f)
{
	dwarf_close(f->dwarf);
	elf_file_close(f->elf);
	assert_int_equal(run("rm -rf %s", f->dir), 0);
}

/* The address of a symbol. */
static uint64_t address_of(const struct elf_file *elf, const char *name)
{
	const struct elf_section *symtab = elf_file_section(elf, ".symtab");
	const uint8_t *data, *names;
	size_t len, names_len;

	assert_non_null(symtab);
	assert_true(elf_section_data(elf, symtab, &data, &len));
	assert_true(elf_section_data(elf, &elf->section[symtab->link], &names, &names_len));
	for (size_t i = 0; i + sizeof(Elf64_Sym) <= len; i += sizeof(Elf64_Sym)) {
		Elf64_Sym symbol;

		memcpy(&symbol, data + i, sizeof(symbol));
		if (!strcmp((const char *)names + symbol.st_name, name))
			return symbol.st_value;
	}
	fail_msg("no symbol %s", name);
	return 0;
}

static void check_frame(const struct symbol_frame *frame, const char *name, uint32_t line,
			bool inlined)
{
	assert_non_null(frame->name);
	assert_string_equal(frame->name, name);
	assert_non_null(frame->file);
	assert_string_equal(strrchr(frame->file, '/'), "/t.c");
	assert_int_equal(frame->line, line);
	assert_int_equal(frame->inlined, inlined);
}

static void check_chain(struct fixture *f)
{
	struct symbol symbol = { .count = 0 };

	assert_non_null(f->dwarf);
	assert_null(dwarf_problem(f->dwarf));
	assert_true(dwarf_resolve(f->dwarf, address_of(f->elf, "mark"), true, &symbol));
	assert_int_equal(symbol.count, 3);
	check_frame(&symbol.frame[0], "inner", 3, true);
	check_frame(&symbol.frame[1], "middle", 8, true);
	check_frame(&symbol.frame[2], "outer", 12, false);
	assert_int_equal(symbol.start, address_of(f->elf, "outer"));
	assert_true(symbol.end > address_of(f->elf, "mark"));
}

static void test_dwarf__gives_inlined_functions_of_every_version(void **state)
{
	static const char *const compilers[] = {
		"cc -gdwarf-2",
		"cc -gdwarf-3",
		"cc -gdwarf-4",
		"cc -gdwarf-5",
		"cc -g -gz",
		"cc -g -flto",
		"cc -g -static",
		"cc -gdwarf-5 -gdwarf64",
		"clang -g",
		"clang -gdwarf-4 -ffunction-sections",
		"clang -g -flto",
		"gcc -g -fdebug-types-section -ffunction-sections -Wl,--gc-sections",
	};
	size_t built = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(compilers) / sizeof(compilers[0]); i++) {
		struct dwarf_options options = { 0 };
		struct fixture f = { 0 };

		if (build(&f, compilers[i], source_c)) {
			open_elf(&f, &options);
			check_chain(&f);
			built++;
		}
		clean(&f);
	}
	assert_true(built >= 4);
}

static void test_dwarf__demangles_linkage_names(void **state)
{
	struct dwarf_options options = { 0 };
	struct fixture f = { 0 };
	struct symbol symbol = { .count = 0 };

	(void)state;
	if (!build(&f, "c++ -g -x c++", source_cpp)) {
		clean(&f);
		skip();
	}
	open_elf(&f, &options);
	assert_true(dwarf_resolve(f.dwarf, address_of(f.elf, "mark"), true, &symbol));
	assert_int_equal(symbol.count, 2);
	check_frame(&symbol.frame[0], "space::Thing::inner<int>", 4, true);
	check_frame(&symbol.frame[1], "space::Thing::outer", 7, false);
	clean(&f);
}

static void test_dwarf__keeps_the_symbol_tables_name_and_range(void **state)
{
	struct dwarf_options options = { 0 };
	struct fixture f = { 0 };
	struct symbol symbol = { .count = 1, .start = 1, .end = 2, .binding = 'g' };

	(void)state;
	assert_true(build(&f, "cc -g", source_c));
	open_elf(&f, &options);
	symbol.frame[0] = (struct symbol_frame){ .name = "alias" };
	assert_true(dwarf_resolve(f.dwarf, address_of(f.elf, "mark"), true, &symbol));
	assert_int_equal(symbol.count, 3);
	check_frame(&symbol.frame[2], "alias", 12, false);
	assert_int_equal(symbol.start, 1);
	assert_int_equal(symbol.end, 2);
	clean(&f);
}

static void test_dwarf__without_inlines_gives_the_line_of_the_pc(void **state)
{
	struct dwarf_options options = { 0 };
	struct fixture f = { 0 };
	struct symbol symbol = { .count = 0 };

	(void)state;
	assert_true(build(&f, "cc -g", source_c));
	open_elf(&f, &options);
	assert_true(dwarf_resolve(f.dwarf, address_of(f.elf, "mark"), false, &symbol));
	assert_int_equal(symbol.count, 1);
	check_frame(&symbol.frame[0], "outer", 3, false);
	clean(&f);
}

static void test_dwarf__leaves_unknown_addresses_alone(void **state)
{
	struct dwarf_options options = { 0 };
	struct fixture f = { 0 };
	struct symbol symbol = { .count = 1, .start = 1, .end = 2 };

	(void)state;
	assert_true(build(&f, "cc -g", source_c));
	open_elf(&f, &options);
	assert_false(dwarf_resolve(f.dwarf, 0, true, &symbol));
	assert_false(dwarf_resolve(f.dwarf, UINT64_MAX, true, &symbol));
	assert_false(dwarf_resolve(f.dwarf, address_of(f.elf, "_start"), true, &symbol));
	assert_int_equal(symbol.count, 1);
	assert_int_equal(symbol.start, 1);
	clean(&f);
}

static void test_dwarf__is_null_without_debug_info(void **state)
{
	struct dwarf_options options = { 0 };
	struct fixture f = { 0 };

	(void)state;
	assert_true(build(&f, "cc -g0", source_c));
	open_elf(&f, &options);
	assert_null(f.dwarf);
	clean(&f);
}

static void test_dwarf__reads_split_debug_info(void **state)
{
	static const char *const compilers[] = { "cc -gdwarf-4 -gsplit-dwarf",
						 "cc -gdwarf-5 -gsplit-dwarf",
						 "clang -gdwarf-4 -gsplit-dwarf",
						 "clang -gdwarf-5 -gsplit-dwarf" };
	size_t built = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(compilers) / sizeof(compilers[0]); i++) {
		struct dwarf_options options = { 0 };
		struct fixture f = { 0 };

		if (build(&f, compilers[i], source_c)) {
			open_elf(&f, &options);
			check_chain(&f);
			built++;
		}
		clean(&f);
	}
	assert_true(built >= 2);
}

static void test_dwarf__reads_packages_of_split_debug_info(void **state)
{
	struct dwarf_options options = { 0 };
	struct fixture f = { 0 };

	(void)state;
	assert_true(build(&f, "cc -gdwarf-4 -gsplit-dwarf", source_c));
	/* binutils' own packer crashes on version 5, LLVM 14's on some inputs does not end */
	if (run("cd %s && timeout 10 dwp -e t -o t.dwp 2>/dev/null && rm *.dwo", f.dir)) {
		clean(&f);
		skip();
	}
	open_elf(&f, &options);
	check_chain(&f);
	clean(&f);
}

static void test_dwarf__says_when_split_debug_info_is_gone(void **state)
{
	struct dwarf_options options = { 0 };
	struct fixture f = { 0 };
	struct symbol symbol = { .count = 1, .frame = { { .name = "outer" } } };

	(void)state;
	assert_true(build(&f, "cc -g -gsplit-dwarf", source_c));
	assert_int_equal(run("rm %s/*.dwo", f.dir), 0);
	open_elf(&f, &options);
	assert_null(dwarf_problem(f.dwarf));
	assert_true(dwarf_resolve(f.dwarf, address_of(f.elf, "mark"), true, &symbol));
	assert_int_equal(symbol.count, 1);
	check_frame(&symbol.frame[0], "outer", 3, false);
	assert_non_null(strstr(dwarf_problem(f.dwarf), ".dwo"));
	clean(&f);
}

static void test_dwarf__keeps_to_its_memory_limit(void **state)
{
	struct dwarf_options options = { .limit_bytes = 100 };
	struct fixture f = { 0 };
	struct symbol symbol = { .count = 0 };

	(void)state;
	assert_true(build(&f, "cc -g", source_c));
	open_elf(&f, &options);
	assert_null(dwarf_problem(f.dwarf));
	(void)dwarf_resolve(f.dwarf, address_of(f.elf, "mark"), true, &symbol);
	assert_non_null(dwarf_problem(f.dwarf));
	clean(&f);
}

struct shared_work {
	struct dwarf *dwarf;
	uint64_t start;
	_Atomic size_t known;
};

static void resolve_one(void *context, size_t i, size_t worker)
{
	struct shared_work *work = context;
	struct symbol symbol = { .count = 0 };

	(void)worker;
	if (dwarf_resolve(work->dwarf, work->start + i % 4096, true, &symbol))
		work->known++;
}

static void test_dwarf__answers_many_threads(void **state)
{
	struct dwarf_options options = { 0 };
	struct fixture f = { 0 };
	struct shared_work work = { 0 };
	size_t rounds = 16, known;

	(void)state;
	assert_true(build(&f, "cc -g -static", source_c));
	open_elf(&f, &options);
	work.dwarf = f.dwarf;
	work.start = address_of(f.elf, "outer") - 2048;
	par_for(4096 * rounds, 16, resolve_one, &work);
	known = work.known;
	assert_true(known > 0);
	assert_int_equal(known % rounds, 0);
	clean(&f);
}

/* Cuts and flips every part of the image once; nothing is expected but that it returns. */
static void test_dwarf__survives_damage(void **state)
{
	struct dwarf_options options = { .limit_bytes = 1 << 20 };
	struct fixture f = { 0 };
	struct buf image = { 0 };
	struct err err = { 0 };
	uint64_t mark;

	(void)state;
	assert_true(build(&f, "cc -g", source_c));
	assert_int_equal(fd_read_file(f.path, &image, &err), 0);
	open_elf(&f, &options);
	mark = address_of(f.elf, "mark");
	for (size_t i = 0; i < image.len; i++) {
		char saved = image.data[i];
		struct dwarf *dwarf = NULL;
		struct elf_file *elf;
		struct symbol symbol = { .count = 0 };

		image.data[i] = (char)(saved ^ (i % 3 ? 0xff : 1));
		if (!elf_file_parse(image.data, i % 2 ? image.len : i, &elf, &err)) {
			if (!dwarf_open(elf, &options, &dwarf, &err) && dwarf)
				(void)dwarf_resolve(dwarf, mark, true, &symbol);
			dwarf_close(dwarf);
			elf_file_close(elf);
		}
		image.data[i] = saved;
	}
	buf_done(&image);
	clean(&f);
}

/* Compressed sections of more than the least size that is kept, two days old. */
static bool build_packed(struct fixture *f)
{
	struct buf source = { 0 };
	bool built;

	(void)buf_puts(&source, source_c);
	(void)buf_puts(&source, "enum many {");
	for (unsigned i = 0; i < 6000; i++)
		(void)buf_printf(&source, "an_enumerator_with_a_long_name_%u,", i * 7919);
	(void)buf_puts(&source, "} kept;\n");
	built = build(f, "cc -g -gz=zlib", source.data);
	buf_done(&source);
	return built && !run("touch -d '2 days ago' %s", f->path);
}

/* One run with a cache; returns how many files had to be unpacked. */
static size_t run_with_cache(struct fixture *f, struct section_cache_made *ret)
{
	char folder[64];
	struct dwarf_options options = { 0 };

	(void)snprintf(folder, sizeof(folder), "%s/cache", f->dir);
	assert_int_equal(run("mkdir -p %s", folder), 0);
	options.unpacked = section_cache_open(folder, 0);
	assert_non_null(options.unpacked);
	open_elf(f, &options);
	check_chain(f);
	section_cache_made(options.unpacked, ret);
	section_cache_store(options.unpacked, ret);
	dwarf_close(f->dwarf);
	elf_file_close(f->elf);
	f->dwarf = NULL;
	f->elf = NULL;
	section_cache_close(options.unpacked);
	return ret->count;
}

static void test_dwarf__unpacks_a_file_once(void **state)
{
	struct section_cache_made made;
	struct fixture f = { 0 };

	(void)state;
	assert_true(build_packed(&f));
	assert_int_equal(run_with_cache(&f, &made), 1);
	assert_int_equal(run_with_cache(&f, &made), 0);
	assert_int_equal(run("for f in %s/cache/*; do truncate -s 2000 $f; done", f.dir), 0);
	(void)run_with_cache(&f, &made); /* damaged: unpacked as ever */
	assert_int_equal(run("for f in %s/cache/*; do truncate -s 0 $f; done", f.dir), 0);
	assert_int_equal(run_with_cache(&f, &made), 1);
	assert_int_equal(run_with_cache(&f, &made), 0);
	clean(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dwarf__gives_inlined_functions_of_every_version),
		cmocka_unit_test(test_dwarf__demangles_linkage_names),
		cmocka_unit_test(test_dwarf__keeps_the_symbol_tables_name_and_range),
		cmocka_unit_test(test_dwarf__without_inlines_gives_the_line_of_the_pc),
		cmocka_unit_test(test_dwarf__leaves_unknown_addresses_alone),
		cmocka_unit_test(test_dwarf__is_null_without_debug_info),
		cmocka_unit_test(test_dwarf__reads_split_debug_info),
		cmocka_unit_test(test_dwarf__reads_packages_of_split_debug_info),
		cmocka_unit_test(test_dwarf__says_when_split_debug_info_is_gone),
		cmocka_unit_test(test_dwarf__keeps_to_its_memory_limit),
		cmocka_unit_test(test_dwarf__answers_many_threads),
		cmocka_unit_test(test_dwarf__survives_damage),
		cmocka_unit_test(test_dwarf__unpacks_a_file_once),
	};

	return cmocka_run_group_tests_name("symbol/dwarf", tests, NULL, NULL);
}

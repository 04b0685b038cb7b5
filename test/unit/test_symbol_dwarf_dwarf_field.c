// SPDX-License-Identifier: GPL-2.0-or-later
/* symbol/dwarf/dwarf_field: addresses in variables of programs compiled here are members as the
 * source writes them; an address between members is none. */
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
#include "proc/elf_file.h"
#include "symbol/dwarf/dwarf.h"
#include "symbol/dwarf/dwarf_field.h"

#define START 0x8000 /* of the variable */

/* 8 bytes aligned; sizes and places are those of the comments. */
static const char source_c[] =
	"typedef union { int __data[10]; long __align; } pthread_mutex_t;\n" /* 40 */
	"struct shard { long n; pthread_mutex_t lock; };\n"		     /* 48 */
	"struct Mutex { int word, other; };\n"
	"struct { long used; struct { pthread_mutex_t lock; char hit; } stats;\n" /* 8, 48 */
	"	union { struct { long a, b; }; long c[2]; };\n"			  /* 56 */
	"	struct shard shard[2][2]; struct Mutex last; } server = { 1 };\n" /* 72, 264 */
	"void _start(void) { server.used++; for (;;) ; }\n";

static const char source_cpp[] =
	"struct __base { int _M_word, _M_rest; };\n"
	"struct mutex : __base { };\n"
	"struct first { long a; };\n"
	"struct both : first { mutex lock; static long none; };\n"
	"namespace space { both item[2] = { { { 1 }, { } } }; }\n"
	"extern \"C\" void _start(void) { space::item[0].a++; for (;;) ; }\n";

struct fixture {
	char dir[40];
	struct elf_file *elf;
	struct dwarf *dwarf;
};

static bool build(struct fixture *f, const char *compiler, const char *source)
{
	const struct dwarf_options options = { .variables = true };
	struct err err = { 0 };
	char path[64], command[512];
	FILE *file;

	(void)snprintf(f->dir, sizeof(f->dir), "/tmp/cupel-field-XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	(void)snprintf(path, sizeof(path), "%s/t.c", f->dir);
	file = fopen(path, "we");
	assert_non_null(file);
	assert_true(fputs(source, file) >= 0);
	assert_int_equal(fclose(file), 0);
	(void)snprintf(command, sizeof(command),
		       "cd %s && %s -O1 -nostdlib -static -no-pie -Wl,-Ttext=0x1000 "
		       "-Wl,-Tdata=%#x t.c -o t 2>/dev/null",
		       f->dir, compiler, START);
	if (system(command))
		return false;
	(void)snprintf(path, sizeof(path), "%s/t", f->dir);
	assert_int_equal(elf_file_open(path, &f->elf, &err), 0);
	assert_int_equal(dwarf_open(f->elf, &options, &f->dwarf, &err), 0);
	return true;
}

static void clean(struct fixture *f)
{
	char command[64];

	dwarf_close(f->dwarf);
	elf_file_close(f->elf);
	(void)snprintf(command, sizeof(command), "rm -rf %s", f->dir);
	assert_int_equal(system(command), 0);
}

/* expected: NULL = nothing is there */
static void check(const struct fixture *f, uint64_t offset, const char *expected)
{
	struct buf text = { 0 };

	(void)buf_puts(&text, "x");
	assert_int_equal(dwarf_field_put(f->dwarf, START, offset, &text), expected != NULL);
	assert_string_equal(text.data + 1, expected ? expected : "");
	buf_done(&text);
}

static void test_dwarf_field__is_the_member_at_an_address(void **state)
{
	static const char *const compilers[] = { "cc -gdwarf-2", "cc -gdwarf-4", "cc -gdwarf-5",
						 "clang -g" };
	size_t built = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(compilers) / sizeof(compilers[0]); i++) {
		struct fixture f = { 0 };

		if (build(&f, compilers[i], source_c)) {
			check(&f, 0, ".used");
			check(&f, 8, ".stats.lock");
			check(&f, 12, ".stats.lock+0x4");
			check(&f, 48, ".stats.hit");
			check(&f, 50, NULL);
			check(&f, 64, ".b");
			check(&f, 72, ".shard[0][0].n");
			check(&f, 72 + 3 * 48 + 8, ".shard[1][1].lock");
			check(&f, 268, ".last+0x4");
			check(&f, 272, NULL);
			assert_false(dwarf_field_put(f.dwarf, START + 8, 0, &(struct buf){ 0 }));
			built++;
		}
		clean(&f);
	}
	assert_true(built > 0);
}

static void test_dwarf_field__follows_base_classes(void **state)
{
	struct fixture f = { 0 };

	(void)state;
	if (build(&f, "c++ -x c++ -g", source_cpp)) {
		check(&f, 0, "[0].a");
		check(&f, 16 + 8, "[1].lock");
	}
	clean(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dwarf_field__is_the_member_at_an_address),
		cmocka_unit_test(test_dwarf_field__follows_base_classes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

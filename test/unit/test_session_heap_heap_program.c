/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Programs that no library can be loaded into, and the environment of the others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "heap/preload.h"
#include "session/heap/heap_program.h"

#ifdef __x86_64__
#define MACHINE EM_X86_64
#else
#define MACHINE EM_AARCH64
#endif

/* A program with one part. */
static void make(const char *path, uint32_t type)
{
	const struct {
		Elf64_Ehdr head;
		Elf64_Phdr part;
	} file = { .head = { .e_ident = ELFMAG,
			     .e_machine = MACHINE,
			     .e_phoff = sizeof(Elf64_Ehdr),
			     .e_phnum = 1 },
		   .part = { .p_type = type } };
	FILE *out = fopen(path, "w");
	const char class_and_order[] = { ELFCLASS64, ELFDATA2LSB };

	assert_non_null(out);
	assert_int_equal(fwrite(&file, sizeof(file), 1, out), 1);
	assert_int_equal(fseek(out, EI_CLASS, SEEK_SET), 0);
	assert_int_equal(fwrite(class_and_order, 2, 1, out), 1);
	assert_int_equal(fclose(out), 0);
	assert_int_equal(chmod(path, 0755), 0);
}

static void test_heap_program__check(void **state)
{
	char folder[] = "/tmp/cupel-heap-XXXXXX", path[64];
	struct err err = { 0 };

	(void)state;
	assert_non_null(mkdtemp(folder));
	(void)snprintf(path, sizeof(path), "%s/program", folder);
	make(path, PT_INTERP);
	assert_int_equal(heap_program_check(path, &err), 0);
	make(path, PT_LOAD);
	assert_int_equal(heap_program_check(path, &err), -ENOEXEC);
	assert_non_null(strstr(err.msg, "statically linked"));
	assert_int_equal(truncate(path, 20), 0); /* not our matter */
	assert_int_equal(heap_program_check(path, &err), 0);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(heap_program_check(path, &err), 0);
	assert_int_equal(heap_program_check("sh", &err), 0);
	assert_int_equal(rmdir(folder), 0);
}

static void test_heap_program__environment(void **state)
{
	char expected[PATH_MAX + 16], folder[PATH_MAX];
	struct heap_program program;
	struct err err = { 0 };
	struct stat st;

	(void)state;
	(void)umask(077);
	assert_int_equal(setenv("LD_PRELOAD", "other.so", 1), 0);
	assert_int_equal(heap_program_begin(&program, 4096, true, &err), 0);
	assert_int_equal(stat(program.object, &st), 0); /* whatever the user's umask is */
	assert_int_equal(st.st_mode & 0777, 0755);
	(void)snprintf(folder, sizeof(folder), "%s", program.object);
	assert_int_equal(stat(dirname(folder), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0755);
	(void)snprintf(expected, sizeof(expected), "%s:other.so", program.object);
	assert_string_equal(getenv("LD_PRELOAD"), expected);
	assert_int_equal(strncmp(getenv(HEAP_VARIABLE), "1000,", 5), 0);
	heap_program_end(&program);
	assert_string_equal(getenv("LD_PRELOAD"), "other.so");
	assert_null(getenv(HEAP_VARIABLE));
	assert_int_equal(unsetenv("LD_PRELOAD"), 0);
	assert_int_equal(heap_program_begin(&program, 4096, false, &err), 0);
	assert_string_equal(getenv("LD_PRELOAD"), program.object);
	heap_program_end(&program);
	assert_null(getenv("LD_PRELOAD"));
	assert_int_equal(stat(program.object, &st), -1); /* nothing is left */
	(void)snprintf(folder, sizeof(folder), "%s", program.object);
	assert_int_equal(stat(dirname(folder), &st), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_heap_program__check),
		cmocka_unit_test(test_heap_program__environment),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

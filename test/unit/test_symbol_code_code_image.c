// SPDX-License-Identifier: GPL-2.0-or-later
/* symbol/code/code_image: code of files and of jitdumps; what has none. */
#include <elf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/fd.h"
#include "proc/module.h"
#include "symbol/code/code_image.h"
#include "symbol/jit/jitdump.h"
#include "symbol/symbolizer.h"

static struct module *make_module(struct module_table **table, enum module_kind kind,
				  const char *path, uint32_t pid)
{
	*table = module_table_new();
	return module_table_named(*table, kind, path, pid);
}

static void test_code_image__file(void **state)
{
	const struct symbol_options options = { 0 };
	struct module_table *table;
	struct module *module = make_module(&table, MODULE_FILE, "/proc/self/exe", 0);
	struct code_image *image;
	uint64_t address, offset;
	const uint8_t *bytes;
	struct err err = { 0 };
	size_t len;

	(void)state;
	assert_int_equal(0, code_image_open(module, &options, &image, &err));
	assert_true(code_image_at(image, 0, &bytes, &len));
	assert_memory_equal(ELFMAG, bytes, SELFMAG);
	assert_true(code_image_address(image, 0, &address));
	assert_true(code_image_offset(image, address, &offset));
	assert_int_equal(0, offset);
	assert_false(code_image_at(image, UINT64_MAX, &bytes, &len));
	code_image_close(image);
	module_table_free(table);
}

static void test_code_image__what_has_no_code(void **state)
{
	static const struct {
		enum module_kind kind;
		const char *path, *why, *hint;
	} cases[] = {
		{ MODULE_FILE, "/nowhere/app", "no such file", "" },
		{ MODULE_FILE, "/proc/self/status", "", "" },
		{ MODULE_KERNEL, "[kernel.kallsyms]", "no file has the kernel's code",
		  "--vmlinux FILE" },
		{ MODULE_KMODULE, "[ext4]",
		  "the code of kernel modules is in the kernel alone; /proc/kcore is not used here",
		  "modinfo -n" },
		{ MODULE_BPF, "bpf_prog_0123456789abcdef_probe",
		  "only the kernel has the code of a BPF program",
		  "bpftool prog dump jited tag 0123456789abcdef" },
		{ MODULE_JIT, "/tmp/perf-4000000.map", "no jitdump file has this process's code",
		  "node --perf-prof" },
	};
	const struct symbol_options options = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct module_table *table;
		struct module *module = make_module(&table, cases[i].kind, cases[i].path, 4000000);
		struct code_image *image;
		struct err err = { 0 };

		assert_true(code_image_open(module, &options, &image, &err) < 0);
		assert_non_null(strstr(err.msg, cases[i].why));
		assert_non_null(strstr(err.hint, cases[i].hint));
		module_table_free(table);
	}
}

/* A jitdump with one function at 0x7000 of `code_bytes`, where there is code of four bytes. */
static void write_dump(const char *path, uint64_t code_bytes)
{
	struct {
		uint32_t magic, version, header_bytes, machine, pad, pid;
		uint64_t time, flags;
		uint32_t id, bytes;
		uint64_t at;
		uint32_t pid_again, tid;
		uint64_t vma, address, code_bytes, index;
		char name[4], code[4];
	} dump = { .magic = 0x4a695444,
		   .version = 1,
		   .header_bytes = 40,
		   .machine = EM_AARCH64,
		   .bytes = 64,
		   .address = 0x7000,
		   .code_bytes = code_bytes,
		   .name = "fun",
		   .code = { 1, 2, 3, 4 } };
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(1, fwrite(&dump, sizeof(dump), 1, file));
	assert_int_equal(0, fclose(file));
}

static void test_code_image__jitdump(void **state)
{
	char folder[] = "/tmp/test_code_image.XXXXXX", tmp[64], path[96];
	struct symbol_options options = { .symfs = folder };
	struct module_table *table;
	struct module *module = make_module(&table, MODULE_JIT, "/tmp/perf-77.map", 77);
	struct code_image *image;
	const uint8_t *bytes;
	struct err err = { 0 };
	size_t len;
	int fd;

	(void)state;
	assert_non_null(mkdtemp(folder));
	(void)snprintf(tmp, sizeof(tmp), "%s/tmp", folder);
	(void)snprintf(path, sizeof(path), "%s/jit-77.dump", tmp);
	assert_int_equal(0, mkdir(tmp, 0700));
	write_dump(path, 4);
	fd = jitdump_open(module, &options, &err);
	assert_true(fd >= 0);
	(void)close(fd);
	assert_int_equal(0, code_image_open(module, &options, &image, &err));
	assert_int_equal(EM_AARCH64, code_image_machine(image));
	assert_true(code_image_at(image, 0x7001, &bytes, &len));
	assert_int_equal(3, len);
	assert_int_equal(2, bytes[0]);
	assert_false(code_image_at(image, 0x6fff, &bytes, &len));
	code_image_close(image);
	write_dump(path, 400); /* more than is there: no code */
	assert_int_equal(0, code_image_open(module, &options, &image, &err));
	assert_false(code_image_at(image, 0x7001, &bytes, &len));
	code_image_close(image);
	(void)unlink(path);
	(void)rmdir(tmp);
	(void)rmdir(folder);
	module_table_free(table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_code_image__file),
		cmocka_unit_test(test_code_image__what_has_no_code),
		cmocka_unit_test(test_code_image__jitdump),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

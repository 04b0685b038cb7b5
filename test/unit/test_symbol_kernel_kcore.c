/* SPDX-License-Identifier: GPL-2.0-or-later */
/* symbol/kernel/kcore: memory by its addresses, and what is wrong with the file. */
#include <elf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "symbol/kernel/kcore.h"

#define TEXT   0xffffffff81000000
#define MODULE 0xffffffffc0000000

/* Two segments of 16 bytes, the second cut in the file. */
static void write_core(char *path)
{
	struct {
		Elf64_Ehdr head;
		Elf64_Phdr segment[2];
		char text[16], module[8];
	} core = {
		.head = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
				       EV_CURRENT },
			  .e_type = ET_CORE,
			  .e_machine = EM_X86_64,
			  .e_version = EV_CURRENT,
			  .e_phoff = sizeof(Elf64_Ehdr),
			  .e_ehsize = sizeof(Elf64_Ehdr),
			  .e_phentsize = sizeof(Elf64_Phdr),
			  .e_phnum = 2 },
		.text = "kernel's code...",
		.module = "of a mod",
	};
	const uint64_t at[] = { TEXT, MODULE };
	int fd = mkstemp(path);

	for (size_t i = 0; i < 2; i++)
		core.segment[i] = (Elf64_Phdr){ .p_type = PT_LOAD,
						.p_flags = PF_X,
						.p_offset = sizeof(Elf64_Ehdr) +
							    2 * sizeof(Elf64_Phdr) + i * 16,
						.p_vaddr = at[i],
						.p_filesz = 16,
						.p_memsz = 16 };
	assert_true(fd >= 0);
	assert_int_equal(write(fd, &core, sizeof(core)), sizeof(core));
	assert_int_equal(close(fd), 0);
}

static void expect(const struct kcore *kcore, uint64_t start, uint64_t end, const char *text)
{
	struct err err = { 0 };
	struct kcore_bytes bytes;

	assert_int_equal(kcore_read(kcore, start, end, &bytes, &err), 0);
	assert_int_equal(bytes.len, strlen(text));
	assert_memory_equal(bytes.data, text, bytes.len);
	free(bytes.data);
}

static void test_kcore__reads(void **state)
{
	char path[] = "/tmp/kcore.XXXXXX";
	struct kcore *kcore;
	struct err err = { 0 };
	struct kcore_bytes bytes;

	(void)state;
	write_core(path);
	kcore = kcore_open(path);
	(void)unlink(path);
	assert_int_equal(kcore_machine(kcore), EM_X86_64);
	expect(kcore, TEXT + 9, TEXT + 13, "code");
	expect(kcore, TEXT + 13, TEXT + 100, "...");
	expect(kcore, MODULE, MODULE + 16, "of a mod");
	assert_int_equal(kcore_read(kcore, TEXT + 16, TEXT + 17, &bytes, &err), -ENOENT);
	assert_int_equal(kcore_read(kcore, TEXT + 1, TEXT, &bytes, &err), -ENOENT);
	kcore_close(kcore);
}

static void expect_error(const char *path, const char *text)
{
	struct kcore *kcore = kcore_open(path);
	struct err err = { 0 };
	struct kcore_bytes bytes;

	assert_int_not_equal(kcore_read(kcore, TEXT, TEXT + 1, &bytes, &err), 0);
	assert_string_equal(err.msg, text);
	kcore_close(kcore);
}

static void test_kcore__says_what_is_wrong(void **state)
{
	(void)state;
	expect_error("/nowhere/kcore", "/nowhere/kcore: No such file or directory");
	expect_error("/proc/self/maps", "/proc/self/maps: not an ELF file");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kcore__reads),
		cmocka_unit_test(test_kcore__says_what_is_wrong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

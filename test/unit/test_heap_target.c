/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Programs that the preloaded library fits into. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "heap/target.h"

#ifdef __x86_64__
#define MACHINE EM_X86_64
#else
#define MACHINE EM_AARCH64
#endif

/* A program with its dynamic section, which needs one library. */
struct image {
	Elf64_Ehdr head;
	Elf64_Phdr part[3];
	Elf64_Dyn dynamic[3];
	char names[32];
};

static char path[64];

static struct image image_of(const char *library)
{
	struct image image = {
		.head = { .e_ident = ELFMAG,
			  .e_machine = MACHINE,
			  .e_phnum = 3,
			  .e_phoff = offsetof(struct image, part) },
		.part = { { .p_type = PT_INTERP },
			  { .p_type = PT_LOAD, .p_vaddr = 0x1000, .p_filesz = sizeof(image) },
			  { .p_type = PT_DYNAMIC,
			    .p_offset = offsetof(struct image, dynamic),
			    .p_filesz = sizeof(image.dynamic) } },
		.dynamic = { { .d_tag = DT_NEEDED, .d_un.d_val = 1 },
			     { .d_tag = DT_STRTAB,
			       .d_un.d_ptr = 0x1000 + offsetof(struct image, names) } },
	};

	image.head.e_ident[EI_CLASS] = ELFCLASS64;
	image.head.e_ident[EI_DATA] = ELFDATA2LSB;
	(void)snprintf(image.names + 1, sizeof(image.names) - 1, "%s", library);
	return image;
}

static enum heap_target check(const void *data, size_t len, mode_t mode)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(data, 1, len, file), len);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(chmod(path, mode), 0);
	return heap_target_check(path);
}

static enum heap_target check_image(const struct image *image)
{
	return check(image, sizeof(*image), 0755);
}

static void test_target__programs(void **state)
{
	struct image image = image_of("libc.so.6");

	(void)state;
	assert_int_equal(check_image(&image), HEAP_TARGET_FITS);
	image.head.e_machine = EM_PPC64;
	assert_int_equal(check_image(&image), HEAP_TARGET_MACHINE);
	image.head.e_machine = MACHINE;
	image.head.e_ident[EI_CLASS] = ELFCLASS32;
	assert_int_equal(check_image(&image), HEAP_TARGET_MACHINE);
	image = image_of("libc.so.6");
	image.part[0].p_type = PT_NULL;
	assert_int_equal(check_image(&image), HEAP_TARGET_STATIC);
	image = image_of("libasan.so.8");
	assert_int_equal(check_image(&image), HEAP_TARGET_SANITIZER);
	image = image_of("libclang_rt.asan-x86_64.so");
	assert_int_equal(check_image(&image), HEAP_TARGET_SANITIZER);
	if (!geteuid()) {
		image = image_of("libc.so.6");
		assert_int_equal(check(&image, sizeof(image), 0755), HEAP_TARGET_FITS);
		assert_int_equal(chown(path, 1, 1), 0);
		assert_int_equal(chmod(path, 04755), 0);
		assert_int_equal(heap_target_check(path), HEAP_TARGET_RIGHTS);
		assert_int_equal(chown(path, 0, 0), 0);
	}
}

/* Bytes that are cut anywhere are no reason to read on. */
static void test_target__cut(void **state)
{
	struct image image = image_of("libasan.so.8");

	(void)state;
	for (size_t len = 0; len < offsetof(struct image, dynamic); len += 8)
		assert_int_equal(check(&image, len, 0755), HEAP_TARGET_UNKNOWN);
	image.head.e_phnum = 60000;
	assert_int_equal(check_image(&image), HEAP_TARGET_UNKNOWN);
	image = image_of("libasan.so.8");
	image.dynamic[0].d_un.d_val = UINT64_MAX / 2;
	assert_int_equal(check_image(&image), HEAP_TARGET_FITS);
	image.part[2].p_offset = UINT64_MAX - 8;
	assert_int_equal(check_image(&image), HEAP_TARGET_FITS);
}

static void test_target__scripts(void **state)
{
	char text[128];

	(void)state;
	assert_int_equal(check("#! /bin/sh -e\n", 14, 0755), HEAP_TARGET_FITS);
	assert_int_equal(check("echo\n", 5, 0755), HEAP_TARGET_FITS); /* execvp() runs the shell */
	assert_int_equal(check("#!/nowhere\n", 11, 0755), HEAP_TARGET_UNKNOWN);
	(void)snprintf(text, sizeof(text), "#!%s\n", path);
	assert_int_equal(check(text, strlen(text), 0755), HEAP_TARGET_UNKNOWN); /* itself */
	assert_int_equal(heap_target_check("/"), HEAP_TARGET_UNKNOWN);
	assert_int_equal(heap_target_check("/nowhere"), HEAP_TARGET_UNKNOWN);
}

static void test_target__preload(void **state)
{
	(void)state;
	assert_int_equal(heap_target_check_preload(NULL), HEAP_TARGET_FITS);
	assert_int_equal(heap_target_check_preload("libjemalloc.so"), HEAP_TARGET_FITS);
	assert_int_equal(heap_target_check_preload("a.so:libasan.so.6"), HEAP_TARGET_SANITIZER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_target__programs),
		cmocka_unit_test(test_target__cut),
		cmocka_unit_test(test_target__scripts),
		cmocka_unit_test(test_target__preload),
	};
	int fd, code;

	(void)snprintf(path, sizeof(path), "/tmp/cupel-target-XXXXXX");
	fd = mkstemp(path);
	if (fd < 0)
		return 1;
	(void)close(fd);
	code = cmocka_run_group_tests(tests, NULL, NULL);
	(void)unlink(path);
	return code;
}

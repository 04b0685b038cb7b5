/* SPDX-License-Identifier: GPL-2.0-or-later */
/* proc/elf_file: headers in both byte orders, and every way in which they can lie. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "elf_builder.h"
#include "proc/elf_file.h"

static void build(struct elf_builder *b, bool swap)
{
	builder_start(b, swap);
	builder_build_id(b, "abcdefghijklmnopqrst");
	builder_symbol(b, "f", 0, 16, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC));
	builder_finish(b);
}

static void check_whole(bool swap)
{
	struct elf_builder b;
	struct err err = { 0 };
	struct elf_file *elf;
	const uint8_t *data;
	uint64_t at;
	size_t len;
	char hex[2 * BUILD_ID_MAX + 1];

	build(&b, swap);
	assert_int_equal(0, elf_file_parse(b.data, b.len, &elf, &err));
	assert_true(elf->is_64);
	assert_int_equal(swap, elf->swap);
	assert_int_equal(EM_X86_64, elf->machine);
	assert_int_equal(6, elf->section_count);
	assert_int_equal(1, elf->segment_count);
	build_id_hex(&elf->build_id, hex);
	assert_string_equal("6162636465666768696a6b6c6d6e6f7071727374", hex);
	assert_int_equal(BUILDER_TEXT_ADDR, elf_file_section(elf, ".text")->addr);
	assert_null(elf_file_section(elf, ".data"));
	assert_true(elf_section_data(elf, elf_file_section(elf, ".symtab"), &data, &len));
	assert_int_equal(2 * sizeof(Elf64_Sym), len);

	assert_true(elf_file_vaddr(elf, BUILDER_TEXT_OFFSET + 5, &at));
	assert_int_equal(BUILDER_TEXT_ADDR + 5, at);
	/* the kernel maps the whole page */
	assert_true(elf_file_vaddr(elf, 0, &at));
	assert_int_equal(BUILDER_TEXT_ADDR - BUILDER_TEXT_OFFSET, at);
	assert_false(elf_file_vaddr(elf, 0x1000, &at));
	assert_true(elf_file_offset(elf, BUILDER_TEXT_ADDR + 5, &at));
	assert_int_equal(BUILDER_TEXT_OFFSET + 5, at);
	assert_false(elf_file_offset(elf, BUILDER_TEXT_ADDR + BUILDER_TEXT_BYTES, &at));
	assert_true(elf_file_at(elf, BUILDER_TEXT_ADDR + 5, &data, &len));
	assert_ptr_equal(b.data + BUILDER_TEXT_OFFSET + 5, data);
	assert_int_equal(BUILDER_TEXT_BYTES - 5, len);
	elf_file_close(elf);
}

static void test_elf_file__either_byte_order(void **state)
{
	(void)state;
	check_whole(false);
	check_whole(true);
}

/* What is cut off or overwritten is absent; nothing is read outside. ASan watches. */
static void test_elf_file__truncated_and_flipped(void **state)
{
	struct elf_builder b;
	struct err err = { 0 };
	struct elf_file *elf;
	uint64_t at;

	(void)state;
	build(&b, false);
	for (size_t len = 0; len < b.len; len++) {
		uint8_t *copy = malloc(len + 1);

		memcpy(copy, b.data, len);
		if (elf_file_parse(copy, len, &elf, &err) == 0) {
			(void)elf_file_vaddr(elf, BUILDER_TEXT_OFFSET, &at);
			elf_file_close(elf);
		}
		free(copy);
	}
	for (size_t i = 0; i < b.len * 8; i++) {
		b.data[i / 8] ^= (uint8_t)(1u << i % 8);
		if (elf_file_parse(b.data, b.len, &elf, &err) == 0) {
			(void)elf_file_vaddr(elf, BUILDER_TEXT_OFFSET, &at);
			(void)elf_file_section(elf, ".nothing");
			elf_file_close(elf);
		}
		b.data[i / 8] ^= (uint8_t)(1u << i % 8);
	}
}

static void test_elf_file__what_is_none(void **state)
{
	struct err err = { 0 };
	struct elf_file *elf;

	(void)state;
	assert_int_equal(-ENOEXEC, elf_file_open("/etc/passwd", &elf, &err));
	assert_string_equal("/etc/passwd: not an ELF file", err.msg);
	assert_int_equal(-ENOENT, elf_file_open("/proc/nonexistent", &elf, &err));
	assert_int_equal(-ENOEXEC, elf_file_parse("", 0, &elf, &err));
}

extern const char __ehdr_start[] __attribute__((visibility("hidden")));
static char in_bss[1 << 16];

/* Variables without bytes in the file have offsets that lead back to them. */
static void test_elf_file__offsets_of_bss(void **state)
{
	struct err err = { 0 };
	struct elf_file *elf;
	uint64_t vaddr = (uintptr_t)&in_bss[40000], offset, back;

	(void)state;
	assert_int_equal(0, elf_file_open("/proc/self/exe", &elf, &err));
	if (elf->type == ET_DYN)
		vaddr -= (uintptr_t)__ehdr_start;
	assert_false(elf_file_offset(elf, vaddr, &offset));
	assert_true(elf_file_data_offset(elf, vaddr, &offset));
	assert_true(elf_file_vaddr(elf, offset, &back));
	assert_true(back == vaddr);
	assert_false(elf_file_data_offset(elf, UINT64_MAX, &offset));
	elf_file_close(elf);
}

static void test_elf_file__notes_without_end(void **state)
{
	uint8_t notes[64] = { 4, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 3, 0, 0, 0, 'G', 'N', 'U' };
	struct build_id id = { 0 };

	(void)state;
	assert_false(elf_notes_build_id(notes, sizeof(notes), false, &id));
	memset(notes, 0xff, sizeof(notes));
	assert_false(elf_notes_build_id(notes, sizeof(notes), false, &id));
	memset(notes, 0, sizeof(notes));
	assert_false(elf_notes_build_id(notes, sizeof(notes), false, &id));
	assert_int_equal(0, id.len);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_elf_file__either_byte_order),
		cmocka_unit_test(test_elf_file__truncated_and_flipped),
		cmocka_unit_test(test_elf_file__what_is_none),
		cmocka_unit_test(test_elf_file__offsets_of_bss),
		cmocka_unit_test(test_elf_file__notes_without_end),
	};

	return cmocka_run_group_tests_name("proc/elf_file", tests, NULL, NULL);
}

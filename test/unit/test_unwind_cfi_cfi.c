/* SPDX-License-Identifier: GPL-2.0-or-later */
/* unwind/cfi, cfi_entry, cfi_index: every instruction and entry form gives the rows the standard
 * says; bad bytes end in "no row", never in a wrong one. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cfi_bytes.h"
#include "unwind/cfi/cfi_index.h"

/* The rows of one FDE at 0x1000, 0x100 long, with these instructions. */
static const char *run(const void *code, size_t len)
{
	static struct bytes b;
	struct cfi_section section;
	struct cfi_fde fde;
	size_t offset = 0;

	b.len = 0;
	put_cie(&b, 1, "zR", "\0", 1);
	put_fde(&b, true, 0x1000, 0x100, code, len);
	section = section_of(&b);
	assert_int_equal(CFI_ENTRY_OTHER, cfi_next(&section, &offset, &fde));
	assert_int_equal(CFI_ENTRY_FDE, cfi_next(&section, &offset, &fde));
	return rows_text(&section, &fde);
}

#define ROWS(expected, code) assert_string_equal(expected, run(code, sizeof(code) - 1))

static void test_cfi__advances_by_all_widths(void **state)
{
	(void)state;
	ROWS("1000 r7+8 16=c-8", "");
	ROWS("1000 r7+8 16=c-8; 1001 r7+16 16=c-8", "\x41\x0e\x10");
	ROWS("1000 r7+8 16=c-8; 1080 r7+16 16=c-8", "\x02\x80\x0e\x10");
	ROWS("1000 r7+8 16=c-8; 1020 r7+16 16=c-8", "\x03\x20\x00\x0e\x10");
	ROWS("1000 r7+8 16=c-8; 1020 r7+16 16=c-8", "\x04\x20\x00\x00\x00\x0e\x10");
	ROWS("1000 r7+8 16=c-8; 1020 r7+16 16=c-8", "\x1d\x20\0\0\0\0\0\0\0\x0e\x10");
	ROWS("1000 r7+8 16=c-8; 1040 r7+16 16=c-8", "\x01\x40\x10\0\0\0\0\0\0\x0e\x10");
}

static void test_cfi__rules_before_the_first_advance_hold_from_the_start(void **state)
{
	(void)state;
	ROWS("1000 r7+16 16=c-8", "\x0e\x10");
	ROWS("1000 r7+24 16=c-8; 1001 r7+16 16=c-8", "\x40\x0e\x18\x41\x0e\x10");
}

static void test_cfi__cfa_in_every_form(void **state)
{
	(void)state;
	ROWS("1000 r6+16 16=c-8", "\x0c\x06\x10");
	ROWS("1000 r6+8 16=c-8", "\x0d\x06");
	ROWS("1000 r6-16 16=c-8", "\x12\x06\x02");
	ROWS("1000 r7-16 16=c-8", "\x13\x02");
	ROWS("1000 exp 16=c-8", "\x0f\x02\x77\x08");
}

static void test_cfi__registers_in_every_form(void **state)
{
	(void)state;
	ROWS("1000 r7+8 6=c-16 16=c-8", "\x86\x02");
	ROWS("1000 r7+8 6=c-16 16=c-8", "\x05\x06\x02");
	ROWS("1000 r7+8 6=c+16 16=c-8", "\x11\x06\x7e");
	ROWS("1000 r7+8 6=c+16 16=c-8", "\x2f\x06\x02");
	ROWS("1000 r7+8 6=u 16=c-8", "\x07\x06");
	ROWS("1000 r7+8 6=s 16=c-8", "\x08\x06");
	ROWS("1000 r7+8 6=r+3 16=c-8", "\x09\x06\x03");
	ROWS("1000 r7+8 6=v-16 16=c-8", "\x14\x06\x02");
	ROWS("1000 r7+8 6=v+16 16=c-8", "\x15\x06\x7e");
	ROWS("1000 r7+8 6=exp 16=c-8", "\x10\x06\x02\x76\x00");
	ROWS("1000 r7+8 6=vexp 16=c-8", "\x16\x06\x02\x76\x00");
	ROWS("1000 r7+8 16=u", "\x07\x10");
	ROWS("1000 r7+8 16=c-8", "\x05\x80\x01\x02"); /* a vector register: not tracked */
}

static void test_cfi__restores(void **state)
{
	(void)state;
	ROWS("1000 r7+8 6=c-16 16=c-8; 1001 r7+8 16=c-8", "\x86\x02\x41\xc6");
	ROWS("1000 r7+8 16=u; 1001 r7+8 16=c-8", "\x07\x10\x41\x06\x10");
	ROWS("1000 r7+16 16=c-8; 1001 r7+8 6=c-16 16=c-8; 1002 r7+16 16=c-8",
	     "\x0e\x10\x0a\x41\x0e\x08\x86\x02\x41\x0b");
	/* expressions are remembered too */
	ROWS("1000 exp 16=c-8; 1001 r7+8 16=c-8; 1002 exp 16=c-8",
	     "\x0f\x02\x77\x08\x0a\x41\x0c\x07\x08\x41\x0b");
}

static void test_cfi__ignores_args_size(void **state)
{
	(void)state;
	ROWS("1000 r7+8 16=c-8; 1001 r7+16 16=c-8", "\x2e\x20\x41\x2e\x00\x0e\x10");
}

static void test_cfi__rows_end_with_the_function(void **state)
{
	(void)state;
	ROWS("1000 r7+8 16=c-8", "\x03\x00\x01\x0e\x10");
	ROWS("1000 r7+8 16=c-8", "\x03\x00\xff\x0e\x10");
}

static void test_cfi__bad_instructions_end_the_rows(void **state)
{
	(void)state;
	ROWS("1000 r7+8 16=c-8 !", "\x41\x3f");			/* unknown */
	ROWS("1000 r7+8 16=c-8 !", "\x41\x0b");			/* nothing remembered */
	ROWS("1000 r7+8 16=c-8 !", "\x41\x0f\x7f\x77\x08");	/* expression past the end */
	ROWS("1000 r7+8 16=c-8 !", "\x41\x0f\x01\x77\x0e\x10"); /* offset without a register */
	ROWS("1000 r7+8 16=c-8 !", "\x41\x0c\x20\x08");		/* CFA in an unknown register */
	ROWS("1000 r7+8 16=c-8 !", "\x41\x01\0\0\0\0\0\0\0\0"); /* backwards */
	ROWS(" !", "\x01");
	ROWS("1000 r7+8 16=c-8 !", "\x41\x0e\xff\xff\xff\xff\x7f"); /* 32 GiB frame */
	ROWS(" !", "\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a");
}

static void test_cfi__finds_the_row_of_a_pc(void **state)
{
	static struct bytes b;
	struct cfi_section section;
	struct cfi_fde fde;
	struct cfi_vm vm;
	size_t offset = 0;

	(void)state;
	put_cie(&b, 1, "zR", "\0", 1);
	put_fde(&b, true, 0x1000, 0x100, "\x44\x0e\x10\x44\x0e\x18", 6);
	section = section_of(&b);
	(void)cfi_next(&section, &offset, &fde);
	(void)cfi_next(&section, &offset, &fde);
	assert_int_equal(0, cfi_vm_start(&vm, &section, &fde));
	assert_int_equal(1, cfi_vm_find(&vm, 0x1007));
	assert_int_equal(0x1004, vm.row.start);
	assert_int_equal(0x1008, vm.row.end);
	assert_int_equal(16, vm.row.cfa.value);
	assert_int_equal(0, cfi_vm_start(&vm, &section, &fde));
	assert_int_equal(1, cfi_vm_find(&vm, 0x10ff));
	assert_int_equal(24, vm.row.cfa.value);
}

/* The FDE after a CIE of the given form. */
static enum cfi_entry entry_after(uint8_t version, const char *augmentation, const char *data,
				  size_t data_len, struct cfi_fde *ret)
{
	static struct bytes b;
	struct cfi_section section;
	size_t offset = 0;

	b.len = 0;
	put_cie(&b, version, augmentation, data, data_len);
	put_fde(&b, augmentation[0] == 'z', 0x1000, 0x100, "", 0);
	section = section_of(&b);
	(void)cfi_next(&section, &offset, ret);
	return cfi_next(&section, &offset, ret);
}

static void test_cfi__reads_all_versions_and_augmentations(void **state)
{
	struct cfi_fde fde;

	(void)state;
	assert_int_equal(CFI_ENTRY_FDE, entry_after(1, "", "", 0, &fde));
	assert_int_equal(CFI_ENTRY_FDE, entry_after(3, "zR", "\0", 1, &fde));
	assert_int_equal(0x1000, fde.start);
	assert_int_equal(0x1100, fde.end);
	assert_false(fde.signal);
	assert_int_equal(CFI_ENTRY_FDE, entry_after(4, "zR", "\0", 1, &fde));
	assert_int_equal(CFI_ENTRY_FDE, entry_after(1, "zRS", "\0", 1, &fde));
	assert_true(fde.signal);
	/* personality (indirect pc-relative), LSDA encoding, pointer encoding, key B */
	assert_int_equal(CFI_ENTRY_FDE, entry_after(1, "zPLRB", "\x9b\1\2\3\4\x1b\x00", 7, &fde));
	assert_int_equal(0x1000, fde.start);
	assert_int_equal(CFI_ENTRY_OTHER, entry_after(1, "zX", "\0", 1, &fde));
	assert_int_equal(CFI_ENTRY_OTHER, entry_after(1, "R", "", 0, &fde));
	assert_int_equal(CFI_ENTRY_OTHER, entry_after(2, "zR", "\0", 1, &fde));
	assert_int_equal(CFI_ENTRY_OTHER, entry_after(1, "zP", "\x0b", 1, &fde));
}

static void test_cfi__reads_64_bit_lengths(void **state)
{
	static struct bytes b;
	struct cfi_section section;
	struct cfi_fde fde;
	size_t offset = 0, at;

	(void)state;
	put_cie(&b, 1, "zR", "\0", 1);
	at = b.len;
	PUT(&b, "\xff\xff\xff\xff");
	put_word(&b, 24, 8);
	put_word(&b, at + 12, 4); /* the CIE pointer stays 4 bytes wide in .eh_frame */
	put_word(&b, 0x2000, 8);
	put_word(&b, 0x10, 8);
	put_word(&b, 0, 1);
	PUT(&b, "\x0e\x10\x00");
	put_word(&b, 0, 4);
	section = section_of(&b);
	assert_int_equal(CFI_ENTRY_OTHER, cfi_next(&section, &offset, &fde));
	assert_int_equal(CFI_ENTRY_FDE, cfi_next(&section, &offset, &fde));
	assert_string_equal("2000 r7+16 16=c-8", rows_text(&section, &fde));
	assert_int_equal(CFI_ENTRY_END, cfi_next(&section, &offset, &fde));
}

static void test_cfi__reads_debug_frame(void **state)
{
	static struct bytes b;
	struct cfi_section section;
	struct cfi_fde fde;
	size_t offset = 0;

	(void)state;
	put_cie(&b, 4, "", "", 0);
	memset(b.data + 4, 0xff, 4); /* the id of a CIE */
	put_fde(&b, false, 0x3000, 0x20, "\x0e\x20", 2);
	section = section_of(&b);
	section.debug_frame = true;
	assert_int_equal(CFI_ENTRY_OTHER, cfi_next(&section, &offset, &fde));
	memset(b.data + offset + 4, 0, 4);
	assert_int_equal(CFI_ENTRY_FDE, cfi_next(&section, &offset, &fde));
	assert_string_equal("3000 r7+32 16=c-8", rows_text(&section, &fde));
}

static uint64_t pointer(uint8_t encoding, const char *bytes, size_t len, bool *bad)
{
	struct cfi_section section = { .data = (const uint8_t *)bytes,
				       .len = len,
				       .addr = 0x10003,
				       .text_addr = 0x200,
				       .data_addr = 0x300 };
	struct cfi_cursor cursor = { .at = section.data, .end = section.data + len };
	uint64_t value = cfi_pointer(&cursor, &section, encoding);

	*bad = cursor.bad;
	return value;
}

static void test_cfi__decodes_all_pointer_encodings(void **state)
{
	const char neg[] = "\xf0\xff\xff\xff\xff\xff\xff\xff";
	bool bad;

	(void)state;
	assert_int_equal(0xfffffffffffffff0u, pointer(0x00, neg, 8, &bad));
	assert_int_equal(0x3ff0, pointer(0x01, "\xf0\x7f", 2, &bad));
	assert_int_equal(0xfff0, pointer(0x02, neg, 2, &bad));
	assert_int_equal(0xfffffff0u, pointer(0x03, neg, 4, &bad));
	assert_int_equal(0xfffffffffffffff0u, pointer(0x04, neg, 8, &bad));
	assert_int_equal((uint64_t)-16, pointer(0x09, "\x70", 1, &bad));
	assert_int_equal((uint64_t)-16, pointer(0x0a, neg, 2, &bad));
	assert_int_equal((uint64_t)-16, pointer(0x0b, neg, 4, &bad));
	assert_int_equal((uint64_t)-16, pointer(0x0c, neg, 8, &bad));
	assert_int_equal(0x10003 - 16, pointer(0x1b, neg, 4, &bad));
	assert_int_equal(0x200 - 16, pointer(0x2b, neg, 4, &bad));
	assert_int_equal(0x300 - 16, pointer(0x3b, neg, 4, &bad));
	assert_false(bad);
	/* aligned: five bytes on, at 0x10008 */
	assert_int_equal(0x1122, pointer(0x50, "\1\2\3\4\5\x22\x11\0\0\0\0\0\0", 13, &bad));
	assert_false(bad);
	(void)pointer(0x9b, neg, 4, &bad); /* indirect */
	assert_true(bad);
	(void)pointer(0x4b, neg, 4, &bad); /* function-relative */
	assert_true(bad);
	(void)pointer(0x0b, neg, 3, &bad);
	assert_true(bad);
	(void)pointer(0x07, neg, 8, &bad);
	assert_true(bad);
}

static void put_three(struct bytes *b)
{
	b->len = 0;
	put_cie(b, 1, "zR", "\0", 1);
	put_fde(b, true, 0x3000, 0x100, "\x0e\x30", 2);
	put_fde(b, true, 0x1000, 0x100, "\x0e\x10", 2);
	put_fde(b, true, 0, 0x10, "", 0);	    /* discarded by the linker */
	put_fde(b, true, 0x2000, 0, "\x0e\x20", 2); /* empty */
	put_fde(b, true, 0x2000, 0x80, "\x0e\x20", 2);
	put_word(b, 0, 4); /* terminator */
	put_fde(b, true, 0x5000, 0x100, "", 0);
}

static void test_cfi_index__scans_sections_without_a_table(void **state)
{
	static struct bytes b;
	struct cfi_section section;
	struct cfi_index index;
	struct cfi_fde fde;

	(void)state;
	put_three(&b);
	section = section_of(&b);
	cfi_index_open(&section, NULL, 0, &index);
	assert_int_equal(3, index.count);
	assert_true(cfi_index_find(&index, 0x1000, &fde));
	assert_int_equal(0x1000, fde.start);
	assert_true(cfi_index_find(&index, 0x10ff, &fde));
	assert_true(cfi_index_find(&index, 0x207f, &fde));
	assert_int_equal(0x2000, fde.start);
	assert_true(cfi_index_find(&index, 0x3050, &fde));
	assert_false(cfi_index_find(&index, 0xfff, &fde));
	assert_false(cfi_index_find(&index, 0x1100, &fde));
	assert_false(cfi_index_find(&index, 0x2080, &fde)); /* a gap */
	assert_false(cfi_index_find(&index, 0x5000, &fde)); /* past the terminator */
	cfi_index_close(&index);
}

#define HDR_ADDR 0x8000
#define EH_ADDR	 0x9000

/* A table with the given (start, offset in section) pairs. */
static void put_hdr(struct bytes *b, const uint32_t (*pair)[2], uint32_t count)
{
	b->len = 0;
	PUT(b, "\x01\x1b\x03\x3b");
	put_word(b, (uint32_t)(EH_ADDR - HDR_ADDR - 4), 4);
	put_word(b, count, 4);
	for (uint32_t i = 0; i < count; i++) {
		put_word(b, (uint32_t)(pair[i][0] - HDR_ADDR), 4);
		put_word(b, (uint32_t)(EH_ADDR + pair[i][1] - HDR_ADDR), 4);
	}
}

static void test_cfi_index__uses_a_sorted_header_table(void **state)
{
	static struct bytes b, h;
	struct cfi_section section;
	struct cfi_index index;
	struct cfi_hdr hdr;
	struct cfi_fde fde;
	size_t first;

	(void)state;
	put_cie(&b, 1, "zR", "\0", 1);
	first = b.len;
	put_fde(&b, true, 0x1000, 0x100, "\x0e\x10", 2);
	section = section_of(&b);
	section.addr = EH_ADDR;
	put_hdr(&h, (const uint32_t[][2]){ { 0x1000, (uint32_t)first }, { 0x1080, 0xfffff } }, 2);
	assert_true(cfi_hdr_parse(h.data, h.len, HDR_ADDR, &hdr));
	assert_int_equal(EH_ADDR, hdr.eh_frame_addr);
	assert_int_equal(2, hdr.count);
	cfi_index_open(&section, &hdr, HDR_ADDR, &index);
	assert_non_null(index.hdr);
	assert_true(cfi_index_find(&index, 0x1010, &fde));
	assert_false(cfi_index_find(&index, 0x1090, &fde)); /* points outside the section */
	cfi_index_close(&index);

	put_hdr(&h, (const uint32_t[][2]){ { 0x1080, 0 }, { 0x1000, (uint32_t)first } }, 2);
	assert_true(cfi_hdr_parse(h.data, h.len, HDR_ADDR, &hdr));
	cfi_index_open(&section, &hdr, HDR_ADDR, &index);
	assert_null(index.hdr); /* not sorted: our own table */
	assert_true(cfi_index_find(&index, 0x1010, &fde));
	cfi_index_close(&index);
}

static void test_cfi_index__distrusts_headers(void **state)
{
	static struct bytes h;
	struct cfi_hdr hdr;

	(void)state;
	assert_false(cfi_hdr_parse((const uint8_t *)"", 0, HDR_ADDR, &hdr));
	assert_false(cfi_hdr_parse((const uint8_t *)"\x02\x1b\x03\x3b\0\0\0\0", 8, 0, &hdr));
	assert_false(cfi_hdr_parse((const uint8_t *)"\x01\x1b\x03\x3b\0", 5, 0, &hdr));
	put_hdr(&h, (const uint32_t[][2]){ { 0x1000, 0 } }, 1);
	h.data[8] = 200; /* more entries than there are bytes */
	assert_true(cfi_hdr_parse(h.data, h.len, HDR_ADDR, &hdr));
	assert_null(hdr.table);
	h.data[8] = 1;
	h.data[3] = 0x1b; /* an encoding no linker writes */
	assert_true(cfi_hdr_parse(h.data, h.len, HDR_ADDR, &hdr));
	assert_null(hdr.table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cfi__advances_by_all_widths),
		cmocka_unit_test(test_cfi__rules_before_the_first_advance_hold_from_the_start),
		cmocka_unit_test(test_cfi__cfa_in_every_form),
		cmocka_unit_test(test_cfi__registers_in_every_form),
		cmocka_unit_test(test_cfi__restores),
		cmocka_unit_test(test_cfi__ignores_args_size),
		cmocka_unit_test(test_cfi__rows_end_with_the_function),
		cmocka_unit_test(test_cfi__bad_instructions_end_the_rows),
		cmocka_unit_test(test_cfi__finds_the_row_of_a_pc),
		cmocka_unit_test(test_cfi__reads_all_versions_and_augmentations),
		cmocka_unit_test(test_cfi__reads_64_bit_lengths),
		cmocka_unit_test(test_cfi__reads_debug_frame),
		cmocka_unit_test(test_cfi__decodes_all_pointer_encodings),
		cmocka_unit_test(test_cfi_index__scans_sections_without_a_table),
		cmocka_unit_test(test_cfi_index__uses_a_sorted_header_table),
		cmocka_unit_test(test_cfi_index__distrusts_headers),
	};

	return cmocka_run_group_tests_name("unwind/cfi", tests, NULL, NULL);
}

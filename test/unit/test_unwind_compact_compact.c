/* SPDX-License-Identifier: GPL-2.0-or-later */
/* unwind/compact, compact_writer, compact_file: rows become pages that say the same, and a file
 * that was touched is refused. */
#include <elf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/err.h"
#include "proc/elf_file.h"
#include "unwind/compact/compact_writer.h"
#include "unwind/table.h"

static const struct build_id id = { .len = 3, .bytes = { 1, 2, 3 } };

static struct unwind_rule sp(int offset)
{
	return (struct unwind_rule){ .cfa = UNWIND_SP, .cfa_off = (int16_t)offset, .ra_off = -8 };
}

static void put(struct compact_writer *writer, uint64_t offset, int cfa)
{
	compact_writer_put(writer, offset, compact_writer_rule(writer, sp(cfa)));
}

static int cfa_at(const struct compact *compact, uint64_t offset)
{
	struct unwind_rule rule = compact_rule(compact, offset, false);

	return rule.cfa == UNWIND_FP ? -1 : rule.cfa_off;
}

static void test_compact__rows_that_repeat_are_dropped(void **state)
{
	struct compact_writer writer;
	struct compact *compact;

	(void)state;
	compact_writer_start(&writer, 0x5010);
	put(&writer, 0x5010, 8);
	put(&writer, 0x5020, 16);
	put(&writer, 0x5030, 16);
	put(&writer, 0x5040, 8);
	compact = compact_writer_finish(&writer);
	assert_int_equal(0x4000, compact->first);
	assert_int_equal(1, compact->page_count);
	assert_int_equal(4, compact->row_count); /* with the one at the page's start */
	assert_int_equal(-1, cfa_at(compact, 0x3fff));
	assert_int_equal(-1, cfa_at(compact, 0x500f));
	assert_int_equal(8, cfa_at(compact, 0x5010));
	assert_int_equal(8, cfa_at(compact, 0x501f));
	assert_int_equal(16, cfa_at(compact, 0x503f));
	assert_int_equal(8, cfa_at(compact, 0x7fff));
	assert_int_equal(-1, cfa_at(compact, 0x8000)); /* past the last page */
	compact_free(compact);
}

static void test_compact__what_holds_goes_on_in_the_next_pages(void **state)
{
	struct compact_writer writer;
	struct compact *compact;

	(void)state;
	compact_writer_start(&writer, 0);
	put(&writer, 0, 8);
	put(&writer, 0x8100, 16);
	put(&writer, 0xc000, 24); /* first byte of a page */
	compact = compact_writer_finish(&writer);
	assert_int_equal(4, compact->page_count);
	assert_int_equal(2, compact->row_count); /* pages of one rule take none */
	assert_int_equal(8, cfa_at(compact, 0x3fff));
	assert_int_equal(8, cfa_at(compact, 0x80ff));
	assert_int_equal(16, cfa_at(compact, 0x8100));
	assert_int_equal(16, cfa_at(compact, 0xbfff));
	assert_int_equal(24, cfa_at(compact, 0xffff));
	compact_free(compact);
}

static void test_compact__a_later_row_for_the_same_byte_wins(void **state)
{
	struct compact_writer writer;
	struct compact *compact;

	(void)state;
	compact_writer_start(&writer, 0);
	put(&writer, 0x10, 8);
	put(&writer, 0x10, 16);
	put(&writer, 0x08, 99); /* out of order */
	compact = compact_writer_finish(&writer);
	assert_int_equal(-1, cfa_at(compact, 0x0f));
	assert_int_equal(16, cfa_at(compact, 0x10));
	compact_free(compact);
}

static void test_compact__dense_pages_are_split(void **state)
{
	struct compact_writer writer;
	struct compact *compact;

	(void)state;
	compact_writer_start(&writer, 0);
	put(&writer, 0, 8);
	for (unsigned i = 0; i < 5000; i++)
		put(&writer, 0x4000 + i, (int)(i % 7) * 8);
	put(&writer, 0x8000, 800);
	compact = compact_writer_finish(&writer);
	assert_int_equal(UNWIND_PAGE_SPLIT, compact->page[1].count);
	assert_int_equal(UNWIND_SUBPAGES, compact->sub_count);
	assert_int_equal(8, cfa_at(compact, 0x3fff));
	for (unsigned i = 0; i < 5000; i++)
		assert_int_equal((i % 7) * 8, cfa_at(compact, 0x4000 + i));
	assert_int_equal(4999 % 7 * 8, cfa_at(compact, 0x7fff));
	assert_int_equal(800, cfa_at(compact, 0x8000));
	compact_free(compact);
}

static void test_compact__pairs_distinguish_return_addresses(void **state)
{
	struct compact_writer writer;
	struct compact *compact;
	uint16_t pair;

	(void)state;
	compact_writer_start(&writer, 0);
	pair = compact_writer_pair(&writer, sp(8), sp(32));
	assert_int_equal(pair, compact_writer_pair(&writer, sp(8), sp(32)));
	assert_int_equal(compact_writer_rule(&writer, sp(8)),
			 compact_writer_pair(&writer, sp(8), sp(8)));
	compact_writer_put(&writer, 0, pair);
	compact = compact_writer_finish(&writer);
	assert_int_equal(8, compact_rule(compact, 4, false).cfa_off);
	assert_int_equal(32, compact_rule(compact, 4, true).cfa_off);
	compact_free(compact);
}

static void test_compact__too_many_rules_become_unsupported(void **state)
{
	struct compact_writer writer;
	struct compact *compact;

	(void)state;
	compact_writer_start(&writer, 0);
	for (unsigned i = 0; i < UNWIND_RULE_LIMIT + 10; i++)
		compact_writer_put(
			&writer, i,
			compact_writer_rule(&writer,
					    (struct unwind_rule){ .cfa = UNWIND_SP,
								  .cfa_off = (int16_t)(i & 0x7fff),
								  .bp_off = (int16_t)(i >> 15) }));
	compact_writer_put(&writer, UNWIND_RULE_LIMIT + 10, COMPACT_RULE_FP);
	compact = compact_writer_finish(&writer);
	assert_int_equal(UNWIND_RULE_LIMIT, compact->rule_count);
	assert_int_equal(12, compact->dropped_rules); /* two are there from the start */
	assert_int_equal(UNWIND_SP, compact_rule(compact, 100, false).cfa);
	assert_int_equal(UNWIND_UNSUPPORTED,
			 compact_rule(compact, UNWIND_RULE_LIMIT + 9, false).cfa);
	compact_free(compact);
}

static struct compact *make_small(void)
{
	struct compact_writer writer;

	compact_writer_start(&writer, 0);
	for (unsigned i = 0; i < 1100; i++)
		put(&writer, 2 * i, (int)(i % 3) * 8 + 8);
	compact_writer_put(&writer, 0x5000, compact_writer_pair(&writer, sp(8), sp(16)));
	return compact_writer_finish(&writer);
}

static int parse(const struct buf *file, struct compact **ret)
{
	struct err err = { 0 };

	return compact_file_parse(file->data, file->len, &id, ret, &err);
}

static void test_compact__a_file_gives_the_same_table_again(void **state)
{
	struct compact *made = make_small(), *read;
	struct buf file = { 0 };

	(void)state;
	compact_file_write(made, &id, &file);
	assert_int_equal(0, parse(&file, &read));
	assert_int_equal(made->block_bytes, read->block_bytes);
	assert_memory_equal(made->block, read->block, made->block_bytes);
	for (uint64_t i = 0; i < 0x6000; i++)
		assert_int_equal(cfa_at(made, i), cfa_at(read, i));
	compact_free(made);
	compact_free(read);
	buf_done(&file);
}

static void test_compact__a_touched_file_is_refused(void **state)
{
	const struct build_id other = { .len = 3, .bytes = { 1, 2, 4 } };
	struct compact *made = make_small(), *read;
	struct buf file = { 0 };
	struct err err = { 0 };

	(void)state;
	compact_file_write(made, &id, &file);
	assert_int_equal(-EINVAL, compact_file_parse(file.data, file.len, &other, &read, &err));
	for (size_t i = 0; i < file.len; i++) {
		file.data[i] ^= 4;
		assert_int_equal(-EINVAL, parse(&file, &read));
		file.data[i] ^= 4;
	}
	for (size_t len = 0; len < file.len; len += 7)
		assert_int_equal(-EINVAL, compact_file_parse(file.data, len, &id, &read, &err));
	compact_free(made);
	buf_done(&file);
}

/* A file that was made on purpose has a right hash. */
static void refused(struct compact *compact, void *place, uint16_t value)
{
	struct compact *read;
	struct buf file = { 0 };
	uint16_t before;

	memcpy(&before, place, sizeof(before));
	memcpy(place, &value, sizeof(value));
	compact_file_write(compact, &id, &file);
	assert_int_equal(-EINVAL, parse(&file, &read));
	memcpy(place, &before, sizeof(before));
	buf_done(&file);
}

static void test_compact__indexes_that_lead_outside_are_refused(void **state)
{
	struct compact *compact = make_small();
	struct unwind_page *page = compact->block;
	struct unwind_page *sub = page + compact->page_count;
	struct unwind_rule *rule = (struct unwind_rule *)(sub + compact->sub_count);
	struct unwind_row *row = (struct unwind_row *)(rule + compact->rule_count);

	(void)state;
	assert_int_equal(UNWIND_PAGE_SPLIT, page[0].count);
	refused(compact, &page[0].first, 1);
	refused(compact, &page[1].first, 60000);
	refused(compact, &page[1].count, 2000);
	refused(compact, &sub[0].count, UNWIND_PAGE_SPLIT);
	refused(compact, &sub[0].first, 60000);
	refused(compact, &rule[0], 200); /* its kind */
	refused(compact, &row[0].offset, 1);
	refused(compact, &row[1].offset, 2000);
	refused(compact, &row[2].offset, 0);
	refused(compact, &row[1].rule, (uint16_t)compact->rule_count);
	refused(compact, &row[1].rule, (uint16_t)((compact->rule_count - 1) | UNWIND_ROW_PAIR));
	compact_free(compact);
}

static void check_rows(void *context, const struct cfi_section *section, const struct cfi_fde *fde)
{
	void *const *both = context;
	struct cfi_vm vm;

	if (cfi_vm_start(&vm, section, fde))
		return;
	while (cfi_vm_next(&vm) == 1) {
		struct unwind_rule want, got;
		uint64_t offset;

		if (!elf_file_offset(both[0], vm.row.start, &offset))
			continue;
		want = unwind_table_rule(both[1], (struct unwind_place){ offset + 1, true });
		got = compact_rule(both[2], offset, true);
		assert_memory_equal(&want, &got, sizeof(want));
		if (vm.row.end == fde->end)
			break;
	}
}

/* So much code without a table that there is a draft: a function that pushes and returns, and
 * instructions that do nothing. More code than that has a table: else a draft had no use. */
__asm__(".pushsection .text\n"
	".globl code_without_rows\n"
	".type code_without_rows, STT_FUNC\n"
	".balign 16\n"
	"code_without_rows:\n"
#ifdef __x86_64__
	"push %rbx\npush %rbx\n.fill 0x28000, 1, 0x90\npop %rbx\npop %rbx\nret\n"
#else
	"ret\n.fill 0xa000, 4, 0xd503201f\n"
#endif
	".size code_without_rows, . - code_without_rows\n"
	".balign 16\n"
	".cfi_startproc\n"
#ifdef __x86_64__
	".fill 0x30000, 1, 0x90\nret\n"
#else
	".fill 0xc000, 4, 0xd503201f\nret\n"
#endif
	".cfi_endproc\n"
	".popsection\n");
extern const char code_without_rows[];

static void check_code_without_rows(const struct elf_file *elf, const struct compact *draft,
				    const struct compact *whole)
{
	extern const Elf64_Ehdr __ehdr_start; /* by the linker */
	/* a program that is linked to a fixed place has its addresses in the file */
	uintptr_t base = __ehdr_start.e_type == ET_DYN ? (uintptr_t)&__ehdr_start : 0;
	uint64_t offset;

	assert_true(elf_file_offset(elf, (uintptr_t)code_without_rows - base + 0x14000, &offset));
	assert_int_equal(-1, cfa_at(draft, offset));
#ifdef __x86_64__
	assert_int_equal(24, cfa_at(whole, offset));
#endif
}

static void test_compact__says_of_this_program_what_its_table_says(void **state)
{
	struct unwind_table *table;
	struct compact *compact, *draft;
	struct err err = { 0 };
	struct elf_file *elf;
	void *all[3];

	(void)state;
	assert_int_equal(0, elf_file_open("/proc/self/exe", &elf, &err));
	table = unwind_table_of_elf(elf);
	draft = compact_build_draft(table);
	assert_non_null(draft);
	assert_int_equal(COMPACT_DRAFT, draft->flags);
	compact = compact_build(table);
	assert_true(compact->raw_rows > 1000);
	assert_int_equal(0, compact->flags);
	all[0] = elf;
	all[1] = table;
	all[2] = draft;
	unwind_table_each(table, check_rows, all);
	all[2] = compact;
	unwind_table_each(table, check_rows, all);
	check_code_without_rows(elf, draft, compact);
	assert_null(compact_build_draft(table)); /* what would be left out is known by now */
	compact_free(draft);
	compact_free(compact);
	unwind_table_close(table);
	elf_file_close(elf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_compact__rows_that_repeat_are_dropped),
		cmocka_unit_test(test_compact__what_holds_goes_on_in_the_next_pages),
		cmocka_unit_test(test_compact__a_later_row_for_the_same_byte_wins),
		cmocka_unit_test(test_compact__dense_pages_are_split),
		cmocka_unit_test(test_compact__pairs_distinguish_return_addresses),
		cmocka_unit_test(test_compact__too_many_rules_become_unsupported),
		cmocka_unit_test(test_compact__a_file_gives_the_same_table_again),
		cmocka_unit_test(test_compact__a_touched_file_is_refused),
		cmocka_unit_test(test_compact__indexes_that_lead_outside_are_refused),
		cmocka_unit_test(test_compact__says_of_this_program_what_its_table_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Builds compact tables (see compact.h): one sweep over a binary's executable segments. Gaps in
 * .eh_frame are filled from .debug_frame, and remaining ones from the code. The rules are those of
 * table.c, which decides byte by byte wherever several rows apply. */
#include "unwind/compact/compact.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/vec.h"
#include "proc/elf_file.h"
#include "unwind/bare/code_rules.h"
#include "unwind/compact/compact_writer.h"
#include "unwind/evaluate.h"
#include "unwind/table_private.h"

/* Padding between functions: shorter gaps contain nothing else. */
#define SHORT_GAP 16u
/* Code without tables is looked at byte by byte: this much of it, and more where all is without.
 * For the rest, such as the generated code in node, the walker uses frame pointers and the code
 * that it recognises itself. */
#define MAX_BARE_BYTES	    (256u << 10)
#define MAX_TABLELESS_BYTES (2u << 20)
/* A hostile file may make every function run long instructions of its CIE. Real ones take less than
 * the bytes of the section. */
#define WORK_PER_BYTE 16u
#define WORK_AT_LEAST ((uint64_t)256 << 20)
/* One lookup costs about as much as so many bytes of instructions, and one more for each segment.
 */
#define LOOKUP_WORK 64u
/* Bytes of code after which the file's pages are released: else a large binary would use its
 * size in memory. */
#define FORGET_BYTES (8u << 20)
/* With more code without tables than this, which takes longer to follow than all tables to read,
 * there is a draft. */
#define DRAFT_BYTES (128u << 10)
/* Programs have a dozen. */
#define MAX_SEGMENTS 512u

struct span {
	uint64_t from, to; /* linked addresses */
};

struct builder {
	const struct unwind_table *table;
	struct compact_writer writer;
	VEC(struct elf_segment) segments; /* executable, by file offset */
	uint64_t start;			  /* of the segment, a linked address */
	uint64_t to_offset;		  /* linked address + this = file offset */
	VEC(struct span) spots;		  /* where code overrides rows; ascending */
	size_t spot;			  /* the first that is not behind */
	uint64_t work;			  /* left, in bytes of instructions */
	uint64_t entry_work;		  /* of one lookup in the last entry */
	uint32_t bare_bytes, raw_rows;
	uint64_t forgot_at; /* linked address */
};

static struct unwind_rule rule_at(const struct builder *b, uint64_t vaddr, bool returns)
{
	struct unwind_place place = { .offset = vaddr + b->to_offset + returns,
				      .returns = returns };

	return unwind_table_rule(b->table, place);
}

static void put(struct builder *b, uint64_t vaddr, uint16_t rule)
{
	compact_writer_put(&b->writer, vaddr + b->to_offset, rule);
}

/* Byte by byte, where an entry may apply. */
static void put_bytes(struct builder *b, uint64_t from, uint64_t to)
{
	uint64_t work = 2 * (b->entry_work + b->table->elf->segment_count + LOOKUP_WORK);

	for (; from < to && b->work > work; from++) {
		b->work -= work;
		put(b, from,
		    compact_writer_pair(&b->writer, rule_at(b, from, false),
					rule_at(b, from, true)));
	}
	if (from < to)
		put(b, from, COMPACT_RULE_FP);
}

/* One rule for a range, except for the spots in it. */
static void put_range(struct builder *b, uint64_t from, uint64_t to, uint16_t rule)
{
	while (b->spot < b->spots.count && b->spots.item[b->spot].from < to) {
		struct span spot = b->spots.item[b->spot];

		if (spot.from > from)
			put(b, from, rule);
		spot.from = spot.from > from ? spot.from : from;
		if (spot.from < spot.to)
			put_bytes(b, spot.from, spot.to < to ? spot.to : to);
		if (spot.to > to)
			return;
		from = spot.to > from ? spot.to : from;
		b->spot++;
	}
	if (from < to)
		put(b, from, rule);
}

static bool is_padding(const struct builder *b, uint64_t from, uint64_t to)
{
	struct arch_code code;
	uint64_t left = to - from;
	size_t len;

	if (left < SHORT_GAP)
		return true;
	if (!unwind_table_code_at(b->table, from, &code))
		return false;
	while (left && (len = arch_padding(&code)) && len <= left) {
		code.at += len;
		left -= len;
	}
	return !left;
}

/* Code of which nothing is known but the bytes around a place. */
static void put_unknown(struct builder *b, uint64_t from, uint64_t to)
{
	uint32_t most = unwind_table_has_rows(b->table) ? MAX_BARE_BYTES : MAX_TABLELESS_BYTES;
	struct arch_code code, next;

	if (to - from > most - b->bare_bytes || !unwind_table_code_at(b->table, from, &code) ||
	    to - from > (uint64_t)(code.end - code.at)) {
		put_range(b, from, to,
			  compact_writer_rule(&b->writer, unwind_table_fp_rule(b->table)));
		return;
	}
	b->bare_bytes += (uint32_t)(to - from);
	for (; from < to; from++, code = next) {
		next = code;
		next.at++;
		put(b, from,
		    compact_writer_pair(&b->writer,
					unwind_table_bare_rule(b->table, from, &code, false),
					unwind_table_bare_rule(b->table, from + 1, &next, true)));
	}
}

static bool ends_context_at(const struct builder *b, uint64_t addr)
{
	struct arch_code code;

	return unwind_table_code_at(b->table, addr, &code) && arch_context_exit(&code);
}

/* No entry covers it. Padding belongs to the code before it. */
static void put_bare(struct builder *b, uint64_t from, uint64_t to)
{
	const struct code_rules *rules;

	if (is_padding(b, from, to))
		return;
	rules = unwind_table_code_rules(b->table);
	for (size_t i = code_rules_find(rules, from); from < to;) {
		const struct code_row *row = i < rules->rows.count ? &rules->rows.item[i] : NULL;
		const struct code_row *next = NULL;
		uint64_t end = to;

		i = row ? i + 1 : 0;
		if (i < rules->rows.count)
			next = &rules->rows.item[i];
		if (next && next->start < to)
			end = next->start;
		if (row && row->rule.cfa != UNWIND_FP) {
			put_range(b, from, end, compact_writer_rule(&b->writer, row->rule));
			if (ends_context_at(b, end))
				put_bytes(b, end - 1, end);
			b->raw_rows++;
		} else {
			put_unknown(b, from, end);
		}
		from = end;
	}
}

/* Go's callers are found by frame pointer (table.c says why). */
static uint16_t index_of(struct builder *b, const struct cfi_vm *vm, struct unwind_rule rule)
{
	if (b->table->is_go && vm->section->debug_frame)
		return compact_writer_pair(&b->writer, rule, unwind_table_fp_rule(b->table));
	return compact_writer_rule(&b->writer, rule);
}

/* True if the function begins with stack changes that are missing in its table. */
static bool moves_stack(const struct builder *b, const struct cfi_fde *fde)
{
	struct unwind_rule ignored;
	struct arch_code code;

	if (!unwind_table_code_at(b->table, fde->start, &code) ||
	    fde->end - fde->start > (uint64_t)(code.end - code.at))
		return false;
	code.start = code.at;
	code.at += fde->end - fde->start;
	return arch_prologue(&code, true, &ignored);
}

static bool ends_context(const struct builder *b, const struct cfi_fde *fde)
{
	return fde->start > b->start && ends_context_at(b, fde->start);
}

/* The rows of an entry in [from, to). Returns up to where it had any. */
static uint64_t put_rows(struct builder *b, const struct cfi_section *section,
			 const struct cfi_fde *fde, struct span span)
{
	struct cfi_vm vm;

	if (fde->start - b->forgot_at > FORGET_BYTES) {
		elf_file_forget(b->table->elf);
		b->forgot_at = fde->start;
	}
	b->entry_work = (uint64_t)(fde->cie_code_end - fde->cie_code) +
			(uint64_t)(fde->code_end - fde->code);
	if (b->work < b->entry_work || cfi_vm_start(&vm, section, fde))
		return span.from;
	b->work -= b->entry_work;
	while (span.from < span.to && cfi_vm_next(&vm) == 1) {
		struct unwind_rule rule = rule_pack(&vm);
		uint64_t end = vm.row.end < span.to ? vm.row.end : span.to;

		b->raw_rows++;
		if (end <= span.from)
			continue;
		if (unwind_table_row_is_bare(&vm, &rule) && ends_context(b, fde))
			put_bytes(b, fde->start - 1, fde->start); /* of returns to its start */
		if (unwind_table_row_is_bare(&vm, &rule) && moves_stack(b, fde))
			put_bytes(b, span.from, end);
		else
			put_range(b, span.from, end, index_of(b, &vm, rule));
		span.from = end;
	}
	return span.from;
}

/* [from, to) by the entries of .eh_frame; what they leave out by those of .debug_frame; what those
 * leave out by the code. */
static void sweep(struct builder *b, bool debug, uint64_t from, uint64_t to)
{
	const struct cfi_index *index = debug ? &b->table->debug : &b->table->eh;

	for (size_t i = index->count ? cfi_index_lower(index, from) : 0;
	     i < index->count && from < to; i++) {
		struct cfi_fde fde;
		struct span span;

		if (!cfi_index_get(index, i, &fde, &span.from, &span.to) || span.to <= from)
			continue;
		if (span.from >= to)
			break;
		if (span.from > from && debug)
			put_bare(b, from, span.from);
		else if (span.from > from)
			sweep(b, true, from, span.from);
		from = span.from > from ? span.from : from;
		span.from = from;
		span.to = span.to < to ? span.to : to;
		from = put_rows(b, &index->section, &fde, span);
	}
	if (from < to && debug)
		put_bare(b, from, to);
	else if (from < to)
		sweep(b, true, from, to);
}

static int compare_segments(const void *a, const void *b)
{
	const struct elf_segment *x = a, *y = b;

	return (x->offset > y->offset) - (x->offset < y->offset);
}

static void find_segments(struct builder *b)
{
	const struct elf_file *elf = b->table->elf;

	for (size_t i = 0; i < elf->segment_count && elf->segment_count <= MAX_SEGMENTS; i++) {
		struct elf_segment segment = elf->segment[i];

		if (segment.type == PT_LOAD && segment.flags & PF_X && segment.file_bytes &&
		    segment.offset < elf->len && segment.file_bytes <= elf->len - segment.offset &&
		    segment.vaddr + segment.file_bytes > segment.vaddr)
			vec_push(&b->segments, segment);
	}
	if (b->segments.count)
		qsort(b->segments.item, b->segments.count, sizeof(*b->segments.item),
		      compare_segments);
}

/* Whether the binary depends on others. Those that do get their signal handlers' return stub from
 * the C library. */
static bool has_needed(const struct elf_file *elf)
{
	const uint8_t *data;
	size_t len;

	for (size_t i = 0; i < elf->segment_count; i++) {
		if (elf->segment[i].type != PT_DYNAMIC ||
		    !elf_file_at(elf, elf->segment[i].vaddr, &data, &len))
			continue;
		for (; len >= sizeof(Elf64_Dyn); len -= sizeof(Elf64_Dyn)) {
			if (elf_u64(elf, data) == DT_NEEDED)
				return true;
			if (elf_u64(elf, data) == DT_NULL)
				break;
			data += sizeof(Elf64_Dyn);
		}
	}
	return false;
}

/* Finds code with rules that override tables. Addresses ascend. */
static void find_spots(struct builder *b, uint64_t from)
{
	struct arch_code code;
	struct span spot;

	if (!unwind_table_code_at(b->table, from, &code))
		return;
	code.start = code.at;
	while (arch_next_spot(&code, b->table->is_go, &spot.from, &spot.to)) {
		spot.from += from;
		spot.to += from;
		vec_push(&b->spots, spot);
	}
}

static void build_segment(struct builder *b, const struct elf_segment *segment, uint64_t from)
{
	b->to_offset = segment->offset - segment->vaddr;
	b->start = from - b->to_offset;
	b->spots.count = b->spot = 0;
	if (b->table->is_go || !has_needed(b->table->elf))
		find_spots(b, from - b->to_offset);
	sweep(b, false, from - b->to_offset, segment->vaddr + segment->file_bytes);
	put(b, segment->vaddr + segment->file_bytes, COMPACT_RULE_FP);
}

struct compact *compact_build(const struct unwind_table *table)
{
	struct builder b = { .table = table };
	struct compact *ret;
	uint64_t done = 0;

	if (unwind_table_usable(table))
		find_segments(&b);
	compact_writer_start(&b.writer, b.segments.count ? b.segments.item[0].offset : 0);
	b.work = WORK_AT_LEAST +
		 WORK_PER_BYTE * (uint64_t)(table->eh.section.len + table->debug.section.len);
	for (size_t i = 0; i < b.segments.count; i++) {
		const struct elf_segment *segment = &b.segments.item[i];
		uint64_t from = segment->offset > done ? segment->offset : done;

		if (from >= segment->offset + segment->file_bytes)
			continue;
		build_segment(&b, segment, from);
		done = segment->offset + segment->file_bytes;
	}
	ret = compact_writer_finish(&b.writer);
	ret->raw_rows = b.raw_rows;
	ret->flags = (table->is_go ? COMPACT_GO : 0) |
		     (unwind_table_has_rows(table) ? 0 : COMPACT_NO_ROWS);
	vec_done(&b.segments);
	vec_done(&b.spots);
	return ret;
}

/* Most code has rows, and finding rules for the rest takes long. Overlaps count twice. */
static bool is_worth_a_draft(const struct unwind_table *table)
{
	uint64_t bytes = 0, covered = 0, from, to;
	struct cfi_fde fde;

	for (size_t i = 0; i < table->elf->segment_count; i++)
		if (table->elf->segment[i].type == PT_LOAD && table->elf->segment[i].flags & PF_X)
			bytes += table->elf->segment[i].file_bytes;
	for (size_t i = 0; bytes > DRAFT_BYTES && i < table->eh.count; i++)
		if (cfi_index_get(&table->eh, i, &fde, &from, &to))
			covered += to - from;
	return bytes > covered && bytes - covered > DRAFT_BYTES && covered > bytes - covered;
}

struct compact *compact_build_draft(const struct unwind_table *table)
{
	struct compact *ret;

	if (!unwind_table_usable(table) || !unwind_table_has_rows(table) || table->is_go ||
	    !is_worth_a_draft(table) || !unwind_table_skip_code_rules(table, true))
		return NULL;
	ret = compact_build(table);
	(void)unwind_table_skip_code_rules(table, false);
	ret->flags |= COMPACT_DRAFT;
	return ret;
}

void compact_free(struct compact *compact)
{
	if (!compact)
		return;
	free(compact->block);
	free(compact);
}

static uint16_t find_row(const struct compact *compact, const struct unwind_page *page,
			 uint64_t offset)
{
	const struct unwind_row *row = compact->row + page->first;
	size_t low = 0, high = page->count;

	if (!page->count)
		return page->rule;
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (row[middle].offset <= offset)
			low = middle;
		else
			high = middle;
	}
	return row[low].rule;
}

struct unwind_rule compact_rule(const struct compact *compact, uint64_t offset, bool returns)
{
	uint64_t at = offset - compact->first;
	const struct unwind_page *page;
	uint16_t rule;

	if (at >> UNWIND_PAGE_SHIFT >= compact->page_count)
		return (struct unwind_rule){ .cfa = UNWIND_FP };
	page = &compact->page[at >> UNWIND_PAGE_SHIFT];
	at &= UNWIND_PAGE_BYTES - 1;
	if (page->count == UNWIND_PAGE_SPLIT) {
		page = &compact->sub[page->first + (at >> UNWIND_SUBPAGE_SHIFT)];
		at &= (1u << UNWIND_SUBPAGE_SHIFT) - 1;
	}
	rule = find_row(compact, page, at);
	return compact->rule[(rule & ~UNWIND_ROW_PAIR) + (rule & UNWIND_ROW_PAIR && returns)];
}

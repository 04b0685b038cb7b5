/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Gaps between the functions of unwind tables, symbols, and imports (see code_starts.h). */
#include "unwind/bare/code_starts.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "proc/elf_file.h"
#include "unwind/table_private.h"

/* Shorter gaps are padding. */
#define LEAST_GAP 16u
/* More than any file has; bounds the work for those with overlapping sections. */
#define MAX_ENTRIES (1u << 24)

static const char *const exits[] = {
	"abort",
	"exit",
	"xexit",
	"_exit",
	"_Exit",
	"quick_exit",
	"longjmp",
	"_longjmp",
	"siglongjmp",
	"__longjmp_chk",
	"pthread_exit",
	"__assert_fail",
	"__assert_rtn",
	"__stack_chk_fail",
	"__fortify_fail",
	"__chk_fail",
	"__assert_perror_fail",
	"__libc_start_main",
	"err",
	"errx",
	"verr",
	"verrx",
	"__cxa_throw",
	"__cxa_rethrow",
	"_Unwind_Resume",
	"_ZSt9terminatev",
	"thrd_exit",
};

static const char *const may_exit[] = { "error", "error_at_line" };

static int compare_spans(const void *a, const void *b)
{
	const struct code_span *x = a, *y = b;

	return (x->from > y->from) - (x->from < y->from);
}

static int compare_functions(const void *a, const void *b)
{
	const struct code_function *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->size < y->size) - (x->size > y->size); /* the longest first */
}

typedef VEC(struct code_span) span_vec;

static void add_covered(const struct cfi_index *index, span_vec *ret)
{
	struct code_span span;
	struct cfi_fde fde;

	for (size_t i = 0; i < index->count; i++)
		if (cfi_index_get(index, i, &fde, &span.from, &span.to))
			vec_push(ret, span);
}

/* The parts of a range that hold code: executable sections, where a file names them. */
static void add_code(const struct elf_file *elf, span_vec *ret)
{
	size_t before = ret->count;

	for (size_t i = 0; i < elf->section_count; i++) {
		const struct elf_section *section = &elf->section[i];

		if (section->type == SHT_PROGBITS && section->flags & SHF_EXECINSTR &&
		    section->addr + section->size > section->addr)
			vec_push(ret, ((struct code_span){ section->addr,
							   section->addr + section->size }));
	}
	for (size_t i = 0; i < elf->segment_count && ret->count == before; i++) {
		const struct elf_segment *segment = &elf->segment[i];

		if (segment->type == PT_LOAD && segment->flags & PF_X &&
		    segment->vaddr + segment->file_bytes > segment->vaddr)
			vec_push(ret, ((struct code_span){ segment->vaddr,
							   segment->vaddr + segment->file_bytes }));
	}
}

static void add_gap(struct code_starts *ret, uint64_t from, uint64_t to)
{
	if (to > from && to - from >= LEAST_GAP)
		vec_push(&ret->gaps, ((struct code_span){ from, to }));
}

static void find_gaps(const struct unwind_table *table, struct code_starts *ret)
{
	span_vec covered = { 0 }, code = { 0 };
	uint64_t done = 0;
	size_t next = 0;

	add_covered(&table->eh, &covered);
	add_covered(&table->debug, &covered);
	for (size_t i = 0; i < sizeof(table->frameless) / sizeof(*table->frameless); i++)
		vec_push(&covered, ((struct code_span){ table->frameless[i].start,
							table->frameless[i].end }));
	add_code(table->elf, &code);
	if (covered.count)
		qsort(covered.item, covered.count, sizeof(*covered.item), compare_spans);
	if (code.count)
		qsort(code.item, code.count, sizeof(*code.item), compare_spans);
	for (size_t i = 0; i < code.count; i++) {
		uint64_t from = code.item[i].from > done ? code.item[i].from : done;

		for (; next < covered.count && covered.item[next].from < code.item[i].to; next++) {
			if (covered.item[next].from > from)
				add_gap(ret, from, covered.item[next].from);
			from = covered.item[next].to > from ? covered.item[next].to : from;
		}
		add_gap(ret, from, code.item[i].to);
		done = from > code.item[i].to ? from : code.item[i].to;
	}
	vec_done(&covered);
	vec_done(&code);
}

/* GCC moves parts that are hardly ever run elsewhere; they are entered by jumps. */
static bool is_part(const char *name, size_t len)
{
	return memmem(name, len, ".cold", 5) != NULL;
}

struct names {
	const uint8_t *data;
	size_t len;
};

static const char *name_at(const struct names *names, uint32_t offset, size_t *len)
{
	if (offset >= names->len)
		return NULL;
	*len = strnlen((const char *)names->data + offset, names->len - offset);
	return *len < names->len - offset ? (const char *)names->data + offset : NULL;
}

static bool names_of(const struct elf_file *elf, const struct elf_section *section,
		     struct names *ret)
{
	return section->link < elf->section_count &&
	       elf_section_data(elf, &elf->section[section->link], &ret->data, &ret->len);
}

static bool is_in_gap(const struct code_starts *starts, uint64_t addr)
{
	size_t low = 0, high = starts->gaps.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (starts->gaps.item[middle].from <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low && addr < starts->gaps.item[low - 1].to;
}

static void add_symbol(const uint8_t *at, const struct names *names, struct code_starts *ret)
{
	struct code_function function = { 0 };
	const char *name;
	Elf64_Sym symbol;
	size_t len;

	memcpy(&symbol, at, sizeof(symbol)); /* tables are of this machine's byte order only */
	if ((ELF64_ST_TYPE(symbol.st_info) != STT_FUNC &&
	     ELF64_ST_TYPE(symbol.st_info) != STT_GNU_IFUNC) ||
	    symbol.st_shndx == SHN_UNDEF || !is_in_gap(ret, symbol.st_value))
		return;
	name = name_at(names, symbol.st_name, &len);
	if (name && is_part(name, len))
		return;
	function.start = symbol.st_value;
	function.size = symbol.st_size;
	vec_push(&ret->functions, function);
}

static void read_symbols(const struct elf_file *elf, struct code_starts *ret)
{
	for (size_t i = 0; i < elf->section_count; i++) {
		const struct elf_section *section = &elf->section[i];
		struct names names;
		const uint8_t *data;
		size_t len;

		if ((section->type != SHT_SYMTAB && section->type != SHT_DYNSYM) ||
		    !elf_section_data(elf, section, &data, &len) || !names_of(elf, section, &names))
			continue;
		for (; len >= sizeof(Elf64_Sym) && ret->work;
		     data += sizeof(Elf64_Sym), len -= sizeof(Elf64_Sym), ret->work--)
			add_symbol(data, &names, ret);
	}
}

static void sort_functions(struct code_starts *ret)
{
	size_t kept = 0;

	if (!ret->functions.count)
		return;
	qsort(ret->functions.item, ret->functions.count, sizeof(*ret->functions.item),
	      compare_functions);
	for (size_t i = 0; i < ret->functions.count; i++)
		if (!kept || ret->functions.item[i].start != ret->functions.item[kept - 1].start)
			ret->functions.item[kept++] = ret->functions.item[i];
	ret->functions.count = kept;
}

static bool is_among(const char *const *list, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(list[i], name))
			return true;
	return false;
}

/* enum code_exits; 0 = it returns, as far as is known. */
static unsigned how_exits(const char *name)
{
	if (is_among(exits, sizeof(exits) / sizeof(*exits), name) ||
	    (!strncmp(name, "_ZSt", 4) && strstr(name, "__throw_"))) /* of libstdc++ */
		return CODE_EXITS;
	if (is_among(may_exit, sizeof(may_exit) / sizeof(*may_exit), name))
		return CODE_MAY_EXIT;
	return 0;
}

/* Relocations of one section: slots that are filled with functions that do not return. */
static void read_relocations(const struct elf_file *elf, const struct elf_section *section,
			     struct code_starts *ret)
{
	const struct elf_section *symbols = &elf->section[section->link];
	const uint8_t *data, *symbol;
	size_t len, symbol_len;
	struct names names;

	if (!elf_section_data(elf, section, &data, &len) ||
	    !elf_section_data(elf, symbols, &symbol, &symbol_len) ||
	    !names_of(elf, symbols, &names))
		return;
	for (; len >= sizeof(Elf64_Rela) && ret->work;
	     data += sizeof(Elf64_Rela), len -= sizeof(Elf64_Rela), ret->work--) {
		const char *name;
		Elf64_Rela rela;
		size_t name_len;
		Elf64_Sym sym;

		memcpy(&rela, data, sizeof(rela));
		if (!ELF64_R_SYM(rela.r_info) ||
		    ELF64_R_SYM(rela.r_info) >= symbol_len / sizeof(sym))
			continue;
		memcpy(&sym, symbol + ELF64_R_SYM(rela.r_info) * sizeof(sym), sizeof(sym));
		name = name_at(&names, sym.st_name, &name_len);
		if (name && sym.st_shndx == SHN_UNDEF && how_exits(name))
			map_set(&ret->exits, rela.r_offset, how_exits(name));
	}
}

void code_starts_find(const struct unwind_table *table, struct code_starts *ret)
{
	const struct elf_file *elf = table->elf;

	*ret = (struct code_starts){ .work = MAX_ENTRIES };
	find_gaps(table, ret);
	if (!ret->gaps.count)
		return;
	read_symbols(elf, ret);
	sort_functions(ret);
	for (size_t i = 0; i < elf->section_count; i++)
		if (elf->section[i].type == SHT_RELA && elf->section[i].link &&
		    elf->section[i].link < elf->section_count)
			read_relocations(elf, &elf->section[i], ret);
}

void code_starts_done(struct code_starts *starts)
{
	vec_done(&starts->gaps);
	vec_done(&starts->functions);
	map_done(&starts->exits);
}

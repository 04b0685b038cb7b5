/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Symbol sections → one sorted table (see elf_symbols.h). Which of several names for one address
 * is shown follows perf, so that reports agree. Format: System V ABI, "Symbol Table". */
#include "symbol/elf/elf_symbols.h"

#include <elf.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory_limit.h"
#include "base/vec.h"
#include "proc/elf_file.h"
#include "symbol/address_table.h"
#include "symbol/elf/debug_file.h"
#include "symbol/elf/elf_symbol_table.h"
#include "symbol/elf/gnu_debugdata.h"
#include "symbol/symbol_name.h"
#include "symbol/symbolizer.h"

#define MAX_SYMBOLS (1u << 26)
/* Memory for a symbol, while the table is made: twice itself, its index, its name once shown. */
#define SYMBOL_BYTES (2 * sizeof(struct elf_symbol) + 2 * sizeof(uint64_t))
/* Names are compared no further than this when one of two is chosen. */
#define MAX_COMPARED 1024
#define FEW_SYMBOLS  (1u << 16)
/* Symbols around symbols: real ones nest once or twice. */
#define MAX_NESTING 32
#define MAX_ALIASES 16

struct elf_symbols {
	struct elf_symbol_table table;
	struct elf_strings names[ELF_NAMES_COUNT];
	_Atomic(char *) *shown; /* by index; NULL = not looked up yet */
	struct address_index index;
	bool complete, demangle;
	struct elf_file *mini; /* unpacked .gnu_debugdata */
};

/* One symbol section being read. */
struct source {
	const struct elf_file *elf;
	enum elf_names names;
	uint64_t bias; /* added to its addresses */
};

/* $a, $d, $t, $x mark instruction sets and data on Arm and RISC-V; they are not functions. */
static bool is_mapping_symbol(const struct elf_file *elf, const char *name)
{
	if (elf->machine != EM_ARM && elf->machine != EM_AARCH64 && elf->machine != EM_RISCV)
		return false;
	return name[0] == '$' && name[1] && strchr("adtx", name[1]);
}

static bool is_wanted(const struct elf_file *elf, const Elf64_Sym *sym,
		      const struct elf_strings *names)
{
	uint8_t visibility = ELF64_ST_VISIBILITY(sym->st_other);

	if (sym->st_name == 0 || sym->st_name >= names->len || sym->st_shndx == SHN_UNDEF ||
	    sym->st_shndx == SHN_ABS || sym->st_shndx == SHN_COMMON)
		return false;
	switch (ELF64_ST_TYPE(sym->st_info)) {
	case STT_FUNC:
	case STT_GNU_IFUNC:
	case STT_OBJECT:
		return true;
	case STT_NOTYPE: /* labels of assembly code without .type */
		return visibility != STV_HIDDEN && visibility != STV_INTERNAL &&
		       sym->st_shndx < elf->section_count &&
		       (elf->section[sym->st_shndx].flags & SHF_EXECINSTR) &&
		       !is_mapping_symbol(elf, names->data + sym->st_name);
	default:
		return false;
	}
}

/* Bytes from an address to the end of its section. */
static uint64_t room_in_section(const struct elf_file *elf, const Elf64_Sym *sym)
{
	const struct elf_section *s;

	if (sym->st_shndx >= elf->section_count)
		return 0;
	s = &elf->section[sym->st_shndx];
	if (sym->st_value < s->addr || sym->st_value - s->addr >= s->size)
		return 0;
	return s->size - (sym->st_value - s->addr);
}

static void add_symbol(struct elf_symbols *symbols, const struct source *source, Elf64_Sym *sym)
{
	uint64_t size = sym->st_size;

	if (source->elf->machine == EM_ARM && ELF64_ST_TYPE(sym->st_info) == STT_FUNC)
		sym->st_value &= ~(uint64_t)1; /* the Thumb bit */
	if (size == 0)
		size = room_in_section(source->elf, sym);
	if (size == 0)
		return;
	vec_push(&symbols->table, ((struct elf_symbol){
					  .start = sym->st_value + source->bias,
					  .size = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX,
					  .name = sym->st_name,
					  .names = (uint8_t)source->names,
					  .binding = ELF64_ST_BIND(sym->st_info),
					  .unsized = sym->st_size == 0,
				  }));
}

/* The first ones of so many symbols, for which there is memory: half of what is left. */
static size_t affordable(size_t count)
{
	uint64_t left = count < FEW_SYMBOLS ? 0 : memory_limit_left() / 2;

	return left && count > left / SYMBOL_BYTES ? (size_t)(left / SYMBOL_BYTES) : count;
}

static bool read_section(struct elf_symbols *symbols, const struct source *source, uint32_t type)
{
	const struct elf_section *section = elf_section_of_type(source->elf, type);
	size_t entry_bytes = source->elf->is_64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	struct elf_strings *names = &symbols->names[source->names];
	const uint8_t *data;
	size_t len;

	if (!section || !elf_section_data(source->elf, section, &data, &len) ||
	    !elf_strings_read(source->elf, section->link, names))
		return false;
	len /= entry_bytes;
	if (len > MAX_SYMBOLS - symbols->table.count)
		len = MAX_SYMBOLS - symbols->table.count;
	len = affordable(len);
	vec_reserve(&symbols->table, len);
	for (size_t i = 1; i < len; i++) {
		Elf64_Sym sym;

		elf_symbol_read(source->elf, data + i * entry_bytes, &sym);
		if (is_wanted(source->elf, &sym, names))
			add_symbol(symbols, source, &sym);
	}
	return len > 1;
}

/* .symtab comes from the first file that has one: the file itself, its debug file, .gnu_debugdata.
 */
static void read_all_sections(struct elf_symbols *symbols, const struct elf_file *elf,
			      const struct elf_file *debug)
{
	struct source source = { .elf = elf, .names = ELF_NAMES_SYMTAB };

	symbols->complete = read_section(symbols, &source, SHT_SYMTAB);
	if (!symbols->complete && debug) {
		source.elf = debug;
		source.bias = debug_file_bias(elf, debug);
		symbols->complete = read_section(symbols, &source, SHT_SYMTAB);
	}
	if (!symbols->complete && gnu_debugdata_open(elf, &symbols->mini)) {
		source.elf = symbols->mini;
		source.bias = 0;
		symbols->complete = read_section(symbols, &source, SHT_SYMTAB);
	}
	source = (struct source){ .elf = elf, .names = ELF_NAMES_DYNSYM };
	(void)read_section(symbols, &source, SHT_DYNSYM); /* a static program has none */
}

static void sort_table(struct elf_symbol_table *table)
{
	address_sort(table->item, table->count, sizeof(*table->item));
}

static const char *raw_name(const struct elf_symbols *symbols, const struct elf_symbol *symbol)
{
	const struct elf_strings *names = &symbols->names[symbol->names];

	return symbol->name < names->len ? names->data + symbol->name : "";
}

/* Whether b is the better name for an address that a, listed earlier, has too: perf's rules, in
 * perf's order. There a symbol without a size counts as empty unless it is the last at its address.
 */
static bool is_better(const struct elf_symbols *symbols, const struct elf_symbol *a,
		      const struct elf_symbol *b, bool b_is_last)
{
	const char *name_a = raw_name(symbols, a), *name_b = raw_name(symbols, b);
	size_t under_a, under_b;

	if (a->unsized != (b->unsized && !b_is_last))
		return a->unsized;
	if ((a->binding == STB_WEAK) != (b->binding == STB_WEAK))
		return a->binding == STB_WEAK;
	if ((a->binding == STB_GLOBAL) != (b->binding == STB_GLOBAL))
		return b->binding == STB_GLOBAL;
	under_a = strspn(name_a, "_");
	under_b = strspn(name_b, "_");
	if (under_a != under_b)
		return under_b < under_a;
	return strnlen(name_b, MAX_COMPARED) > strnlen(name_a, MAX_COMPARED);
}

/* foo::foo() has a name for complete objects (C1) and one for bases (C2), shown alike. */
static bool is_twin(const char *a, const char *b)
{
	size_t at = 0;

	while (a[at] && a[at] == b[at] && at < MAX_COMPARED)
		at++;
	if (at == MAX_COMPARED || (a[at] == '\0' && b[at] == '\0'))
		return true;
	return at && strchr("CD", a[at - 1]) && a[at] >= '0' && a[at] <= '3' && b[at] >= '0' &&
	       b[at] <= '3' && !strncmp(a + at + 1, b + at + 1, MAX_COMPARED);
}

static bool is_mangled(const char *name)
{
	return name[0] == '_' && (name[1] == 'Z' || name[1] == 'R');
}

/* Folded functions: perf compares the demangled names of such aliases, which is put off until one
 * is asked for. */
static bool is_undecided(const struct elf_symbols *symbols, const struct elf_symbol *a,
			 const struct elf_symbol *b)
{
	const char *name_a = raw_name(symbols, a), *name_b = raw_name(symbols, b);

	return symbols->demangle && !a->unsized && !b->unsized && a->binding == b->binding &&
	       is_mangled(name_a) && is_mangled(name_b) && !is_twin(name_a, name_b);
}

static void drop_aliases(struct elf_symbols *symbols)
{
	struct elf_symbol *item = symbols->table.item;
	size_t kept = 0, count = symbols->table.count;

	for (size_t i = 0; i < count; i++) {
		bool last = i + 1 == count || item[i + 1].start != item[i].start, wanted = true;

		while (kept && item[kept - 1].start == item[i].start && wanted) {
			if (is_undecided(symbols, &item[kept - 1], &item[i]))
				break;
			wanted = is_better(symbols, &item[kept - 1], &item[i], last);
			kept -= wanted;
		}
		if (wanted)
			item[kept++] = item[i];
	}
	symbols->table.count = kept;
}

static uint64_t end_of(const struct elf_symbol *symbol)
{
	return symbol->start + symbol->size < symbol->start ? UINT64_MAX
							    : symbol->start + symbol->size;
}

/* Symbols without a size reach to the next one; then each learns which one it lies in. */
static void set_extents(struct elf_symbol_table *table)
{
	struct elf_symbol *item = table->item;
	uint32_t around = ELF_SYMBOL_NO_OUTER;

	for (size_t i = 0; i < table->count; i++) {
		if (item[i].unsized && i + 1 < table->count && item[i + 1].start < end_of(&item[i]))
			item[i].size = (uint32_t)(item[i + 1].start - item[i].start);
		while (around != ELF_SYMBOL_NO_OUTER && end_of(&item[around]) <= item[i].start)
			around = item[around].outer;
		item[i].outer = around;
		around = (uint32_t)i;
	}
}

/* Sorts in the few symbols behind the first `sorted` ones. */
static void merge_added(struct elf_symbol_table *table, size_t sorted)
{
	struct elf_symbol *item = table->item, *added;
	size_t left = table->count - sorted, bytes = left * sizeof(*added), to = table->count;

	address_sort(item + sorted, left, sizeof(*item));
	added = memcpy(mem_alloc(bytes), item + sorted, bytes);
	while (left)
		if (sorted && item[sorted - 1].start > added[left - 1].start)
			item[--to] = item[--sorted];
		else
			item[--to] = added[--left];
	free(added);
}

struct elf_symbols *elf_symbols_new(const struct elf_file *elf, const struct elf_file *debug,
				    bool demangle)
{
	struct elf_symbols *symbols = mem_zalloc(sizeof(*symbols));
	size_t count;

	symbols->demangle = demangle;
	read_all_sections(symbols, elf, debug);
	elf_file_forget(elf); /* not while the table exists twice */
	elf_file_forget(debug);
	sort_table(&symbols->table);
	drop_aliases(symbols);
	count = symbols->table.count;
	elf_plt_read(elf, &symbols->table);
	if (symbols->table.count != count) {
		merge_added(&symbols->table, count);
		drop_aliases(symbols);
	}
	vec_trim(&symbols->table);
	set_extents(&symbols->table);
	address_index_build(&symbols->index, symbols->table.item, symbols->table.count,
			    sizeof(*symbols->table.item));
	/* Untouched pages of it cost nothing. */
	symbols->shown = mem_zalloc((symbols->table.count + 1) * sizeof(*symbols->shown));
	return symbols;
}

void elf_symbols_free(struct elf_symbols *symbols)
{
	if (!symbols)
		return;
	for (size_t i = 0; i < symbols->table.count; i++)
		free(symbols->shown[i]);
	free(symbols->shown);
	address_index_done(&symbols->index);
	vec_done(&symbols->table);
	elf_file_close(symbols->mini);
	free(symbols);
}

size_t elf_symbols_count(const struct elf_symbols *symbols)
{
	return symbols->table.count;
}

bool elf_symbols_complete(const struct elf_symbols *symbols)
{
	return symbols->complete;
}

static char *present(const struct elf_symbols *symbols, size_t i)
{
	const struct elf_symbol *symbol = &symbols->table.item[i];

	return symbol_name_present(raw_name(symbols, symbol), symbol->plt ? "@plt" : "",
				   symbols->demangle);
}

/* The name of item i or of one of the undecided aliases before it. */
static char *best_name(const struct elf_symbols *symbols, size_t i)
{
	const struct elf_symbol *item = symbols->table.item;
	size_t first = i;
	char *best;

	while (first && item[first - 1].start == item[i].start && i - first < MAX_ALIASES)
		first--;
	best = present(symbols, first);
	for (size_t k = first + 1; k <= i; k++) {
		char *name = present(symbols, k), *worse = name;
		size_t under = strspn(name, "_"), under_best = strspn(best, "_");

		if (under < under_best || (under == under_best && strlen(name) > strlen(best))) {
			worse = best;
			best = name;
		}
		free(worse);
	}
	return best;
}

static const char *shown_name(struct elf_symbols *symbols, size_t i)
{
	char *name = atomic_load_explicit(&symbols->shown[i], memory_order_acquire);
	char *other = NULL;

	if (name)
		return name;
	name = best_name(symbols, i);
	if (atomic_compare_exchange_strong(&symbols->shown[i], &other, name))
		return name;
	free(name);
	return other;
}

bool elf_symbols_number(struct elf_symbols *symbols, uint64_t vaddr, size_t *ret)
{
	const struct elf_symbol *item = symbols->table.item;
	size_t i = address_index_find(&symbols->index, item, sizeof(*item), vaddr);

	if (i == ADDRESS_NONE)
		return false;
	for (unsigned hops = 0; vaddr >= end_of(&item[i]); hops++) {
		if (item[i].outer == ELF_SYMBOL_NO_OUTER || hops == MAX_NESTING)
			return false;
		i = item[i].outer;
	}
	if (!shown_name(symbols, i)[0])
		return false;
	*ret = i;
	return true;
}

bool elf_symbols_find(struct elf_symbols *symbols, uint64_t vaddr, struct symbol *ret)
{
	const struct elf_symbol *item = symbols->table.item;
	size_t i;

	if (!elf_symbols_number(symbols, vaddr, &i))
		return false;
	ret->count = 1;
	ret->frame[0] = (struct symbol_frame){ .name = shown_name(symbols, i) };
	ret->start = item[i].start;
	ret->end = end_of(&item[i]);
	ret->binding = item[i].binding == STB_GLOBAL ? 'g'
		       : item[i].binding == STB_WEAK ? 'w'
						     : 'l';
	return true;
}

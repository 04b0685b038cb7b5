/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of procedure linkage table entries. Every entry jumps through a GOT slot, and a relocation
 * determines the symbol of the slot; so the entries are decoded and matched by slot. This works for
 * lazy, non-lazy, IBT (.plt.sec) and static (ifunc) tables, unlike counting entries against
 * .rela.plt. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/vec.h"
#include "proc/elf_file.h"
#include "symbol/elf/elf_symbol_table.h"
#include "symbol/plt_arch.h"

/* Relocations of a large library are many MB: their pages are given back after so many. */
#define FORGET_RELOCATIONS 32768u
/* More than any program has; bounds the work for files with overlapping sections. */
#define MAX_ENTRIES	(1u << 20)
#define MAX_RELOCATIONS (1u << 25)
/* .plt.got entries are half as long as those of .plt, and 4 bytes is the shortest instruction slot
 * on any CPU known here. */
#define LEAST_ENTRY 4u

static const struct plt_arch *const archs[] = { &plt_arch_aarch64, &plt_arch_i386,
						&plt_arch_x86_64 };

struct plt_reader {
	const struct elf_file *elf;
	const struct plt_arch *arch;
	struct elf_symbol_table *table;
	size_t sorted;		     /* symbols in the table before the PLT was read */
	size_t entries, relocations; /* looked at so far */
	uint64_t first_slot, last_slot;
	struct map by_slot; /* GOT slot of an entry → what fills it, see pack_name(); 0 = nothing */
};

/* A slot is filled by the symbol `name` of .dynsym, or by what the function at `resolver` picks. */
static uint64_t pack_name(uint32_t name)
{
	return (uint64_t)name << 1;
}

static uint64_t pack_resolver(uint64_t resolver)
{
	return resolver << 1 | 1;
}

static bool is_plt(const struct elf_section *section)
{
	return (section->flags & SHF_EXECINSTR) &&
	       (!strncmp(section->name, ".plt", 4) || !strcmp(section->name, ".iplt"));
}

/* st_name of a .dynsym entry, 0 if there is none. */
static uint32_t symbol_name(const struct elf_file *elf, const struct elf_section *dynsym,
			    uint64_t index)
{
	size_t entry_bytes = elf->is_64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	const uint8_t *data;
	size_t len;

	if (!dynsym || !elf_section_data(elf, dynsym, &data, &len) || index >= len / entry_bytes)
		return 0;
	return elf_u32(elf, data + index * entry_bytes);
}

static void read_relocation(struct plt_reader *reader, const struct elf_section *dynsym,
			    const uint8_t *p, bool with_addend)
{
	const struct elf_file *elf = reader->elf;
	uint64_t slot = elf_word(elf, p), filler;
	uint64_t info, addend, index;
	const uint8_t *content;
	uint32_t type, name;
	size_t len;

	/* most are of tables of functions */
	if (slot < reader->first_slot || slot > reader->last_slot ||
	    !map_get(&reader->by_slot, slot, &filler))
		return;
	info = elf_word(elf, p + (elf->is_64 ? 8 : 4));
	addend = with_addend ? elf_word(elf, p + (elf->is_64 ? 16 : 8)) : 0;
	index = elf->is_64 ? ELF64_R_SYM(info) : ELF32_R_SYM(info);
	type = (uint32_t)(elf->is_64 ? ELF64_R_TYPE(info) : ELF32_R_TYPE(info));
	if (type == reader->arch->irelative) {
		/* REL relocations keep the addend in the slot. */
		if (!with_addend && elf_file_at(elf, slot, &content, &len) && len >= 8)
			addend = elf_word(elf, content);
		map_set(&reader->by_slot, slot, pack_resolver(addend));
		return;
	}
	name = symbol_name(elf, dynsym, index);
	if (name)
		map_set(&reader->by_slot, slot, pack_name(name));
}

static void read_relocations(struct plt_reader *reader)
{
	const struct elf_file *elf = reader->elf;
	const struct elf_section *dynsym = NULL;

	for (size_t i = 1; i < elf->section_count && !dynsym; i++)
		if (elf->section[i].type == SHT_DYNSYM)
			dynsym = &elf->section[i];
	for (size_t i = 1; i < elf->section_count; i++) {
		const struct elf_section *s = &elf->section[i];
		bool rela = s->type == SHT_RELA;
		size_t entry_bytes = (elf->is_64 ? 8u : 4u) * (rela ? 3 : 2);
		const uint8_t *data;
		size_t len;

		/* Relocations of object files (not allocated) are none of the loader's. */
		if ((!rela && s->type != SHT_REL) || !(s->flags & SHF_ALLOC) ||
		    !elf_section_data(elf, s, &data, &len))
			continue;
		for (; len >= entry_bytes && reader->relocations < MAX_RELOCATIONS;
		     len -= entry_bytes, data += entry_bytes, reader->relocations++) {
			if (reader->relocations % FORGET_RELOCATIONS == FORGET_RELOCATIONS - 1)
				elf_file_forget(elf);
			read_relocation(reader, dynsym, data, rela);
		}
	}
}

/* The function that starts at an address, among the symbols read before. */
static const struct elf_symbol *function_at(const struct plt_reader *reader, uint64_t vaddr)
{
	size_t low = 0, high = reader->sorted;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (reader->table->item[middle].start < vaddr)
			low = middle + 1;
		else
			high = middle;
	}
	return low < reader->sorted && reader->table->item[low].start == vaddr
		       ? &reader->table->item[low]
		       : NULL;
}

static void add_entry(struct plt_reader *reader, uint64_t vaddr, uint32_t size, uint64_t filler)
{
	struct elf_symbol symbol = { .start = vaddr,
				     .size = size,
				     .name = (uint32_t)(filler >> 1),
				     .names = ELF_NAMES_DYNSYM,
				     .binding = STB_GLOBAL,
				     .plt = true };

	if (filler & 1) {
		const struct elf_symbol *resolver = function_at(reader, filler >> 1);

		if (!resolver)
			return;
		symbol.name = resolver->name;
		symbol.names = resolver->names;
	}
	vec_push(reader->table, symbol);
}

static void add_named(struct plt_reader *reader, uint64_t vaddr, uint32_t size, uint64_t slot)
{
	uint64_t filler;

	if (map_get(&reader->by_slot, slot, &filler) && filler)
		add_entry(reader, vaddr, size, filler);
}

static void want_slot(struct plt_reader *reader, uint64_t vaddr, uint32_t size, uint64_t slot)
{
	(void)vaddr;
	(void)size;
	if (!reader->by_slot.count || slot < reader->first_slot)
		reader->first_slot = slot;
	if (slot > reader->last_slot)
		reader->last_slot = slot;
	map_set(&reader->by_slot, slot, 0);
}

/* Calls each() with the slot of every entry of the PLT sections. */
static void read_entries(struct plt_reader *reader,
			 void (*each)(struct plt_reader *reader, uint64_t vaddr, uint32_t size,
				      uint64_t slot))
{
	reader->entries = 0;
	for (size_t i = 1; i < reader->elf->section_count; i++) {
		const struct elf_section *section = &reader->elf->section[i];
		uint64_t entry_bytes = section->entry_bytes, slot;
		const uint8_t *data;
		size_t len;

		if (!is_plt(section) || !elf_section_data(reader->elf, section, &data, &len))
			continue;
		if (entry_bytes < LEAST_ENTRY || entry_bytes > 64)
			entry_bytes = reader->arch->entry_bytes;
		for (size_t at = 0; at + entry_bytes <= len && reader->entries < MAX_ENTRIES;
		     at += entry_bytes, reader->entries++)
			if (reader->arch->slot(reader->elf, data + at, entry_bytes,
					       section->addr + at, &slot))
				each(reader, section->addr + at, (uint32_t)entry_bytes, slot);
	}
}

void elf_plt_read(const struct elf_file *elf, struct elf_symbol_table *table)
{
	struct plt_reader reader = { .elf = elf, .table = table, .sorted = table->count };

	for (size_t i = 0; i < sizeof(archs) / sizeof(archs[0]); i++)
		if (archs[i]->machine == elf->machine)
			reader.arch = archs[i];
	if (!reader.arch)
		return;
	read_entries(&reader, want_slot);
	if (reader.by_slot.count)
		read_relocations(&reader);
	read_entries(&reader, add_named);
	map_done(&reader.by_slot);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Entries of symbol sections as they lie in the file. Format: System V ABI, "Symbol Table". */
#include <elf.h>
#include <string.h>

#include "proc/elf_file.h"
#include "symbol/elf/elf_symbol_table.h"

const struct elf_section *elf_section_of_type(const struct elf_file *elf, uint32_t type)
{
	for (size_t i = 1; i < elf->section_count; i++)
		if (elf->section[i].type == type)
			return &elf->section[i];
	return NULL;
}

void elf_symbol_read(const struct elf_file *elf, const uint8_t *p, Elf64_Sym *ret)
{
	if (elf->is_64 && !elf->swap) {
		memcpy(ret, p, sizeof(*ret));
		return;
	}
	ret->st_name = elf_u32(elf, p);
	if (elf->is_64) {
		ret->st_info = p[4];
		ret->st_other = p[5];
		ret->st_shndx = elf_u16(elf, p + 6);
		ret->st_value = elf_u64(elf, p + 8);
		ret->st_size = elf_u64(elf, p + 16);
		return;
	}
	ret->st_value = elf_u32(elf, p + 4);
	ret->st_size = elf_u32(elf, p + 8);
	ret->st_info = p[12];
	ret->st_other = p[13];
	ret->st_shndx = elf_u16(elf, p + 14);
}

bool elf_strings_read(const struct elf_file *elf, uint32_t section, struct elf_strings *ret)
{
	const uint8_t *data;
	size_t len;

	if (section >= elf->section_count ||
	    !elf_section_data(elf, &elf->section[section], &data, &len))
		return false;
	while (len && data[len - 1])
		len--;
	*ret = (struct elf_strings){ (const char *)data, len };
	return len != 0;
}

bool elf_symbols_visit(const struct elf_file *elf, uint32_t type,
		       void (*visit)(void *context, const Elf64_Sym *sym, const char *name),
		       void *context)
{
	const struct elf_section *section = elf_section_of_type(elf, type);
	size_t entry_bytes = elf->is_64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym), len;
	struct elf_strings names;
	const uint8_t *data;

	if (!section || !elf_section_data(elf, section, &data, &len) ||
	    !elf_strings_read(elf, section->link, &names))
		return false;
	len /= entry_bytes;
	for (size_t i = 1; i < len; i++) {
		Elf64_Sym sym;

		elf_symbol_read(elf, data + i * entry_bytes, &sym);
		if (sym.st_name < names.len)
			visit(context, &sym, names.data + sym.st_name);
	}
	return len > 1;
}

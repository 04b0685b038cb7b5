/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Function symbols by name (see elf_functions.h). */
#include "symbol/elf/elf_functions.h"

#include <stdlib.h>
#include <string.h>

#include "proc/elf_file.h"
#include "symbol/elf/debug_file.h"
#include "symbol/elf/elf_symbol_table.h"
#include "symbol/elf/gnu_debugdata.h"

#define MAX_FUNCTIONS (1u << 24) /* further ones are ignored */

static bool is_function(const struct elf_file *elf, const Elf64_Sym *sym)
{
	switch (ELF64_ST_TYPE(sym->st_info)) {
	case STT_FUNC:
	case STT_GNU_IFUNC:
		return true;
	case STT_NOTYPE: /* labels of assembly code without .type; imports that nothing types */
		return sym->st_shndx != SHN_UNDEF && sym->st_shndx < elf->section_count &&
		       (elf->section[sym->st_shndx].flags & SHF_EXECINSTR) &&
		       ELF64_ST_VISIBILITY(sym->st_other) == STV_DEFAULT;
	default:
		return false;
	}
}

static void add(struct elf_functions *functions, const Elf64_Sym *sym, const char *name,
		uint64_t bias)
{
	bool imported = sym->st_shndx == SHN_UNDEF;

	if (!name[0] || name[0] == '$' || (!imported && !sym->st_value))
		return;
	vec_push(&functions->item, ((struct elf_function){
					   .name = name,
					   .address = imported ? 0 : sym->st_value + bias,
					   .size = sym->st_size,
					   .indirect = ELF64_ST_TYPE(sym->st_info) == STT_GNU_IFUNC,
					   .imported = imported,
					   .local = ELF64_ST_BIND(sym->st_info) == STB_LOCAL,
				   }));
}

struct reading {
	struct elf_functions *functions;
	const struct elf_file *elf;
	uint64_t bias;
};

static void take_symbol(void *context, const Elf64_Sym *sym, const char *name)
{
	const struct reading *reading = context;

	if (reading->functions->item.count < MAX_FUNCTIONS && is_function(reading->elf, sym))
		add(reading->functions, sym, name, reading->bias);
}

static bool read_section(struct elf_functions *functions, const struct elf_file *elf, uint32_t type,
			 uint64_t bias)
{
	struct reading reading = { functions, elf, bias };

	return elf_symbols_visit(elf, type, take_symbol, &reading);
}

static int by_address(const void *a, const void *b)
{
	const struct elf_function *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return strcmp(x->name, y->name);
}

static void drop_duplicates(struct elf_functions *functions)
{
	struct elf_function *item = functions->item.item;
	size_t kept = 0;

	for (size_t i = 0; i < functions->item.count; i++)
		if (!kept || by_address(&item[kept - 1], &item[i]))
			item[kept++] = item[i];
	functions->item.count = kept;
}

void elf_functions_read(const struct elf_file *elf, const struct elf_file *debug,
			struct elf_functions *ret)
{
	*ret = (struct elf_functions){ 0 };
	ret->complete = read_section(ret, elf, SHT_SYMTAB, 0);
	if (!ret->complete && debug)
		ret->complete = read_section(ret, debug, SHT_SYMTAB, debug_file_bias(elf, debug));
	if (!ret->complete && gnu_debugdata_open(elf, &ret->mini))
		ret->complete = read_section(ret, ret->mini, SHT_SYMTAB, 0);
	(void)read_section(ret, elf, SHT_DYNSYM, 0); /* a static program has none */
	if (ret->item.count)
		qsort(ret->item.item, ret->item.count, sizeof(*ret->item.item), by_address);
	drop_duplicates(ret);
}

void elf_functions_done(struct elf_functions *functions)
{
	vec_done(&functions->item);
	elf_file_close(functions->mini);
	*functions = (struct elf_functions){ 0 };
}

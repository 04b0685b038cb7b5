/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ELF headers, symbol sections, PLT entries and the search in the resulting tables. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/err.h"
#include "proc/elf_file.h"
#include "symbol/elf/elf_symbols.h"
#include "symbol/symbolizer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err err = { 0 };
	struct elf_file *elf;
	struct elf_symbols *symbols;
	struct symbol symbol;
	uint64_t vaddr;

	if (elf_file_parse(data, size, &elf, &err))
		return 0;
	symbols = elf_symbols_new(elf, NULL, true);
	for (uint64_t offset = 0; offset < size; offset += 13) {
		if (!elf_file_vaddr(elf, offset, &vaddr))
			continue;
		if (elf_symbols_find(symbols, vaddr, &symbol) &&
		    (symbol.count != 1 || vaddr < symbol.start || vaddr >= symbol.end ||
		     !strlen(symbol.frame[0].name)))
			__builtin_trap();
	}
	elf_symbols_free(symbols);
	elf_file_close(elf);
	return 0;
}

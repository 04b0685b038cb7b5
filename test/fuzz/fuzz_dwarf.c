// SPDX-License-Identifier: GPL-2.0-or-later
/* symbol/dwarf: an ELF image with debug info; resolves addresses where the seeds have their code.
 * Memory is limited so far that a walk without a bound shows. */
#include <stdint.h>

#include "base/err.h"
#include "proc/elf_file.h"
#include "symbol/dwarf/dwarf.h"
#include "symbol/symbolizer.h"

/* The seeds are linked with -Wl,-Ttext=0x1000. */
#define TEXT_START 0x1000
#define TEXT_END   0x1400

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dwarf_options options = { .limit_bytes = 4 << 20 };
	struct dwarf *dwarf = NULL;
	struct elf_file *elf;
	struct err err = { 0 };

	if (elf_file_parse(data, size, &elf, &err))
		return 0;
	if (!dwarf_open(elf, &options, &dwarf, &err) && dwarf) {
		for (uint64_t address = TEXT_START; address < TEXT_END; address += 4) {
			struct symbol symbol = { .count = 0 };

			(void)dwarf_resolve(dwarf, address, true, &symbol);
		}
		(void)dwarf_problem(dwarf);
		dwarf_close(dwarf);
	}
	elf_file_close(elf);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* symbol/dwarf with split debug info: the length of a program (4 bytes, little-endian), the
 * program, its .dwp package. Both are written to a folder of their own, for they find each other by
 * name. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/err.h"
#include "proc/elf_file.h"
#include "symbol/dwarf/dwarf.h"
#include "symbol/symbolizer.h"

/* The seeds are linked with -Wl,-Ttext=0x1000. */
#define TEXT_START 0x1000
#define TEXT_END   0x1200

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_file(const char *path, const uint8_t *data, size_t len)
{
	FILE *file = fopen(path, "we");
	size_t written = file ? fwrite(data, 1, len, file) : 0;

	if (!file || fclose(file) || written != len)
		abort();
}

static void resolve_all(const char *path)
{
	struct dwarf_options options = { .limit_bytes = 4 << 20 };
	struct dwarf *dwarf = NULL;
	struct elf_file *elf;
	struct err err = { 0 };

	if (elf_file_open(path, &elf, &err))
		return;
	if (!dwarf_open(elf, &options, &dwarf, &err) && dwarf) {
		for (uint64_t address = TEXT_START; address < TEXT_END; address += 4) {
			struct symbol symbol = { .count = 0 };

			(void)dwarf_resolve(dwarf, address, true, &symbol);
		}
		dwarf_close(dwarf);
	}
	elf_file_close(elf);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char folder[] = "/tmp/cupel-fuzz-XXXXXX";
	char program[64], package[64];
	uint32_t len;

	if (size < 4)
		return 0;
	len = data[0] | (uint32_t)data[1] << 8 | (uint32_t)data[2] << 16 | (uint32_t)data[3] << 24;
	if (len > size - 4)
		return 0;
	if (!mkdtemp(folder))
		abort();
	(void)snprintf(program, sizeof(program), "%s/t", folder);
	(void)snprintf(package, sizeof(package), "%s/t.dwp", folder);
	write_file(program, data + 4, len);
	write_file(package, data + 4 + len, size - 4 - len);
	resolve_all(program);
	(void)unlink(program);
	(void)unlink(package);
	(void)rmdir(folder);
	return 0;
}

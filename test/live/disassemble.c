// SPDX-License-Identifier: GPL-2.0-or-later
/* disassemble FILE: reads "START END" lines (linked addresses, hexadecimal) and prints each
 * instruction there as "ADDRESS TARGET", or "ADDRESS -" without a target. */
#include <inttypes.h>
#include <stdio.h>

#include "base/err.h"
#include "proc/elf_file.h"
#include "symbol/code/disassembler.h"

static void print_range(const struct elf_file *elf, struct disassembler *disassembler,
			uint64_t start, uint64_t end)
{
	const uint8_t *bytes;
	size_t len;

	if (!elf_file_at(elf, start, &bytes, &len))
		return;
	for (size_t at = 0; at < len && start + at < end;) {
		struct instruction instruction;
		size_t left = len < end - start ? len : end - start;

		disassembler_decode(disassembler, bytes + at, left - at, start + at, &instruction);
		if (instruction.has_target)
			printf("%" PRIx64 " %" PRIx64 "\n", start + at, instruction.target);
		else
			printf("%" PRIx64 " -\n", start + at);
		at += instruction.len;
	}
}

int main(int argc, char **argv)
{
	struct disassembler_options options = { 0 };
	struct disassembler *disassembler;
	struct elf_file *elf;
	struct err err = { 0 };
	uint64_t start, end;

	if (argc != 2)
		return 2;
	if (elf_file_open(argv[1], &elf, &err))
		goto fail;
	options.machine = elf->machine;
	if (disassembler_open(&options, &disassembler, &err))
		goto fail;
	while (scanf("%" SCNx64 " %" SCNx64, &start, &end) == 2)
		print_range(elf, disassembler, start, end);
	disassembler_close(disassembler);
	elf_file_close(elf);
	return 0;
fail:
	fprintf(stderr, "%s\n", err.msg);
	return 1;
}

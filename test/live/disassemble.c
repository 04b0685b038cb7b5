// SPDX-License-Identifier: GPL-2.0-or-later
/* disassemble FILE [att|intel]: reads "START END" lines (linked addresses, hexadecimal) and prints
 * each instruction there as "ADDRESS TARGET", or "ADDRESS -" without a target; with a syntax, its
 * text follows. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "proc/elf_file.h"
#include "symbol/code/disassembler.h"

struct range {
	uint64_t start, end;
	bool text;
};

static void print_one(const struct instruction *instruction, bool text)
{
	if (instruction->has_target)
		printf("%" PRIx64 " %" PRIx64, instruction->address, instruction->target);
	else
		printf("%" PRIx64 " -", instruction->address);
	if (text)
		printf(" %s %s", instruction->mnemonic, instruction->operands);
	putchar('\n');
}

static void print_range(const struct elf_file *elf, struct disassembler *disassembler,
			const struct range *range)
{
	uint64_t start = range->start, end = range->end;
	const uint8_t *bytes;
	size_t len;

	if (!elf_file_at(elf, start, &bytes, &len))
		return;
	for (size_t at = 0; at < len && start + at < end;) {
		struct instruction instruction;
		size_t left = len < end - start ? len : end - start;

		disassembler_decode(disassembler, bytes + at, left - at, start + at, &instruction);
		print_one(&instruction, range->text);
		at += instruction.len;
	}
}

int main(int argc, char **argv)
{
	struct disassembler_options options = { 0 };
	struct disassembler *disassembler;
	struct elf_file *elf;
	struct err err = { 0 };
	struct range range = { .text = argc == 3 };

	if (argc != 2 && argc != 3)
		return 2;
	if (elf_file_open(argv[1], &elf, &err))
		goto fail;
	options.machine = elf->machine;
	options.intel = argc == 3 && strcmp(argv[2], "intel") == 0;
	if (disassembler_open(&options, &disassembler, &err))
		goto fail;
	while (scanf("%" SCNx64 " %" SCNx64, &range.start, &range.end) == 2)
		print_range(elf, disassembler, &range);
	disassembler_close(disassembler);
	elf_file_close(elf);
	return 0;
fail:
	fprintf(stderr, "%s\n", err.msg);
	return 1;
}

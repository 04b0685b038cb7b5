/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Resolves addresses from standard input with the DWARF of an ELF file, and prints them in the
 * layout of `addr2line -a -f -i`; with -q it only resolves them, on all cores.
 *
 *   dwarf_frames [-q] FILE < hexadecimal addresses */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/par.h"
#include "base/vec.h"
#include "proc/elf_file.h"
#include "symbol/dwarf/dwarf.h"
#include "symbol/symbolizer.h"

struct query {
	struct dwarf *dwarf;
	VEC(uint64_t) addresses;
};

static void resolve_one(void *context, size_t i, size_t worker)
{
	struct query *query = context;
	struct symbol symbol = { .count = 0 };

	(void)worker;
	(void)dwarf_resolve(query->dwarf, query->addresses.item[i], true, &symbol);
}

static void print_one(const struct query *query, uint64_t address)
{
	struct symbol symbol = { .count = 0 };

	printf("0x%016llx\n", (unsigned long long)address);
	if (!dwarf_resolve(query->dwarf, address, true, &symbol))
		printf("??\n??:0\n");
	for (size_t i = 0; i < symbol.count; i++) {
		const struct symbol_frame *frame = &symbol.frame[i];

		printf("%s\n%s:%u\n", frame->name ? frame->name : "??",
		       frame->file ? frame->file : "??", frame->line);
	}
}

int main(int argc, char **argv)
{
	struct dwarf_options options = { .keep_mangled = true };
	bool quiet = argc > 2 && !strcmp(argv[1], "-q");
	struct query query = { 0 };
	struct err err = { 0 };
	struct elf_file *elf;
	char line[64];

	if (argc < 2 || elf_file_open(argv[argc - 1], &elf, &err) ||
	    dwarf_open(elf, &options, &query.dwarf, &err)) {
		(void)fprintf(stderr, "dwarf_frames: %s\n", err.msg);
		return 1;
	}
	if (!query.dwarf) {
		(void)fprintf(stderr, "dwarf_frames: no debug info\n");
		return 1;
	}
	while (fgets(line, sizeof(line), stdin))
		vec_push(&query.addresses, strtoull(line, NULL, 16));
	if (quiet)
		par_for(query.addresses.count, 64, resolve_one, &query);
	for (size_t i = 0; !quiet && i < query.addresses.count; i++)
		print_one(&query, query.addresses.item[i]);
	if (dwarf_problem(query.dwarf))
		(void)fprintf(stderr, "dwarf_frames: %s\n", dwarf_problem(query.dwarf));
	vec_done(&query.addresses);
	dwarf_close(query.dwarf);
	elf_file_close(elf);
	return 0;
}

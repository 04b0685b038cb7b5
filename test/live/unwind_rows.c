/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints every call frame row of an ELF file. Also checks that the lookup by pc gives the same row
 * and that a packing failure is reported. Compare with: readelf --debug-dump=frames-interp.
 *
 *   F start end            a function
 *   R pc cfa reg=rule…     a row; rules as readelf writes them
 *   # counts               last line
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"
#include "proc/elf_file.h"
#include "unwind/evaluate.h"
#include "unwind/table.h"

static const char *const register_name[ARCH_DWARF_REGS] = {
	"rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp", "r8",
	"r9",  "r10", "r11", "r12", "r13", "r14", "r15", "ra",
};

struct totals {
	unsigned long functions, rows, unsupported, broken;
};

static void print_rule(unsigned reg, const struct cfi_rule *rule)
{
	switch (rule->kind) {
	case CFI_UNSET:
		return;
	case CFI_UNDEFINED:
		printf(" %s=u", register_name[reg]);
		return;
	case CFI_SAME:
		printf(" %s=s", register_name[reg]);
		return;
	case CFI_OFFSET:
		printf(" %s=c%+d", register_name[reg], rule->value);
		return;
	case CFI_VAL_OFFSET:
		printf(" %s=v%+d", register_name[reg], rule->value);
		return;
	case CFI_REGISTER:
		printf(" %s=r%d", register_name[reg], rule->value);
		return;
	case CFI_EXPRESSION:
		printf(" %s=exp", register_name[reg]);
		return;
	default:
		printf(" %s=vexp", register_name[reg]);
	}
}

static void print_row(struct totals *totals, const struct cfi_vm *vm)
{
	const struct cfi_row *row = &vm->row;

	if (row->cfa.kind == CFI_REGISTER)
		printf("R %" PRIx64 " %s%+d", row->start, register_name[row->cfa.reg],
		       row->cfa.value);
	else
		printf("R %" PRIx64 " exp", row->start);
	for (unsigned reg = 0; reg < ARCH_DWARF_REGS; reg++)
		print_rule(reg, &row->reg[reg]);
	printf("\n");
	totals->rows++;
	totals->unsupported += rule_pack(vm).cfa == UNWIND_UNSUPPORTED;
}

static void print_function(void *context, const struct cfi_section *section,
			   const struct cfi_fde *fde)
{
	struct totals *totals = context;
	struct cfi_vm vm;
	int more = cfi_vm_start(&vm, section, fde);

	totals->functions++;
	printf("F %" PRIx64 " %" PRIx64 "\n", fde->start, fde->end);
	while (!more && (more = cfi_vm_next(&vm)) == 1) {
		print_row(totals, &vm);
		more = 0;
		if (vm.row.end == fde->end)
			break;
	}
	totals->broken += more < 0;
}

int main(int argc, char **argv)
{
	struct totals totals = { 0 };
	struct unwind_table *table;
	struct elf_file *elf;
	struct err err = { 0 };

	if (argc != 2 || elf_file_open(argv[1], &elf, &err)) {
		fprintf(stderr, "usage: unwind_rows ELF-FILE: %s\n", err.msg);
		return 2;
	}
	table = unwind_table_of_elf(elf);
	unwind_table_each(table, print_function, &totals);
	printf("# %lu functions, %lu rows, %lu not packable, %lu broken\n", totals.functions,
	       totals.rows, totals.unsupported, totals.broken);
	unwind_table_close(table);
	elf_file_close(elf);
	return totals.broken ? 1 : 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rules that are derived from instructions alone against those of the file's own call frame
 * information: analyses ELF files as if they had none, and compares at every row. Prints for each
 * how many places got the same rule, none, or another one, and the time. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/err.h"
#include "proc/elf_file.h"
#include "unwind/bare/code_rules.h"
#include "unwind/evaluate.h"
#include "unwind/table_private.h"

struct check {
	const struct code_rules *rules;
	unsigned long same, none, wrong, by_bp;
};

static double now_ms(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static bool is_sp(const struct unwind_rule *rule)
{
	return rule->cfa == UNWIND_SP || rule->cfa == UNWIND_SP_FAR;
}

/* How the caller's frame pointer is found. Accepted beside the same answer, because neither can
 * lead to a wrong frame:
 * - nothing is claimed (undefined): the walk stops where it needs the frame pointer;
 * - it is saved, and the file says that it still has its value: clang describes pushes late, and
 *   the saved word is that value;
 * - it has its value, and the file says where it was saved: only if that is popped already, as
 *   compilers do not describe pops. */
static bool same_bp(const struct unwind_rule *got, const struct unwind_rule *want)
{
	unsigned flags = got->flags & UNWIND_BP_MASK, wanted = want->flags & UNWIND_BP_MASK;

	if (flags == UNWIND_BP_UNDEFINED)
		return true;
	if (wanted == UNWIND_BP_SAME)
		return flags == UNWIND_BP_SAME || -got->bp_off <= got->cfa_off;
	if (flags == UNWIND_BP_SAME)
		return is_sp(got) && got->cfa_off < -want->bp_off;
	return flags == wanted && got->bp_off == want->bp_off;
}

static void check_at(struct check *check, uint64_t addr, const struct unwind_rule *want)
{
	size_t i = code_rules_find(check->rules, addr);
	struct unwind_rule got = { .cfa = UNWIND_FP };
	bool same;

	if (i < check->rules->rows.count)
		got = check->rules->rows.item[i].rule;
	if (got.cfa == UNWIND_FP || got.cfa == UNWIND_END) {
		check->none++;
		return;
	}
	if (is_sp(&got) != is_sp(want)) {
		check->by_bp++;
		return;
	}
	same = got.cfa == want->cfa && got.cfa_off == want->cfa_off && got.ra_off == want->ra_off &&
	       same_bp(&got, want);
	check->same += same;
	if (!same && check->wrong++ < 10)
		printf("  %" PRIx64 ": %u %x %d %d, not %u %x %d %d\n", addr, got.cfa, got.flags,
		       got.cfa_off, got.bp_off, want->cfa, want->flags, want->cfa_off,
		       want->bp_off);
}

static void check_function(void *context, const struct cfi_section *section,
			   const struct cfi_fde *fde)
{
	struct check *check = context;
	struct cfi_vm vm;

	if (cfi_vm_start(&vm, section, fde))
		return;
	while (cfi_vm_next(&vm) == 1) {
		struct unwind_rule want = rule_pack(&vm);

		if (unwind_table_row_is_bare(&vm, &want) || want.cfa >= UNWIND_DEREF_SP)
			continue; /* assembly that does not say what it pushes; other registers */
		check_at(check, vm.row.start, &want);
		check_at(check, vm.row.start + (vm.row.end - vm.row.start) / 2, &want);
		check_at(check, vm.row.end - 1, &want);
	}
}

static int check_file(const char *path)
{
	struct check check = { 0 };
	struct unwind_table *table, bare;
	struct code_rules *rules;
	struct elf_file *elf;
	struct err err = { 0 };
	double start, end;

	if (elf_file_open(path, &elf, &err)) {
		printf("%s\n", err.msg);
		return 2;
	}
	table = unwind_table_of_elf(elf);
	bare = *table;
	bare.eh.count = bare.debug.count = 0;
	bare.is_go = false;
	start = now_ms();
	check.rules = rules = code_rules_new(&bare);
	end = now_ms();
	unwind_table_each(table, check_function, &check);
	printf("%s: %lu places, %lu the same, %lu by the other pointer, %lu none, %lu wrong; "
	       "%zu rows, %.1f ms\n",
	       path, check.same + check.none + check.wrong + check.by_bp, check.same, check.by_bp,
	       check.none, check.wrong, rules->rows.count, end - start);
	code_rules_free(rules);
	unwind_table_close(table);
	elf_file_close(elf);
	return check.wrong ? 1 : 0;
}

int main(int argc, char **argv)
{
	int worst = 0;

	for (int i = 1; i < argc; i++) {
		int code = check_file(argv[i]);

		worst = code > worst ? code : worst;
	}
	return worst;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compares compact tables with the rules that they are built from, for every row of an ELF file's
 * call frame information: at its first, middle and last byte, as an interrupted instruction and as
 * a return address, before and after the table is written to a file and read back. Prints sizes and
 * times. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "base/err.h"
#include "proc/elf_file.h"
#include "unwind/compact/compact.h"
#include "unwind/table.h"

struct check {
	const struct unwind_table *table;
	const struct elf_file *elf;
	const struct compact *compact;
	unsigned long places, wrong;
};

static double now_ms(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* A thread that was interrupted right after a system call may still be in it, so table.c looks one
 * byte earlier. Compact tables cannot, and BPF knows whether the thread is in a system call. */
static bool after_syscall(const struct check *check, uint64_t offset)
{
	struct arch_code code;

	return unwind_table_code(check->table, offset, &code) && arch_after_syscall(&code);
}

static void check_place(struct check *check, uint64_t offset, bool returns)
{
	struct unwind_place place = { .offset = offset + returns, .returns = returns };
	struct unwind_rule want = unwind_table_rule(check->table, place);
	struct unwind_rule got = compact_rule(check->compact, offset, returns);

	check->places++;
	if (!memcmp(&want, &got, sizeof(want)) || (!returns && after_syscall(check, offset)))
		return;
	if (check->wrong++ < 10)
		printf("  %" PRIx64 "%s: %u %x %d %d %d, not %u %x %d %d %d\n", offset,
		       returns ? "+" : "", got.cfa, got.flags, got.cfa_off, got.bp_off, got.ra_off,
		       want.cfa, want.flags, want.cfa_off, want.bp_off, want.ra_off);
}

static void check_function(void *context, const struct cfi_section *section,
			   const struct cfi_fde *fde)
{
	struct check *check = context;
	struct cfi_vm vm;

	if (cfi_vm_start(&vm, section, fde))
		return;
	while (cfi_vm_next(&vm) == 1) {
		const uint64_t at[] = { vm.row.start,
					vm.row.start + (vm.row.end - vm.row.start) / 2,
					vm.row.end - 1 };

		for (size_t i = 0; i < 6; i++) {
			uint64_t offset;

			if (elf_file_offset(check->elf, at[i / 2], &offset))
				check_place(check, offset, i & 1);
		}
		if (vm.row.end == fde->end)
			break;
	}
}

static struct compact *read_back(const struct compact *compact, struct err *err)
{
	const struct build_id id = { .len = 2, .bytes = { 1, 2 } };
	struct compact *ret = NULL;
	struct buf file = { 0 };

	compact_file_write(compact, &id, &file);
	if (compact_file_parse(file.data, file.len, &id, &ret, err))
		ret = NULL;
	buf_done(&file);
	return ret;
}

static int check_file(const char *path)
{
	struct check check = { 0 };
	struct unwind_table *table;
	struct compact *made, *read;
	struct elf_file *elf;
	struct err err = { 0 };
	double start, end;

	if (elf_file_open(path, &elf, &err)) {
		printf("%s\n", err.msg);
		return 2;
	}
	start = now_ms();
	table = unwind_table_of_elf(elf);
	made = compact_build(table);
	end = now_ms();
	read = read_back(made, &err);
	if (!read) {
		printf("%s: read back: %s\n", path, err.msg);
		return 1;
	}
	check = (struct check){ .table = table, .elf = elf, .compact = read };
	unwind_table_each(table, check_function, &check);
	printf("%s: %u raw rows, %u rows, %u rules, %u pages (%u split), %zu bytes, %.1f ms, "
	       "%.0f ns a raw row; %lu places, %lu differ\n",
	       path, made->raw_rows, made->row_count, made->rule_count, made->page_count,
	       made->sub_count / UNWIND_SUBPAGES, made->block_bytes, end - start,
	       made->raw_rows ? (end - start) * 1e6 / made->raw_rows : 0, check.places,
	       check.wrong);
	compact_free(made);
	compact_free(read);
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

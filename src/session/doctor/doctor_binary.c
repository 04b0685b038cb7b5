/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "session/doctor/doctor_binary.h"

#include <stdint.h>

#include "base/buf.h"
#include "base/confined.h"
#include "base/err.h"
#include "proc/elf_file.h"
#include "session/doctor/doctor_check.h"
#include "symbol/elf/debug_file.h"

static bool has_section(const struct elf_file *elf, const char *name)
{
	const struct elf_section *section = elf_file_section(elf, name);

	return section && section->type != SHT_NOBITS && section->size;
}

/* A byte of each. */
enum { READABLE, FUNCTIONS, LINES, UNWINDING, FACTS };

static int examine(void *context, struct buf *ret, struct err *err)
{
	struct elf_file *elf, *debug;
	char fact[FACTS] = { 0 };
	int code = elf_file_open(context, &elf, err);

	if (code)
		return code;
	fact[READABLE] = 1;
	fact[FUNCTIONS] = has_section(elf, ".symtab") || has_section(elf, ".gnu_debugdata");
	fact[LINES] = has_section(elf, ".debug_line");
	fact[UNWINDING] = has_section(elf, ".eh_frame") || has_section(elf, ".debug_frame");
	if (!fact[LINES] && !debug_file_open(elf, NULL, &debug, err)) {
		fact[FUNCTIONS] |= has_section(debug, ".symtab");
		fact[LINES] = has_section(debug, ".debug_line");
		elf_file_close(debug);
	}
	elf_file_close(elf);
	return buf_append(ret, fact, sizeof(fact));
}

struct doctor_binary doctor_examine_binary(const char *path)
{
	struct doctor_binary ret = { 0 };
	struct err ignored = { 0 };
	struct buf fact = { .limit = FACTS };

	if (!confined_call("cupel-reader", examine, (void *)(uintptr_t)path, &fact, &ignored) &&
	    fact.len == FACTS) {
		ret.readable = fact.data[READABLE];
		ret.functions = fact.data[FUNCTIONS];
		ret.lines = fact.data[LINES];
		ret.unwinding = fact.data[UNWINDING];
	}
	buf_done(&fact);
	return ret;
}

void doctor_judge_binary(struct doctor *doctor, struct doctor_finding *finding, const char *path)
{
	struct doctor_binary binary = doctor_examine_binary(path);

	if (!binary.readable) {
		finding_set(doctor, finding, DOCTOR_SKIPPED, "%s: not an ELF file that can be read",
			    path);
		return;
	}
	if (binary.functions && binary.unwinding) {
		finding_set(doctor, finding, DOCTOR_OK, "%s: function names%s", path,
			    binary.lines ? " and source lines" : ", no source lines");
		return;
	}
	finding_set(doctor, finding, DOCTOR_LIMITED, "%s: %s", path,
		    binary.unwinding ? "stripped" : "no .eh_frame");
	finding->consequence = binary.unwinding
				       ? "functions that it does not export have no names, "
					 "no frames are inlined, no lines"
				       : "stacks through it end there, unless it has "
					 "frame pointers";
	finding->fix = binary.unwinding
			       ? "install its debug package (-dbg, -dbgsym, -debuginfo), or "
				 "read its recordings with report --debuginfod"
			       : "build it with -fasynchronous-unwind-tables";
}

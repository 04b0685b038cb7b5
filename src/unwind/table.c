/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unwind tables of modules (see table.h). Sections are found by program headers first, which even
 * stripped files keep. */
#include "unwind/table.h"

#include <elf.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "proc/elf_file.h"
#include "proc/elf_unpack.h"
#include "proc/module.h"
#include "proc/module_file.h"
#include "proc/vdso_image.h"
#include "unwind/bare/code_rules.h"
#include "unwind/cfi/cfi_index.h"
#include "unwind/evaluate.h"
#include "unwind/table_private.h"

/* Code shown before a pc: the longest thing looked for is a call or a push. */
#define CODE_BEFORE 16
/* On average no program's functions are this large. */
#define LARGE_FUNCTION 1024u
/* How far into the entry function the C library's start code may call. */
#define ENTRY_BYTES 64

static bool usable(const struct elf_file *elf)
{
	return elf->is_64 && !elf->swap && elf->machine == ARCH_ELF_MACHINE;
}

static const struct elf_segment *find_segment(const struct elf_file *elf, uint32_t type)
{
	for (size_t i = 0; i < elf->segment_count; i++)
		if (elf->segment[i].type == type)
			return &elf->segment[i];
	return NULL;
}

static uint64_t text_address(const struct elf_file *elf)
{
	const struct elf_section *text = elf_file_section(elf, ".text");

	return text ? text->addr : 0;
}

/* The section when headers name it, else from its address to the end of the segment. */
static bool find_eh_frame(const struct elf_file *elf, const struct cfi_hdr *hdr,
			  struct cfi_section *ret)
{
	const struct elf_section *section = elf_file_section(elf, ".eh_frame");

	*ret = (struct cfi_section){ .text_addr = text_address(elf) };
	if (section && elf_section_data(elf, section, &ret->data, &ret->len))
		ret->addr = section->addr;
	if (hdr && (!ret->data || ret->addr != hdr->eh_frame_addr)) {
		ret->addr = hdr->eh_frame_addr;
		if (!elf_file_at(elf, ret->addr, &ret->data, &ret->len))
			return false;
	}
	return ret->data && ret->len && cfi_section_fits(ret->len);
}

static void open_eh_frame(struct unwind_table *table)
{
	const struct elf_segment *segment = find_segment(table->elf, PT_GNU_EH_FRAME);
	struct cfi_section section;
	const uint8_t *data;
	struct cfi_hdr hdr;
	bool has_hdr = false;
	size_t len;

	if (segment && elf_file_at(table->elf, segment->vaddr, &data, &len)) {
		len = len < segment->file_bytes ? len : segment->file_bytes;
		has_hdr = cfi_hdr_parse(data, len, segment->vaddr, &hdr);
	}
	if (find_eh_frame(table->elf, has_hdr ? &hdr : NULL, &section))
		cfi_index_open(&section, has_hdr ? &hdr : NULL, has_hdr ? segment->vaddr : 0,
			       &table->eh);
}

static void open_debug_frame(struct unwind_table *table, const struct elf_file *elf)
{
	const struct elf_section *header = elf_file_section(elf, ".debug_frame");
	struct cfi_section section = { .debug_frame = true };

	if (header &&
	    !elf_section_contents(elf, header, &section.data, &section.len, &table->unpacked) &&
	    cfi_section_fits(section.len))
		cfi_index_open(&section, NULL, 0, &table->debug);
}

/* Whether most of the code has no table. Start files bring a few entries along anyway. */
static bool lacks_table(const struct unwind_table *table)
{
	uint64_t code = 0;

	for (size_t i = 0; i < table->elf->segment_count; i++)
		if (table->elf->segment[i].type == PT_LOAD && table->elf->segment[i].flags & PF_X)
			code += table->elf->segment[i].file_bytes;
	return !table->debug.count && table->eh.count < code / LARGE_FUNCTION;
}

/* A binary that was built without a table may have one in its debug package, under the same
 * addresses. */
static void open_debug_package(struct unwind_table *table)
{
	const struct build_id *id = &table->elf->build_id;
	char hex[2 * BUILD_ID_MAX + 1], path[128];
	struct err ignored = { 0 };

	if (id->len < 2)
		return;
	build_id_hex(id, hex);
	(void)snprintf(path, sizeof(path), "/usr/lib/debug/.build-id/%.2s/%s.debug", hex, hex + 2);
	if (elf_file_open(path, &table->package, &ignored))
		return;
	if (usable(table->package) && build_id_equal(id, &table->package->build_id))
		open_debug_frame(table, table->package);
}

static void find_frameless(struct unwind_table *table)
{
	static const char *const names[] = { ".init", ".fini" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const struct elf_section *section = elf_file_section(table->elf, names[i]);

		if (section) {
			table->frameless[i].start = section->addr;
			table->frameless[i].end = section->addr + section->size;
		}
	}
}

static void read_tables(struct unwind_table *table)
{
	struct elf_file *elf = table->elf;
	struct cfi_fde ignored;

	if (!usable(elf))
		return;
	open_eh_frame(table);
	open_debug_frame(table, elf);
	if (lacks_table(table))
		open_debug_package(table);
	find_frameless(table);
	table->bare_entry = elf->entry && !cfi_index_find(&table->eh, elf->entry, &ignored) &&
			    !cfi_index_find(&table->debug, elf->entry, &ignored);
	table->is_go = elf_file_section(elf, ".gopclntab") ||
		       elf_file_section(elf, ".go.buildinfo") ||
		       elf_file_section(elf, ".note.go.buildid");
}

static struct unwind_table *new_table(void)
{
	struct unwind_table *table = mem_zalloc(sizeof(*table));

	table->code = mem_zalloc(sizeof(*table->code));
	return table;
}

struct unwind_table *unwind_table_of_elf(struct elf_file *elf)
{
	struct unwind_table *table = new_table();

	table->elf = elf;
	read_tables(table);
	return table;
}

static struct elf_file *open_vdso(const struct module *module)
{
	struct err ignored = { 0 };
	struct elf_file *elf;

	if (vdso_image_open(&elf, &ignored))
		return NULL;
	if (!module->build_id.len || build_id_equal(&module->build_id, &elf->build_id))
		return elf;
	elf_file_close(elf);
	return NULL;
}

struct unwind_table *unwind_table_open(const struct module *module, const char *symfs)
{
	struct unwind_table *table = new_table();
	struct err ignored = { 0 }; /* symbolization reports missing files */
	bool doubtful;

	table->is_vsyscall = module->kind == MODULE_VSYSCALL;
	table->owns_elf = true;
	if (module->kind == MODULE_VDSO)
		table->elf = open_vdso(module);
	else if (module->kind == MODULE_FILE)
		(void)module_file_open(module, symfs, &table->elf, &doubtful, &ignored);
	if (table->elf)
		read_tables(table);
	return table;
}

void unwind_table_close(struct unwind_table *table)
{
	if (!table)
		return;
	cfi_index_close(&table->eh);
	cfi_index_close(&table->debug);
	code_rules_free(table->code->rules);
	free(table->code);
	free(table->unpacked);
	elf_file_close(table->package);
	if (table->owns_elf)
		elf_file_close(table->elf);
	free(table);
}

void unwind_table_forget(const struct unwind_table *table)
{
	if (!table)
		return;
	elf_file_forget(table->elf);
	elf_file_forget(table->package);
}

bool unwind_table_has_rows(const struct unwind_table *table)
{
	return table->eh.count || table->debug.count;
}

bool unwind_table_is_go(const struct unwind_table *table)
{
	return table->is_go;
}

static bool code_at(const struct elf_file *elf, uint64_t vaddr, struct arch_code *ret)
{
	const uint8_t *before;
	size_t len;

	if (!elf_file_at(elf, vaddr, &ret->at, &len))
		return false;
	ret->end = ret->at + len;
	ret->start = ret->at;
	if (elf_file_at(elf, vaddr - CODE_BEFORE, &before, &len) && before + CODE_BEFORE == ret->at)
		ret->start = before;
	return true;
}

bool unwind_table_code(const struct unwind_table *table, uint64_t offset, struct arch_code *ret)
{
	uint64_t vaddr;

	return unwind_table_usable(table) && elf_file_vaddr(table->elf, offset, &vaddr) &&
	       code_at(table->elf, vaddr, ret);
}

bool unwind_table_usable(const struct unwind_table *table)
{
	return table->elf && usable(table->elf);
}

bool unwind_table_code_at(const struct unwind_table *table, uint64_t vaddr, struct arch_code *ret)
{
	return code_at(table->elf, vaddr, ret);
}

static bool find_row(const struct unwind_table *table, uint64_t vaddr, struct cfi_fde *fde,
		     struct cfi_vm *vm)
{
	if (cfi_index_find(&table->eh, vaddr, fde) && !cfi_vm_start(vm, &table->eh.section, fde) &&
	    cfi_vm_find(vm, vaddr) == 1)
		return true;
	return cfi_index_find(&table->debug, vaddr, fde) &&
	       !cfi_vm_start(vm, &table->debug.section, fde) && cfi_vm_find(vm, vaddr) == 1;
}

/* Rules that override tables. A handler's return stub is entered by return, so the byte before it
 * belongs to another function, as does the return address of makecontext()'s contexts; Go's tables
 * have neither the start of goroutines nor the place of C's frame pointer. */
static bool rule_by_code(const struct unwind_table *table, const struct arch_code *code,
			 bool returns, struct unwind_rule *ret)
{
	if (returns && ((table->is_go && arch_goroutine_exit(code)) || arch_context_exit(code))) {
		*ret = (struct unwind_rule){ .cfa = UNWIND_END };
		return true;
	}
	if (returns && table->is_go && arch_go_switch(code)) {
		*ret = (struct unwind_rule){ .cfa = UNWIND_END, .cfa_off = UNWIND_END_SWITCHED };
		return true;
	}
	return (table->is_go && returns && arch_go_entry(code, ret)) || arch_signal_stub(code, ret);
}

static bool rule_by_code_at(const struct unwind_table *table, uint64_t pc, bool returns,
			    struct unwind_rule *ret)
{
	struct arch_code code;

	return code_at(table->elf, pc, &code) && rule_by_code(table, &code, returns, ret);
}

/* The code from a function's start to a pc in it. */
static bool function_code(const struct unwind_table *table, uint64_t start, uint64_t pc,
			  struct arch_code *ret)
{
	if (!code_at(table->elf, start, ret) || pc - start > (uint64_t)(ret->end - ret->at))
		return false;
	ret->start = ret->at;
	ret->at += pc - start;
	return true;
}

bool unwind_table_row_is_bare(const struct cfi_vm *vm, const struct unwind_rule *rule)
{
	static const struct unwind_rule entry = ARCH_ENTRY_RULE;

	return vm->row.start == vm->fde->start && vm->row.end == vm->fde->end &&
	       !memcmp(rule, &entry, sizeof(entry));
}

/* Go's runtime switches stacks, in systemstack() as for C and back, and keeps the chain. */
struct unwind_rule unwind_table_fp_rule(const struct unwind_table *table)
{
	return (struct unwind_rule){ .cfa = UNWIND_FP,
				     .flags = table->is_go ? UNWIND_ANY_STACK : 0 };
}

/* Corrects rows that are known to be wrong. Go's callers all keep the frame pointer, which also
 * works where the runtime switches stacks and its rows do not. Hand-written assembly often has no
 * rows between its .cfi_startproc and .cfi_endproc, although it pushes registers (glibc's
 * multi-precision arithmetic under printf): then its first instructions are right. */
static bool amends(const struct unwind_table *table, const struct cfi_vm *vm, uint64_t pc,
		   bool returns, struct unwind_rule *ret)
{
	struct unwind_rule rule = rule_pack(vm);
	struct arch_code code;

	if (table->is_go && returns && vm->section->debug_frame) {
		*ret = unwind_table_fp_rule(table);
		return true;
	}
	return unwind_table_row_is_bare(vm, &rule) &&
	       function_code(table, vm->fde->start, pc, &code) &&
	       arch_prologue(&code, returns, ret);
}

/* .init and .fini: from their start the instructions show the stack's movement. */
static bool rule_of_frameless(const struct unwind_table *table, uint64_t pc, bool returns,
			      struct unwind_rule *ret)
{
	struct arch_code code;

	for (size_t i = 0; i < sizeof(table->frameless) / sizeof(*table->frameless); i++) {
		if (pc < table->frameless[i].start || pc >= table->frameless[i].end ||
		    !function_code(table, table->frameless[i].start, pc, &code))
			continue;
		if (!arch_prologue(&code, returns, ret))
			*ret = (struct unwind_rule)ARCH_ENTRY_RULE;
		return true;
	}
	return false;
}

const struct code_rules *unwind_table_code_rules(const struct unwind_table *table)
{
	struct code_rules *rules = atomic_load(&table->code->rules), *fresh;

	if (rules)
		return rules;
	fresh = code_rules_new(table);
	if (atomic_compare_exchange_strong(&table->code->rules, &rules, fresh))
		return fresh;
	code_rules_free(fresh); /* another thread was faster */
	return rules;
}

bool unwind_table_skip_code_rules(const struct unwind_table *table, bool skip)
{
	struct code_rules *rules = NULL, *empty = skip ? mem_zalloc(sizeof(*empty)) : NULL;

	if (!skip)
		rules = atomic_exchange(&table->code->rules, NULL);
	else if (!atomic_compare_exchange_strong(&table->code->rules, &rules, empty))
		return code_rules_free(empty), false; /* they are there already */
	code_rules_free(skip ? NULL : rules);
	return true;
}

static bool rule_of_code(const struct unwind_table *table, uint64_t addr, struct unwind_rule *ret)
{
	const struct code_rules *rules = unwind_table_code_rules(table);
	size_t i = code_rules_find(rules, addr);

	if (i == rules->rows.count || rules->rows.item[i].rule.cfa == UNWIND_FP)
		return false;
	*ret = rules->rows.item[i].rule;
	return true;
}

/* code NULL: the file does not have it. */
static struct unwind_rule rule_without_row(const struct unwind_table *table, uint64_t pc,
					   const struct arch_code *code, bool returns)
{
	struct unwind_rule rule = unwind_table_fp_rule(table);

	if (rule_of_frameless(table, pc, returns, &rule) || !code)
		return rule;
	if (returns && arch_after_call(code) && arch_thread_start(code))
		return (struct unwind_rule){ .cfa = UNWIND_END };
	if (rule_of_code(table, pc - returns, &rule))
		return rule;
	if (table->bare_entry && pc - table->elf->entry < ENTRY_BYTES)
		return (struct unwind_rule){ .cfa = UNWIND_END };
	if (!returns)
		(void)arch_sniff(code, &rule);
	return rule;
}

struct unwind_rule unwind_table_bare_rule(const struct unwind_table *table, uint64_t pc,
					  const struct arch_code *code, bool returns)
{
	struct unwind_rule rule;

	return rule_by_code(table, code, returns, &rule)
		       ? rule
		       : rule_without_row(table, pc, code, returns);
}

/* Where the row of a pc is looked up: a call, or a system call, may be the last instruction. */
static uint64_t row_address(const struct unwind_table *table, uint64_t pc, bool returns)
{
	struct arch_code code;

	return pc - (returns || (code_at(table->elf, pc, &code) && arch_after_syscall(&code)));
}

/* The linked address of a place; the byte before it must be in the module for a return address. */
static bool find_vaddr(const struct unwind_table *table, struct unwind_place place, uint64_t *ret)
{
	if (!table->elf || !usable(table->elf) ||
	    !elf_file_vaddr(table->elf, place.offset - place.returns, ret))
		return false;
	*ret += place.returns;
	return true;
}

bool unwind_table_row(const struct unwind_table *table, struct unwind_place place,
		      struct cfi_fde *fde, struct cfi_vm *vm, uint64_t *vaddr)
{
	struct unwind_rule ignored;

	return find_vaddr(table, place, vaddr) &&
	       find_row(table, row_address(table, *vaddr, place.returns), fde, vm) &&
	       (fde->signal || !rule_by_code_at(table, *vaddr, place.returns, &ignored)) &&
	       !amends(table, vm, *vaddr, place.returns, &ignored);
}

struct unwind_rule unwind_table_rule(const struct unwind_table *table, struct unwind_place place)
{
	struct unwind_rule rule = { .cfa = UNWIND_FP };
	struct arch_code code;
	struct cfi_fde fde;
	struct cfi_vm vm;
	uint64_t pc;

	if (table->is_vsyscall)
		return (struct unwind_rule)ARCH_ENTRY_RULE;
	if (!find_vaddr(table, place, &pc) || rule_by_code_at(table, pc, place.returns, &rule))
		return rule;
	if (find_row(table, row_address(table, pc, place.returns), &fde, &vm))
		return amends(table, &vm, pc, place.returns, &rule) ? rule : rule_pack(&vm);
	return rule_without_row(table, pc, code_at(table->elf, pc, &code) ? &code : NULL,
				place.returns);
}

void unwind_table_each(const struct unwind_table *table,
		       void (*each)(void *context, const struct cfi_section *section,
				    const struct cfi_fde *fde),
		       void *context)
{
	const struct cfi_index *index = table->eh.count ? &table->eh : &table->debug;
	size_t offset = 0;
	enum cfi_entry what;
	struct cfi_fde fde;

	while ((what = cfi_next(&index->section, &offset, &fde)) != CFI_ENTRY_END)
		if (what == CFI_ENTRY_FDE)
			each(context, &index->section, &fde);
}

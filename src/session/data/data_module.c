/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of modules (see data_module.h). */
#include "session/data/data_module.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/map.h"
#include "base/vec.h"
#include "proc/elf_file.h"
#include "proc/module.h"
#include "proc/module_file.h"
#include "proc/proc.h"
#include "symbol/code/code_image.h"
#include "symbol/dwarf/dwarf.h"
#include "symbol/elf/debug_file.h"
#include "symbol/elf/elf_symbols.h"
#include "symbol/symbolizer.h"

/* Decoding begins at most this far before an instruction; from a wrong place it falls into step
 * after a few instructions. */
#define MAX_SWEEP    4096
#define BLIND_SWEEP  64 /* where functions are not known */
#define MAX_CODE_LEN 16 /* of an instruction */

struct data_modules {
	const char *symfs;
	VEC(struct data_module *) item; /* by module_id; NULL = not asked for */
};

struct data_modules *data_modules_new(const char *symfs)
{
	struct data_modules *modules = mem_zalloc(sizeof(*modules));

	modules->symfs = symfs ? symfs : "";
	return modules;
}

static void module_free(struct data_module *module)
{
	if (!module)
		return;
	elf_objects_done(&module->objects);
	elf_symbols_free(module->functions);
	code_image_close(module->code);
	disassembler_close(module->disassembler);
	map_done(&module->variable_of);
	vec_done(&module->variable);
	dwarf_close(module->dwarf);
	elf_file_close(module->debug);
	elf_file_close(module->elf);
	free(module);
}

void data_modules_free(struct data_modules *modules)
{
	if (!modules)
		return;
	for (size_t i = 0; i < modules->item.count; i++)
		module_free(modules->item.item[i]);
	vec_done(&modules->item);
	free(modules);
}

static void find_range(struct data_module *self)
{
	self->low = UINT64_MAX;
	for (size_t i = 0; i < self->elf->segment_count; i++) {
		const struct elf_segment *s = &self->elf->segment[i];

		if (s->type != PT_LOAD || s->vaddr + s->memory_bytes < s->vaddr)
			continue;
		if (s->vaddr < self->low)
			self->low = s->vaddr;
		if (s->vaddr + s->memory_bytes > self->high)
			self->high = s->vaddr + s->memory_bytes;
	}
}

static struct data_module *module_new(const struct data_modules *modules,
				      const struct module *module)
{
	struct data_module *self = mem_zalloc(sizeof(*self));
	struct err ignored = { 0 };
	bool doubtful;

	self->symfs = modules->symfs;
	if (module->kind != MODULE_FILE ||
	    module_file_open(module, modules->symfs, &self->elf, &doubtful, &ignored)) {
		self->elf = NULL;
		return self;
	}
	if (debug_file_open(self->elf, modules->symfs, &self->debug, &ignored))
		self->debug = NULL;
	find_range(self);
	elf_objects_read(self->elf, self->debug, &self->objects);
	return self;
}

struct data_module *data_module_of(struct data_modules *modules, const struct module *module)
{
	while (modules->item.count <= module->id.v)
		vec_push(&modules->item, NULL);
	if (!modules->item.item[module->id.v])
		modules->item.item[module->id.v] = module_new(modules, module);
	return modules->item.item[module->id.v];
}

bool data_module_bias(const struct data_module *module, const struct mapping *mapping,
		      uint64_t *ret_bias)
{
	uint64_t linked;

	if (!module->elf || !elf_file_vaddr(module->elf, mapping->pgoff, &linked))
		return false;
	*ret_bias = mapping->start - linked;
	return true;
}

static bool open_code(struct data_module *self, const struct module *module)
{
	const struct symbol_options options = { .symfs = "" };
	struct disassembler_options how = { .intel = true };
	struct err ignored = { 0 };

	if (self->code_tried)
		return self->disassembler;
	self->code_tried = true;
	if (!self->elf || code_image_open(module, &options, &self->code, &ignored)) {
		self->code = NULL;
		return false;
	}
	how.machine = code_image_machine(self->code);
	if (disassembler_open(&how, &self->disassembler, &ignored))
		self->disassembler = NULL;
	self->functions = elf_symbols_new(self->elf, self->debug, false);
	return self->disassembler;
}

struct dwarf *data_module_dwarf(struct data_module *self)
{
	const struct dwarf_options options = { .symfs = self->symfs, .variables = true };
	struct err ignored = { 0 };

	if (!self->dwarf_tried && self->elf &&
	    dwarf_open(self->elf, &options, &self->dwarf, &ignored))
		self->dwarf = NULL;
	self->dwarf_tried = true;
	return self->dwarf;
}

struct data_variable *data_module_variable(struct data_module *self, uint64_t address)
{
	bool added;
	uint64_t *index = map_add(&self->variable_of, address, &added);

	if (added) {
		*index = self->variable.count;
		vec_push(&self->variable, ((struct data_variable){ 0 }));
	}
	return &self->variable.item[*index];
}

/* Where to begin decoding: the function's start, or close before. */
static uint64_t sweep_start(struct data_module *self, uint64_t offset)
{
	struct symbol symbol;
	uint64_t linked, back = BLIND_SWEEP;

	if (elf_file_vaddr(self->elf, offset - 1, &linked) &&
	    elf_symbols_find(self->functions, linked, &symbol)) {
		back = linked + 1 - symbol.start;
		if (back > MAX_SWEEP)
			back = MAX_SWEEP;
	}
	return offset > back ? offset - back : 0;
}

bool data_module_instruction_before(struct data_module *self, const struct module *module,
				    uint64_t offset, struct instruction *ret)
{
	uint64_t at, address = 0;
	const uint8_t *bytes;
	size_t len, want;

	if (!offset || !open_code(self, module))
		return false;
	at = sweep_start(self, offset);
	want = (size_t)(offset - at);
	if (!code_image_at(self->code, at, &bytes, &len) || len < want)
		return false;
	(void)code_image_address(self->code, at, &address);
	for (size_t done = 0; done < want; done += ret->len) {
		size_t left = len - done;

		disassembler_decode(self->disassembler, bytes + done,
				    left < MAX_CODE_LEN ? left : MAX_CODE_LEN, address + done, ret);
		if (done + ret->len == want)
			return ret->kind != INSTRUCTION_UNKNOWN;
	}
	return false; /* nothing ends there */
}

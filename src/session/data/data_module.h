/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ELF files of modules, opened once each, for what the data of programs needs: their variables,
 * and the instruction before a sampled one. Not thread-safe. */
#ifndef SESSION_DATA_DATA_MODULE_H
#define SESSION_DATA_DATA_MODULE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"
#include "symbol/code/disassembler.h"
#include "symbol/dwarf/dwarf_die.h"
#include "symbol/elf/elf_objects.h"

struct code_image;
struct dwarf;
struct elf_file;
struct elf_symbols;
struct mapping;
struct module;

/* What DWARF has about the variable at an address (data_type.h). */
struct data_variable {
	bool looked_up, known;
	struct dwarf_die die;
};

struct data_module {
	const char *symfs;
	struct elf_file *elf, *debug; /* NULL: there is none */
	uint64_t low, high;	      /* addresses as linked, of all that is loaded */
	struct elf_objects objects;
	struct elf_symbols *functions; /* these three are opened when needed */
	struct code_image *code;
	struct disassembler *disassembler;
	bool code_tried;
	struct dwarf *dwarf; /* opened when needed */
	bool dwarf_tried;
	struct map variable_of; /* address → index */
	VEC(struct data_variable) variable;
};

struct data_modules;

struct data_modules *data_modules_new(const char *symfs);
void data_modules_free(struct data_modules *modules); /* NULL is fine */
/* Never NULL; valid until the next call. */
struct data_module *data_module_of(struct data_modules *modules, const struct module *module);

/* The address that code of the mapping was linked at: address - *ret_bias. False: not known. */
bool data_module_bias(const struct data_module *module, const struct mapping *mapping,
		      uint64_t *ret_bias);
/* NULL: no debug info. */
struct dwarf *data_module_dwarf(struct data_module *self);
/* Valid until the next call. */
struct data_variable *data_module_variable(struct data_module *self, uint64_t address);
/* The instruction that ends at an offset in the module. False: there is none, or no code. */
bool data_module_instruction_before(struct data_module *self, const struct module *module,
				    uint64_t offset, struct instruction *ret);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ELF files of modules, opened once each, for what the data of programs needs: their variables,
 * and the instruction before a sampled one. Not thread-safe. */
#ifndef SESSION_DATA_DATA_MODULE_H
#define SESSION_DATA_DATA_MODULE_H

#include <stdbool.h>
#include <stdint.h>

#include "symbol/code/disassembler.h"
#include "symbol/elf/elf_objects.h"

struct code_image;
struct elf_file;
struct elf_symbols;
struct mapping;
struct module;

struct data_module {
	struct elf_file *elf, *debug; /* NULL: there is none */
	uint64_t low, high;	      /* addresses as linked, of all that is loaded */
	struct elf_objects objects;
	struct elf_symbols *functions; /* these three are opened when needed */
	struct code_image *code;
	struct disassembler *disassembler;
	bool code_tried;
};

struct data_modules;

struct data_modules *data_modules_new(const char *symfs);
void data_modules_free(struct data_modules *modules); /* NULL is fine */
/* Never NULL; valid until the next call. */
struct data_module *data_module_of(struct data_modules *modules, const struct module *module);

/* The address that code of the mapping was linked at: address - *ret_bias. False: not known. */
bool data_module_bias(const struct data_module *module, const struct mapping *mapping,
		      uint64_t *ret_bias);
/* The instruction that ends at an offset in the module. False: there is none, or no code. */
bool data_module_instruction_before(struct data_module *self, const struct module *module,
				    uint64_t offset, struct instruction *ret);

#endif

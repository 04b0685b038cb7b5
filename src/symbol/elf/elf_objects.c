/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Object symbols (see elf_objects.h). */
#include "symbol/elf/elf_objects.h"

#include <stdlib.h>
#include <string.h>

#include "proc/elf_file.h"
#include "symbol/elf/debug_file.h"
#include "symbol/elf/elf_symbol_table.h"

#define MAX_OBJECTS (1u << 24) /* further ones are ignored */
#define MAX_NESTING 16	       /* objects that begin before an address and may reach it */

struct reading {
	struct elf_objects *objects;
	uint64_t bias;
};

static void take(void *context, const Elf64_Sym *sym, const char *name)
{
	const struct reading *reading = context;

	if (ELF64_ST_TYPE(sym->st_info) != STT_OBJECT || sym->st_shndx == SHN_UNDEF ||
	    sym->st_shndx == SHN_ABS || sym->st_shndx == SHN_COMMON || !sym->st_size || !name[0] ||
	    reading->objects->item.count >= MAX_OBJECTS)
		return;
	vec_push(&reading->objects->item,
		 ((struct elf_object){ .name = name,
				       .address = sym->st_value + reading->bias,
				       .size = sym->st_size }));
}

static int by_address(const void *a, const void *b)
{
	const struct elf_object *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	if (x->size != y->size)
		return x->size > y->size ? -1 : 1;
	return strcmp(x->name, y->name);
}

void elf_objects_read(const struct elf_file *elf, const struct elf_file *debug,
		      struct elf_objects *ret)
{
	struct reading reading = { ret, 0 };

	*ret = (struct elf_objects){ 0 };
	ret->complete = elf_symbols_visit(elf, SHT_SYMTAB, take, &reading);
	if (!ret->complete && debug) {
		reading.bias = debug_file_bias(elf, debug);
		ret->complete = elf_symbols_visit(debug, SHT_SYMTAB, take, &reading);
		reading.bias = 0;
	}
	if (!ret->complete)
		(void)elf_symbols_visit(elf, SHT_DYNSYM, take, &reading);
	if (ret->item.count)
		qsort(ret->item.item, ret->item.count, sizeof(*ret->item.item), by_address);
}

void elf_objects_done(struct elf_objects *objects)
{
	vec_done(&objects->item);
}

const struct elf_object *elf_objects_at(const struct elf_objects *objects, uint64_t address)
{
	size_t low = 0, high = objects->item.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (objects->item.item[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	for (size_t i = low; i-- > 0 && low - i <= MAX_NESTING;) {
		const struct elf_object *object = &objects->item.item[i];

		if (address - object->address < object->size)
			return object;
	}
	return NULL;
}

const struct elf_object *elf_objects_named(const struct elf_objects *objects, const char *name)
{
	for (size_t i = 0; i < objects->item.count; i++)
		if (strcmp(objects->item.item[i].name, name) == 0)
			return &objects->item.item[i];
	return NULL;
}

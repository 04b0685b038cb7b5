/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Private to the library that is put into a running process: the objects that its loader has loaded
 * (programs and libraries), their symbols, and the places where they keep addresses of functions.
 * It reads what the loader itself uses, while all threads are stopped. */
#ifndef HEAP_INJECTED_OBJECTS_H
#define HEAP_INJECTED_OBJECTS_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heap/injected.h"

struct object {
	uintptr_t bias, start, end;
	const Elf64_Dyn *dynamic;
	const char *strings;
	const Elf64_Sym *symbols;
	const uint32_t *gnu_hash, *hash; /* NULL = none */
	struct {
		const Elf64_Rela *item;
		size_t count;
	} relocs[2];
	uintptr_t read_only, read_only_end; /* after relocation */
	bool opened;			    /* it is writable for now */
};

/* A place that holds the address of a function. */
struct object_slot {
	uint32_t type; /* of the relocation */
	const char *name;
	uintptr_t *place;
};

/* In the loader's order. */
typedef void object_function(struct object *object, void *context);
enum heap_inject_result objects_each(struct heap_inject *request, object_function *each,
				     void *context);

/* The address of a function that the object defines; 0 = it does not. */
uintptr_t object_find(const struct object *object, const char *name);
/* Whether the address is in the object. */
bool object_has(const struct object *object, uintptr_t address);
typedef void object_slot_function(struct object *object, const struct object_slot *slot,
				  void *context);
void object_each_slot(struct object *object, object_slot_function *each, void *context);
/* Replaces the address if it is `old`; only in calls of object_each_slot(). */
bool object_replace(struct object *object, const struct object_slot *slot, uintptr_t old,
		    uintptr_t address);

bool text_is(const char *a, const char *b);

#endif

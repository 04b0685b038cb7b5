/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Objects of a running process (see injected_objects.h). Formats: the ELF specification's dynamic
 * section and hash table, and GNU's hash table as binutils and glibc define it. */
#include "heap/injected_objects.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "heap/arch/heap_arch.h"

#define MAX_OBJECTS 65536 /* a list that goes in circles ends */
#define PAGE	    4096 /* a smaller one than the kernel's is rounded by the loader's own bounds */

bool text_is(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

bool object_has(const struct object *object, uintptr_t address)
{
	return address >= object->start && address < object->end;
}

/* glibc relocates the addresses in most objects' dynamic sections, musl in none. */
static const void *at(const struct object *object, uintptr_t address)
{
	return (const void *)(address < object->bias ? address + object->bias : address);
}

static void read_dynamic(struct object *object)
{
	size_t bytes[2] = { 0 };

	for (const Elf64_Dyn *entry = object->dynamic; entry->d_tag != DT_NULL; entry++) {
		const void *address = at(object, entry->d_un.d_ptr);

		if (entry->d_tag == DT_STRTAB)
			object->strings = address;
		else if (entry->d_tag == DT_SYMTAB)
			object->symbols = address;
		else if (entry->d_tag == DT_GNU_HASH)
			object->gnu_hash = address;
		else if (entry->d_tag == DT_HASH)
			object->hash = address;
		else if (entry->d_tag == DT_RELA)
			object->relocs[0].item = address;
		else if (entry->d_tag == DT_JMPREL)
			object->relocs[1].item = address;
		else if (entry->d_tag == DT_RELASZ)
			bytes[0] = entry->d_un.d_val;
		else if (entry->d_tag == DT_PLTRELSZ)
			bytes[1] = entry->d_un.d_val;
	}
	for (size_t i = 0; i < 2; i++)
		object->relocs[i].count = object->relocs[i].item ? bytes[i] / sizeof(Elf64_Rela)
								 : 0;
}

static bool read_headers(struct object *object, const Elf64_Phdr *header, size_t count)
{
	object->start = UINTPTR_MAX;
	for (size_t i = 0; i < count; i++) {
		uintptr_t start = object->bias + header[i].p_vaddr;
		uintptr_t end = start + header[i].p_memsz;

		if (header[i].p_type == PT_DYNAMIC && !object->dynamic)
			object->dynamic = (const Elf64_Dyn *)start;
		if (header[i].p_type == PT_GNU_RELRO) {
			object->read_only = start & ~(uintptr_t)(PAGE - 1);
			object->read_only_end = end & ~(uintptr_t)(PAGE - 1);
		}
		if (header[i].p_type != PT_LOAD)
			continue;
		object->start = start < object->start ? start : object->start;
		object->end = end > object->end ? end : object->end;
	}
	if (object->dynamic)
		read_dynamic(object);
	return object->dynamic && object->symbols && object->strings;
}

/* The headers of an object are where it begins, nearly always. */
static bool read_object(const struct link_map *map, const struct heap_inject *request,
			struct object *ret)
{
	const Elf64_Ehdr *head = (const Elf64_Ehdr *)map->l_addr;
	const Elf64_Phdr *main = (const Elf64_Phdr *)(uintptr_t)request->headers;

	*ret = (struct object){ .bias = map->l_addr, .dynamic = map->l_ld };
	if (!map->l_prev)
		return read_headers(ret, main, request->header_count);
	if (!map->l_addr || map->l_addr % PAGE ||
	    arch_call(SYS_faccessat, (uintptr_t)AT_FDCWD, map->l_addr, 0) == -EFAULT ||
	    head->e_ident[EI_MAG0] != ELFMAG0 || head->e_ident[EI_MAG1] != ELFMAG1 ||
	    head->e_phentsize != sizeof(Elf64_Phdr))
		return false;
	return read_headers(ret, (const Elf64_Phdr *)(map->l_addr + head->e_phoff), head->e_phnum);
}

/* The program's dynamic section leads to it. */
static const struct r_debug *find_loader(const struct heap_inject *request)
{
	const Elf64_Phdr *header = (const Elf64_Phdr *)(uintptr_t)request->headers;
	const Elf64_Dyn *entry = NULL;
	uintptr_t bias = 0;

	for (size_t i = 0; i < request->header_count; i++)
		if (header[i].p_type == PT_PHDR)
			bias = (uintptr_t)header - header[i].p_vaddr;
	for (size_t i = 0; i < request->header_count; i++)
		if (header[i].p_type == PT_DYNAMIC)
			entry = (const Elf64_Dyn *)(bias + header[i].p_vaddr);
	for (; entry && entry->d_tag != DT_NULL; entry++)
		if (entry->d_tag == DT_DEBUG)
			return (const struct r_debug *)entry->d_un.d_ptr;
	return NULL;
}

enum heap_inject_result objects_each(struct heap_inject *request, object_function *each,
				     void *context)
{
	const struct r_debug *loader = find_loader(request);
	size_t count = 0;

	if (!loader || !loader->r_map)
		return HEAP_INJECT_STATIC;
	if (loader->r_state != RT_CONSISTENT)
		return HEAP_INJECT_BUSY;
	for (const struct link_map *map = loader->r_map; map && count < MAX_OBJECTS;
	     map = map->l_next, count++) {
		struct object object;

		if (read_object(map, request, &object))
			each(&object, context);
	}
	request->loader = (uintptr_t)loader;
	request->objects = count;
	return HEAP_INJECT_DONE;
}

static bool is_function(const struct object *object, uint32_t index, const char *name)
{
	const Elf64_Sym *symbol = &object->symbols[index];
	unsigned type = ELF64_ST_TYPE(symbol->st_info);

	return symbol->st_shndx != SHN_UNDEF && symbol->st_value &&
	       (type == STT_FUNC || type == STT_NOTYPE) &&
	       text_is(object->strings + symbol->st_name, name);
}

static uint32_t find_by_gnu_hash(const struct object *object, const char *name)
{
	const uint32_t *head = object->gnu_hash, *buckets, *chain;
	uint32_t hash = 5381, index;

	for (const char *c = name; *c; c++)
		hash = hash * 33 + (unsigned char)*c;
	buckets = head + 4 + head[2] * (sizeof(uintptr_t) / sizeof(uint32_t));
	chain = buckets + head[0];
	index = head[0] ? buckets[hash % head[0]] : 0;
	for (; index >= head[1] && index; index++) {
		uint32_t found = chain[index - head[1]];

		if ((found | 1) == (hash | 1) && is_function(object, index, name))
			return index;
		if (found & 1)
			break;
	}
	return 0;
}

static uint32_t find_by_hash(const struct object *object, const char *name)
{
	const uint32_t *head = object->hash, *chain = head + 2 + head[0];
	uint32_t hash = 0, index;

	for (const char *c = name; *c; c++) {
		uint32_t high;

		hash = (hash << 4) + (unsigned char)*c;
		high = hash & 0xf0000000u;
		hash = (hash ^ high >> 24) & ~high;
	}
	index = head[0] ? head[2 + hash % head[0]] : 0;
	for (; index && index < head[1]; index = chain[index])
		if (is_function(object, index, name))
			return index;
	return 0;
}

uintptr_t object_find(const struct object *object, const char *name)
{
	uint32_t index = 0;

	if (object->gnu_hash)
		index = find_by_gnu_hash(object, name);
	else if (object->hash)
		index = find_by_hash(object, name);
	return index ? object->bias + object->symbols[index].st_value : 0;
}

static void open_places(struct object *object, bool open)
{
	if (object->opened != open)
		(void)arch_call(SYS_mprotect, object->read_only,
				object->read_only_end - object->read_only,
				open ? PROT_READ | PROT_WRITE : PROT_READ);
	object->opened = open;
}

bool object_replace(struct object *object, const struct object_slot *slot, uintptr_t old,
		    uintptr_t address)
{
	uintptr_t place = (uintptr_t)slot->place;

	if (place >= object->read_only && place < object->read_only_end)
		open_places(object, true);
	return __atomic_compare_exchange_n(slot->place, &old, address, false, __ATOMIC_SEQ_CST,
					   __ATOMIC_RELAXED);
}

static bool holds_function(uint32_t type)
{
	return type == ARCH_RELOC_SLOT || type == ARCH_RELOC_GLOBAL || type == ARCH_RELOC_WORD;
}

void object_each_slot(struct object *object, object_slot_function *each, void *context)
{
	for (size_t i = 0; i < 2; i++) {
		const Elf64_Rela *end = object->relocs[i].item + object->relocs[i].count;

		for (const Elf64_Rela *reloc = object->relocs[i].item; reloc < end; reloc++) {
			uint32_t symbol = (uint32_t)ELF64_R_SYM(reloc->r_info);
			struct object_slot slot = {
				.type = (uint32_t)ELF64_R_TYPE(reloc->r_info),
				.place = (uintptr_t *)(object->bias + reloc->r_offset),
			};

			if (!symbol || !holds_function(slot.type) || reloc->r_addend ||
			    (uintptr_t)slot.place % sizeof(uintptr_t))
				continue;
			slot.name = object->strings + object->symbols[symbol].st_name;
			each(object, &slot, context);
		}
	}
	open_places(object, false);
}

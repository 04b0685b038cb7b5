/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Places of data (see data_place.h). */
#include "session/data/data_place.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"
#include "event/event.h"
#include "proc/address_space.h"
#include "proc/elf_file.h"
#include "proc/module.h"
#include "session/data/data_module.h"

#define STACK_BELOW 4096       /* of the stack pointer: what functions use without moving it */
#define STACK_ABOVE (8u << 20) /* the usual limit of a stack */
#define MAX_SPACES  (1u << 20)

struct data_places {
	struct data_modules *modules;
	struct module_table *table;
	struct map space_of; /* pid → index + 1 */
	VEC(struct address_space *) space;
	uint32_t next_id;
};

struct data_places *data_places_new(struct data_modules *modules, struct module_table *table)
{
	struct data_places *places = mem_zalloc(sizeof(*places));

	places->modules = modules;
	places->table = table;
	return places;
}

void data_places_free(struct data_places *places)
{
	if (!places)
		return;
	for (size_t i = 0; i < places->space.count; i++)
		address_space_unref(places->space.item[i]);
	vec_done(&places->space);
	map_done(&places->space_of);
	free(places);
}

static struct address_space **space_of(struct data_places *places, uint32_t pid)
{
	bool added;
	uint64_t *index = map_add(&places->space_of, pid, &added);

	if (added) {
		vec_push(&places->space, address_space_new(++places->next_id, pid));
		*index = places->space.count - 1;
	}
	return &places->space.item[*index];
}

static void renew(struct data_places *places, uint32_t pid, struct address_space *space)
{
	struct address_space **place = space_of(places, pid);

	address_space_unref(*place);
	*place = space;
}

static void add_mapping(struct data_places *places, const struct event *event)
{
	const struct event_mmap *mmap = &event->mmap;
	struct mapping mapping = { .start = mmap->start,
				   .end = mmap->start + mmap->len,
				   .pgoff = mmap->pgoff };

	if (mapping.end <= mapping.start || event->pid == UINT32_MAX)
		return;
	mapping.module = module_table_intern(places->table, mmap, event->misc, event->pid);
	address_space_insert(space_of(places, event->pid), ++places->next_id, &mapping);
}

void data_places_apply(struct data_places *places, const struct event *event)
{
	struct address_space *parent;

	if (places->space.count >= MAX_SPACES)
		return;
	switch (event->type) {
	case EVENT_MMAP:
		add_mapping(places, event);
		break;
	case EVENT_COMM:
		if (event->comm.exec)
			renew(places, event->pid, address_space_new(++places->next_id, event->pid));
		break;
	case EVENT_FORK:
		if (event->pid == event->task.ppid || event->pid != event->tid ||
		    event->misc & PERF_RECORD_MISC_FORK_EXEC)
			break;
		parent = address_space_ref(*space_of(places, event->task.ppid));
		renew(places, event->pid, parent);
		break;
	default: /* others do not change mappings */
		break;
	}
}

static const char *section_at(const struct elf_file *elf, uint64_t vaddr)
{
	for (size_t i = 1; i < elf->section_count; i++) {
		const struct elf_section *s = &elf->section[i];

		if (s->flags & SHF_ALLOC && !(s->flags & SHF_TLS) && vaddr >= s->addr &&
		    vaddr - s->addr < s->size)
			return s->name;
	}
	return "";
}

/* Whether the address is in a module, by where its code is. */
static bool find_in_module(struct data_places *places, const struct mapping *code, uint64_t address,
			   struct data_place *ret)
{
	const struct elf_object *object;
	struct data_module *module;
	uint64_t bias, vaddr;

	if (code->module->kind != MODULE_FILE)
		return false;
	module = data_module_of(places->modules, code->module);
	if (!data_module_bias(module, code, &bias))
		return false;
	vaddr = address - bias;
	if (vaddr < module->low || vaddr >= module->high)
		return false;
	object = elf_objects_at(&module->objects, vaddr);
	*ret = (struct data_place){ .kind = object ? ACCESS_GLOBAL : ACCESS_FILE,
				    .object = object ? object->name
						     : section_at(module->elf, vaddr),
				    .module = code->module->name,
				    .offset = object ? vaddr - object->address : 0,
				    .size = object ? object->size : 0,
				    .of = object ? module : NULL,
				    .address = object ? object->address : 0 };
	return true;
}

static bool starts_with(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

static void name_mapping(const struct mapping *mapping, uint64_t address, struct data_place *ret)
{
	const char *path = mapping->module->path;

	ret->module = mapping->module->name;
	ret->offset = address - mapping->start;
	ret->size = mapping->end - mapping->start;
	if (starts_with(path, "[heap]"))
		ret->kind = ACCESS_HEAP;
	else if (starts_with(path, "[stack"))
		ret->kind = ACCESS_STACK;
	else if (!path[0] || starts_with(path, "//anon") || starts_with(path, "[anon") ||
		 mapping->module->kind == MODULE_JIT)
		ret->kind = ACCESS_ANONYMOUS;
	else
		ret->kind = ACCESS_FILE;
	if (ret->kind == ACCESS_ANONYMOUS)
		ret->module = "";
}

void data_place_find(struct data_places *places, const struct data_subject *subject,
		     uint64_t address, struct data_place *ret)
{
	const struct address_space *space = subject->space;
	const struct mapping *mapping;
	bool near_sp = subject->sp && address + STACK_BELOW >= subject->sp &&
		       address - subject->sp + STACK_BELOW < STACK_ABOVE + STACK_BELOW;

	*ret = (struct data_place){ .kind = ACCESS_UNKNOWN, .object = "", .module = "" };
	if ((int64_t)address < 0) {
		ret->kind = ACCESS_KERNEL;
		return;
	}
	for (size_t i = 0; i < space->count; i++)
		if (find_in_module(places, &space->item[i], address, ret))
			return;
	mapping = address_space_find(*space_of(places, subject->pid), address);
	if (mapping)
		name_mapping(mapping, address, ret);
	/* The stack of a thread is anonymous memory; mappings that grow have no record. */
	if (near_sp && (ret->kind == ACCESS_UNKNOWN || ret->kind == ACCESS_ANONYMOUS)) {
		const struct mapping *of_sp =
			address_space_find(*space_of(places, subject->pid), subject->sp);

		if (of_sp == mapping)
			*ret = (struct data_place){ .kind = ACCESS_STACK,
						    .object = "",
						    .module = "[stack]" };
	}
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of locks (see lock_names.h). Recordings have only the mappings with code. A file's
 * variables are where its program headers put them beside that. */
#include "session/lock/lock_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/map.h"
#include "proc/elf_file.h"
#include "proc/module.h"
#include "proc/module_file.h"
#include "profile/lock/lock_samples.h"
#include "profile/lock/lock_table.h"
#include "profile/profile.h"
#include "session/capture.h"
#include "symbol/dwarf/dwarf.h"
#include "symbol/dwarf/dwarf_field.h"
#include "symbol/elf/debug_file.h"
#include "symbol/elf/elf_symbols.h"
#include "symbol/symbolizer.h"

#define FARTHEST	65536 /* bytes into a variable of the kernel */
#define LARGEST_LOCK	56    /* bytes of the C library's */
#define MOST_DEBUG_INFO (32u << 20)

struct opened {
	struct elf_file *elf; /* NULL = it cannot be opened */
	struct elf_symbols *symbols;
	bool is_searched; /* for debug info */
	struct elf_file *debug;
	struct dwarf *dwarf; /* NULL = none, or too much of it */
	uint64_t bias;	     /* address in the file - address in the debug info */
};

struct lock_namer {
	struct proc_table *procs;
	const char *symfs;
	struct map by_module; /* id → index */
	VEC(struct opened) opened;
};

static struct opened *open_module(struct lock_namer *names, const struct module *module)
{
	struct err ignored = { 0 };
	struct opened file = { 0 };
	bool added, doubtful;
	uint64_t *index = map_add(&names->by_module, module->id.v, &added);

	if (added) {
		*index = names->opened.count;
		if (!module_file_open(module, names->symfs, &file.elf, &doubtful, &ignored))
			file.symbols = elf_symbols_new(file.elf, NULL, true);
		vec_push(&names->opened, file);
	}
	return &names->opened.item[*index];
}

/* Whether the file has data in memory at a linked address. */
static bool has_data_at(const struct elf_file *elf, uint64_t vaddr)
{
	for (size_t i = 0; i < elf->segment_count; i++) {
		const struct elf_segment *s = &elf->segment[i];

		if (s->type == PT_LOAD && s->flags & PF_W && vaddr >= s->vaddr &&
		    vaddr - s->vaddr < s->memory_bytes)
			return true;
	}
	return false;
}

/* Debug info of the file, or of its debug file. What is too large to be read while a user waits
 * is left alone. */
static struct dwarf *dwarf_of(struct opened *file, const char *symfs)
{
	const struct dwarf_options options = { .symfs = symfs, .variables = true };
	const struct elf_section *section;
	struct err ignored = { 0 };
	struct elf_file *from = file->elf;

	if (file->is_searched)
		return file->dwarf;
	file->is_searched = true;
	section = elf_file_section(from, ".debug_info");
	if (!section && !debug_file_open(file->elf, symfs, &file->debug, &ignored)) {
		from = file->debug;
		file->bias = debug_file_bias(file->elf, from);
		section = elf_file_section(from, ".debug_info");
	}
	if (section && section->size <= MOST_DEBUG_INFO)
		(void)dwarf_open(from, &options, &file->dwarf, &ignored);
	return file->dwarf;
}

/* "server.stats.lock" where debug info tells, else "server+0x28". */
static void put_name(struct opened *file, const struct lock_namer *names,
		     const struct symbol *symbol, uint64_t at, struct buf *out)
{
	struct dwarf *dwarf;

	(void)buf_puts(out, symbol->frame[0].name);
	if (at == symbol->start && symbol->end - symbol->start <= LARGEST_LOCK)
		return;
	dwarf = dwarf_of(file, names->symfs);
	if (dwarf && dwarf_field_put(dwarf, symbol->start - file->bias, at - symbol->start, out))
		return;
	if (at > symbol->start)
		(void)buf_printf(out, "+%#" PRIx64, at - symbol->start);
}

static bool name_in(struct lock_namer *names, const struct mapping *mapping, uint64_t address,
		    struct buf *out)
{
	struct symbol symbol = { 0 };
	struct opened *file;
	uint64_t vaddr;

	if (mapping->module->kind != MODULE_FILE)
		return false;
	file = open_module(names, mapping->module);
	if (!file->symbols || !elf_file_vaddr(file->elf, mapping->pgoff, &vaddr))
		return false;
	vaddr = address - mapping->start + vaddr;
	if (!has_data_at(file->elf, vaddr) || !elf_symbols_find(file->symbols, vaddr, &symbol) ||
	    !symbol.count || !symbol.frame[0].name)
		return false;
	put_name(file, names, &symbol, vaddr, out);
	return true;
}

struct lock_namer *lock_namer_new(struct proc_table *procs, const char *symfs)
{
	struct lock_namer *namer = mem_zalloc(sizeof(*namer));

	namer->procs = procs;
	namer->symfs = symfs;
	return namer;
}

void lock_namer_free(struct lock_namer *namer)
{
	if (!namer)
		return;
	for (size_t i = 0; i < namer->opened.count; i++) {
		elf_symbols_free(namer->opened.item[i].symbols);
		dwarf_close(namer->opened.item[i].dwarf);
		elf_file_close(namer->opened.item[i].debug);
		elf_file_close(namer->opened.item[i].elf);
	}
	vec_done(&namer->opened);
	map_done(&namer->by_module);
	free(namer);
}

/* The mappings of a process are in the order of their addresses; data follow the code. */
void lock_namer_put(struct lock_namer *namer, uint32_t pid, uint64_t address, struct buf *ret)
{
	struct thread *thread = proc_table_thread(namer->procs, pid, pid);
	const struct address_space *space = thread && thread->process ? thread->process->space
								      : NULL;

	for (size_t i = 0; space && i < space->count; i++)
		if (name_in(namer, &space->item[i], address, ret))
			return;
}

/* The kernel's variables on either side of an address. */
struct neighbour {
	uint64_t address, start, next;
	char name[128];
};

static void look_at(const char *line, struct neighbour *item, size_t count)
{
	unsigned long long start;
	char type, name[128];

	if (sscanf(line, "%llx %c %127s", &start, &type, name) != 3 || !strchr("bBdDrR", type))
		return;
	for (size_t i = 0; i < count; i++) {
		struct neighbour *n = &item[i];

		if (start > n->address) {
			n->next = n->next && n->next < start ? n->next : start;
		} else if (start >= n->start) {
			n->start = start;
			memcpy(n->name, name, sizeof(name));
		}
	}
}

/* The running kernel's list, which has variables for root alone. */
static void look_at_all(struct neighbour *item, size_t count)
{
	FILE *file = fopen("/proc/kallsyms", "re");
	char line[512];

	while (file && fgets(line, sizeof(line), file))
		look_at(line, item, count);
	if (file)
		(void)fclose(file);
}

/* Static locks: variables, or in them. Other memory of the kernel is far from any. */
static string_id name_of(const struct neighbour *n, struct strtab *strings)
{
	struct buf text = { 0 };
	string_id ret;

	if (!n->start || !n->next || n->address - n->start > FARTHEST)
		return STRING_EMPTY;
	(void)buf_puts(&text, n->name);
	if (n->address > n->start)
		(void)buf_printf(&text, "+%#" PRIx64, n->address - n->start);
	ret = strtab_intern(strings, text.data, text.len);
	buf_done(&text);
	return ret;
}

void lock_names_kernel(struct strtab *strings, const uint64_t *address, size_t count,
		       string_id *ret)
{
	struct neighbour *item = mem_zalloc((count + 1) * sizeof(*item));

	for (size_t i = 0; i < count; i++)
		item[i].address = address[i];
	if (count)
		look_at_all(item, count);
	for (size_t i = 0; i < count; i++)
		ret[i] = name_of(&item[i], strings);
	free(item);
}

static void name_kernel(struct lock_table *table, struct profile *profile)
{
	size_t rows = table->row.count, count = 0;
	uint64_t *address = mem_zalloc((rows + 1) * sizeof(*address));
	string_id *name = mem_zalloc((rows + 1) * sizeof(*name));

	for (size_t i = 0; i < rows; i++)
		if (!table->row.item[i].pid)
			address[count++] = table->row.item[i].address;
	lock_names_kernel(profile->strings, address, count, name);
	count = 0;
	for (size_t i = 0; i < rows; i++) {
		struct lock_row *row = &table->row.item[i];
		string_id found = row->pid ? STRING_EMPTY : name[count++];

		if (row->name.v == STRING_EMPTY.v)
			row->name = found;
	}
	free(address);
	free(name);
}

void lock_names_user(struct proc_table *procs, const char *symfs, struct strtab *strings,
		     struct profile_object *item, size_t count)
{
	struct lock_namer *namer = lock_namer_new(procs, symfs);
	struct buf text = { 0 };

	for (size_t i = 0; i < count; i++) {
		buf_clear(&text);
		lock_namer_put(namer, item[i].pid, item[i].address, &text);
		if (text.len)
			item[i].name = strtab_intern(strings, text.data, text.len);
	}
	lock_namer_free(namer);
	buf_done(&text);
}

/* Each lock of a process once; names follow. */
static void list_locks(struct profile *profile)
{
	struct map seen = { 0 };

	for (size_t i = 0; i < profile->samples.count; i++) {
		const struct profile_sample *sample = &profile->samples.item[i];
		struct lock_wait_data data;
		bool added;

		if (!lock_sample_is(profile, sample, EVENT_KIND_LOCK_WAIT) ||
		    !lock_words(profile, sample, &data, sizeof(data)) ||
		    data.key.kind == LOCK_KIND_KERNEL)
			continue;
		(void)map_add(&seen, hash_u64(data.key.lock) ^ data.key.pid, &added);
		if (added)
			vec_push(&profile->objects,
				 ((struct profile_object){ .address = data.key.lock,
							   .pid = data.key.pid }));
	}
	map_done(&seen);
}

void lock_names_keep(struct profile *profile, const struct capture *capture, const char *symfs)
{
	list_locks(profile);
	if (capture->procs)
		lock_names_user(capture->procs, symfs, profile->strings, profile->objects.item,
				profile->objects.count);
}

void lock_names_find(struct lock_table *table, struct profile *profile)
{
	struct map objects = { 0 };

	for (size_t i = 0; i < profile->objects.count; i++) {
		const struct profile_object *object = &profile->objects.item[i];

		map_set(&objects, hash_u64(object->address) ^ object->pid, object->name.v);
	}
	for (size_t i = 0; i < table->row.count; i++) {
		struct lock_row *row = &table->row.item[i];
		uint64_t name;

		if (row->name.v == STRING_EMPTY.v && row->pid &&
		    map_get(&objects, hash_u64(row->address) ^ row->pid, &name))
			row->name = (string_id){ (uint32_t)name };
	}
	map_done(&objects);
	name_kernel(table, profile);
}

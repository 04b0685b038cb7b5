/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Interns modules and classifies the paths of mappings (see module.h). */
#include "proc/module.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/strtab.h"
#include "base/vec.h"

struct module_table {
	struct arena arena;
	VEC(struct module *) modules;
	struct map by_key;		       /* hash of the identity → chain head, index + 1 */
	VEC(uint32_t) next;		       /* next module with the same hash, index + 1 */
	VEC(struct module_build_id) build_ids; /* by path, from records other than MMAP2 */
	const struct module_bundle *bundle;
};

struct module_build_id {
	const char *path;
	struct build_id id;
};

struct identity {
	enum module_kind kind;
	const char *path;
	uint32_t maj, min;
	uint64_t ino;
	struct build_id build_id;
	uint32_t pid; /* only for per-process modules, else 0 */
};

static bool starts_with(const char *s, const char *prefix)
{
	return strncmp(s, prefix, strlen(prefix)) == 0;
}

/* Anonymous memory: its code was generated at run time. */
static bool is_anonymous(const char *path)
{
	static const char *const prefixes[] = { "//anon", "/anon_hugepage", "/dev/zero",
						"[heap]", "[stack",	    "[anon",
						"/SYSV",  "anon_inode:" };

	if (!path[0])
		return true;
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
		if (starts_with(path, prefixes[i]))
			return true;
	return false;
}

enum module_kind module_kind_of(const char *path, uint16_t misc)
{
	unsigned mode = misc & PERF_RECORD_MISC_CPUMODE_MASK;

	if (mode == PERF_RECORD_MISC_KERNEL || mode == PERF_RECORD_MISC_GUEST_KERNEL)
		return starts_with(path, "[kernel.kallsyms]") || starts_with(path, "[guest.kernel")
			       ? MODULE_KERNEL
			       : MODULE_KMODULE;
	if (strcmp(path, "[vdso]") == 0 || strcmp(path, "[vdso32]") == 0)
		return MODULE_VDSO;
	if (strcmp(path, "[vsyscall]") == 0)
		return MODULE_VSYSCALL;
	if (starts_with(path, "[python] "))
		return MODULE_PYTHON;
	return is_anonymous(path) ? MODULE_JIT : MODULE_FILE;
}

static uint64_t identity_hash(const struct identity *id)
{
	uint64_t h = hash_bytes(id->path, strlen(id->path)) ^ hash_u64(id->ino);

	h ^= hash_u64((uint64_t)id->maj << 40 | (uint64_t)id->min << 8 | id->kind);
	h ^= hash_bytes(id->build_id.bytes, id->build_id.len);
	return h ^ hash_u64(0x100000000u + id->pid);
}

static bool identity_equal(const struct module *m, const struct identity *id)
{
	bool per_process = m->kind == MODULE_JIT || starts_with(m->path, "/memfd:");

	if (m->kind != id->kind || strcmp(m->path, id->path) != 0 || m->ino != id->ino ||
	    m->maj != id->maj || m->min != id->min || (per_process && m->pid != id->pid))
		return false;
	/* a later build id does not make it another module */
	return !id->build_id.len || !m->build_id.len ||
	       (m->build_id.len == id->build_id.len &&
		memcmp(m->build_id.bytes, id->build_id.bytes, id->build_id.len) == 0);
}

static const char *last_component(const char *path)
{
	const char *slash = strrchr(path, '/');

	return path[0] == '[' || !slash || !slash[1] || starts_with(path, "//") ? path : slash + 1;
}

static struct module *intern(struct module_table *table, const struct identity *id, uint32_t pid)
{
	uint64_t key = identity_hash(id);
	bool added;
	uint64_t *head = map_add(&table->by_key, key, &added);
	struct module *module;

	for (uint64_t at = *head; at; at = table->next.item[at - 1])
		if (identity_equal(table->modules.item[at - 1], id))
			return table->modules.item[at - 1];
	module = arena_new(&table->arena, struct module);
	*module = (struct module){ .id = { (uint32_t)table->modules.count },
				   .kind = id->kind,
				   .path = arena_strdup(&table->arena, id->path),
				   .maj = id->maj,
				   .min = id->min,
				   .ino = id->ino,
				   .build_id = id->build_id,
				   .pid = pid,
				   .bundle = table->bundle };
	module->name = id->kind == MODULE_PYTHON ? "[python]" : last_component(module->path);
	vec_push(&table->next, (uint32_t)*head);
	vec_push(&table->modules, module);
	*head = table->modules.count;
	for (size_t i = 0; i < table->build_ids.count && !module->build_id.len; i++)
		if (strcmp(table->build_ids.item[i].path, module->path) == 0)
			module->build_id = table->build_ids.item[i].id;
	return module;
}

struct module_table *module_table_new(void)
{
	struct module_table *table = mem_zalloc(sizeof(*table));

	(void)module_table_named(table, MODULE_UNKNOWN, "[unknown]", 0); /* becomes id 0 */
	return table;
}

void module_table_set_bundle(struct module_table *table, const struct module_bundle *bundle)
{
	table->bundle = bundle;
}

void module_table_free(struct module_table *table)
{
	if (!table)
		return;
	arena_done(&table->arena);
	vec_done(&table->modules);
	vec_done(&table->next);
	vec_done(&table->build_ids);
	map_done(&table->by_key);
	free(table);
}

struct module *module_table_intern(struct module_table *table, const struct event_mmap *mmap,
				   uint16_t misc, uint32_t pid)
{
	struct identity id = { .kind = module_kind_of(mmap->path, misc), .path = mmap->path };
	struct module *module;
	char perf_map[32];

	if (id.kind == MODULE_KERNEL)
		id.path = starts_with(mmap->path, "[guest") ? "[guest.kernel.kallsyms]"
							    : "[kernel.kallsyms]";
	if (id.kind ==
	    MODULE_JIT) { /* named as perf does, after the file that would name its code */
		(void)snprintf(perf_map, sizeof(perf_map), "/tmp/perf-%u.map", pid);
		id.path = perf_map;
	}
	if (id.kind == MODULE_JIT || starts_with(id.path, "/memfd:"))
		id.pid = pid;
	if (id.kind == MODULE_FILE) {
		id.maj = mmap->maj;
		id.min = mmap->min;
		id.ino = mmap->ino;
	}
	if (id.kind != MODULE_JIT)
		id.build_id = mmap->build_id;
	module = intern(table, &id, pid);
	if (!module->build_id.len)
		module->build_id = id.build_id;
	module->pid = pid; /* the last process to map it is most likely still alive */
	module->map_start = mmap->start;
	module->map_end = mmap->start + mmap->len;
	module->map_pgoff = mmap->pgoff;
	if (id.kind == MODULE_KERNEL)
		module->text_start = mmap->pgoff; /* perf keeps the address of _text there */
	return module;
}

struct module *module_table_named(struct module_table *table, enum module_kind kind,
				  const char *path, uint32_t pid)
{
	struct identity id = { .kind = kind, .path = path, .pid = kind == MODULE_JIT ? pid : 0 };

	return intern(table, &id, pid);
}

struct module *module_table_get(const struct module_table *table, module_id id)
{
	return table->modules.item[id.v];
}

size_t module_table_count(const struct module_table *table)
{
	return table->modules.count;
}

const struct module *module_table_kernel(const struct module_table *table)
{
	for (size_t i = 0; i < table->modules.count; i++)
		if (table->modules.item[i]->kind == MODULE_KERNEL)
			return table->modules.item[i];
	return NULL;
}

void module_table_set_build_id(struct module_table *table, const char *path,
			       const struct build_id *id)
{
	for (size_t i = 0; i < table->modules.count; i++) {
		struct module *module = table->modules.item[i];

		if (!module->build_id.len && strcmp(module->path, path) == 0)
			module->build_id = *id;
	}
	vec_push(
		&table->build_ids,
		((struct module_build_id){ .path = arena_strdup(&table->arena, path), .id = *id }));
}

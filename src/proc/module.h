/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Modules: everything code can live in — ELF files, the kernel and its modules, the vDSO, BPF
 * programs, JIT regions. Modules are interned: the same file mapped by a hundred processes (same
 * path, device, inode, build id) is one module. */
#ifndef PROC_MODULE_H
#define PROC_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/event.h"

typedef struct {
	uint32_t v;
} module_id;

enum module_kind {
	MODULE_FILE,	/* an ELF file: offsets are file offsets */
	MODULE_KERNEL,	/* "[kernel.kallsyms]": offsets are addresses */
	MODULE_KMODULE, /* "[ext4]" or a .ko path: offsets are addresses */
	MODULE_BPF,	/* a JITed BPF program: offsets are addresses */
	MODULE_VDSO,	/* "[vdso]": offsets are file offsets in the vDSO image */
	MODULE_VSYSCALL,
	MODULE_JIT,	/* anonymous executable memory, one per process: offsets are addresses;
			   names come from /tmp/perf-PID.map or jitdump */
	MODULE_PYTHON,	/* a Python function, "[python] NAME (FILE)": offsets are lines, see
			   symbol/python/python_place.h */
	MODULE_UNKNOWN, /* no mapping: offsets are addresses */
};

struct module {
	module_id id; /* dense from 0; 0 is the MODULE_UNKNOWN one */
	enum module_kind kind;
	const char *path; /* as mapped: "/usr/lib/x.so", "[vdso]", "/x (deleted)"; for JIT
			     "/tmp/perf-PID.map", whether that file exists or not */
	const char *name; /* last path component, or path when it starts with '[' */
	uint32_t maj, min;
	uint64_t ino;
	struct build_id build_id;
	uint32_t pid; /* a process that maps it: its root and map_files reach the file; for JIT
			 the process it belongs to */
	uint64_t map_start, map_end; /* of pid's last mapping of it, for /proc/PID/map_files */
	uint64_t map_pgoff; /* file offset of map_start: address = offset - map_pgoff + map_start */
	const struct module_bundle *bundle; /* where its file may be; NULL = on this machine */
	uint64_t
		text_start; /* kernel: address of _text or _stext from the recording, 0 = unknown */
};

struct module_bundle;
struct module_table;

/* Classifies a mapping by its path and PERF_RECORD_MISC_*. */
enum module_kind module_kind_of(const char *path, uint16_t misc);

struct module_table *module_table_new(void);
/* Binaries that come with the recording, borrowed; NULL = none. Before the first module. */
void module_table_set_bundle(struct module_table *table, const struct module_bundle *bundle);
void module_table_free(struct module_table *table);
/* The module of a mapping, interned. pid is used for JIT keys and as a hint for opening. */
struct module *module_table_intern(struct module_table *table, const struct event_mmap *mmap,
				   uint16_t misc, uint32_t pid);
/* A module by kind and path alone (kernel, BPF, unknown, or read from text formats). */
struct module *module_table_named(struct module_table *table, enum module_kind kind,
				  const char *path, uint32_t pid);
struct module *module_table_get(const struct module_table *table, module_id id);
size_t module_table_count(const struct module_table *table);
/* The kernel of the recording; NULL = not known. */
const struct module *module_table_kernel(const struct module_table *table);
/* Attaches a build id to all modules with that path that have none yet. */
void module_table_set_build_id(struct module_table *table, const char *path,
			       const struct build_id *id);

#endif

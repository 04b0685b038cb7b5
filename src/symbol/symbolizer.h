/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names for addresses. A symbolizer is opened for one module and answers offsets in it (file
 * offsets for ELF files and the vDSO, addresses for kernel, BPF and JIT: see proc/module.h).
 * resolve() is thread-safe after open(). The chain (symbol/chain.c) is itself a symbolizer that
 * asks its items in order; the registry is the const array there. */
#ifndef SYMBOL_SYMBOLIZER_H
#define SYMBOL_SYMBOLIZER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct kept_names;
struct map;
struct module;
struct module_table;
struct section_cache;
struct symbol_shared;

struct kcore;

struct symbol_options {
	bool inlines;	   /* expand inlined frames from DWARF */
	bool lines;	   /* file:line from DWARF (also for the outer function) */
	bool demangle;	   /* default true */
	bool debuginfod;   /* ask debuginfod servers for missing debug info; needs `shared` */
	const char *symfs; /* prefix for files, "" = none */
	const char *kallsyms_path;     /* NULL = /proc/kallsyms */
	const char *vmlinux_path;      /* NULL = none */
	unsigned debuginfod_timeout_s; /* 0 = 10 */
	/* What symbolizers share that are open at the same time, also those of several recordings;
	 * NULL = each reads kallsyms and files anew. */
	struct symbol_shared *shared;
	/* All modules of the recording, which must not change while symbolizers of kernel modules
	 * or generated code are opened: identifies the recorded kernel and the jitdumps. May be
	 * NULL. */
	const struct module_table *modules;
	/* The recorded kernel; then they may change while those of kernel modules are opened. */
	const struct module *kernel;
	/* What the recording itself keeps (symbol/kept/kept_names.h). NULL = nothing. */
	const struct kept_names *kept;
	/* Users of processes, by PID, as they were while the processes ran. NULL = not known. */
	const struct map *users;
	/* Unpacked debug sections of earlier runs (proc/section_cache.h). NULL = none. */
	struct section_cache *unpacked;
	/* The running kernel's memory, for code (symbol/kernel/kcore.h). NULL = not opened. */
	const struct kcore *kcore;
	/* It keeps all that its own machine knew: another machine's files are asked last, and only
	 * when build ids prove what they are. */
	bool archived;
};

/* Thread-safe. Freed after the last symbolizer that was opened with it is closed; NULL is fine. */
struct symbol_shared *symbol_shared_new(void);
void symbol_shared_free(struct symbol_shared *shared);

/* One function of a resolved address. */
struct symbol_frame {
	const char *name; /* demangled; borrowed from the symbolizer; NULL = unknown */
	const char *file; /* source path or NULL */
	uint32_t line;	  /* 0 = unknown */
	bool inlined;	  /* into the next frame of the list */
};

#define SYMBOL_MAX_FRAMES 64

/* start..end are offsets in the module of the non-inlined function; end is 0 if unknown. frame[0]
 * is innermost; the last is the non-inlined function. Callers that store a symbol may truncate it
 * after `count` frames. */
struct symbol {
	uint64_t start, end;
	char binding; /* 'g' global, 'l' local, 'w' weak, 0 unknown */
	size_t count;
	struct symbol_frame frame[SYMBOL_MAX_FRAMES];
};

/* How much of a module has the same answer as one offset. */
enum symbol_grain {
	SYMBOL_NONE,	 /* resolve() is false */
	SYMBOL_FUNCTION, /* the result of the whole function, identified by a number */
	SYMBOL_ADDRESS,	 /* the address may have its own result */
};

struct symbolizer {
	const struct symbolizer_ops *ops;
};

struct symbolizer_ops {
	const char *name;
	/* *ret = NULL and 0 if this symbolizer does not handle the module. */
	int (*open)(struct symbolizer **ret, const struct module *module,
		    const struct symbol_options *options, struct err *err);
	/* Thread-safe. False = unknown. Strings live until close(). */
	bool (*resolve)(struct symbolizer *symbolizer, uint64_t offset, struct symbol *ret);
	void (*close)(struct symbolizer *symbolizer);
	/* Optional, thread-safe, much cheaper than resolve(): what to expect of that. Without it
	 * every address is its own. *ret_number is only set for SYMBOL_FUNCTION. */
	enum symbol_grain (*grain)(struct symbolizer *symbolizer, uint64_t offset,
				   uint64_t *ret_number);
	/* Optional: why it knows less than it could, or NULL. Lives until close(). */
	const char *(*problem)(const struct symbolizer *symbolizer);
};

/* The chain of all symbolizers for one module; always succeeds, its last item names nothing.
 * Thread-safe with respect to other modules. */
struct symbolizer *symbolizer_open(const struct module *module,
				   const struct symbol_options *options);
bool symbolizer_resolve(struct symbolizer *symbolizer, uint64_t offset, struct symbol *ret);
enum symbol_grain symbolizer_grain(struct symbolizer *symbolizer, uint64_t offset,
				   uint64_t *ret_number);
void symbolizer_close(struct symbolizer *symbolizer); /* NULL is fine */
/* Why names are missing for this module ("no such file", "stripped", "build id differs"), or NULL.
 */
const char *symbolizer_problem(const struct symbolizer *symbolizer);

#endif

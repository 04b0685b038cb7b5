/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Specifications of probes (source/probe/probe_spec.h) → places in files. Functions are found by
 * any of their names, also demangled (without arguments); the probe is put where it costs
 * least (source/probe/probe_placement.h). */
#ifndef SESSION_PROBE_PROBE_SET_H
#define SESSION_PROBE_PROBE_SET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/map.h"
#include "base/vec.h"
#include "source/probe/probe_choice.h"
#include "source/probe/probe_spec.h"

struct err;
struct elf_function;
struct probe_binary;
struct usdt_list;

struct probe_set {
	struct probe_choice choice;
	size_t others;	   /* places that are not the beginning of a function */
	struct buf placed; /* a line for each place: where it is, and why */
	struct buf notes;  /* what was left out, a line each */
	/* private */
	VEC(struct probe_binary *) binaries; /* by index in choice */
	struct map seen;
	struct arena arena;
};

struct probe_set_options {
	int pid;	     /* the process that is meant; 0 = any */
	bool at_start;	     /* do not move probes to cheaper instructions */
	bool returns;	     /* returns are probed, too */
	bool times;	     /* a call may end when it jumps to another function */
	bool whole_name;     /* names with the binary: "libc.so.6:malloc" */
	bool kernel;	     /* functions of the kernel, too: the choice's kernel */
	const char *sources; /* a folder to look for source files in; NULL = none */
};

/* Adds all that a specification stands for. -ENOENT when there is nothing. The set must be freed
 * also after failures. */
int probe_set_add(struct probe_set *set, const char *text, const struct probe_set_options *options,
		  struct err *err);
/* The same of all of them, into an empty set, where this process may not read binaries itself
 * (base/confined.h): call it before starting threads. The set's binaries are not open. */
int probe_set_find(struct probe_set *set, const char *const *text, size_t count,
		   const struct probe_set_options *options, struct err *err);
void probe_set_done(struct probe_set *set);

/* The number of a name in the choice; equal names of a scope count together. */
uint32_t probe_set_number(struct probe_set *set, const char *name, uint64_t scope);

/* In probe_set_kernel.c: the same as probe_set_add() for what is in the kernel. */
int probe_set_add_tracepoints(struct probe_set *set, const struct probe_spec *spec,
			      struct err *err);
int probe_set_add_kernel(struct probe_set *set, const struct probe_spec *spec,
			 const struct probe_set_options *options, struct err *err);

/* In probe_match.c: of two names of one address: first those that other files see, then the
 * plainest. */
bool probe_name_is_better(const struct elf_function *a, const struct elf_function *b);
/* Whether the function of this name in the C library or in the loader returns twice or on another
 * stack, or is not called but jumped to. A return probe replaces what is on the stack at the
 * function's entry, so the program would die. */
bool probe_returns_elsewhere(const char *symbol);
/* Fills err: its instruction cannot be probed. */
int probe_set_refuse(const struct probe_binary *binary, const char *name, struct err *err);
/* The same: its return cannot be probed. */
int probe_set_refuse_returns(const struct probe_binary *binary, const char *name, struct err *err);
/* The same: no instruction of the function starts at that offset. In the middle of one, a probe
 * changes what the program does. */
int probe_set_refuse_astray(const struct probe_binary *binary, const struct elf_function *function,
			    uint64_t offset, struct err *err);
/* Appends a line if the compiler made more than one function of it ("name.isra.0"). */
void probe_note_clones(const struct probe_binary *binary, const char *name, struct buf *notes);
/* Appends a line if a function that has code of its own is inlined elsewhere. */
void probe_note_inlined(const struct probe_binary *binary, const char *symbol, struct buf *notes);
/* Fills err: "name: no such function in FILE", with the nearest names, or the reason. */
int probe_set_missing(const struct probe_binary *binary, const char *name, struct err *err);
/* The same for static probes, with some of those that are in the file. */
int probe_set_missing_static(const struct probe_binary *binary, const char *name,
			     const struct usdt_list *list, struct err *err);
/* The same for tracepoints, "CATEGORY:EVENT". */
int probe_set_missing_tracepoint(const char *tracefs, const char *pattern, struct arena *arena,
				 struct err *err);

#endif

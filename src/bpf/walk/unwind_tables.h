/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the kernel part keeps unwind rules: process → address space → executable range → binary →
 * page → row → rule. User space fills these with plain stores (source/bpf/unwind_pool.h); the
 * search is in unwind_lookup.h.
 *
 *   processes  HASH, process id → struct unwind_process; forks share their parent's space
 *   spaces     ARRAY, mmapable, of struct unwind_space
 *   binaries   ARRAY, mmapable, of struct unwind_binary
 *   shards     ARRAY_OF_MAPS of ARRAYs, mmapable, each one value of 1 MiB, made on demand and never
 *              deleted: the pool. A pool address is shard << 20 | byte.
 *
 * Nothing here is locked. Memory that is given up is not used again before a while has passed, and
 * a binary's generation, checked again after a lookup, detects other changes. */
#ifndef BPF_UNWIND_TABLES_H
#define BPF_UNWIND_TABLES_H

#include <stdint.h>

#include "unwind/page.h"
#include "unwind/rule.h"

#define UNWIND_SHARD_SHIFT 20
#define UNWIND_SHARD_BYTES (1u << UNWIND_SHARD_SHIFT)
#define UNWIND_SHARDS	   1024u /* 1 GiB; the cap in use is lower */
#define UNWIND_BINARIES	   16384u
#define UNWIND_SPACES	   32768u

/* A value of `processes`. Read it as one word: elements of a hash may be reused under a reader. */
struct unwind_process {
	uint32_t space; /* index in `spaces` */
	uint32_t tgid;	/* the key once more */
} __attribute__((aligned(8)));

/* Flags of a space. */
#define UNWIND_SPACE_PYTHON 0x01 /* a runtime of CPython may be in it: see bpf/python/python.h */

/* The executable mappings of a process. Read the generation first: it changes after `where`. */
struct unwind_space {
	uint64_t where;	     /* count << 32 | pool address of the first of its sorted ranges */
	uint64_t stack_top;  /* mm->start_stack, which an exec changes and a fork does not: with
				another one the space is out of date. 0 = not known */
	uint32_t generation; /* never 0, never one that any space has had: keys of rule caches */
	uint32_t flags;
	uint64_t as_of_ns; /* when the newest of its mappings was made */
	/* Written by the kernel part: where and when a mapping replaces another one. Until user
	 * space has processed it, or UNWIND_REPLACED_NS have passed, rules for code there may be
	 * outdated. */
	uint64_t replaced_ns, replaced_start, replaced_end;
};

#define UNWIND_REPLACED_NS 2000000000u

enum unwind_range_kind {
	UNWIND_RANGE_FILE,     /* a binary, the vDSO too */
	UNWIND_RANGE_JIT,      /* memory of no file: frame pointers lead on */
	UNWIND_RANGE_UPROBES,  /* instructions moved by uprobes, return trampolines */
	UNWIND_RANGE_VSYSCALL, /* each entry is a function that returns at once */
};

struct unwind_range {
	uint64_t start, end;
	uint64_t to_offset; /* pc + to_offset = offset in the binary's file (wraps) */
	uint32_t binary;    /* index in `binaries`; FILE only */
	uint32_t kind;	    /* enum unwind_range_kind */
};

/* All ranges of a space are in one shard. */
#define UNWIND_SPACE_RANGES 32768u

enum unwind_binary_state {
	UNWIND_BINARY_ABSENT, /* not loaded yet, or given up since: ask for it */
	UNWIND_BINARY_READY,
	UNWIND_BINARY_NONE, /* has no table: frame pointers lead on */
};

/* Flags of a binary. */
#define UNWIND_BINARY_GO 0x01 /* functions keep the frame pointer, 0 in the outermost one */

struct unwind_binary {
	uint32_t state;	     /* enum unwind_binary_state */
	uint32_t generation; /* changes before anything that was published is overwritten */
	uint64_t first;	     /* file offset where page 0 begins */
	uint32_t page_count;
	uint32_t pages; /* pool address of struct unwind_page[page_count], in one shard */
	uint32_t rules; /* pool address of struct unwind_rule[], in one shard */
	uint32_t flags;
	uint32_t used;	 /* set by readers; user space clears it to find out what is in use */
	uint32_t wanted; /* counted by readers: lookups that found no table */
	uint32_t unused[6];
};

_Static_assert(sizeof(struct unwind_row) == 4 && sizeof(struct unwind_page) == 8 &&
		       sizeof(struct unwind_rule) == 8 && sizeof(struct unwind_process) == 8 &&
		       sizeof(struct unwind_range) == 32 && sizeof(struct unwind_space) == 56 &&
		       sizeof(struct unwind_binary) == 64,
	       "elements do not straddle shards, and the search masks with their sizes");

#endif

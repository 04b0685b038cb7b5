/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Accesses to data that samples are about: their addresses, and the objects there. */
#ifndef PROFILE_PROFILE_ACCESS_H
#define PROFILE_PROFILE_ACCESS_H

#include <stdint.h>

#include "base/strtab.h"

/* What is at an address. X(ID, name for JSON, text) */
#define ACCESS_KINDS(X)                                                  \
	X(NONE, "none", "no access known")                               \
	X(UNKNOWN, "unknown", "unknown address")                         \
	X(OVERWRITTEN, "overwritten", "address overwritten by the load") \
	X(GLOBAL, "global", "variable")                                  \
	X(FILE, "file", "mapped file")                                   \
	X(HEAP, "heap", "heap")                                          \
	X(BLOCK, "block", "heap block")                                  \
	X(STACK, "stack", "stack")                                       \
	X(ANONYMOUS, "anonymous", "anonymous memory")                    \
	X(KERNEL, "kernel", "in the kernel")

enum access_kind {
#define X(id, name, text) ACCESS_##id,
	ACCESS_KINDS(X)
#undef X
		ACCESS_KIND_COUNT,
};

#define ACCESS_LINE 64 /* bytes of a cache line */

/* What is at an address of a process. */
struct profile_object {
	uint64_t address;
	uint32_t pid;
	string_id name; /* empty = unknown */
};

struct profile_access {
	uint64_t addr;	 /* 0 = none */
	uint64_t offset; /* in the object */
	uint64_t size;	 /* of the object; 0 = unknown */
	uint64_t data_src, phys, page_bytes;
	uint32_t weight, latency; /* as in PERF_SAMPLE_WEIGHT_STRUCT; 0 = none */
	/* Indexes of the first access to this address of the same object, and to its cache line. */
	uint32_t same, same_line;
	string_id object; /* the variable, or what else is there */
	string_id module; /* its file, or mapping */
	string_id field;  /* its part and the type; empty = unknown */
	uint8_t kind;	  /* enum access_kind */
	uint8_t guessed;  /* the address is that which was loaded from the real one */
	uint8_t writes;
	uint8_t unused;
};

#endif

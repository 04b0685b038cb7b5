/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A ledger of a process's resident memory: each page is of the stack that touched it first, or of
 * a file's mapping, or was there before, or is unaccounted. Its input is a profile of page faults
 * and of calls that move or fill pages, and the pages at the end. */
#ifndef PROFILE_RESIDENT_H
#define PROFILE_RESIDENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

struct page_map;
struct profile;

#define RESIDENT_EVENT "resident"

/* What a resident page is counted as. X(ID, name for JSON, text) */
#define RESIDENT_KINDS(X)                                                                 \
	X(ANONYMOUS, "anonymous", "anonymous memory, by the stack that touched it")       \
	X(COPIED, "copy_on_write", "changed pages of files, likewise")                    \
	X(HUGE, "huge", "in huge pages, likewise")                                        \
	X(SHARED, "shared", "shared memory, likewise")                                    \
	X(POPULATED, "populated", "filled by mmap(), mlock() or madvise(), by its stack") \
	X(FILE, "file", "file mappings")                                                  \
	X(BEFORE, "before", "there before")                                               \
	X(UNACCOUNTED, "unaccounted", "unaccounted")

enum resident_kind {
#define X(id, name, text) RESIDENT_##id,
	RESIDENT_KINDS(X)
#undef X
		RESIDENT_KIND_COUNT,
};

/* Of a kind without stacks: the bytes of a mapping. */
struct resident_mapping {
	enum resident_kind kind;
	const char *path; /* of the page map */
	uint64_t bytes;
};

struct resident {
	uint64_t total; /* resident bytes, by the page tables */
	uint64_t bytes[RESIDENT_KIND_COUNT];
	uint64_t counted; /* resident bytes by the kernel's counters; 0 = unknown */
	uint64_t swapped, hugetlb, swapped_known; /* not in total; swapped_known: with a stack */
	uint64_t faults;
	VEC(struct resident_mapping) mapping; /* the largest first */
};

struct resident_input {
	uint32_t pid;
	uint64_t page_bytes;
	const struct page_map *before; /* NULL: none; the program was started */
	const struct page_map *after;
};

/* The profile has PROFILE_KEEP_TIME and PROFILE_ADDR_IS_VALUES, of samples as resident_values
 * (session/resident/) asks for them. Its samples become those of RESIDENT_EVENT, the pages with
 * their stacks. Kinds without stacks are there with stacks of one frame, so that all together are
 * the total. resident_done() afterwards. */
void resident_sum_up(struct profile *profile, const struct resident_input *input,
		     struct resident *ret);
void resident_done(struct resident *resident);

const char *resident_kind_name(enum resident_kind kind);
const char *resident_kind_text(enum resident_kind kind);

/* Of samples, by event, in profile->values. */
enum resident_value {
	RESIDENT_FAULT_ADDR = 0,
	RESIDENT_MREMAP_ADDR = 0,
	RESIDENT_MREMAP_OLD_LEN,
	RESIDENT_MREMAP_NEW_LEN,
	RESIDENT_RESULT = 0, /* of the exits of system calls */
	RESIDENT_RANGE_START = 0,
	RESIDENT_RANGE_LEN,
};

#endif

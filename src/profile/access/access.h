/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples by the object that they access: variables, blocks of the heap by the stack that allocated
 * them, stacks of threads, other mappings. Blocks come from samples of heap-alloc and heap-free in
 * the same profile. */
#ifndef PROFILE_ACCESS_ACCESS_H
#define PROFILE_ACCESS_ACCESS_H

#include <stdint.h>

#include "base/vec.h"
#include "profile/profile.h"

/* A function and the part of an object's samples that it has. */
struct access_place {
	string_id function, module;
	uint32_t row; /* of the object */
	uint64_t samples, weight;
};

/* A word of an object: 8 bytes from an offset on. */
struct access_word {
	uint32_t row;
	uint64_t offset;
	uint64_t samples, weight;
};

/* A part of an object, and its type. */
struct access_field {
	string_id text;
	uint32_t row;
	uint64_t samples, weight;
};

struct access_row {
	enum access_kind kind;
	string_id object, module;
	stack_id stack; /* of a block: what allocated it */
	uint8_t stop;	/* why that stack ends */
	uint64_t size;	/* of the object, of the largest block; 0 = unknown */
	uint64_t samples, weight;
	uint64_t guessed; /* samples: see struct profile_access */
	uint64_t writes;
	size_t place, place_count; /* of the table below, the largest first */
	size_t word, word_count;
	size_t field, field_count;
};

struct access_table {
	uint64_t samples, weight;   /* all but those of blocks */
	uint64_t accesses;	    /* samples with a known object */
	uint64_t kernel;	    /* samples in the kernel */
	uint64_t blocks;	    /* that were seen to begin */
	VEC(struct access_row) row; /* the largest first */
	VEC(struct access_place) place;
	VEC(struct access_word) word;
	VEC(struct access_field) field;
};

/* The profile has PROFILE_ADDR_IS_ACCESS and PROFILE_KEEP_TIME. Its stacks get the object as a
 * frame on top. access_table_done() afterwards. */
void access_sum_up(struct profile *profile, struct access_table *ret);
void access_table_done(struct access_table *table);

const char *access_kind_name(enum access_kind kind);
const char *access_kind_text(enum access_kind kind);

#endif

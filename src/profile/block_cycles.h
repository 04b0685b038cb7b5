/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cycles of blocks of code: of what ran between two branches, by the branch at its end. Zero
 * initialize. */
#ifndef PROFILE_BLOCK_CYCLES_H
#define PROFILE_BLOCK_CYCLES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"

/* A place in a function. Strings are borrowed for the call. */
struct block_place {
	uint32_t module_id;
	uint64_t function;	     /* its beginning in the module */
	uint64_t offset;	     /* in the function */
	const char *symbol, *module; /* names */
	const char *file;	     /* of the source; NULL = unknown */
	uint32_t line;
};

struct block_row {
	const char *symbol, *module;
	const char *line[2]; /* of its beginning and end, "file.c:12"; NULL = unknown */
	uint64_t start, end; /* in the function */
	bool has_start;	     /* else the branch before was not recorded, or in another function */
	uint64_t cycles, count;
};

struct block_cycles {
	VEC(struct block_row) row;
	uint64_t total;	  /* cycles of all branches */
	uint64_t unnamed; /* of those that left no known function */
	/* private */
	struct map index;
	struct arena arena;
};

/* A branch that left `end` after so many cycles; begin: where the branch before went to, NULL =
 * unknown. Of several blocks with one end, the row has the beginning of the longest. */
void block_cycles_add(struct block_cycles *blocks, const struct block_place *begin,
		      const struct block_place *end, uint64_t cycles);
/* Of a branch that left no known function. */
void block_cycles_add_unnamed(struct block_cycles *blocks, uint64_t cycles);
/* The most cycles first. */
void block_cycles_sort(struct block_cycles *blocks);
void block_cycles_done(struct block_cycles *blocks);

#endif

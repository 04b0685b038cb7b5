/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows in ascending order of file offset → pages and a dictionary of rules. Repeated rows are
 * dropped; each page begins with the row that applies there. */
#ifndef UNWIND_COMPACT_WRITER_H
#define UNWIND_COMPACT_WRITER_H

#include "base/map.h"
#include "base/vec.h"
#include "unwind/compact/compact.h"

/* Rules that every dictionary begins with. */
#define COMPACT_RULE_FP		 0u
#define COMPACT_RULE_UNSUPPORTED 1u

struct compact_writer {
	uint64_t first;
	uint16_t current;  /* the rule from the last row on */
	size_t page_start; /* index of the open page's first row */
	VEC(struct unwind_page) page;
	VEC(struct unwind_page) sub;
	VEC(struct unwind_row) row;
	VEC(struct unwind_rule) rule;
	struct map singles, pairs; /* the rule's bytes → index; two indexes → index */
	uint64_t last_key;	   /* of singles */
	uint16_t last_index;
	uint32_t dropped_rules;
};

/* Page 0 is the one that holds the offset; up to the first row frame pointers lead on. */
void compact_writer_start(struct compact_writer *writer, uint64_t offset);
/* What rows write for a rule; for two, the first for interrupted instructions. */
uint16_t compact_writer_rule(struct compact_writer *writer, struct unwind_rule rule);
uint16_t compact_writer_pair(struct compact_writer *writer, struct unwind_rule exact,
			     struct unwind_rule returns);
/* From the offset on. Offsets before one that was given are ignored, as are those out of reach. */
void compact_writer_put(struct compact_writer *writer, uint64_t offset, uint16_t rule);
/* Builds the table and frees the writer's memory. */
struct compact *compact_writer_finish(struct compact_writer *writer);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A binary's unwind table in the form that BPF searches (page.h): .eh_frame, then .debug_frame,
 * then rules derived from the code bytes, with all corrections of table.c, merged and without gaps.
 * One block of memory; indexes become addresses when it is put into the pool. */
#ifndef UNWIND_COMPACT_H
#define UNWIND_COMPACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "unwind/page.h"
#include "unwind/rule.h"

struct buf;
struct build_id;
struct err;
struct unwind_table;

#define COMPACT_GO	0x01u /* a Go program */
#define COMPACT_NO_ROWS 0x02u /* no call frame information; pages may have rules from the code */
#define COMPACT_DRAFT	0x04u /* rules from the code are missing yet */

struct compact {
	uint64_t first; /* file offset of page 0 */
	uint32_t flags; /* COMPACT_* */
	/* page[i].first and sub[i].first are indexes in row; of a split page, in sub. */
	uint32_t page_count, sub_count, row_count, rule_count;
	const struct unwind_page *page, *sub;
	const struct unwind_row *row;
	const struct unwind_rule *rule;
	uint32_t raw_rows;	/* rows of the sections before merging */
	uint32_t dropped_rules; /* rules beyond UNWIND_RULE_LIMIT: those places are unsupported */
	void *block;		/* the four arrays, in this order: page, sub, rule, row */
	size_t block_bytes;
};

/* Never NULL; without code it has no pages. */
struct compact *compact_build(const struct unwind_table *table);
/* A table without rules from the code, where most code has call frame information and finding rules
 * for the rest takes long. NULL: it would not be much faster than compact_build(). */
struct compact *compact_build_draft(const struct unwind_table *table);
void compact_free(struct compact *compact); /* NULL is fine */

/* The rule for a file offset, searched as BPF does. `returns`: offset is that of a return address
 * less 1. */
struct unwind_rule compact_rule(const struct compact *compact, uint64_t offset, bool returns);

/* Serializes the table, marked with the id of the binary. */
void compact_file_write(const struct compact *compact, const struct build_id *id, struct buf *ret);
/* The reverse, with every index checked. -EINVAL when it is damaged, of another version or made
 * from another binary. */
int compact_file_parse(const void *data, size_t len, const struct build_id *id,
		       struct compact **ret, struct err *err);

#endif

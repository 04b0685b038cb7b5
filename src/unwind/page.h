/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unwind tables as BPF reads them: a page for each 16 KiB of a binary, with rows that give the
 * first byte of each of the binary's rules. Rows are indexed by file offset, because mappings
 * provide it without opening the file. Contains only types: BPF compiles it too. */
#ifndef UNWIND_PAGE_H
#define UNWIND_PAGE_H

#include <stdint.h>

#define UNWIND_PAGE_SHIFT 14
#define UNWIND_PAGE_BYTES (1u << UNWIND_PAGE_SHIFT)

/* A page with more rows than fit is split into sub-pages. Those cannot have more: one a byte. */
#define UNWIND_SUBPAGE_SHIFT 10
#define UNWIND_SUBPAGES	     (UNWIND_PAGE_BYTES >> UNWIND_SUBPAGE_SHIFT)
#define UNWIND_PAGE_ROWS     1024u

/* From byte `offset` of the page to the next row. */
struct unwind_row {
	uint16_t offset;
	uint16_t rule; /* index in the binary's rules, and UNWIND_ROW_PAIR */
};

/* Two rules: that one for an interrupted instruction, the next one for a return address. For
 * functions that save registers without a table entry, and for Go. */
#define UNWIND_ROW_PAIR	  0x8000u
#define UNWIND_RULE_LIMIT 0x8000u

struct unwind_page {
	uint32_t first; /* where the rows are, the first with offset 0; or the sub-pages */
	uint16_t count; /* of rows, sorted by offset; or UNWIND_PAGE_SPLIT */
	uint16_t rule;	/* count 0: the rule of the whole page */
};

#define UNWIND_PAGE_SPLIT 0xffffu

#endif

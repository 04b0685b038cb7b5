/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a pc to its FDE: the linker's sorted table (.eh_frame_hdr) when there is a sane one, else a
 * table of our own made by one pass over the section. Immutable once made. */
#ifndef UNWIND_CFI_INDEX_H
#define UNWIND_CFI_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "unwind/cfi/cfi.h"

struct cfi_index_entry {
	uint64_t start;
	uint32_t offset; /* of the FDE in the section */
};

struct cfi_index {
	struct cfi_section section;
	const uint8_t *hdr; /* the table of .eh_frame_hdr: pairs of int32_t; NULL = use entry */
	uint64_t hdr_addr;
	size_t count;
	struct cfi_index_entry *entry;
};

/* The contents of .eh_frame_hdr, untrusted. */
struct cfi_hdr {
	uint64_t eh_frame_addr;
	const uint8_t *table; /* NULL = none, or not in the one encoding linkers write */
	size_t count;
};

/* data is .eh_frame_hdr, linked at addr. False when it is not one. */
bool cfi_hdr_parse(const uint8_t *data, size_t len, uint64_t addr, struct cfi_hdr *ret);

/* Takes hdr's table (its linked address is hdr_addr) when it is sorted, else scans. hdr may be
 * NULL. */
void cfi_index_open(const struct cfi_section *section, const struct cfi_hdr *hdr, uint64_t hdr_addr,
		    struct cfi_index *ret);
void cfi_index_close(struct cfi_index *index);
/* The first entry with an FDE that may cover the pc or a later address. */
size_t cfi_index_lower(const struct cfi_index *index, uint64_t pc);
/* The FDE of entry i, and how much of it cfi_index_find() finds: [*from, *to), never empty. */
bool cfi_index_get(const struct cfi_index *index, size_t i, struct cfi_fde *ret, uint64_t *from,
		   uint64_t *to);
/* The FDE that covers the pc, if any. */
bool cfi_index_find(const struct cfi_index *index, uint64_t pc, struct cfi_fde *ret);

#endif

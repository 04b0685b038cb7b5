/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of PERF_SAMPLE_DATA_SRC, where the data of a load or store came from, in perf's words.
 * Bits: union perf_mem_data_src in linux/perf_event.h. */
#ifndef PROFILE_ACCESS_DATA_SRC_H
#define PROFILE_ACCESS_DATA_SRC_H

#include <stddef.h>
#include <stdint.h>

#define DATA_SRC_TEXT 256 /* bytes that are enough for each */

enum data_src_part {
	DATA_SRC_OPERATION,
	DATA_SRC_LEVEL,
	DATA_SRC_SNOOP,
	DATA_SRC_TLB,
	DATA_SRC_LOCKED,
	DATA_SRC_BLOCKED,
	DATA_SRC_PARTS,
};

/* The bits of the part, at their places: equal ones have equal text. */
uint64_t data_src_bits(uint64_t data_src, enum data_src_part part);
/* "LOAD", "L1 hit", "HitM", …; "N/A" for what the CPU does not tell. Returns text. */
const char *data_src_text(uint64_t data_src, enum data_src_part part, char *text, size_t size);

#endif

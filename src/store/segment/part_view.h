/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading one part of a store (part.h), also while another process writes it: what had been
 * appended when it was opened. It takes no lock and writes nothing. */
#ifndef STORE_SEGMENT_PART_VIEW_H
#define STORE_SEGMENT_PART_VIEW_H

#include <stdint.h>

#include "base/buf.h"
#include "base/vec.h"
#include "store/dictionary.h"
#include "store/segment/block.h"
#include "store/segment/part.h"
#include "store/segment/part_file.h"

struct err;

/* A log, copied: its writer may remove it. */
struct part_view_log {
	uint64_t seq;
	struct buf data;
	struct chunk_list list;
};

struct part_view {
	uint32_t day;
	struct dictionary dict;
	struct part_map tier[PART_TIERS];
	VEC(struct part_view_log) logs;
	uint64_t damaged; /* chunks that could not be read */
	uint64_t span_ns; /* of the row that is visited */
};

/* store: its folder. -ENOENT: it is gone. *ret is to be closed unless that fails. */
int part_view_open(int store, const char *name, struct part_view *ret, struct err *err);
/* The same of bytes in memory: a dictionary and one file of samples. */
void part_view_of_bytes(struct part_view *ret, const struct bytes *dictionary,
			const struct bytes *samples);
void part_view_close(struct part_view *view);

/* Visits each sample in the range once, at the resolution that there is. moment_ns: whole hours, or
 * whole days, that lie in the range may be one row each, at their begin, if they are no longer than
 * that; else the rows are the finest that there are. */
void part_view_rows(struct part_view *view, const struct block_filter *filter, uint64_t moment_ns,
		    store_row_visit visit, void *context);

#endif

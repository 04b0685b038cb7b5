/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A batch of samples (store.h) as rows of a part: its strings, frames, stacks and series get their
 * numbers in the part's dictionary, as far as samples of the day refer to them. */
#ifndef STORE_SEGMENT_PART_ROWS_H
#define STORE_SEGMENT_PART_ROWS_H

#include <stdbool.h>
#include <stdint.h>

struct block_rows;
struct dictionary;
struct store_batch;

/* Unix time of a sample of the batch; false if it is before 1970. */
bool part_rows_time(const struct store_batch *batch, uint64_t time_ns, uint64_t *ret);
/* Appends the rows of that day (since 1970), with lost samples if it is the batch's last day. */
void part_rows_add(const struct store_batch *batch, uint32_t day, bool with_lost,
		   struct dictionary *dict, struct block_rows *ret);

#endif

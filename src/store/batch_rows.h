/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A batch of samples (store.h) as rows: its strings, frames, stacks and series get their numbers in
 * a dictionary, as far as samples of the day refer to them. */
#ifndef STORE_BATCH_ROWS_H
#define STORE_BATCH_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct store_rows;
struct dictionary;
struct store_batch;

/* Unix time of a sample of the batch; false if it is before 1970. */
bool batch_rows_time(const struct store_batch *batch, uint64_t time_ns, uint64_t *ret);
/* The days (since 1970) of the batch, each once, in order; *ret is the caller's, also on errors. */
int batch_rows_days(const struct store_batch *batch, uint32_t **ret, size_t *ret_count,
		    struct err *err);
/* Appends the rows of that day (since 1970), with lost samples if it is the batch's last day. */
void batch_rows_add(const struct store_batch *batch, uint32_t day, bool with_lost,
		    struct dictionary *dict, struct store_rows *ret);

#endif

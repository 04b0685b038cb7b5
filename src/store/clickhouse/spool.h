/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Batches that wait for their server, a file each in the store's spool folder. A file holds: magic,
 * id, day, for each table its length and rows, and a hash of all before; numbers little-endian. */
#ifndef STORE_CLICKHOUSE_SPOOL_H
#define STORE_CLICKHOUSE_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct clickhouse;
struct clickhouse_batch;
struct err;

#define SPOOL_MAX_BYTES ((uint64_t)256 << 20)

struct spool_state {
	uint64_t batches, bytes;
	uint64_t refused; /* that the server did not take, or that are damaged; they stay */
};

/* Durable when it returns 0. -ENOSPC: there is SPOOL_MAX_BYTES. */
int spool_put(const struct clickhouse *store, const struct clickhouse_batch *batch,
	      struct err *err);
/* Sends what there is, oldest first, and removes it. Fails when the server is away. */
int spool_send(struct clickhouse *store, struct err *err);
int spool_state(const struct clickhouse *store, struct spool_state *ret, struct err *err);

/* The file's bytes. */
void spool_write(const struct clickhouse_batch *batch, struct buf *ret);
/* False: damaged. *ret is to be freed in any case. */
bool spool_read(const void *data, size_t len, struct clickhouse_batch *ret);

#endif

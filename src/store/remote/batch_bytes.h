/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A batch of samples as one agent sends it to a server of this program, POST /cupel/v1/batch: magic
 * and the batch's number (8 bytes each, little-endian), then chunks as in the log of a part
 * (segment/chunk.h): a dictionary (dictionary.h) and blocks of rows (segment/block.h). */
#ifndef STORE_REMOTE_BATCH_BYTES_H
#define STORE_REMOTE_BATCH_BYTES_H

#include <stddef.h>
#include <stdint.h>

#include "store/dictionary.h"
#include "store/rows.h"

struct buf;
struct err;
struct label_set;
struct store;

#define BATCH_PATH "/cupel/v1/batch"
#define BATCH_TYPE "application/x-cupel-batch"

void batch_bytes_write(uint64_t id, const struct dictionary *dict, const struct store_rows *rows,
		       struct buf *ret);
struct batch_content {
	uint64_t id;
	struct dictionary dict;
	struct store_rows rows;
};
/* *ret is to be freed in any case. -EBADMSG: damaged; -EPROTONOSUPPORT: another format. */
int batch_bytes_read(const void *data, size_t len, struct batch_content *ret, struct err *err);
void batch_content_done(struct batch_content *content);

/* Where a batch goes, and what its samples become. */
struct batch_target {
	struct store *store;
	const struct label_set *labels; /* replace those of the same name; NULL = none */
	uint64_t first_ns, last_ns;	/* samples of other times are at now_ns */
	uint64_t now_ns;		/* Unix time */
};
/* Appends it once, however often it comes (store_batch.id). */
int batch_bytes_append(const struct batch_target *target, const void *data, size_t len,
		       uint64_t *ret_samples, struct err *err);

#endif

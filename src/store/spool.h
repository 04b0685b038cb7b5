/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Batches that wait for their server, a file each in a folder, in the order in which they came.
 * Each engine has its own format, and its own suffix of names. */
#ifndef STORE_SPOOL_H
#define STORE_SPOOL_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct err;

#define SPOOL_MAX_BYTES ((uint64_t)256 << 20)

struct spool {
	char *folder;	    /* NULL = none */
	const char *suffix; /* of the files, with its dot */
	uint64_t most_bytes;
	/* Sends what a file has. -EREMOTEIO: the server will never take it, or it is damaged; other
	 * errors: the server is away. */
	int (*send)(void *context, const void *data, size_t len, struct err *err);
	void *context;
};

struct spool_state {
	uint64_t batches, bytes;
	uint64_t refused; /* that the server did not take, or that are damaged; they stay */
};

/* Durable when it returns 0. -ENOSPC: there is most_bytes. */
int spool_put(const struct spool *spool, uint64_t id, const struct buf *data, struct err *err);
/* Sends what there is, oldest first, and removes it. Fails when the server is away. */
int spool_send(const struct spool *spool, struct err *err);
int spool_state(const struct spool *spool, struct spool_state *ret, struct err *err);
/* Batches that wait, and those that were refused, are an error, so that it is reported. `why` is
 * the last error of the server. */
int spool_tell(const struct spool *spool, const char *server, const struct err *why,
	       struct err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The numbers of batches that senders may send again (store_batch.id), in the file `received` of a
 * store: 8 bytes each, little-endian, oldest first. The last RECEIVED_KEPT count. */
#ifndef STORE_SEGMENT_RECEIVED_H
#define STORE_SEGMENT_RECEIVED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"

struct err;

#define RECEIVED_KEPT ((size_t)1 << 18)

/* Zero-initialise, but for fd = -1. */
struct received {
	int fd;
	struct map known;
	bool unsynced;
};

/* Whether the store in that folder has it. */
int received_find(struct received *received, int folder, uint64_t id, bool *ret, struct err *err);
/* Notes it; after received_find(). */
int received_add(struct received *received, uint64_t id, struct err *err);
int received_sync(struct received *received, struct err *err);
void received_done(struct received *received);

#endif

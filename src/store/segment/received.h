/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The numbers of batches that senders may send again (store_batch.id). A part's log has the number
 * in front of the rows that came with it, so that a crash leaves both or none. When the rows become
 * a block, and before the log goes, its numbers get into the file `received` of the store: 8 bytes
 * each, little-endian, oldest first. The last RECEIVED_KEPT count. */
#ifndef STORE_SEGMENT_RECEIVED_H
#define STORE_SEGMENT_RECEIVED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"

struct err;

#define RECEIVED_FILE "received"
#define RECEIVED_KEPT ((size_t)1 << 18)

/* Zero-initialise. */
struct received {
	struct map known;
	bool loaded;
};

/* That of a batch's rows of one day, its index-th: days are stored one after another. Never 0. */
uint64_t received_number(uint64_t id, size_t index);
/* Whether the store in that folder has it. */
int received_find(struct received *received, int folder, uint64_t number, bool *ret,
		  struct err *err);
/* It is in a log from now on. */
void received_add(struct received *received, uint64_t number);
void received_done(struct received *received);

#endif

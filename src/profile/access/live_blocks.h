/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Blocks of memory that are live, found by any address in them. */
#ifndef PROFILE_ACCESS_LIVE_BLOCKS_H
#define PROFILE_ACCESS_LIVE_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/profile.h"

struct live_blocks;

struct live_block {
	uint64_t start, size;
	stack_id stack; /* that allocated it */
	uint8_t stop;
};

struct live_blocks *live_blocks_new(void);
void live_blocks_free(struct live_blocks *blocks); /* NULL is fine */
/* Without a start or size it is not kept. One at the same start is gone. */
void live_blocks_add(struct live_blocks *blocks, const struct live_block *block);
void live_blocks_remove(struct live_blocks *blocks, uint64_t start);
bool live_blocks_find(const struct live_blocks *blocks, uint64_t address, struct live_block *ret);

#endif

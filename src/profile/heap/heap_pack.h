/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sums of a heap profile as bytes, like profile_pack.h. */
#ifndef PROFILE_HEAP_HEAP_PACK_H
#define PROFILE_HEAP_HEAP_PACK_H

#include <stddef.h>

struct buf;
struct err;
struct heap_summary;
struct profile;

int heap_pack(const struct heap_summary *summary, struct buf *ret);
/* profile: has the stacks. ret is to be freed by heap_summary_done() after success. */
int heap_unpack(const void *data, size_t len, const struct profile *profile,
		struct heap_summary *ret, struct err *err);

#endif

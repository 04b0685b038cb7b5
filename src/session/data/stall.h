/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The access that a sample of a clock waited for: the interrupt comes when the load retires that
 * held the CPU up, so the instruction before the sampled one is that load, and its address follows
 * from the registers, unless the load overwrote them. */
#ifndef SESSION_DATA_STALL_H
#define SESSION_DATA_STALL_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/profile_access.h"

struct address_space;
struct data_modules;
struct data_pointer;
struct event;
struct stalls;

struct stalls *stalls_new(struct data_modules *modules);
void stalls_free(struct stalls *stalls); /* NULL is fine */

struct stall {
	enum access_kind
		kind;  /* NONE, UNKNOWN, OVERWRITTEN, KERNEL; else ANONYMOUS: there is an addr */
	uint64_t addr; /* with OVERWRITTEN: what was loaded, if that is an address */
	uint64_t sp;   /* 0 = unknown */
	bool writes;
	/* The variable that points at what is accessed, and the offset from there; NULL = unknown.
	 * Valid until the next call. */
	const struct data_pointer *pointer;
	int64_t pointed;
};

void stall_find(struct stalls *stalls, const struct event *event, const struct address_space *space,
		struct stall *ret);

#endif

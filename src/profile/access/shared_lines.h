/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cache lines that several threads wait for: candidates for false sharing. */
#ifndef PROFILE_ACCESS_SHARED_LINES_H
#define PROFILE_ACCESS_SHARED_LINES_H

#include <stddef.h>
#include <stdint.h>

#include "base/strtab.h"
#include "base/vec.h"

struct profile;

struct shared_line {
	uint64_t address, offset; /* of its first byte; in the object */
	string_id object, module; /* there; empty = unknown */
	uint64_t samples, others; /* others: not of the thread with most */
	uint32_t threads;
};

struct shared_lines {
	VEC(struct shared_line) line;
};

/* The profile has PROFILE_ADDR_IS_ACCESS. Most samples of others first. Lines of one thread are
 * left out, and accesses with an address that is a guess. */
void shared_lines_find(const struct profile *profile, struct shared_lines *ret);
void shared_lines_done(struct shared_lines *lines);

#endif

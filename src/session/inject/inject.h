/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A recording copied with more in it: build ids, generated code as ELF files with their mappings,
 * waits with their length. Records are copied as they are, in the order of the file (with waits, of
 * time) and unpacked; so are the header's sections, but for those that a copy changes. */
#ifndef SESSION_INJECT_H
#define SESSION_INJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct err;

struct inject_options {
	bool build_ids, all_build_ids; /* of what samples hit; of all that is mapped */
	const char *known_ids;	       /* "ID PATH,…", or "@FILE" with a line each; NULL = none */
	bool jit;		       /* jitdumps become ELF files beside them */
	bool sched_stat; /* samples of sched_switch take the weight of their sched_stat_* */
	bool pipe;	 /* write for a pipe */
};

struct inject_tally {
	uint64_t records, dropped;
	size_t build_ids, jit_functions, waits;
	struct buf notes; /* lines about what deviates from the request; free them */
};

/* To a descriptor: an empty file, or anything for a pipe. */
int inject_recording(const char *path, const struct inject_options *options, int fd,
		     struct inject_tally *ret, struct err *err);

#endif

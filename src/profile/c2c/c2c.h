/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sampled loads and stores by cache line, as perf c2c counts them: who takes lines from another
 * CPU's cache ("HITM": the line was modified there). Words: perf-c2c(1). */
#ifndef PROFILE_C2C_C2C_H
#define PROFILE_C2C_C2C_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "profile/profile.h"

/* Counters of accesses, by what the hardware said about each. X(name) */
#define C2C_COUNTS(X)                                                                              \
	X(entries)                                                                                 \
	X(locks)                                                                                   \
	X(blocked_data)                                                                            \
	X(blocked_address)                                                                         \
	X(load)                                                                                    \
	X(load_no_address)                                                                         \
	X(load_uncached) X(load_io) X(load_buffer) X(load_l1) X(load_l2) X(load_llc) X(local_hitm) \
		X(remote_hitm) X(local_peer) X(remote_peer) X(remote_hit) X(local_dram)            \
			X(remote_dram) X(load_shared) X(load_exclusive) X(load_miss) X(store)      \
				X(store_no_address) X(store_uncached) X(store_l1_hit)              \
					X(store_l1_miss) X(store_unknown) X(no_mapping)            \
						X(unparsed)

struct c2c_counts {
#define X(name) uint64_t name;
	C2C_COUNTS(X)
#undef X
};

uint64_t c2c_hitm(const struct c2c_counts *counts);
uint64_t c2c_peer(const struct c2c_counts *counts);
uint64_t c2c_llc_misses(const struct c2c_counts *counts);
uint64_t c2c_loads(const struct c2c_counts *counts);   /* with a level that answered */
uint64_t c2c_records(const struct c2c_counts *counts); /* these and stores */

enum c2c_display { C2C_TOTAL, C2C_LOCAL, C2C_REMOTE, C2C_PEER };

/* Bits: what tells the entries of a line apart, besides the offset. */
enum c2c_coalesce { C2C_BY_PID = 1, C2C_BY_TID = 2, C2C_BY_ADDRESS = 4, C2C_BY_MODULE = 8 };

struct c2c_options {
	enum c2c_display display;
	unsigned coalesce;
	bool double_line; /* two lines are one: neighbours are fetched together */
	bool all;	  /* lines without what is displayed, too */
};

/* Sums of costs, in cycles. */
struct c2c_cost {
	uint64_t sum, count;
};

struct c2c_cpu {
	uint32_t cpu;
	uint64_t displayed, stores; /* accesses from there */
};

/* Accesses from one place to one offset of a line. */
struct c2c_entry {
	uint32_t line;
	uint32_t offset;
	uint32_t sample; /* one of them: its thread, code and access */
	struct c2c_counts counts;
	struct c2c_cost remote_hitm, local_hitm, remote_peer, local_peer, load;
	uint64_t phys_changes; /* of the physical address */
	size_t cpu, cpu_count; /* in c2c.cpu */
	uint64_t phys;	       /* private */
};

struct c2c_line {
	uint64_t address;
	uint32_t access; /* one of it */
	struct c2c_counts counts;
	uint64_t phys_changes;
	size_t entry, entry_count; /* in c2c.entry, those to show, by offset */
	uint64_t phys;		   /* private */
};

struct c2c {
	struct c2c_options options;
	struct c2c_counts all;
	struct c2c_counts shared;  /* of lines that were taken from another cache, */
	uint64_t shared_lines;	   /* and their number */
	VEC(struct c2c_line) line; /* those to show, the most shared first */
	VEC(struct c2c_entry) entry;
	VEC(struct c2c_cpu) cpu;
};

/* What lines are ranked by. */
uint64_t c2c_displayed(const struct c2c_counts *counts, enum c2c_display display);
/* The profile has PROFILE_ADDR_IS_ACCESS and PROFILE_KEEP_CPU, and frames have addresses.
 * c2c_done() afterwards. */
void c2c_sum_up(const struct profile *profile, const struct c2c_options *options, struct c2c *ret);
void c2c_done(struct c2c *c2c);

#endif

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

/* Counters of accesses, by what the hardware said about each. X(field, name for JSON) */
#define C2C_COUNTS(X)                           \
	X(entries, "entries")                   \
	X(locks, "locks")                       \
	X(blocked_data, "blocked_data")         \
	X(blocked_address, "blocked_address")   \
	X(load, "load")                         \
	X(load_no_address, "load_no_address")   \
	X(load_uncached, "load_uncached")       \
	X(load_io, "load_io")                   \
	X(load_buffer, "load_buffer")           \
	X(load_l1, "load_l1")                   \
	X(load_l2, "load_l2")                   \
	X(load_llc, "load_llc")                 \
	X(local_hitm, "local_hitm")             \
	X(remote_hitm, "remote_hitm")           \
	X(local_peer, "local_peer")             \
	X(remote_peer, "remote_peer")           \
	X(remote_hit, "remote_hit")             \
	X(local_dram, "local_dram")             \
	X(remote_dram, "remote_dram")           \
	X(load_shared, "load_shared")           \
	X(load_exclusive, "load_exclusive")     \
	X(load_miss, "load_miss")               \
	X(store, "store")                       \
	X(store_no_address, "store_no_address") \
	X(store_uncached, "store_uncached")     \
	X(store_l1_hit, "store_l1_hit")         \
	X(store_l1_miss, "store_l1_miss")       \
	X(store_unknown, "store_unknown")       \
	X(no_mapping, "no_mapping")             \
	X(unparsed, "unparsed")

struct c2c_counts {
#define X(field, name) uint64_t field;
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

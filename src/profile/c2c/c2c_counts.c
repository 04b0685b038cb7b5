/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One access in the counters of c2c.h, by the rules of perf c2c 6.1. */
#include "profile/c2c/c2c_counts.h"

#include <linux/perf_event.h>

/* Skylake says no more than this of some; on POWER, hops say that it is another core of this node.
 */
static bool is_remote(const union perf_mem_data_src *src)
{
	return src->mem_remote && !src->mem_hops;
}

static void count_hit(const union perf_mem_data_src *src, struct c2c_counts *c)
{
	bool peer = src->mem_snoopx & PERF_MEM_SNOOPX_PEER;
	bool shared = src->mem_snoop & PERF_MEM_SNOOP_HIT;
	uint64_t level = src->mem_lvl;
	unsigned memories = 0;

	c->load_uncached += !!(level & PERF_MEM_LVL_UNC);
	c->load_io += !!(level & PERF_MEM_LVL_IO);
	c->load_buffer += !!(level & PERF_MEM_LVL_LFB);
	c->load_l1 += !!(level & PERF_MEM_LVL_L1);
	if (level & PERF_MEM_LVL_L2) {
		c->load_l2++;
		c->local_peer += peer;
	}
	if (level & PERF_MEM_LVL_L3) {
		if (src->mem_snoop & PERF_MEM_SNOOP_HITM)
			c->local_hitm++;
		else
			c->load_llc++;
		c->local_peer += peer;
	}
	if (level & PERF_MEM_LVL_LOC_RAM) {
		c->local_dram++;
		memories++;
	}
	if (level & (PERF_MEM_LVL_REM_RAM1 | PERF_MEM_LVL_REM_RAM2) || is_remote(src)) {
		c->remote_dram++;
		memories++;
	}
	if (shared)
		c->load_shared += memories;
	else
		c->load_exclusive += memories;
}

static void count_load(const union perf_mem_data_src *src, struct c2c_counts *c)
{
	uint64_t level = src->mem_lvl;

	if (level & PERF_MEM_LVL_HIT)
		count_hit(src, c);
	if (level & (PERF_MEM_LVL_REM_CCE1 | PERF_MEM_LVL_REM_CCE2) || is_remote(src)) {
		if (src->mem_snoop & PERF_MEM_SNOOP_HIT) {
			c->remote_hit++;
		} else if (src->mem_snoop & PERF_MEM_SNOOP_HITM) {
			c->remote_hitm++;
		} else if (src->mem_snoopx & PERF_MEM_SNOOPX_PEER) {
			c->remote_hit++;
			c->remote_peer++;
		}
	}
	c->load_miss += !!(level & PERF_MEM_LVL_MISS);
}

static void count_store(const union perf_mem_data_src *src, struct c2c_counts *c)
{
	uint64_t level = src->mem_lvl;

	if (level & PERF_MEM_LVL_HIT) {
		c->store_uncached += !!(level & PERF_MEM_LVL_UNC);
		c->store_l1_hit += !!(level & PERF_MEM_LVL_L1);
	}
	c->store_l1_miss += level & PERF_MEM_LVL_MISS && level & PERF_MEM_LVL_L1;
	c->store_unknown += !!(level & PERF_MEM_LVL_NA);
}

void c2c_count(const struct profile_access *access, struct c2c_counts *ret)
{
	const union perf_mem_data_src src = { .val = access->data_src };

	*ret = (struct c2c_counts){ .entries = 1,
				    .locks = !!(src.mem_lock & PERF_MEM_LOCK_LOCKED),
				    .blocked_data = !!(src.mem_blk & PERF_MEM_BLK_DATA),
				    .blocked_address = !!(src.mem_blk & PERF_MEM_BLK_ADDR) };
	if (src.mem_op & PERF_MEM_OP_LOAD) {
		ret->load = 1;
		ret->load_no_address = !access->addr;
		if (access->addr)
			count_load(&src, ret);
	} else if (src.mem_op & PERF_MEM_OP_STORE) {
		ret->store = 1;
		ret->store_no_address = !access->addr;
		if (access->addr)
			count_store(&src, ret);
	} else {
		ret->unparsed = 1;
		return;
	}
	ret->no_mapping = access->addr && access->kind == ACCESS_UNKNOWN;
}

void c2c_counts_add(struct c2c_counts *to, const struct c2c_counts *from)
{
#define X(field, name) to->field += from->field;
	C2C_COUNTS(X)
#undef X
}

uint64_t c2c_hitm(const struct c2c_counts *counts)
{
	return counts->local_hitm + counts->remote_hitm;
}

uint64_t c2c_peer(const struct c2c_counts *counts)
{
	return counts->local_peer + counts->remote_peer;
}

uint64_t c2c_llc_misses(const struct c2c_counts *counts)
{
	return counts->local_dram + counts->remote_dram + counts->remote_hitm + counts->remote_hit;
}

uint64_t c2c_loads(const struct c2c_counts *counts)
{
	return c2c_llc_misses(counts) + counts->load_buffer + counts->load_l1 + counts->load_l2 +
	       counts->load_llc + counts->local_hitm;
}

uint64_t c2c_records(const struct c2c_counts *counts)
{
	return c2c_loads(counts) + counts->store_l1_hit + counts->store_l1_miss +
	       counts->store_unknown;
}

uint64_t c2c_displayed(const struct c2c_counts *counts, enum c2c_display display)
{
	switch (display) {
	case C2C_LOCAL:
		return counts->local_hitm;
	case C2C_REMOTE:
		return counts->remote_hitm;
	case C2C_PEER:
		return c2c_peer(counts);
	default:
		return c2c_hitm(counts);
	}
}

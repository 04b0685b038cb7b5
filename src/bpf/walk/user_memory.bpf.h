/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a walk over a user stack reads: the stack; and rules, from a cache by pc, else from the
 * tables. */
#ifndef BPF_USER_MEMORY_BPF_H
#define BPF_USER_MEMORY_BPF_H

#include "bpf/arch/arch.bpf.h"
#include "bpf/cpu_state.bpf.h"

/* Whether walks keep a log of what they read, without which a stack cannot be known again: for the
 * compiler to know, as reading is inlined in many places and the kernel takes out the code of each
 * that a setting makes dead. Programs that walk each stack set it to 0. */
#ifndef WALKS_LOG_READS
#define WALKS_LOG_READS 1
#endif

struct walk;
static __always_inline int unwind_read(struct walk *walk, uint64_t addr, uint64_t *ret);
static __always_inline int unwind_leaf(struct walk *walk, unsigned reg, uint64_t *ret);
#define UNWIND_CONTEXT struct walk
#include "unwind/walker.h"

#include "bpf/walk/unwind_maps.bpf.h"

#include "bpf/walk/unwind_lookup.h"
#include "bpf/walk/user_window.bpf.h"

/* The end of a walk beside enum stack_stop: user space has to finish it. */
#define WALK_HANDED_UP 0xff

static __always_inline uint64_t hash_word(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * 0xd6e8feb86659fd93ull;
	return hash ^ hash >> 32;
}

/* Remembers what the walk depends on; more than there is room for, or what is not in the stack,
 * makes the log useless. */
SUBPROGRAM int log_read(struct walk *walk, uint64_t addr, uint64_t word)
{
	uint64_t at, place;

	if (!walk)
		return 0;
	at = (addr - walk->log_sp) >> 3;
	place = walk->log_count;
	UNWIND_OPAQUE(place);
	walk->log[place & (READ_LOG_WORDS - 1)] = (uint16_t)at;
	walk->log_hash = hash_word(walk->log_hash, word);
	if (at > UINT16_MAX || addr & 7 || place >= READ_LOG_WORDS)
		walk->log_count = READ_LOG_WORDS + 1;
	else
		walk->log_count = place + 1;
	if (at >= walk->log_depth)
		walk->log_depth = at + 1;
	return 0;
}

static __always_inline int unwind_read(struct walk *walk, uint64_t addr, uint64_t *ret)
{
	int code = read_word(walk, addr, ret);

	if (WALKS_LOG_READS)
		(void)log_read(walk, addr, code ? 0 : *ret);
	return code;
}

/* The frame pointer is about to have a part in where the walk goes, which most never have: only now
 * does it count what it is. */
static __always_inline void use_bp(struct walk *walk)
{
	if (!WALKS_LOG_READS || walk->bp_at == BP_IN_LOG)
		return;
	if (walk->bp_at == BP_OF_LEAF)
		walk->by_leaf_bp = true;
	else
		(void)log_read(walk, walk->bp_at, walk->bp);
	walk->bp_at = BP_IN_LOG;
}

static __always_inline int unwind_leaf(struct walk *walk, unsigned reg, uint64_t *ret)
{
	uint64_t index = reg;

	if (WALKS_LOG_READS)
		walk->log_count = READ_LOG_WORDS + 1; /* registers are not compared */
	if (reg >= ARCH_DWARF_REGS || !(walk->known >> reg & 1))
		return -1;
	UNWIND_OPAQUE(index);
	if (index >= ARCH_DWARF_REGS)
		return -1;
	*ret = walk->reg[index];
	return 0;
}

/* Makes walk->range the one that holds pc. */
SUBPROGRAM int find_range(struct walk *walk, uint64_t pc)
{
	uint64_t place;

	if (!walk)
		return -1;
	if (pc >= walk->range.start && pc < walk->range.end)
		return 0;
#pragma unroll
	for (unsigned i = 0; i < RECENT_RANGES; i++)
		if (pc >= walk->recent[i].start && pc < walk->recent[i].end) {
			walk->range = walk->recent[i];
			return 0;
		}
	if (!unwind_find_range(walk, walk->where, pc, &walk->range))
		return -1;
	place = walk->next_recent++;
	UNWIND_OPAQUE(place);
	walk->recent[place & (RECENT_RANGES - 1)] = walk->range;
	return 0;
}

/* Ranges are those of this version of this space. */
static __always_inline void use_generation(struct walk *walk, uint32_t generation)
{
	if (walk->generation == generation)
		return;
	walk->generation = generation;
	walk->range.start = walk->range.end = 0;
#pragma unroll
	for (unsigned i = 0; i < RECENT_RANGES; i++)
		walk->recent[i].start = walk->recent[i].end = 0;
}

static __always_inline struct cached_rule *cache_slot(struct rule_cache *cache, uint64_t key,
						      uint32_t generation)
{
	uint64_t slot = (key ^ (uint64_t)generation << 40) * 0x9e3779b97f4a7c15ull >> 52;

	UNWIND_OPAQUE(slot);
	return &cache->slot[slot & (CACHE_SLOTS - 1)];
}

/* The rule of a frame from the tables: 0, STACK_STOP_NO_MAPPING, or WALK_HANDED_UP when its table
 * is not there yet. */
SUBPROGRAM int find_rule(struct walk *walk, struct cached_rule *slot, uint64_t pc, uint32_t returns)
{
	struct unwind_rule rule;

	if (!walk || !slot)
		return STACK_STOP_UNSUPPORTED;
	walk->misses++;
	if (find_range(walk, pc - returns))
		return STACK_STOP_NO_MAPPING;
	if (!unwind_find_rule(walk, &walk->range, pc - returns, returns, &rule))
		return WALK_HANDED_UP;
	slot->key = pc * 2 + returns;
	slot->generation = walk->generation;
	slot->rule = rule;
	return 0;
}

#endif

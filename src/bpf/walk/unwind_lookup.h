/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The search through the tables of unwind_tables.h, compiled for BPF and for user space. Steps are
 * of a fixed number and without branches: the verifier then follows one path, not thousands. The
 * includer defines, before including this,
 *
 *   UNWIND_CONTEXT                                          the type of the hooks' first argument
 *   const uint8_t *unwind_shard(UNWIND_CONTEXT *, uint32_t shard)          NULL = no such
 *   struct unwind_binary *unwind_binary_at(UNWIND_CONTEXT *, uint32_t id)  NULL = no such
 */
#ifndef BPF_UNWIND_LOOKUP_H
#define BPF_UNWIND_LOOKUP_H

#include <stdbool.h>
#include <stdint.h>

#include "bpf/walk/unwind_tables.h"

#define UNWIND_INLINE	   static inline __attribute__((always_inline))
#define UNWIND_LOAD(place) (*(const volatile __typeof__(place) *)&(place))

/* Hides a value from the compiler, which would make branches of masks. */
#define UNWIND_OPAQUE(value) __asm__ volatile("" : "+r"(value))

/* A loop stays one: its code, hardly ever in a cache, is what takes time. */
#define UNWIND_LOOP _Pragma("GCC unroll 1")

/* An element of a table in the pool. The mask keeps it inside the shard for any table contents;
 * `size` is a power of two. */
UNWIND_INLINE const void *unwind_in_shard(const uint8_t *shard, uint64_t addr, uint64_t size)
{
	UNWIND_OPAQUE(addr);
	addr &= (UNWIND_SHARD_BYTES - 1) & ~(size - 1);
	return shard + addr;
}

/* All ones when a <= b (both below 2^63), else 0. Compiled to just these steps: newer verifiers
 * follow each value of a shifted sign, and take any number for what the xor behind it gives. */
UNWIND_INLINE uint64_t unwind_ordered(uint64_t a, uint64_t b)
{
	int64_t difference = (int64_t)(b - a), mask;

	UNWIND_OPAQUE(difference);
	mask = difference >> 63;
	UNWIND_OPAQUE(mask);
	return ~(uint64_t)mask;
}

/* The place to be looked at next; what is behind the last one is not, as nothing else has it in a
 * cache. */
UNWIND_INLINE uint64_t unwind_probe(uint64_t index, uint64_t step, uint64_t count)
{
	return index + (step & unwind_ordered(index + step, count - 1));
}

/* The range that holds a pc; false when the space has none. pc is where the rule applies: a return
 * address less 1 (unwind_lookup_pc()). `where` is that of the space, read once. */
UNWIND_INLINE bool unwind_find_range(UNWIND_CONTEXT *context, uint64_t where, uint64_t pc,
				     struct unwind_range *ret)
{
	uint64_t addr = (uint32_t)where, count = where >> 32, index = 0;
	const uint8_t *shard = unwind_shard(context, (uint32_t)(addr >> UNWIND_SHARD_SHIFT));
	const struct unwind_range *range;

	*ret = (struct unwind_range){ 0 };
	if (!shard || !count)
		return false;
	UNWIND_LOOP
	for (uint64_t step = UNWIND_SPACE_RANGES / 2; step; step >>= 1) {
		uint64_t probe = unwind_probe(index, step, count);

		range = unwind_in_shard(shard, addr + probe * sizeof(*range), sizeof(*range));
		index += (probe - index) & unwind_ordered(range->start >> 1, pc >> 1);
	}
	range = unwind_in_shard(shard, addr + index * sizeof(*range), sizeof(*range));
	*ret = *range;
	return pc >= ret->start && pc < ret->end;
}

/* Of `fan` rows from rows[index] on, `stride` apart, the last that begins at `offset` or before, as
 * the first does. None of these looks waits for another one. */
UNWIND_INLINE uint64_t unwind_skip_rows(const uint8_t *shard, const struct unwind_page *page,
					uint64_t index, uint64_t stride, uint64_t fan,
					uint64_t offset)
{
	uint64_t addr = page->first, last = page->count - 1u, passed = 0;

	UNWIND_LOOP
	for (uint64_t i = 1; i < fan; i++) {
		uint64_t inside = unwind_ordered(index + i * stride, last);
		const struct unwind_row *row = unwind_in_shard(
			shard, addr + (index + (i * stride & inside)) * sizeof(*row), sizeof(*row));

		passed += stride & inside & unwind_ordered(row->offset, offset);
	}
	return index + passed;
}

/* The rule of the row for byte `offset` of a page with rows. Rows are rarely in a cache, so three
 * rounds are faster than the ten of a binary search. */
UNWIND_INLINE uint32_t unwind_find_row(const uint8_t *shard, const struct unwind_page *page,
				       uint64_t offset)
{
	const struct unwind_row *row;
	uint64_t index = 0;

	index = unwind_skip_rows(shard, page, index, 64, UNWIND_PAGE_ROWS / 64, offset);
	index = unwind_skip_rows(shard, page, index, 8, 8, offset);
	index = unwind_skip_rows(shard, page, index, 1, 8, offset);
	row = unwind_in_shard(shard, page->first + index * sizeof(*row), sizeof(*row));
	return row->rule;
}

/* The same for a page that may be split, or be of one rule. False: its address leads nowhere. */
UNWIND_INLINE bool unwind_find_in_page(UNWIND_CONTEXT *context, const struct unwind_page *where,
				       uint64_t offset, uint32_t *ret)
{
	uint64_t part = offset >> UNWIND_SUBPAGE_SHIFT;
	struct unwind_page page = *where;
	const uint8_t *shard;

	UNWIND_OPAQUE(part); /* so that the verifier expects no less of a part's offset */
	if (page.count == UNWIND_PAGE_SPLIT) {
		shard = unwind_shard(context, page.first >> UNWIND_SHARD_SHIFT);
		if (!shard)
			return false;
		page = *(const struct unwind_page *)unwind_in_shard(
			shard, page.first + part * sizeof(page), sizeof(page));
		offset -= part << UNWIND_SUBPAGE_SHIFT;
	}
	*ret = page.rule;
	if (!page.count)
		return true;
	shard = unwind_shard(context, page.first >> UNWIND_SHARD_SHIFT);
	if (!shard)
		return false;
	*ret = unwind_find_row(shard, &page, offset);
	return true;
}

/* The rule for a file offset of a binary. False: there is no table, or no longer. */
UNWIND_INLINE bool unwind_find_in_binary(UNWIND_CONTEXT *context,
					 const struct unwind_binary *binary, uint64_t offset,
					 bool returns, struct unwind_rule *ret)
{
	uint32_t generation = UNWIND_LOAD(binary->generation), rule;
	uint32_t state = UNWIND_LOAD(binary->state);
	uint64_t pages = binary->pages, rules = binary->rules;
	uint64_t page = (offset - binary->first) >> UNWIND_PAGE_SHIFT;
	const uint8_t *shard;

	*ret = (struct unwind_rule){ .cfa = UNWIND_FP };
	if (state != UNWIND_BINARY_READY)
		return false;
	if (page >= binary->page_count) /* also below `first`: the difference wraps */
		return true;
	shard = unwind_shard(context, (uint32_t)(pages >> UNWIND_SHARD_SHIFT));
	if (!shard ||
	    !unwind_find_in_page(context,
				 unwind_in_shard(shard, pages + page * sizeof(struct unwind_page),
						 sizeof(struct unwind_page)),
				 (offset - binary->first) & (UNWIND_PAGE_BYTES - 1), &rule))
		return false;
	shard = unwind_shard(context, (uint32_t)(rules >> UNWIND_SHARD_SHIFT));
	if (!shard)
		return false;
	rules += sizeof(*ret) *
		 ((rule & (UNWIND_RULE_LIMIT - 1)) + (returns ? rule / UNWIND_ROW_PAIR : 0));
	*ret = *(const struct unwind_rule *)unwind_in_shard(shard, rules, sizeof(*ret));
	return UNWIND_LOAD(binary->generation) == generation;
}

/* The rule of a pc, converted as for unwind_find_range(), in its range. `returns`: the frame was
 * found by a return address. UNWIND_FP: no table covers it; follow frame pointers as far as they
 * are plausible. Returns false if there may be a table that is not loaded. */
UNWIND_INLINE bool unwind_find_rule(UNWIND_CONTEXT *context, const struct unwind_range *range,
				    uint64_t pc, bool returns, struct unwind_rule *ret)
{
	struct unwind_binary *binary;

	*ret = (struct unwind_rule){ .cfa = UNWIND_FP };
	if (range->kind == UNWIND_RANGE_VSYSCALL)
		*ret = (struct unwind_rule){ .cfa = UNWIND_SP, .cfa_off = 8, .ra_off = -8 };
	else if (range->kind == UNWIND_RANGE_UPROBES)
		*ret = (struct unwind_rule){ .cfa = UNWIND_UNSUPPORTED };
	if (range->kind != UNWIND_RANGE_FILE)
		return true;
	binary = unwind_binary_at(context, range->binary);
	if (!binary)
		return false;
	if (!binary->used)
		binary->used = 1;
	if (UNWIND_LOAD(binary->state) == UNWIND_BINARY_NONE)
		return true;
	if (unwind_find_in_binary(context, binary, pc + range->to_offset, returns, ret))
		return true;
	__sync_fetch_and_add(&binary->wanted, 1);
	return false;
}

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the kernel part does with a stack, in user space: walker.h over the rules that
 * unwind_lookup.h finds in a pool of our own memory. */
#ifndef TEST_UNIT_POOL_WALK_H
#define TEST_UNIT_POOL_WALK_H

#include <stddef.h>

#include "source/bpf/unwind_pool.h"

struct pool_walk {
	const struct unwind_pool *pool;
	uint64_t where;	      /* of the space */
	const uint8_t *stack; /* bytes from stack_start upwards */
	uint64_t stack_start, stack_len;
	const uint64_t *leaf; /* registers by DWARF number; NULL = not known */
};

static const uint8_t *unwind_shard(struct pool_walk *walk, uint32_t shard)
{
	return unwind_pool_shard(walk->pool, shard);
}

static struct unwind_binary *unwind_binary_at(struct pool_walk *walk, uint32_t binary)
{
	return unwind_pool_binary(walk->pool, binary);
}

static int unwind_read(struct pool_walk *walk, uint64_t addr, uint64_t *ret)
{
	uint64_t at = addr - walk->stack_start;

	if (at > walk->stack_len || walk->stack_len - at < sizeof(*ret))
		return -1;
	__builtin_memcpy(ret, walk->stack + at, sizeof(*ret));
	return 0;
}

static int unwind_leaf(struct pool_walk *walk, unsigned reg, uint64_t *ret)
{
	if (!walk->leaf || reg > 16)
		return -1;
	*ret = walk->leaf[reg];
	return 0;
}

#define UNWIND_CONTEXT struct pool_walk
#include "bpf/walk/unwind_lookup.h"
#include "unwind/walker.h"

/* The pcs from the frame on. Frames without a table end the walk as NO_TABLE, unless frame pointers
 * lead on. */
static inline enum stack_stop pool_walk(struct pool_walk *walk, struct unwind_frame frame,
					uint64_t *pcs, size_t size, size_t *count)
{
	enum stack_stop stop = STACK_STOP_NONE;

	for (*count = 0; !stop && *count < size;) {
		struct unwind_range range;
		struct unwind_rule rule;

		if (!frame.pc && !frame.leaf)
			return frame.bp ? STACK_STOP_NO_MAPPING : STACK_STOP_ROOT;
		pcs[(*count)++] = frame.pc;
		if (!unwind_find_range(walk, walk->where, unwind_lookup_pc(&frame), &range))
			return STACK_STOP_NO_MAPPING;
		if (!unwind_find_rule(walk, &range, unwind_lookup_pc(&frame), !frame.exact, &rule))
			return STACK_STOP_NO_TABLE;
		stop = unwind_step(&rule, &frame, walk);
	}
	return stop ? stop : STACK_STOP_DEPTH;
}

#endif

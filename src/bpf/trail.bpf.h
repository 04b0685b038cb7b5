/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Follows the trail that an earlier walk of the same thread has left (struct trail). What is still
 * on the stack is stepped through by it with a third of the instructions: a step depends on nothing
 * but the frame's pc, stack pointer and frame pointer, and on words of the stack, which are read as
 * ever. Both stacks are sorted by stack pointer, so that the frames which they share meet. */
#ifndef BPF_TRAIL_BPF_H
#define BPF_TRAIL_BPF_H

#include "bpf/user_memory.bpf.h"

/* Frames of the trail that are passed at a time. */
#define TRAIL_PASS 4

static __always_inline struct trail *trail_of(struct cpu_memory *memory)
{
	uint64_t place = memory->walk.trail;

	UNWIND_OPAQUE(place);
	return &memory->trail[place & (TRAILS - 1)];
}

static __always_inline struct trail_frame *trail_frame(struct trail *trail, uint64_t place)
{
	UNWIND_OPAQUE(place);
	return &trail->frame[place & (TRAIL_FRAMES - 1)];
}

/* A trail of which little was of use is laid anew. */
static __always_inline void trail_begin(struct cpu_memory *memory, uint32_t tid)
{
	struct walk *walk = &memory->walk;
	struct trail *trail;

	walk->trail = tid;
	trail = trail_of(memory);
	walk->laying = trail->tid != tid || trail->generation != walk->generation;
	walk->trail_place = walk->on_trail = walk->off_trail = 0;
	trail->tid = tid;
	trail->generation = walk->generation;
}

static __always_inline void trail_end(struct cpu_memory *memory)
{
	struct walk *walk = &memory->walk;
	struct trail *trail = trail_of(memory);

	if (walk->laying)
		trail_frame(trail, walk->trail_place)->sp = UINT64_MAX;
	else if (walk->on_trail < walk->off_trail * 3)
		trail->tid = 0;
}

/* Where the rule has read the caller's frame pointer, in bytes above the stack pointer, or
 * TRAIL_BP_STAYS. */
static __always_inline uint64_t trail_bp_at(const struct unwind_rule *rule,
					    const struct unwind_frame *from, uint64_t cfa)
{
	switch (rule->flags & UNWIND_BP_MASK) {
	case UNWIND_BP_SAME:
		return from->bp + 16 == cfa ? from->bp - from->sp : TRAIL_BP_STAYS;
	case UNWIND_BP_CFA:
		return cfa + (uint64_t)rule->bp_off - from->sp;
	default:
		return from->bp + (uint64_t)rule->bp_off - from->sp;
	}
}

/* Adds the step that the walk has just made, if it is of the plain kind; the last place is the
 * end's. */
static __always_inline void trail_lay(struct cpu_memory *memory, const struct unwind_frame *from,
				      const struct unwind_rule *rule)
{
	struct walk *walk = &memory->walk;
	uint64_t ra_at = walk->sp + (uint64_t)rule->ra_off - from->sp;
	uint64_t bp_at = trail_bp_at(rule, from, walk->sp);
	struct trail_frame *frame;

	if ((rule->cfa != UNWIND_SP && rule->cfa != UNWIND_BP) ||
	    rule->flags & (UNWIND_RA_REG | UNWIND_EXACT) ||
	    (rule->flags & UNWIND_BP_MASK) == UNWIND_BP_UNDEFINED || ra_at >> 31 ||
	    (bp_at >> 31 && bp_at != TRAIL_BP_STAYS) || walk->trail_place >= TRAIL_FRAMES - 1)
		return;
	frame = trail_frame(trail_of(memory), walk->trail_place);
	frame->sp = from->sp;
	frame->bp = from->bp;
	frame->key = from->pc * 2 + !from->exact;
	frame->caller_sp = walk->sp;
	frame->ra_at = ra_at;
	frame->bp_at = bp_at;
	walk->trail_place++;
}

/* The trail's frame at or above the walk's stack pointer, if it is not too far. */
static __always_inline const struct trail_frame *trail_meet(struct cpu_memory *memory)
{
	struct trail *trail = trail_of(memory);
	struct walk *walk = &memory->walk;
	uint64_t place = walk->trail_place;
	const struct trail_frame *frame = trail_frame(trail, place);

	if (frame->sp >= walk->sp)
		return frame;
#pragma unroll
	for (unsigned i = 0; i < TRAIL_PASS; i++)
		place += trail_frame(trail, place)->sp < walk->sp;
	walk->trail_place = place;
	return trail_frame(trail, place);
}

/* Steps to the caller, if the trail leads there. */
static __always_inline bool trail_step(struct cpu_memory *memory, uint64_t key)
{
	struct walk *walk = &memory->walk;
	const struct trail_frame *frame = trail_meet(memory);
	uint64_t pc, bp = walk->bp;

	if (frame->sp != walk->sp || frame->key != key || frame->bp != bp)
		return false;
	if (unwind_read(walk, walk->sp + frame->ra_at, &pc) ||
	    (frame->bp_at != TRAIL_BP_STAYS && unwind_read(walk, walk->sp + frame->bp_at, &bp)))
		return false;
	walk->pc = pc;
	walk->bp = bp;
	walk->sp = frame->caller_sp;
	walk->leaf = walk->exact = false;
	walk->trail_place++;
	walk->on_trail++;
	return true;
}

#endif

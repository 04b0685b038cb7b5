/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Follows the trail that an earlier walk of the same thread has left (struct trail), and lays
 * another one when that was of little use. A frame that was there before, with the same pc, stack
 * pointer and frame pointer, has the same step to its caller (unwind/plain.h); the words of the
 * stack are read as ever. So neither the rule nor what leads to it is looked up, and what is read
 * instead is next to each other. Both stacks are sorted by stack pointer, so that the frames which
 * they share meet. */
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

/* `which` of the two. */
static __always_inline struct trail_frame *trail_frame(struct trail *trail, uint64_t which,
						       uint64_t place)
{
	place = (which & 1) * TRAIL_FRAMES + (place & (TRAIL_FRAMES - 1));
	UNWIND_OPAQUE(place);
	return &trail->frame[place & (2 * TRAIL_FRAMES - 1)];
}

static __always_inline void trail_begin(struct cpu_memory *memory, uint32_t tid)
{
	struct walk *walk = &memory->walk;
	struct trail *trail;

	walk->trail = tid;
	trail = trail_of(memory);
	walk->trail_place = walk->laid = walk->on_trail = walk->off_trail = 0;
	walk->laying = trail->stale;
	if (trail->tid == tid && trail->generation == walk->generation)
		return;
	walk->laying = true;
	trail->tid = tid;
	trail->generation = walk->generation;
	trail_frame(trail, trail->latest, 0)->sp = UINT64_MAX;
}

static __always_inline void trail_end(struct cpu_memory *memory)
{
	struct walk *walk = &memory->walk;
	struct trail *trail = trail_of(memory);

	if (walk->laying) {
		trail->latest ^= 1;
		trail_frame(trail, trail->latest, walk->laid)->sp = UINT64_MAX;
	}
	trail->stale = walk->on_trail < walk->off_trail * 3;
}

/* Adds the frame that the walk is at; the last place is the end's. */
static __always_inline void trail_lay(struct cpu_memory *memory, uint64_t key,
				      const struct unwind_plain *step)
{
	struct walk *walk = &memory->walk;
	struct trail *trail = trail_of(memory);
	struct trail_frame *frame;

	if (walk->laid >= TRAIL_FRAMES - 1)
		return;
	frame = trail_frame(trail, ~trail->latest, walk->laid++);
	frame->sp = walk->sp;
	frame->bp = walk->bp;
	frame->key = key;
	frame->step = *step;
}

/* The trail's frame at or above the walk's stack pointer, if it is not too far. */
static __always_inline const struct trail_frame *trail_meet(struct cpu_memory *memory)
{
	struct trail *trail = trail_of(memory);
	struct walk *walk = &memory->walk;
	uint64_t which = trail->latest, place = walk->trail_place;
	const struct trail_frame *frame = trail_frame(trail, which, place);

	if (frame->sp >= walk->sp)
		return frame;
#pragma unroll
	for (unsigned i = 0; i < TRAIL_PASS; i++)
		place += trail_frame(trail, which, place)->sp < walk->sp;
	walk->trail_place = place;
	return trail_frame(trail, which, place);
}

/* The step to the caller, if the trail knows it. */
static __always_inline bool trail_find(struct cpu_memory *memory, uint64_t key,
				       struct unwind_plain *ret)
{
	struct walk *walk = &memory->walk;
	const struct trail_frame *frame = trail_meet(memory);

	if (frame->sp != walk->sp || frame->key != key)
		return false;
	if (frame->bp != walk->bp &&
	    (frame->step.by_bp || unwind_bp_is_base(frame->step.size, walk->sp, walk->bp)))
		return false;
	*ret = frame->step;
	walk->trail_place++;
	walk->on_trail++;
	return true;
}

#endif

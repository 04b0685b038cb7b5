/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Follows the frames that an earlier walk of the same thread kept (struct frame_cache), and keeps
 * another one when that was of little use. A frame that was there before, with the same pc, stack
 * pointer and frame pointer, has the same step to its caller (unwind/plain.h); the words of the
 * stack are still read. So the walk looks up neither the rule nor what leads to it, and reads
 * memory that is in one place instead. Both stacks are sorted by stack pointer, so that the frames
 * which they share meet. */
#ifndef BPF_FRAME_CACHE_BPF_H
#define BPF_FRAME_CACHE_BPF_H

#include "bpf/walk/user_memory.bpf.h"

/* Kept frames that are passed at a time. */
#define FRAME_CACHE_PASS 4

static __always_inline struct frame_cache *frame_cache_of(struct cpu_memory *memory)
{
	uint64_t place = memory->walk.frame_cache;

	UNWIND_OPAQUE(place);
	return &memory->frame_cache[place & (FRAME_CACHES - 1)];
}

/* `which` of the two. */
static __always_inline struct frame_cache_frame *frame_cache_frame(struct frame_cache *frame_cache,
								   uint64_t which, uint64_t place)
{
	place = (which & 1) * FRAME_CACHE_FRAMES + (place & (FRAME_CACHE_FRAMES - 1));
	UNWIND_OPAQUE(place);
	return &frame_cache->frame[place & (2 * FRAME_CACHE_FRAMES - 1)];
}

static __always_inline void frame_cache_begin(struct cpu_memory *memory, uint32_t tid)
{
	struct walk *walk = &memory->walk;
	struct frame_cache *frame_cache;

	walk->frame_cache = tid;
	frame_cache = frame_cache_of(memory);
	walk->frame_cache_place = walk->laid = walk->cached_frames = walk->other_frames = 0;
	walk->laying = frame_cache->stale;
	if (frame_cache->tid == tid && frame_cache->generation == walk->generation)
		return;
	walk->laying = true;
	frame_cache->tid = tid;
	frame_cache->generation = walk->generation;
	frame_cache_frame(frame_cache, frame_cache->latest, 0)->sp = UINT64_MAX;
}

static __always_inline void frame_cache_end(struct cpu_memory *memory)
{
	struct walk *walk = &memory->walk;
	struct frame_cache *frame_cache = frame_cache_of(memory);

	if (walk->laying) {
		frame_cache->latest ^= 1;
		frame_cache_frame(frame_cache, frame_cache->latest, walk->laid)->sp = UINT64_MAX;
	}
	frame_cache->stale = walk->cached_frames < walk->other_frames * 3;
}

/* Adds the frame that the walk is at; the last place is the end's. */
static __always_inline void frame_cache_lay(struct cpu_memory *memory, uint64_t key,
					    const struct unwind_plain *step)
{
	struct walk *walk = &memory->walk;
	struct frame_cache *frame_cache = frame_cache_of(memory);
	struct frame_cache_frame *frame;

	if (walk->laid >= FRAME_CACHE_FRAMES - 1)
		return;
	frame = frame_cache_frame(frame_cache, ~frame_cache->latest, walk->laid++);
	frame->sp = walk->sp;
	frame->bp = walk->bp;
	frame->key = key;
	frame->step = *step;
}

/* The kept frame at or above the walk's stack pointer, if it is not too far. */
static __always_inline const struct frame_cache_frame *frame_cache_meet(struct cpu_memory *memory)
{
	struct frame_cache *frame_cache = frame_cache_of(memory);
	struct walk *walk = &memory->walk;
	uint64_t which = frame_cache->latest, place = walk->frame_cache_place;
	const struct frame_cache_frame *frame = frame_cache_frame(frame_cache, which, place);

	if (frame->sp >= walk->sp)
		return frame;
#pragma unroll
	for (unsigned i = 0; i < FRAME_CACHE_PASS; i++)
		place += frame_cache_frame(frame_cache, which, place)->sp < walk->sp;
	walk->frame_cache_place = place;
	return frame_cache_frame(frame_cache, which, place);
}

/* The step to the caller, if it was kept. */
static __always_inline bool frame_cache_find(struct cpu_memory *memory, uint64_t key,
					     struct unwind_plain *ret)
{
	struct walk *walk = &memory->walk;
	const struct frame_cache_frame *frame = frame_cache_meet(memory);

	if (frame->sp != walk->sp || frame->key != key)
		return false;
	if (frame->bp != walk->bp &&
	    (frame->step.by_bp || unwind_bp_is_base(frame->step.size, walk->sp, walk->bp)))
		return false;
	*ret = frame->step;
	walk->frame_cache_place++;
	walk->cached_frames++;
	return true;
}

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The steps of a walk over a user stack, rule by rule with unwind/walker.h, as user space does. */
#ifndef BPF_USER_STEPS_BPF_H
#define BPF_USER_STEPS_BPF_H

#include "bpf/loop.bpf.h"
#include "bpf/walk/frame_cache.bpf.h"
#include "bpf/walk/no_table.bpf.h"

#include "bpf/python/python.bpf.h"

static __always_inline void put_frame(struct walk *walk, __u64 *frame, uint64_t pc)
{
	uint64_t place = walk->count++;

	UNWIND_OPAQUE(place);
	frame[place & (CPU_FRAMES - 1)] = pc;
}

/* Takes the frame's pc into the stack. */
static __always_inline uint32_t enter(struct walk *walk, __u64 *frame)
{
	if (!walk->pc && !walk->leaf) {
		use_bp(walk);
		return walk->bp ? STACK_STOP_NO_MAPPING : STACK_STOP_ROOT;
	}
	if (walk->count >= walk->limit)
		return STACK_STOP_DEPTH;
	put_frame(walk, frame, walk->pc);
	return STACK_STOP_NONE;
}

static __always_inline void log_python(struct python_walk *walk, uint64_t word)
{
	walk->hash = hash_word(walk->hash, word + walk->running);
	if (walk->count <= STACK_CACHE_INNER_FRAMES)
		walk->inner = walk->hash;
}

/* The next frame of the Python functions that the native frame just put was executing; so a
 * sample's innermost frame is always native code. They do not count against the limit of native
 * frames. */
static __always_inline void step_python(struct walk *walk, __u64 *frame)
{
	uint64_t word = python_next(&walk->python);

	if (WALKS_LOG_READS)
		log_python(&walk->python, word);
	if (!word)
		return;
	put_frame(walk, frame, word);
	walk->limit++;
}

/* What each step needs. */
struct step_context {
	struct cpu_memory *memory;
	struct rule_cache *cache;
};

/* unwind_step() of the plain kind. */
static __always_inline uint32_t take_plain_step(struct walk *walk, const struct unwind_plain *step)
{
	uint64_t pc, bp_at = walk->sp + step->bp_at;

	if (step->by_bp)
		use_bp(walk);
	if (unwind_read(walk, walk->sp + step->size - 8, &pc))
		return STACK_STOP_READ_FAULT;
	if (step->bp_at != UNWIND_BP_STAYS) {
		if (read_word(walk, bp_at, &walk->bp))
			return STACK_STOP_READ_FAULT;
		if (WALKS_LOG_READS)
			walk->bp_at = bp_at;
	}
	walk->pc = pc;
	walk->sp += step->size;
	walk->leaf = walk->exact = false;
	return STACK_STOP_NONE;
}

/* By the rule of the frame that the walk is at. `plain`: that turned out to be plain, and what it
 * is; no step was made. */
static __always_inline uint32_t step_by_rule(struct walk *walk, struct rule_cache *cache,
					     uint64_t key, bool *is_plain,
					     struct unwind_plain *plain)
{
	struct cached_rule *slot = cache_slot(cache, key, walk->generation);
	struct unwind_rule rule;
	uint32_t stop;

	if (slot->key == key && slot->generation == walk->generation) {
		walk->hits++;
	} else {
		stop = find_rule(walk, slot, walk->pc, !walk->exact);
		if (stop)
			return stop;
	}
	rule = slot->rule;
	*is_plain = unwind_plain_of(&rule, walk->sp, walk->bp, plain);
	if (*is_plain)
		return STACK_STOP_NONE;
	use_bp(walk);
	return rule.cfa == UNWIND_FP ? step_without_table(walk, cache, &rule)
				     : step_by(walk, &rule);
}

SUBPROGRAM uint32_t step_frame(struct cpu_memory *memory, struct rule_cache *cache)
{
	struct unwind_plain *plain; /* not on the stack of calls, which is short */
	struct walk *walk;
	bool is_plain;
	uint32_t stop;
	uint64_t key;

	if (!memory || !cache)
		return WALK_HANDED_UP;
	walk = &memory->walk;
	plain = &walk->plain;
	if (walk->python.running) {
		step_python(walk, memory->out.frame);
		return STACK_STOP_NONE;
	}
	stop = enter(walk, memory->out.frame);
	if (stop)
		return stop;
	if (walk->pc - walk->replaced_start < walk->replaced_len) {
		walk->met_replaced = true;
		return WALK_HANDED_UP;
	}
	python_begin(&walk->python, walk->pc);
	key = walk->pc * 2 + !walk->exact;
	is_plain = frame_cache_find(memory, key, plain);
	if (!is_plain) {
		walk->other_frames++;
		stop = step_by_rule(walk, cache, key, &is_plain, plain);
		if (!is_plain)
			return stop;
	}
	if (walk->laying)
		frame_cache_lay(memory, key, plain);
	return take_plain_step(walk, plain);
}

static long step(__u32 index, struct step_context *context)
{
	uint32_t stop = step_frame(context->memory, context->cache);

	(void)index;
	if (stop)
		context->memory->walk.stop = stop;
	return turn_over(stop != 0);
}

/* The same for kernels without bpf_loop(), some steps at once for the sake of their verifiers. */
#define STEPS_AT_ONCE 64

SUBPROGRAM int step_some(struct cpu_memory *memory, struct rule_cache *cache)
{
	uint32_t stop;

	if (!memory || !cache)
		return 0;
	for (__u32 i = 0; i < STEPS_AT_ONCE; i++) {
		stop = step_frame(memory, cache);
		if (stop) {
			memory->walk.stop = stop;
			return 0;
		}
	}
	return 1;
}

static __always_inline void take_steps(struct cpu_memory *memory, struct rule_cache *cache)
{
	struct step_context context = { memory, cache };

	if (HAS_BPF_LOOP)
		bpf_loop(CPU_FRAMES * 2, step, &context, 0);
	else
		for (__u32 i = 0; i < CPU_FRAMES * 2 / STEPS_AT_ONCE; i++)
			if (!step_some(memory, cache))
				break;
}

#endif

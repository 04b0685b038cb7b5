/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A step through code without a table, as in unwind/unwind.c: generated code, assembly, Go's
 * callers. Tries the instructions first, then evidence about the word on top of the stack, then the
 * frame pointer, then a guess that a preceding call supports. */
#ifndef BPF_NO_TABLE_BPF_H
#define BPF_NO_TABLE_BPF_H

#include "bpf/arch/arch_code.bpf.h"
#include "bpf/walk/user_memory.bpf.h"

/* Evidence that a word is the return address of the function that contains the pc. */
enum evidence {
	EVIDENCE_NONE,	 /* no code there, or no call before it */
	EVIDENCE_MAPPED, /* generated code */
	EVIDENCE_CALL,	 /* preceded by a call, or never called: a signal's return stub */
	EVIDENCE_TARGET, /* and that call leads to another module or to just before the pc */
};

/* Functions without a table are short. */
#define MAX_FUNCTION 4096u

/* The walk's last range holds the pc. */
SUBPROGRAM uint32_t return_evidence(struct walk *walk, uint64_t word, uint64_t pc)
{
	struct arch_code code;
	uint64_t target;
	bool elsewhere;

	if (!walk || find_range(walk, pc))
		return EVIDENCE_NONE;
	elsewhere = word - 1 < walk->range.start || word - 1 >= walk->range.end;
	if (find_range(walk, word - 1))
		return EVIDENCE_NONE;
	if (arch_read_code(&code, word))
		return EVIDENCE_MAPPED;
	if (arch_after_direct_call(&code, word, &target))
		return elsewhere || pc - target < MAX_FUNCTION ? EVIDENCE_TARGET : EVIDENCE_CALL;
	if (arch_after_indirect_call(&code) || arch_goroutine_exit(&code) ||
	    arch_signal_stub(&code))
		return EVIDENCE_CALL;
	return walk->range.kind == UNWIND_RANGE_JIT ? EVIDENCE_MAPPED : EVIDENCE_NONE;
}

/* An interrupted function that has set up no frame, or one inside a system call: the return address
 * is still on top. */
SUBPROGRAM bool leaf_step(struct walk *walk, uint32_t least)
{
	uint64_t ra;

	if (!walk || (!walk->exact && !walk->leaf) || unwind_read(walk, walk->sp, &ra) ||
	    return_evidence(walk, ra, walk->pc) < least)
		return false;
	walk->pc = ra;
	walk->sp += 8;
	walk->leaf = walk->exact = false;
	return true;
}

SUBPROGRAM uint32_t step_by(struct walk *walk, const struct unwind_rule *rule)
{
	struct unwind_frame frame;
	uint32_t stop;

	if (!walk || !rule)
		return STACK_STOP_UNSUPPORTED;
	frame = (struct unwind_frame){ walk->pc, walk->sp, walk->bp, walk->leaf, walk->exact };
	stop = unwind_step(rule, &frame, walk);
	walk->pc = frame.pc;
	walk->sp = frame.sp;
	walk->bp = frame.bp;
	walk->leaf = frame.leaf;
	walk->exact = frame.exact;
	return stop;
}

/* The meaning of a lost frame pointer depends on the module's tables. */
static __always_inline uint32_t fp_reason(struct walk *walk, uint64_t pc, uint64_t bp)
{
	const struct unwind_binary *binary;

	if (find_range(walk, pc) || walk->range.kind != UNWIND_RANGE_FILE)
		return STACK_STOP_FP_LOST;
	binary = unwind_binary_at(walk, walk->range.binary);
	if (!binary || UNWIND_LOAD(binary->state) == UNWIND_BINARY_NONE)
		return STACK_STOP_NO_TABLE;
	if (binary->flags & UNWIND_BINARY_GO)
		return bp ? STACK_STOP_READ_FAULT : STACK_STOP_ROOT;
	return STACK_STOP_NO_RULE;
}

/* A return address that a walk went through before needs no second look at its code. */
static __always_inline bool returned_to_before(const struct walk *walk, struct rule_cache *cache)
{
	uint64_t key = walk->pc * 2 + 1;
	const struct cached_rule *slot = cache_slot(cache, key, walk->generation);

	return slot->key == key && slot->generation == walk->generation;
}

/* `rule`: of the kind UNWIND_FP. */
SUBPROGRAM uint32_t step_without_table(struct walk *walk, struct rule_cache *cache,
				       const struct unwind_rule *rule)
{
	struct unwind_rule sniffed;
	struct unwind_frame from;
	struct arch_code code;

	if (!walk || !cache || !rule)
		return STACK_STOP_UNSUPPORTED;
	if (walk->exact && !arch_read_code(&code, walk->pc) && arch_sniff(&code, &sniffed))
		return step_by(walk, &sniffed);
	if (leaf_step(walk, EVIDENCE_TARGET))
		return STACK_STOP_NONE;
	from = (struct unwind_frame){ walk->pc, walk->sp, walk->bp, walk->leaf, walk->exact };
	if (!step_by(walk, rule) && (!walk->pc || returned_to_before(walk, cache) ||
				     return_evidence(walk, walk->pc, from.pc) != EVIDENCE_NONE))
		return STACK_STOP_NONE;
	walk->pc = from.pc;
	walk->sp = from.sp;
	walk->bp = from.bp;
	walk->leaf = from.leaf;
	walk->exact = from.exact;
	if (leaf_step(walk, EVIDENCE_CALL))
		return STACK_STOP_NONE;
	return fp_reason(walk, from.pc - !from.exact, from.bp);
}

#endif

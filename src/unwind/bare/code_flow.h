/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Follows code without an unwind table from the functions' starts along all jumps, and notes how
 * deep the stack is before each instruction. Only what agrees on all paths counts: a function that
 * returns with a stack unlike that at its start, or in which two paths meet with different ones,
 * has no rules. Time and memory are linear in the code's bytes. */
#ifndef UNWIND_BARE_CODE_FLOW_H
#define UNWIND_BARE_CODE_FLOW_H

#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"
#include "unwind/bare/code_starts.h"
#include "unwind/bare/code_state.h"

struct unwind_table;

/* Of a byte, instead of a state. */
#define FLOW_UNSEEN 0u
#define FLOW_INSIDE 1u /* of an instruction that starts earlier */
#define FLOW_FAILED 2u /* code that contradicts whatever it may have been entered with */
#define FLOW_STATES 3u /* the first state */

#define FLOW_NONE     UINT32_MAX
#define FLOW_BLOCK    256u
#define FLOW_INDIRECT 3

/* A function, or a piece of code that was found in one. */
struct flow_unit {
	uint32_t parent; /* of its group, which shares code; itself = none */
	uint32_t entry;
	uint32_t end;			  /* 0 = unknown */
	uint32_t waiters;		  /* who goes on when it returns; FLOW_NONE = nobody */
	uint16_t indirect[FLOW_INDIRECT]; /* different states at its indirect jumps; FLOW_UNSEEN =
					     no more */
	bool returns, bad;
	bool is_start; /* of a function, by a symbol or by where it lies */
};

struct flow_waiter {
	uint32_t next;
	uint32_t at; /* where it goes on; FLOW_NONE = it only returns as well */
	uint32_t unit;
	uint16_t state;
};

struct flow_work {
	uint32_t at, unit;
	uint16_t state;
	bool after_call;
};

struct flow_gap {
	uint64_t addr; /* linked address */
	const uint8_t *code;
	uint32_t first, len; /* index of the first byte */
};

/* What trying a function came to. */
enum flow_settled {
	FLOW_OPEN,	/* not tried yet */
	FLOW_SETTLING,	/* it is being tried, or calls itself */
	FLOW_NO_RETURN, /* no return was found; it is taken for one that does not */
};

struct code_flow {
	const struct code_starts *starts;
	VEC(struct flow_gap) gaps;
	uint32_t bytes;		/* of all gaps; they are numbered through */
	uint32_t *gap_of_block; /* the gap of the first byte of each FLOW_BLOCK */
	uint16_t *state;
	uint32_t *owner; /* of bytes that were seen */
	VEC(struct code_state) states;
	struct map state_index;
	VEC(struct flow_unit) units;
	struct map unit_at; /* entry → unit */
	VEC(struct flow_waiter) waiters;
	VEC(struct flow_work) work;
	/* while something is tried that may be wrong: */
	bool trying, anchored, contradicts;
	bool tries_labels; /* what follows an indirect jump is taken for one of its labels */
	bool calls_aligned, calls_askew, calls_own_askew; /* by the ABI's alignment of the stack */
	VEC(uint32_t) tried;
	VEC(uint32_t) met;	 /* units that it leads to */
	VEC(uint32_t) unsettled; /* functions that it calls, which are to be tried before */
	struct map settled;	 /* enum flow_settled by entry */
	struct map labels;	 /* jumps of code that was given up lead there: no functions */
	uint64_t budget;	 /* instructions that may be tried yet */
};

/* False: there is no such code, or too much. */
bool code_flow_open(const struct unwind_table *table, const struct code_starts *starts,
		    struct code_flow *ret);
/* From all starts that are sure; then code that no path from those leads to. */
void code_flow_run(struct code_flow *flow, uint64_t root);
void code_flow_try_rest(struct code_flow *flow);
/* Gives up what no sure path leads to and what does not confirm itself either. */
void code_flow_confirm(struct code_flow *flow);
void code_flow_close(struct code_flow *flow);
/* Index of a linked address; FLOW_NONE = in no gap. */
uint32_t code_flow_index(const struct code_flow *flow, uint64_t addr);
const struct flow_gap *code_flow_gap(const struct code_flow *flow, uint32_t index);
/* The unit that stands for all that share code with this one. */
uint32_t code_flow_group(struct code_flow *flow, uint32_t unit);

/* Among code_flow*.c. */
uint16_t code_flow_intern(struct code_flow *flow, const struct code_state *state);
uint32_t code_flow_add(struct code_flow *flow, uint32_t entry, uint32_t end);
/* The function that starts there, which is explored in the next code_flow_explore(). */
uint32_t code_flow_function(struct code_flow *flow, uint32_t entry);
/* The unit leads into another one's code: they are right or wrong together. */
void code_flow_join(struct code_flow *flow, uint32_t unit, uint32_t with);
/* Whether a call is of a function that starts in the gaps; where. */
bool code_flow_callee(const struct code_flow *flow, const struct flow_gap *gap, uint32_t at,
		      uint32_t *ret);
/* An import's stub is a jump through its slot. */
bool code_flow_stub(const struct code_flow *flow, uint32_t target, uint64_t *slot);
/* By the alignment of functions, or because there is padding. */
bool code_flow_may_start(const struct flow_gap *gap, uint32_t at);
/* The slot of a function that does not return, or not always. */
bool code_flow_may_exit(const struct code_flow *flow, uint64_t slot);
void code_flow_set_returns(struct code_flow *flow, uint32_t unit);
/* FLOW_NONE as `at`: only what is due already. */
void code_flow_explore(struct code_flow *flow, uint32_t at, uint32_t unit, uint16_t state);

#endif

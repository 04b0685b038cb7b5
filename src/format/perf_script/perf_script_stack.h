/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stacks of perf script text: the lines below a header → a stack of the profile. It is fast because
 * it does not parse the same bytes twice: whole stacks and single lines are looked up by a 64-bit
 * hash of bytes and length (the chance of a collision among 10 million distinct lines is below 1 in
 * 100,000), and perf_script_line.c parses only new ones. If the profile keeps no addresses, lines
 * that differ only in addresses are equal. */
#ifndef FORMAT_PERF_SCRIPT_PERF_SCRIPT_STACK_H
#define FORMAT_PERF_SCRIPT_PERF_SCRIPT_STACK_H

#include <stddef.h>
#include <stdint.h>

#include "format/perf_script/perf_script_line.h"
#include "profile/profile.h"

struct script_stacks;

struct script_stacks *script_stacks_new(struct profile *profile);
void script_stacks_free(struct script_stacks *stacks);
/* A body of text: lines, leaf first, that all begin with a tab and end with a newline. */
struct script_body {
	struct slice text; /* empty: the stack is known already */
	uint64_t key;	   /* of the text */
	struct script_outer {
		size_t len; /* at the text's end, whole lines; 0 = too short to be looked up */
		uint64_t key;
	} outer;	/* all lines but the leaf's */
	stack_id stack; /* the result */
};

#define SCRIPT_BODIES 32

/* Prepares the body of a text and prefetches its table entry; call it while the text is still in
 * the CPU's caches. */
struct script_body script_stacks_expect(const struct script_stacks *stacks, struct slice text);
/* Finds the stacks of at most SCRIPT_BODIES bodies; together, so that their cache misses overlap.
 * Adds the number of invalid lines to *bad_lines. */
void script_stacks_texts(struct script_stacks *stacks, struct script_body *body, size_t count,
			 uint64_t *bad_lines);
/* The stack of `count` lines of any kind, leaf first. */
stack_id script_stacks_lines(struct script_stacks *stacks, const struct slice *line, size_t count,
			     uint64_t *bad_lines);

#endif

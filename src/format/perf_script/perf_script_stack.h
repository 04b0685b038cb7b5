/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stacks of perf script text: the lines below a header → a stack of the profile. Speed comes from
 * not parsing the same bytes twice: whole stacks and single lines are looked up by a 64-bit hash of
 * their bytes and length (the chance that two of 10 million distinct lines share one is below 1 in
 * 100,000), and only what is new is taken apart by perf_script_line.c. Where the profile keeps no
 * addresses, lines that differ in nothing else are the same line. */
#ifndef FORMAT_PERF_SCRIPT_PERF_SCRIPT_STACK_H
#define FORMAT_PERF_SCRIPT_PERF_SCRIPT_STACK_H

#include <stddef.h>
#include <stdint.h>

#include "format/perf_script/perf_script_line.h"
#include "profile/profile.h"

struct script_stacks;

struct script_stacks *script_stacks_new(struct profile *profile);
void script_stacks_free(struct script_stacks *stacks);
/* The stack of a whole body of lines, should its text have been seen lately; *ret_key is the key of
 * the text for script_stacks_get(). */
bool script_stacks_find(const struct script_stacks *stacks, struct slice text, uint64_t *ret_key,
			stack_id *ret);
/* The stack of `count` lines, leaf first. text_key, unless NULL, is that of a text which holds
 * these lines and nothing else. Adds lines that make no sense to *bad_lines. */
stack_id script_stacks_get(struct script_stacks *stacks, const struct slice *line, size_t count,
			   const uint64_t *text_key, uint64_t *bad_lines);

#endif

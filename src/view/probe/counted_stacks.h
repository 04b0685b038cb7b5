/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How often each stack occurs, in the shape of BCC's stackcount, as folded lines and as JSON. */
#ifndef VIEW_PROBE_COUNTED_STACKS_H
#define VIEW_PROBE_COUNTED_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct profile;

struct counted_stacks_options {
	bool by_process; /* a stack of two processes is two */
	bool delimited;	 /* a mark between the kernel's functions and the program's */
	uint64_t lost;	 /* hits that are missing */
};

/* Takes the kernel's functions that call the counting program off the stacks. */
void counted_stacks_trim(struct profile *profile);
/* Innermost functions first, the rarest stack first. */
void counted_stacks_text(const struct profile *profile,
			 const struct counted_stacks_options *options, struct buf *ret);
/* "comm;outermost;innermost COUNT"; processes of one name are one, or "comm-PID". */
void counted_stacks_folded(const struct profile *profile,
			   const struct counted_stacks_options *options, struct buf *ret);
/* The most frequent stack first; documented in doc/tracing.md. */
void counted_stacks_json(const struct profile *profile,
			 const struct counted_stacks_options *options, struct buf *ret);
/* One stack: a line for each function, behind that many blanks; or as a member "stack" of JSON. */
void counted_stacks_put(const struct profile *profile, uint32_t stack, size_t indent,
			struct buf *ret);
void counted_stacks_put_json(const struct profile *profile, uint32_t stack, struct buf *ret);
/* All hits, and those with stacks that reach the start of their thread or are of the kernel alone.
 */
void counted_stacks_sum(const struct profile *profile, uint64_t *ret_hits, uint64_t *ret_whole);

#endif

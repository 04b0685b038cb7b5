/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waits with their stacks in the shapes of BCC's offcputime, wakeuptime and offwaketime, which
 * scripts parse, in microseconds; and as JSON. */
#ifndef VIEW_WAIT_STACKS_H
#define VIEW_WAIT_STACKS_H

#include <stdbool.h>

struct buf;
struct profile;
struct waits;

struct wait_stacks_options {
	bool folded;	  /* one line a stack, outermost function first */
	bool delimited;	  /* a mark between the kernel's functions and the program's */
	const char *what; /* for JSON: "off-CPU time" */
};

void wait_stacks_text(const struct profile *profile, const struct waits *waits,
		      const struct wait_stacks_options *options, struct buf *ret);
/* {"cupel":1,"what":s,"total_ns":n,"lost":n,"stacks":[{"comm","pid","tid","ns","kernel":[…],
 * "user":[…],"waker":{"comm","pid","tid","kernel","user"}|null}]}; innermost functions first. */
void wait_stacks_json(const struct profile *profile, const struct waits *waits,
		      const struct wait_stacks_options *options, struct buf *ret);

#endif

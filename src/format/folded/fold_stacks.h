/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stacks made shorter before they are folded: --skip-after and --merge-recursion. */
#ifndef FORMAT_FOLD_STACKS_H
#define FORMAT_FOLD_STACKS_H

#include <stdbool.h>
#include <stddef.h>

struct fold_options;
struct profile;

struct fold_cuts {
	const char *const
		*skip_after; /* names as folded; frames outside of such a frame are dropped */
	size_t skip_after_count;
	bool merge_recursion; /* merges adjacent frames of the same name */
};

/* Keeps all weight: a stack without such a frame stays unchanged. */
void fold_stacks(struct profile *profile, const struct fold_options *options,
		 const struct fold_cuts *cuts);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Modules with symbols on one side only, because their file is gone or was built anew: all
 * of their functions would seem to come and go. */
#ifndef PROFILE_DIFF_NAMES_H
#define PROFILE_DIFF_NAMES_H

#include <stdbool.h>

#include "profile/diff/diff.h"

/* The file name of the one with most samples, borrowed from a profile, and the side without names;
 * false = there is none. Few nameless frames (under 1 % of the samples) do not count. */
bool diff_names_one_sided(const struct diff_input *input, const char **ret_name,
			  enum diff_side *ret_nameless);

#endif

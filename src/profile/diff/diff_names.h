/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Modules with symbols on one side only, because their file was deleted or rebuilt. All of their
 * functions would seem to appear or disappear. */
#ifndef PROFILE_DIFF_NAMES_H
#define PROFILE_DIFF_NAMES_H

#include <stdbool.h>

#include "profile/diff/diff.h"

/* Returns the file name of the module with most samples, borrowed from a profile, and the side
 * without names; false if there is none. Modules with unnamed frames in less than 1 % of the
 * samples do not count. */
bool diff_names_one_sided(const struct diff_input *input, const char **ret_name,
			  enum diff_side *ret_nameless);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What shares after a change are divided by, so that a function that did the same as before has the
 * same share as before. Either the usual ratio of all functions' own shares, which does not
 * depend on the load; or, where the whole changed and some functions cost just as much as before
 * in absolute terms, the ratio that keeps these. Pure functions. */
#ifndef PROFILE_CHANGE_CHANGE_SCALE_H
#define PROFILE_CHANGE_CHANGE_SCALE_H

#include <stddef.h>

struct change_point;
struct change_window;

/* Sets the window's scale; all its shares are known. season: as for the window. */
void change_scale_set(const struct change_point *point, size_t season,
		      struct change_window *window);

#endif

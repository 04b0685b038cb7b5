/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads that a view can select, most samples first. A kernel thread with several names is one.
 * Threads beyond a hundred, and those without known ids, are combined. */
#ifndef VIEW_FLAME_FLAME_THREADS_H
#define VIEW_FLAME_FLAME_THREADS_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

struct profile;

struct flame_threads {
	VEC(uint32_t) list; /* id of one of its threads in the profile, that with most samples */
	uint32_t *of;  /* by thread of the profile: index in the list; its count = the others */
	size_t others; /* threads of the profile that are one */
};

void flame_threads_find(const struct profile *profile, struct flame_threads *ret);
/* With that of the others. */
size_t flame_threads_count(const struct flame_threads *threads);
void flame_threads_done(struct flame_threads *threads);

#endif

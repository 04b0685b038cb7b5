/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which place of the counts each slot of the counters belongs to. */
#ifndef SESSION_STAT_PLACES_H
#define SESSION_STAT_PLACES_H

#include "base/vec.h"
#include "profile/counts/counts.h"

struct counter_set;

struct stat_places {
	VEC(struct counts_place) place;
	VEC(size_t) of_slot;
};

/* Anew. */
void stat_places_find(struct stat_places *places, const struct counter_set *set, enum counts_by by);
void stat_places_done(struct stat_places *places);

#endif

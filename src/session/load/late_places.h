/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Places that are symbolized after the last sample: no symbol table is read while a program is
 * being recorded. Each place is stored once, so memory grows with the sampled code, not with
 * samples or processes. Stacks of such places belong to a separate profile, in which the offset of
 * a frame is the number of its place. One thread may add places while another pushes. */
#ifndef SESSION_LOAD_LATE_PLACES_H
#define SESSION_LOAD_LATE_PLACES_H

#include <stddef.h>
#include <stdint.h>

#include "profile/profile.h"

struct late_places;
struct resolve_place;

struct late_places *late_places_new(void);
void late_places_free(struct late_places *places); /* NULL is fine */

/* Gives the number of the place, counted from 0; equal ones have one. */
uint32_t late_places_add(struct late_places *places, const struct resolve_place *place);
size_t late_places_count(const struct late_places *places);
const struct resolve_place *late_places_get(const struct late_places *places, uint32_t number);

stack_id late_places_push(struct late_places *places, struct profile *profile, stack_id stack,
			  uint32_t number);

#endif

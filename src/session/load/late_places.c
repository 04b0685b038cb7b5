/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Places without names (see late_places.h). */
#include "session/load/late_places.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/par.h"
#include "base/vec.h"
#include "proc/module.h"
#include "session/load/resolve.h"

struct late_places {
	struct map known; /* of module, offset and kind → number of the last such place + 1 */
	VEC(struct resolve_place) place;
	VEC(uint32_t) before; /* by place: the one before with the same key + 1, 0 = none */
	char apart[PAR_APART];
	VEC(uint32_t) frame_of; /* by place: frame + 1, 0 = not pushed yet */
};

struct late_places *late_places_new(void)
{
	return mem_zalloc(sizeof(struct late_places));
}

void late_places_free(struct late_places *places)
{
	if (!places)
		return;
	map_done(&places->known);
	vec_done(&places->place);
	vec_done(&places->before);
	vec_done(&places->frame_of);
	free(places);
}

static bool is_same(const struct resolve_place *a, const struct resolve_place *b)
{
	return a->module == b->module && a->offset == b->offset && a->kernel == b->kernel &&
	       a->caller == b->caller;
}

uint32_t late_places_add(struct late_places *places, const struct resolve_place *place)
{
	uint64_t key = hash_u64(place->offset) ^ (uint64_t)place->module->id.v << 2 ^
		       (uint64_t)place->kernel << 1 ^ place->caller;
	bool added;
	uint64_t *last = map_add(&places->known, key, &added);

	for (uint64_t at = added ? 0 : *last; at; at = places->before.item[at - 1])
		if (is_same(&places->place.item[at - 1], place))
			return (uint32_t)(at - 1);
	vec_push(&places->before, added ? 0 : (uint32_t)*last);
	vec_push(&places->place, *place);
	*last = places->place.count;
	return (uint32_t)(places->place.count - 1);
}

size_t late_places_count(const struct late_places *places)
{
	return places->place.count;
}

const struct resolve_place *late_places_get(const struct late_places *places, uint32_t number)
{
	return &places->place.item[number];
}

stack_id late_places_push(struct late_places *places, struct profile *profile, stack_id stack,
			  uint32_t number)
{
	const struct frame frame = { .offset = number };
	uint32_t *known;

	while (places->frame_of.count <= number)
		vec_push(&places->frame_of, 0);
	known = &places->frame_of.item[number];
	if (!*known)
		*known = profile_frame(profile, &frame).v + 1;
	return profile_stack_push(profile, stack, (frame_id){ *known - 1 });
}

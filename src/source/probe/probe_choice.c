/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See probe_choice.h. */
#include "source/probe/probe_choice.h"

void probe_choice_add(struct probe_choice *choice, const struct probe_choice *from, size_t at,
		      uint32_t number, uint32_t binaries)
{
	const struct probe_place *of = &from->places.item[at];
	struct probe_place place = *of;

	place.number = number;
	place.binary += binaries;
	vec_push(&choice->places, place);
	for (size_t i = 0; i < from->exits.count && of->has_exits; i++) {
		place = from->exits.item[i];
		if (place.entry != of->offset || place.binary != of->binary)
			continue;
		place.number = number;
		place.binary += binaries;
		vec_push(&choice->exits, place);
	}
}

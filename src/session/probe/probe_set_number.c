/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers for the names of what is probed (see probe_set.h). */
#include "session/probe/probe_set.h"

#include <string.h>

uint32_t probe_set_number(struct probe_set *set, const char *name, uint64_t scope)
{
	bool added;
	uint64_t *number =
		map_add(&set->seen, hash_bytes(name, strlen(name)) ^ hash_u64(scope), &added);

	if (!added)
		return (uint32_t)*number;
	*number = set->choice.names.count;
	vec_push(&set->choice.names, arena_strdup(&set->arena, name));
	return (uint32_t)*number;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lanes of a heat map: CPUs and threads. */
#ifndef VIEW_HEAT_MAP_LANES_H
#define VIEW_HEAT_MAP_LANES_H

#include <stdint.h>

#include "base/vec.h"
#include "view/flame/flame_threads.h"

struct buf;
struct profile;
struct profile_sample;

struct heat_map_lanes {
	struct flame_threads threads;
	VEC(uint32_t) cpus; /* their numbers, rising; PROFILE_NO_CPU comes last */
};

void heat_map_lanes_find(const struct profile *profile, struct heat_map_lanes *ret);
/* The lane of a sample among those of CPUs. */
uint32_t heat_map_lanes_cpu(const struct heat_map_lanes *lanes,
			    const struct profile_sample *sample);
/* {"cpu":[names],"thread":[names]}; a list with a single lane is left empty. */
void heat_map_lanes_put_json(const struct profile *profile, const struct heat_map_lanes *lanes,
			     struct buf *ret);
void heat_map_lanes_done(struct heat_map_lanes *lanes);

#endif

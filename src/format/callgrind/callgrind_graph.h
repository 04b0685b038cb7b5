/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A call graph with costs of several events, as callgrind's files hold one, and the stacks that it
 * comes to. */
#ifndef FORMAT_CALLGRIND_CALLGRIND_GRAPH_H
#define FORMAT_CALLGRIND_CALLGRIND_GRAPH_H

#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"
#include "profile/profile.h"

#define CALLGRIND_EVENTS 32

struct call_edge {
	uint32_t caller, callee; /* functions */
	uint32_t next;		 /* of the caller: index + 1, 0 = none */
	uint64_t cost[CALLGRIND_EVENTS];
};

struct call_function {
	frame_id frame;
	uint32_t first_edge; /* index + 1 */
	uint64_t self[CALLGRIND_EVENTS];
};

struct call_graph {
	VEC(struct call_function) functions;
	VEC(struct call_edge) edges;
	struct map by_frame; /* → function */
	struct map by_pair;  /* caller, callee → edge */
	size_t events;
};

uint32_t call_graph_function(struct call_graph *graph, frame_id frame);
struct call_edge *call_graph_edge(struct call_graph *graph, uint32_t caller, uint32_t callee);
/* Adds stacks with the weights of event `e` of the graph as samples like `sample`. Returns the
 * weight of the stacks; it differs from the sums if calls and self costs are inconsistent. */
uint64_t call_graph_unfold(const struct call_graph *graph, size_t e, struct profile *profile,
			   struct profile_sample sample);
void call_graph_done(struct call_graph *graph);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts that the viewer can select from a flame graph: one of several events, one process, one
 * thread. The tree has the stacks of all events; its widths are those of the first, and the parts
 * give the self weights of nodes for each event and thread. Threads beyond the hundred with most
 * samples are combined. */
#ifndef VIEW_FLAME_FLAME_PARTS_H
#define VIEW_FLAME_FLAME_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "view/flame/flame_threads.h"

struct buf;
struct flame_graph_options;
struct flame_tree;
struct profile;
struct profile_sample;

/* Events that are drawn together, as profile_pick_events() has them. */
struct flame_part_event {
	bool *events; /* by index in profile->events */
	uint16_t first;
	bool by_samples;
	uint32_t scale;
	double period; /* of each sample, if counted by samples; else 1 */
};

struct flame_part_entry {
	uint32_t event, thread, node;
	uint64_t weight;
};

struct flame_parts {
	VEC(struct flame_part_event) events;
	size_t main; /* the event of the tree's weights */
	struct flame_threads threads;
	VEC(struct flame_part_entry) entries; /* after flame_parts_finish() in order */
};

/* True if sample counts are equivalent to weights, or requested. */
bool flame_measure_is_samples(const struct profile *profile,
			      const struct flame_graph_options *options, const bool *events,
			      uint32_t scale);
/* NULL when there is one event and one thread, or the picture cannot be reduced. main: the events
 * that are drawn. */
struct flame_parts *flame_parts_new(const struct profile *profile,
				    const struct flame_graph_options *options, const bool *main);
/* The part's event of a sample; events.count = none. */
size_t flame_parts_event(const struct flame_parts *parts, const struct profile_sample *sample);
void flame_parts_add(struct flame_parts *parts, size_t event, const struct profile_sample *sample,
		     uint32_t node);
/* Nodes have other numbers: by old number. */
void flame_parts_move(struct flame_parts *parts, const uint32_t *node);
void flame_parts_finish(struct flame_parts *parts);
/* As a member of the JSON object of packed data, and as the section of weights. */
void flame_parts_put_json(const struct profile *profile, const struct flame_tree *tree,
			  const struct flame_graph_options *options, struct buf *ret);
void flame_parts_put(const struct flame_parts *parts, struct buf *ret);
void flame_parts_free(struct flame_parts *parts); /* NULL is fine */

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Call graphs to stacks (see callgrind_graph.h). From every function without paying callers, weight
 * flows down the calls in proportion to their costs. A call of an open function, or deeper than
 * MAX_DEPTH, or with a negligible share, ends the stack with its whole weight, so that nothing is
 * lost and the work is bounded. */
#include "format/callgrind/callgrind_graph.h"

#include "base/arena.h"

#define MAX_DEPTH  128
#define MAX_STACKS 1000000
#define SMALLEST   100000 /* of the total: smaller parts are not followed */

struct unfold {
	const struct call_graph *graph;
	size_t event;
	struct profile *profile;
	struct profile_sample sample;
	uint64_t *total, *paid; /* by function: self and calls; what callers pay */
	bool *open;
	uint64_t smallest, weight, stacks;
};

/* A function on the way down. */
struct step {
	uint32_t function, edge; /* the next edge to follow, index + 1 */
	stack_id stack;
	uint64_t weight, left, recursive; /* recursive: cost of its calls of itself */
};

uint32_t call_graph_function(struct call_graph *graph, frame_id frame)
{
	bool added;
	uint64_t *place = map_add(&graph->by_frame, frame.v, &added);

	if (added) {
		*place = graph->functions.count;
		vec_push(&graph->functions, ((struct call_function){ .frame = frame }));
	}
	return (uint32_t)*place;
}

struct call_edge *call_graph_edge(struct call_graph *graph, uint32_t caller, uint32_t callee)
{
	bool added;
	uint64_t *place = map_add(&graph->by_pair, (uint64_t)caller << 32 | callee, &added);

	if (added) {
		*place = graph->edges.count;
		vec_push(&graph->edges,
			 ((struct call_edge){ .caller = caller,
					      .callee = callee,
					      .next = graph->functions.item[caller].first_edge }));
		graph->functions.item[caller].first_edge = (uint32_t)graph->edges.count;
	}
	return &graph->edges.item[*place];
}

static void add(struct unfold *u, stack_id stack, uint64_t weight)
{
	if (!weight)
		return;
	u->sample.stack = stack;
	u->sample.weight = weight;
	profile_add(u->profile, &u->sample);
	u->weight += weight;
	u->stacks++;
}

static struct step enter(struct unfold *u, uint32_t function, stack_id parent, uint64_t weight)
{
	const struct call_function *f = &u->graph->functions.item[function];
	struct step step = { .function = function,
			     .edge = f->first_edge,
			     .stack = profile_stack_push(u->profile, parent, f->frame),
			     .weight = weight,
			     .left = weight };

	u->open[function] = true;
	return step;
}

/* part / whole of the weight, rounded down. */
static uint64_t share(uint64_t weight, uint64_t part, uint64_t whole)
{
	return whole ? (uint64_t)((unsigned __int128)weight * part / whole) : 0;
}

/* Recursion adds one frame, with at most the function's own weight. */
static void add_own(struct unfold *u, const struct step *step)
{
	const struct call_function *f = &u->graph->functions.item[step->function];
	uint64_t part = share(step->weight, step->recursive, u->total[step->function]);

	if (part > step->left)
		part = step->left;
	if (part)
		add(u, profile_stack_push(u->profile, step->stack, f->frame), part);
	add(u, step->stack, step->left - part);
}

static void unfold_root(struct unfold *u, uint32_t root, uint64_t weight)
{
	struct step steps[MAX_DEPTH];
	size_t depth = 1;

	steps[0] = enter(u, root, STACK_EMPTY, weight);
	while (depth) {
		struct step *step = &steps[depth - 1];
		const struct call_edge *edge;
		uint64_t part;

		if (!step->edge) { /* the rest is the self weight of the function */
			add_own(u, step);
			u->open[step->function] = false;
			depth--;
			continue;
		}
		edge = &u->graph->edges.item[step->edge - 1];
		step->edge = edge->next;
		if (edge->callee == step->function) {
			step->recursive = edge->cost[u->event];
			continue;
		}
		part = share(step->weight, edge->cost[u->event], u->total[step->function]);
		step->left -= part;
		if (part < u->smallest || depth == MAX_DEPTH || u->open[edge->callee] ||
		    u->stacks > MAX_STACKS)
			add(u,
			    profile_stack_push(u->profile, step->stack,
					       u->graph->functions.item[edge->callee].frame),
			    part);
		else
			steps[depth++] = enter(u, edge->callee, step->stack, part);
	}
}

static void sum_up(struct unfold *u)
{
	const struct call_graph *graph = u->graph;
	uint64_t all = 0;

	for (size_t i = 0; i < graph->functions.count; i++) {
		u->total[i] = graph->functions.item[i].self[u->event];
		all += u->total[i];
	}
	for (size_t i = 0; i < graph->edges.count; i++) {
		const struct call_edge *edge = &graph->edges.item[i];

		if (edge->caller == edge->callee)
			continue; /* the cost of a recursive call is already counted */
		u->total[edge->caller] += edge->cost[u->event];
		u->paid[edge->callee] += edge->cost[u->event];
	}
	u->smallest = all / SMALLEST + 1;
}

uint64_t call_graph_unfold(const struct call_graph *graph, size_t e, struct profile *profile,
			   struct profile_sample sample)
{
	struct unfold u = { .graph = graph, .event = e, .profile = profile, .sample = sample };
	size_t count = graph->functions.count;

	u.total = mem_zalloc((count + 1) * sizeof(*u.total));
	u.paid = mem_zalloc((count + 1) * sizeof(*u.paid));
	u.open = mem_zalloc(count + 1);
	sum_up(&u);
	for (uint32_t i = 0; i < count; i++)
		if (u.total[i] > u.paid[i])
			unfold_root(&u, i, u.total[i] - u.paid[i]);
	free(u.total);
	free(u.paid);
	free(u.open);
	return u.weight;
}

void call_graph_done(struct call_graph *graph)
{
	vec_done(&graph->functions);
	vec_done(&graph->edges);
	map_done(&graph->by_frame);
	map_done(&graph->by_pair);
}

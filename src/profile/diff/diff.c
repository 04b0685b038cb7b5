/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Comparing two sides (see diff.h): merge the stacks, add up, test every path and every function,
 * then decide each family as a whole. */
#include "profile/diff/diff.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/par.h"
#include "profile/diff/diff_merge.h"
#include "profile/diff/diff_names.h"
#include "profile/diff/diff_sums.h"
#include "profile/statistics.h"

#define DEFAULT_RATE 0.05
#define GRAIN	     256 /* nodes tested at a time */

struct comparer {
	const struct diff_options *options;
	struct diff_runs runs;
	struct call_tree tree;
	struct diff_sums sums[2];
	struct side_sums side[2];
	struct diff *diff;
	double run_unit;
};

static void make_sums(void *context, size_t side, size_t worker)
{
	struct comparer *c = context;
	struct diff_sums_spec spec = { .runs = &c->runs,
				       .side = (int)side,
				       .tree = &c->tree,
				       .labels = c->diff->labels.count,
				       .kind = c->diff->kind,
				       .run_unit = c->run_unit };

	(void)worker;
	diff_sums_make(&spec, &c->sums[side]);
}

static double samples_before(const struct diff_run *run, const struct profile_event *event)
{
	return run->sample_weight > 0 ? (double)event->weight / run->sample_weight
				      : (double)event->samples;
}

static double weight_before(const struct comparer *c)
{
	const struct diff_runs *runs = &c->runs;
	double sum = 0;

	for (size_t i = 0; i < runs->count[DIFF_BEFORE]; i++) {
		const struct diff_run *run = &runs->run[DIFF_BEFORE][i];

		for (size_t e = 0; e < run->profile->events.count; e++) {
			const struct profile_event *event = &run->profile->events.item[e];

			if (run->events[e])
				sum += runs->by_samples
					       ? samples_before(run, event)
					       : (double)event->weight * (double)run->factor;
		}
	}
	return sum / (double)runs->count[DIFF_BEFORE];
}

/* What is usual of functions: their own samples are disjoint. */
static struct run_prior find_prior(const struct comparer *c)
{
	size_t labels = c->diff->labels.count, count = 0;
	struct run_ratio *list = mem_alloc((labels + 1) * sizeof(*list));
	struct run_prior prior;

	for (size_t id = 0; id < labels; id++) {
		struct share_sums of[2] = { c->sums[0].label[1][id], c->sums[1].label[1][id] };

		list[count] = share_run_ratio(c->diff->kind, c->side, of);
		count += list[count].df > 0;
	}
	prior = run_prior_fit(list, count);
	free(list);
	return prior;
}

static void add_up(struct comparer *c)
{
	struct run_prior prior = { .constant = 1 };

	bool amounts = c->diff->kind == AMOUNTS;

	if (amounts)
		c->run_unit = weight_before(c);
	par_for(2, 1, make_sums, c);
	for (int side = 0; side < 2; side++) {
		if (amounts)
			c->sums[side].side.unit = c->run_unit;
		c->side[side] = c->sums[side].side;
	}
	if (sides_have_runs(c->side))
		prior = find_prior(c);
	for (int side = 0; side < 2; side++) {
		c->side[side].prior = prior;
		c->diff->total[side] = (struct diff_total){ .samples = c->sums[side].samples,
							    .weight = c->sums[side].raw_weight,
							    .sums = c->side[side] };
	}
}

static bool has_self(const struct diff_node *node)
{
	return node->self.weight[0] || node->self.weight[1];
}

/* All that is in such a node is in its only child. */
static bool is_link(const struct comparer *c, size_t id)
{
	const struct diff_node *node = &c->diff->nodes.item[id];

	return node->first_child && !c->diff->nodes.item[node->first_child].next_sibling &&
	       !has_self(node);
}

static struct share_change test(const struct comparer *c, const struct share_sums *before,
				const struct share_sums *after)
{
	struct share_sums of[2] = { *before, *after };

	return share_change(c->diff->kind, c->side, of);
}

static void test_node(void *context, size_t id, size_t worker)
{
	struct comparer *c = context;
	struct diff_node *node = &c->diff->nodes.item[id];

	(void)worker;
	for (int side = 0; side < 2; side++) {
		node->inclusive.weight[side] = c->sums[side].weight[0][id];
		node->self.weight[side] = c->sums[side].weight[1][id];
	}
	if (!is_link(c, id))
		node->inclusive.change = test(c, &c->sums[0].node[0][id], &c->sums[1].node[0][id]);
	node->self.change = node->first_child
				    ? test(c, &c->sums[0].node[1][id], &c->sums[1].node[1][id])
				    : node->inclusive.change;
}

static void test_label(void *context, size_t id, size_t worker)
{
	struct comparer *c = context;
	struct diff_label *label = &c->diff->labels.item[id];

	(void)worker;
	label->inclusive.change = test(c, &c->sums[0].label[0][id], &c->sums[1].label[0][id]);
	label->self.change = test(c, &c->sums[0].label[1][id], &c->sums[1].label[1][id]);
	for (int side = 0; side < 2; side++) {
		label->inclusive.weight[side] = (uint64_t)c->sums[side].label[0][id].weight;
		label->self.weight[side] = (uint64_t)c->sums[side].label[1][id].weight;
	}
}

/* The changes of one family of tests. */
typedef VEC(struct share_change *) change_list;

static struct diff_family decide(const struct comparer *c, const change_list *changes)
{
	double *p = mem_alloc((changes->count + 1) * sizeof(*p));
	struct diff_family family = { .tests = changes->count,
				      .undecided = c->diff->undecided.v != 0 };
	size_t found;

	for (size_t i = 0; i < changes->count; i++)
		p[i] = changes->item[i]->p;
	family.found = false_discovery_rates(p, changes->count, c->diff->rate, p);
	if (family.undecided)
		family.found = 0;
	for (size_t i = 0; i < changes->count; i++)
		changes->item[i]->q = family.undecided ? 1 : p[i];
	free(p);
	found = family.found ? family.found : 1;
	family.p_level = family.tests ? c->diff->rate * (double)found / (double)family.tests
				      : c->diff->rate;
	return family;
}

static void decide_paths(const struct comparer *c)
{
	struct diff *diff = c->diff;
	change_list changes = { 0 };

	for (size_t id = 1; id < diff->nodes.count; id++) {
		struct diff_node *node = &diff->nodes.item[id];

		if (!is_link(c, id))
			vec_push(&changes, &node->inclusive.change);
		if (node->first_child && has_self(node))
			vec_push(&changes, &node->self.change);
	}
	diff->paths = decide(c, &changes);
	vec_done(&changes);
}

/* All that is in such a function is in itself. */
static bool is_leaf(const struct diff_label *label)
{
	return label->self.weight[0] == label->inclusive.weight[0] &&
	       label->self.weight[1] == label->inclusive.weight[1];
}

static void decide_functions(const struct comparer *c)
{
	struct diff *diff = c->diff;
	change_list changes = { 0 };

	for (size_t id = 0; id < diff->labels.count; id++) {
		struct diff_label *label = &diff->labels.item[id];

		vec_push(&changes, &label->inclusive.change);
		if (!is_leaf(label) && (label->self.weight[0] || label->self.weight[1]))
			vec_push(&changes, &label->self.change);
	}
	diff->functions = decide(c, &changes);
	vec_done(&changes);
}

/* What was not tested because it is the same as something else has that one's answer. */
static void share_answers(const struct comparer *c)
{
	struct diff *diff = c->diff;

	for (size_t id = diff->nodes.count; id-- > 0;) { /* children before their parents */
		struct diff_node *node = &diff->nodes.item[id];

		if (is_link(c, id))
			node->inclusive.change =
				diff->nodes.item[node->first_child].inclusive.change;
		if (!node->first_child)
			node->self.change = node->inclusive.change;
	}
	for (size_t id = 0; id < diff->labels.count; id++) {
		struct diff_label *label = &diff->labels.item[id];

		if (is_leaf(label))
			label->self.change = label->inclusive.change;
	}
}

struct weighed {
	double value, weight;
};

static int compare_weighed(const void *pa, const void *pb)
{
	const struct weighed *a = pa, *b = pb;

	return (a->value > b->value) - (a->value < b->value);
}

/* How bursty frames are: half of the samples are in leaves that are less so. */
static void find_spread(const struct comparer *c)
{
	const struct diff *diff = c->diff;
	VEC(struct weighed) list = { 0 };
	double half = 0, median = 1;

	for (size_t id = 0; id < diff->nodes.count; id++) {
		const struct diff_amount *self = &diff->nodes.item[id].self;
		struct weighed own = { self->change.spread,
				       (double)self->weight[0] + (double)self->weight[1] };

		if (own.weight > 0)
			vec_push(&list, own);
		half += own.weight / 2;
	}
	if (list.count)
		qsort(list.item, list.count, sizeof(*list.item), compare_weighed);
	for (size_t i = 0; i < list.count && half > 0; i++) {
		median = list.item[i].value;
		half -= list.item[i].weight;
	}
	vec_done(&list);
	c->diff->spread = median;
}

/* Each sorts most of the tree, and writes nothing that another one reads. */
static void (*const conclude[])(const struct comparer *) = { decide_paths, find_spread,
							     decide_functions };

static void conclude_one(void *context, size_t i, size_t worker)
{
	(void)worker;
	conclude[i](context);
}

static void compare(struct comparer *c)
{
	struct diff *diff = c->diff;

	diff_merge(&c->runs, c->options, diff, &c->tree);
	add_up(c);
	diff_copy_nodes(&c->tree, diff);
	par_for(diff->nodes.count, GRAIN, test_node, c);
	par_for(diff->labels.count, GRAIN, test_label, c);
	par_for(sizeof(conclude) / sizeof(conclude[0]), 1, conclude_one, c);
	share_answers(c);
	diff->detectable_share = share_detectable(c->side, diff->paths.p_level, diff->spread);
}

/* Why the two sides cannot be compared. */
static string_id find_undecided(const struct diff_input *input, const struct diff *diff)
{
	enum diff_side nameless;
	const char *name;
	char text[512];

	if (diff->uncounted)
		return strtab_puts(diff->names, DIFF_UNCOUNTED);
	if (!diff_names_one_sided(input, &name, &nameless))
		return STRING_EMPTY;
	(void)snprintf(text, sizeof(text),
		       "%.200s has symbols only %s: its file was replaced or deleted (restore it, "
		       "use --symfs or --debuginfod, or record again, without -N)",
		       name, nameless == DIFF_BEFORE ? "after" : "before");
	return strtab_puts(diff->names, text);
}

int diff_build(const struct diff_input *input, const struct diff_options *options, struct diff *ret,
	       struct err *err)
{
	struct comparer c = { .options = options, .diff = ret };
	int r = diff_runs_open(input, options, &c.runs, err);

	if (r)
		return r;
	*ret = (struct diff){ .names = strtab_new(),
			      .kind = options->kind,
			      .rate = options->rate > 0 ? options->rate : DEFAULT_RATE };
	diff_describe(&c.runs, ret);
	ret->undecided = find_undecided(input, ret);
	compare(&c);
	call_tree_done(&c.tree);
	diff_sums_done(&c.sums[0]);
	diff_sums_done(&c.sums[1]);
	diff_runs_done(&c.runs);
	return 0;
}

void diff_done(struct diff *diff)
{
	strtab_free(diff->names);
	vec_done(&diff->nodes);
	vec_done(&diff->labels);
	*diff = (struct diff){ 0 };
}

double diff_delta(const struct diff_amount *amount)
{
	return amount->change.share[1] - amount->change.share[0];
}

bool diff_is_significant(const struct diff_family *family, const struct diff_amount *amount)
{
	return amount->change.p <= family->p_level && family->found;
}

void diff_interval(const struct diff_family *family, const struct diff_amount *amount,
		   double ret[2])
{
	if (family->undecided) {
		ret[0] = -1;
		ret[1] = 1;
		return;
	}
	share_change_interval(&amount->change, family->p_level, ret);
}

enum diff_verdict diff_verdict(const struct diff_family *family, const struct diff_amount *amount)
{
	if (!diff_is_significant(family, amount))
		return DIFF_NONE;
	if (!amount->weight[0])
		return DIFF_NEW;
	if (!amount->weight[1])
		return DIFF_GONE;
	return diff_delta(amount) > 0 ? DIFF_GREW : DIFF_SHRANK;
}

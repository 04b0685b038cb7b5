/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Groups samples into rows and sums their costs (see report_build.h). */
#include "view/report/report_build.h"

#include "base/arena.h"
#include "base/fd.h"
#include "base/map.h"
#include "base/vec.h"
#include "profile/share_interval.h"
#include "view/report/report.h"
#include "view/report/report_filter.h"
#include "view/report/report_table.h"

static void add_total(struct report_table *table, uint32_t index, size_t member, uint64_t weight,
		      uint64_t count)
{
	struct report_row *row = &table->rows.item[index];

	if (member) {
		table->costs.item[row->number * (table->members.count - 1) + (member - 1)].total +=
			weight;
		return;
	}
	row->total += weight;
	row->total_samples += count;
}

static bool is_in_kernel(const struct profile *p, const struct profile_sample *sample)
{
	return sample->stack.v != STACK_EMPTY.v &&
	       p->frames.item[p->nodes.item[sample->stack.v].frame.v].kind == FRAME_KERNEL;
}

static void add_self(struct report_table *table, uint32_t index, size_t member,
		     const struct profile_sample *sample)
{
	struct report_row *row = &table->rows.item[index];
	uint64_t kernel = is_in_kernel(table->context->profile, sample) ? sample->weight : 0;
	uint64_t other = table->options->latency ? sample->addr * sample->count : 0;
	struct report_cost *cost;

	if (member) {
		cost = &table->costs.item[row->number * (table->members.count - 1) + (member - 1)];
		cost->self += sample->weight;
		cost->kernel += kernel;
		cost->samples += sample->count;
		cost->other += other;
		return;
	}
	row->self += sample->weight;
	row->kernel += kernel;
	row->samples += sample->count;
	row->other += other;
}

/* A node of the tree of stacks that samples of one group reach. */
struct cost_node {
	uint32_t row; /* NO_ROW = none: filtered out */
	uint32_t node, parent, child, next;
	uint64_t weight, count;		  /* of samples that end here, then of those below, too */
	uint64_t bare_weight, bare_count; /* of those without a function of their own */
};

/* Sums the samples that differ only in their stacks. Each node is looked at once, however many
 * stacks go through it: time is linear in the nodes, not in the lengths of stacks. */
/* The row of a frame in a group, which all its nodes there share. */
struct known_row {
	uint32_t group; /* 0 = none yet */
	uint32_t row;
};

struct summing {
	struct report_table *table;
	size_t member;
	uint32_t *place;	     /* by node: in nodes, + 1 */
	VEC(struct cost_node) nodes; /* item 0 is the empty stack */
	VEC(uint32_t) open;	     /* by row: its nodes on the way down */
	VEC(uint32_t) way;
	struct known_row *of_frame; /* by frame; NULL = rows depend on more */
	uint32_t group;		    /* number of the group + 1 */
	uint32_t bare_row;	    /* of samples without a function */
	size_t passing;		    /* nodes on the way that pass the filters */
};

#define NO_ROW UINT32_MAX

static uint32_t find_row(struct report_table *table, const struct profile_sample *sample,
			 stack_id node)
{
	struct report_subject subject = { .sample = sample, .node = node };

	if (!report_filter_passes(table, sample, node))
		return NO_ROW;
	return (uint32_t)(report_table_row(table, &subject) - table->rows.item);
}

static uint32_t row_of(struct summing *s, const struct profile_sample *sample, stack_id node)
{
	const struct profile *p = s->table->context->profile;
	struct known_row *known;

	if (node.v == STACK_EMPTY.v || !s->of_frame)
		return find_row(s->table, sample, node);
	known = &s->of_frame[p->nodes.item[node.v].frame.v];
	if (known->group != s->group)
		*known = (struct known_row){ s->group, find_row(s->table, sample, node) };
	return known->row;
}

/* Samples with a row. */
static void add_passed(struct summing *s, uint64_t weight, uint64_t count)
{
	s->table->members.item[s->member].passed += weight;
	s->table->members.item[s->member].passed_samples += count;
}

/* The nodes from the leaf up that are not there yet. */
static void add_nodes(struct summing *s, const struct profile_sample *sample)
{
	const struct profile *p = s->table->context->profile;
	uint32_t child = 0;

	for (stack_id at = sample->stack;; at = p->nodes.item[at.v].parent) {
		bool known = s->place[at.v];
		struct cost_node *node;

		if (!known) {
			vec_push(&s->nodes, ((struct cost_node){ .node = at.v, .row = NO_ROW }));
			s->place[at.v] = (uint32_t)s->nodes.count;
			if (at.v != STACK_EMPTY.v && s->table->options->children)
				vec_last(&s->nodes)->row = row_of(s, sample, at);
		}
		node = &s->nodes.item[s->place[at.v] - 1];
		if (child) {
			s->nodes.item[child - 1].parent = s->place[at.v];
			s->nodes.item[child - 1].next = node->child;
			node->child = child;
		}
		child = s->place[at.v];
		if (known || at.v == STACK_EMPTY.v)
			break;
	}
}

static void add_sample(struct summing *s, const struct profile_sample *sample)
{
	stack_id self = report_self_node(s->table->context->profile, sample->stack);
	uint32_t row = row_of(s, sample, self);
	struct cost_node *node;

	if (row != NO_ROW)
		add_self(s->table, row, s->member, sample);
	if (!s->table->options->children) {
		if (row != NO_ROW) {
			add_total(s->table, row, s->member, sample->weight, sample->count);
			add_passed(s, sample->weight, sample->count);
		}
		return;
	}
	add_nodes(s, sample);
	node = &s->nodes.item[s->place[sample->stack.v] - 1];
	node->weight += sample->weight;
	node->count += sample->count;
	if (self.v == STACK_EMPTY.v && row != NO_ROW) {
		s->bare_row = row;
		node->bare_weight += sample->weight;
		node->bare_count += sample->count;
	}
}

static void open_node(struct summing *s, const struct cost_node *node)
{
	if (node->row != NO_ROW) {
		s->open.item[node->row]++;
		s->passing++;
	}
	if (!s->passing)
		add_passed(s, node->bare_weight, node->bare_count);
	if (node->bare_count && !s->open.item[s->bare_row])
		add_total(s->table, s->bare_row, s->member, node->bare_weight, node->bare_count);
}

/* In a recursion the outermost call has the cost. */
static void close_node(struct summing *s, const struct cost_node *node)
{
	if (node->parent) {
		s->nodes.item[node->parent - 1].weight += node->weight;
		s->nodes.item[node->parent - 1].count += node->count;
	}
	if (node->row == NO_ROW)
		return;
	if (!--s->open.item[node->row])
		add_total(s->table, node->row, s->member, node->weight, node->count);
	if (!--s->passing)
		add_passed(s, node->weight, node->count);
}

/* Down the tree and up again. */
static void sum_nodes(struct summing *s)
{
	if (!s->nodes.count)
		return;
	while (s->open.count < s->table->rows.count)
		vec_push(&s->open, 0);
	vec_push(&s->way, s->place[STACK_EMPTY.v]);
	open_node(s, &s->nodes.item[s->way.item[0] - 1]);
	while (s->way.count) {
		struct cost_node *node = &s->nodes.item[*vec_last(&s->way) - 1];

		if (node->child) {
			vec_push(&s->way, node->child);
			node->child = s->nodes.item[node->child - 1].next;
			open_node(s, &s->nodes.item[*vec_last(&s->way) - 1]);
		} else {
			close_node(s, node);
			s->way.count--;
		}
	}
	for (size_t i = 0; i < s->nodes.count; i++)
		s->place[s->nodes.item[i].node] = 0;
	s->nodes.count = 0;
}

/* Whether samples of one thread and CPU can have different rows for a frame. */
static bool depends_on_samples(const struct report_table *table)
{
	for (size_t i = 0; i < table->keys.count; i++)
		if (table->keys.item[i]->of_sample ||
		    table->keys.item[i]->needs & PROFILE_KEEP_ADDR)
			return true;
	return table->options->exclude_other;
}

/* What rows may depend on, apart from the frame. */
static uint64_t group_of(const struct report_table *table, size_t index)
{
	const struct profile_sample *sample = &table->context->profile->samples.item[index];

	return (uint64_t)sample->thread.v << 32 | sample->cpu;
}

/* The member's samples, group by group in the order of their first ones. */
static uint32_t *group_samples(const struct report_table *table, size_t member,
			       uint32_t **ret_first, size_t *ret_groups)
{
	const struct profile *p = table->context->profile;
	uint32_t *next = mem_zalloc((p->samples.count + 1) * sizeof(*next));
	uint32_t *last = mem_zalloc((p->samples.count + 1) * sizeof(*last));
	uint32_t *first = mem_zalloc((p->samples.count + 1) * sizeof(*first));
	bool apart = depends_on_samples(table);
	struct map groups = { 0 };
	size_t count = 0;

	for (size_t i = 0; i < p->samples.count; i++) {
		uint64_t *group;
		bool added;

		if (p->samples.item[i].event != table->members.item[member].event)
			continue;
		group = map_add(&groups, apart ? i : group_of(table, i), &added);
		if (added) {
			*group = count++;
			first[*group] = (uint32_t)i + 1;
		} else {
			next[last[*group] - 1] = (uint32_t)i + 1;
		}
		last[*group] = (uint32_t)i + 1;
	}
	map_done(&groups);
	free(last);
	*ret_first = first;
	*ret_groups = count;
	return next;
}

static void sum_samples(struct report_table *table, size_t member)
{
	const struct profile *p = table->context->profile;
	struct summing s = { .table = table, .member = member };
	AUTO_FREE uint32_t *first = NULL, *next = NULL;
	size_t groups;

	next = group_samples(table, member, &first, &groups);
	s.place = mem_zalloc(p->nodes.count * sizeof(*s.place));
	if (!depends_on_samples(table))
		s.of_frame = mem_zalloc(p->frames.count * sizeof(*s.of_frame));
	for (size_t g = 0; g < groups; g++) {
		s.group = (uint32_t)g + 1;
		for (uint32_t at = first[g]; at; at = next[at - 1])
			add_sample(&s, &p->samples.item[at - 1]);
		sum_nodes(&s);
	}
	free(s.place);
	free(s.of_frame);
	vec_done(&s.nodes);
	vec_done(&s.open);
	vec_done(&s.way);
}

static bool has_groups(const struct profile *profile)
{
	for (size_t i = 0; i < profile->events.count; i++)
		if (profile->events.item[i].leader)
			return true;
	return false;
}

/* The first event of the one's group. */
static uint16_t leader_of(const struct profile *profile, const struct report_options *options,
			  uint16_t event)
{
	uint16_t leader = profile->events.item[event].leader;

	if (options->group == REPORT_GROUP_NONE)
		return event;
	if (options->group == REPORT_GROUP_ALL && !has_groups(profile))
		return 0;
	return leader ? leader - 1 : event;
}

bool report_has_table(const struct profile *profile, const struct report_options *options,
		      uint16_t event)
{
	bool samples = false;

	for (size_t i = 0; i < profile->events.count; i++)
		if (leader_of(profile, options, (uint16_t)i) == event)
			samples |= profile->events.item[i].samples > 0;
	return samples;
}

/* Samples without a function, which --hide-unresolved takes out of everything. */
static void count_unresolved(struct report_table *table)
{
	const struct profile *p = table->context->profile;

	for (size_t i = 0; i < p->samples.count; i++) {
		const struct profile_sample *s = &p->samples.item[i];
		stack_id self = report_self_node(p, s->stack);
		size_t member = report_table_member(table, s->event);

		if (member == SIZE_MAX ||
		    (self.v != STACK_EMPTY.v &&
		     p->frames.item[p->nodes.item[self.v].frame.v].function.v))
			continue;
		table->members.item[member].unresolved += s->weight;
		table->members.item[member].unresolved_samples += s->count;
	}
}

/* The whole of the other weight: of all samples, or of what filters leave. */
static void sum_other(struct report_table *table)
{
	const struct profile *p = table->context->profile;

	for (size_t i = 0; i < p->samples.count && !table->options->relative; i++) {
		const struct profile_sample *s = &p->samples.item[i];
		size_t member = report_table_member(table, s->event);

		if (member != SIZE_MAX)
			table->members.item[member].other += s->addr * s->count;
	}
	for (size_t i = 0; i < table->rows.count && table->options->relative; i++)
		for (size_t k = 0; k < table->members.count; k++)
			table->members.item[k].other +=
				report_table_cost(table, &table->rows.item[i], k).other;
}

/* What percentages refer to, when all samples were seen. */
static void settle_members(struct report_table *table)
{
	const struct profile *p = table->context->profile;

	if (table->options->hide_unresolved)
		count_unresolved(table);
	if (table->options->latency)
		sum_other(table);
	for (size_t i = 0; i < table->members.count; i++) {
		struct report_member *m = &table->members.item[i];
		const struct profile_event *event = &p->events.item[m->event];

		m->weight = event->weight - m->unresolved;
		m->samples = event->samples - m->unresolved_samples;
		if (table->options->relative) {
			m->weight = m->passed;
			m->samples = m->passed_samples;
		}
		m->period = (m->weight + event->scale / 2) / (event->scale ? event->scale : 1);
		m->effective = share_effective_samples(event);
		if (event->samples)
			m->effective *= (double)m->samples / (double)event->samples;
	}
	table->weight = table->members.item[0].weight;
	table->effective = table->members.item[0].effective;
}

void report_build(struct report_table *table, const struct report_context *context,
		  const struct report_options *options, const report_columns *columns,
		  uint16_t event)
{
	*table = (struct report_table){ .context = context, .options = options, .event = event };
	vec_push(&table->members, ((struct report_member){ .event = event }));
	for (size_t i = 0; i < context->profile->events.count; i++)
		if (i != event && leader_of(context->profile, options, (uint16_t)i) == event)
			vec_push(&table->members, ((struct report_member){ .event = (uint16_t)i }));
	for (size_t i = 0; i < columns->count && table->keys.count < REPORT_TABLE_KEYS; i++)
		if (columns->item[i]->measure == REPORT_KEY)
			vec_push(&table->keys, columns->item[i]);
	for (size_t i = 0; i < table->members.count; i++)
		sum_samples(table, i);
	settle_members(table);
}

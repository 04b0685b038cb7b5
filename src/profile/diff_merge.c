/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Merging profiles by name (see diff_merge.h). Each becomes a tree of its own first
 * (call_tree.h), whose nodes, parents first, are then looked up in the common one. */
#include "profile/diff_merge.h"

#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/map.h"

struct merger {
	const struct diff_options *options;
	struct diff *diff;
	struct call_tree *tree;
	struct map children;	       /* parent, label → node */
	struct map by_name;	       /* name, command → label */
	const struct profile *profile; /* being added */
	uint32_t *label_of;	       /* by frame of it; CALL_NO_LABEL = not asked yet */
	struct buf word;
};

static uint32_t intern_label(struct merger *m, const struct diff_label *label)
{
	bool added;
	uint64_t *place =
		map_add(&m->by_name, (uint64_t)label->name.v << 1 | label->command, &added);

	if (added) {
		*place = m->diff->labels.count;
		vec_push(&m->diff->labels, *label);
	}
	return (uint32_t)*place;
}

/* What a frame is called: as in flame graphs. */
static string_id name_of(struct merger *m, const struct frame *frame)
{
	const char *name = profile_string(m->profile, frame->function);
	const char *module = "unknown";

	if (name[strspn(name, " \t")]) {
		/* JVMs write class names as "Lorg/example/Class;::method". */
		name += frame->kind == FRAME_JIT && name[0] == 'L' && strchr(name, '/');
		return strtab_puts(m->diff->names, name);
	}
	if (frame->module)
		module = profile_string(m->profile, m->profile->modules.item[frame->module].name);
	buf_clear(&m->word);
	(void)buf_printf(&m->word, "[%s]", module);
	return strtab_intern(m->diff->names, m->word.data, m->word.len);
}

static uint32_t frame_label(void *context, frame_id id, uint32_t root)
{
	struct merger *m = context;
	const struct frame *frame = &m->profile->frames.item[id.v];
	struct diff_label label = { .kind = frame->kind, .inlined = frame->inlined };
	string_id module;

	(void)root;
	if (m->label_of[id.v] != CALL_NO_LABEL)
		return m->label_of[id.v];
	label.name = name_of(m, frame);
	if (frame->module) {
		module = m->profile->modules.item[frame->module].path;
		label.module = strtab_puts(m->diff->names, profile_string(m->profile, module));
	}
	m->label_of[id.v] = intern_label(m, &label);
	return m->label_of[id.v];
}

static uint32_t root_label(void *context, thread_id id)
{
	struct merger *m = context;
	const char *comm = profile_string(m->profile, m->profile->threads.item[id.v].comm);
	struct diff_label label = { .command = true };

	if (!*comm || m->options->no_roots)
		return CALL_NO_LABEL;
	label.name = strtab_puts(m->diff->names, comm);
	return intern_label(m, &label);
}

static uint32_t merged_child(struct merger *m, uint32_t parent, const struct call_node *like)
{
	struct call_node node = { .parent = parent, .label = like->label, .frame = UINT32_MAX };
	bool added;
	uint64_t *place = map_add(&m->children, (uint64_t)parent << 32 | like->label, &added);
	struct call_node *above = &m->tree->nodes.item[parent];

	if (!added)
		return (uint32_t)*place;
	*place = m->tree->nodes.count;
	node.depth = above->depth + 1;
	node.next_sibling = above->first_child;
	above->first_child = (uint32_t)*place;
	if (node.depth > m->tree->max_depth)
		m->tree->max_depth = node.depth;
	vec_push(&m->tree->nodes, node);
	return (uint32_t)*place;
}

static void add_run(struct merger *m, struct diff_run *run)
{
	const struct profile *p = run->profile;
	struct call_tree_options options = { .events = run->events,
					     .root_label = root_label,
					     .label = frame_label,
					     .context = m,
					     .reverse = m->options->reverse };
	struct call_tree tree;
	uint32_t *merged;

	m->profile = p;
	m->label_of = mem_alloc((p->frames.count + 1) * sizeof(*m->label_of));
	memset(m->label_of, 0xff, (p->frames.count + 1) * sizeof(*m->label_of));
	run->node_of_sample = mem_alloc((p->samples.count + 1) * sizeof(*run->node_of_sample));
	options.node_of_sample = run->node_of_sample;
	call_tree_build(p, &options, &tree);
	merged = mem_alloc(tree.nodes.count * sizeof(*merged));
	merged[0] = 0;
	for (size_t i = 1; i < tree.nodes.count; i++) {
		const struct call_node *node = &tree.nodes.item[i];

		merged[i] = merged_child(m, merged[node->parent], node);
	}
	for (size_t i = 0; i < p->samples.count; i++)
		if (run->events[p->samples.item[i].event])
			run->node_of_sample[i] = merged[run->node_of_sample[i]];
	free(merged);
	free(m->label_of);
	call_tree_done(&tree);
}

static int compare_names(const struct call_node *a, const struct call_node *b, void *context)
{
	const struct merger *m = context;
	const struct diff_label *labels = m->diff->labels.item;
	int order = strcmp(strtab_get(m->diff->names, labels[a->label].name),
			   strtab_get(m->diff->names, labels[b->label].name));

	return order ? order : (a->label > b->label) - (a->label < b->label);
}

void diff_merge(struct diff_runs *runs, const struct diff_options *options, struct diff *ret,
		struct call_tree *ret_tree)
{
	struct merger m = { .options = options, .diff = ret, .tree = ret_tree };

	*ret_tree = (struct call_tree){ 0 };
	vec_push(&ret_tree->nodes,
		 ((struct call_node){ .label = CALL_NO_LABEL, .frame = UINT32_MAX }));
	for (int side = 0; side < 2; side++)
		for (size_t i = 0; i < runs->count[side]; i++)
			add_run(&m, &runs->run[side][i]);
	call_tree_sort(ret_tree, compare_names, &m);
	map_done(&m.children);
	map_done(&m.by_name);
	buf_done(&m.word);
}

void diff_copy_nodes(const struct call_tree *tree, struct diff *ret)
{
	vec_reserve(&ret->nodes, tree->nodes.count);
	for (size_t i = 0; i < tree->nodes.count; i++) {
		const struct call_node *node = &tree->nodes.item[i];

		vec_push(&ret->nodes, ((struct diff_node){ .parent = node->parent,
							   .label = node->label,
							   .depth = node->depth,
							   .first_child = node->first_child,
							   .next_sibling = node->next_sibling }));
	}
	ret->max_depth = tree->max_depth;
}

void diff_describe(const struct diff_runs *runs, struct diff *ret)
{
	const struct diff_run *run = &runs->run[DIFF_AFTER][0];
	const struct profile *p = run->profile;
	size_t at = 0;

	while (!run->events[at])
		at++;
	ret->event = strtab_puts(ret->names, profile_string(p, p->events.item[at].name));
	ret->unit = strtab_puts(ret->names, profile_string(p, p->events.item[at].unit));
	ret->scale = runs->scale;
	ret->by_samples = runs->by_samples;
}

/* True when each sample of the picked events stands for the same weight. */
static bool is_uniform(const struct diff_run *run)
{
	const struct profile *p = run->profile;
	uint64_t count = 0, weight = 0;

	for (size_t i = 0; i < p->samples.count; i++) {
		const struct profile_sample *s = &p->samples.item[i];

		if (!run->events[s->event] || !s->count)
			continue;
		if (p->events.item[s->event].scale > 1)
			return false;
		if (!count) {
			count = s->count;
			weight = s->weight;
		}
		if ((unsigned __int128)s->weight * count != (unsigned __int128)weight * s->count)
			return false;
	}
	return true;
}

static int pick(struct diff_run *run, const char *event, struct err *err)
{
	run->events = mem_zalloc(run->profile->events.count + 1);
	if (profile_pick_events(run->profile, event, run->events))
		return 0;
	if (event)
		return err_set(err, -ENOENT, "no event named '%s' on one of the sides", event);
	return err_set(err, -ENODATA, "no samples to compare");
}

static uint32_t scale_of(const struct diff_run *run)
{
	uint32_t scale = 1;

	for (size_t i = 0; i < run->profile->events.count; i++)
		if (run->events[i] && run->profile->events.item[i].scale > scale)
			scale = run->profile->events.item[i].scale;
	return scale;
}

/* Fractions of text formats: the finest decides; all are powers of ten. */
static void find_scale(struct diff_runs *runs)
{
	runs->scale = 1;
	for (int side = 0; side < 2; side++)
		for (size_t i = 0; i < runs->count[side]; i++)
			if (scale_of(&runs->run[side][i]) > runs->scale)
				runs->scale = scale_of(&runs->run[side][i]);
	for (int side = 0; side < 2; side++)
		for (size_t i = 0; i < runs->count[side]; i++)
			runs->run[side][i].factor = runs->scale / scale_of(&runs->run[side][i]);
}

int diff_runs_open(const struct diff_input *input, const struct diff_options *options,
		   struct diff_runs *ret, struct err *err)
{
	int r = 0;

	*ret = (struct diff_runs){ .by_samples = options->measure != DIFF_MEASURE_WEIGHT };
	if (options->measure == DIFF_MEASURE_AUTO && options->kind == AMOUNTS)
		ret->by_samples = false;
	for (int side = 0; side < 2; side++) {
		ret->count[side] = input->count[side];
		ret->run[side] = mem_zalloc((input->count[side] + 1) * sizeof(**ret->run));
		for (size_t i = 0; i < input->count[side]; i++)
			ret->run[side][i].profile = input->runs[side][i];
	}
	for (int side = 0; side < 2; side++)
		for (size_t i = 0; r == 0 && i < ret->count[side]; i++) {
			struct diff_run *run = &ret->run[side][i];

			r = pick(run, options->event, err);
			if (r == 0 && options->measure == DIFF_MEASURE_AUTO)
				ret->by_samples = ret->by_samples && is_uniform(run);
		}
	if (r)
		diff_runs_done(ret);
	else
		find_scale(ret);
	return r;
}

void diff_runs_done(struct diff_runs *runs)
{
	for (int side = 0; side < 2; side++) {
		for (size_t i = 0; i < runs->count[side]; i++) {
			free(runs->run[side][i].events);
			free(runs->run[side][i].node_of_sample);
		}
		free(runs->run[side]);
	}
	*runs = (struct diff_runs){ 0 };
}

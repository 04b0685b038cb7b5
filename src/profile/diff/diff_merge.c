/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Merges profiles by name (see diff_merge.h). Each first becomes a separate tree with its own
 * labels, all in parallel (call_tree.h). Then its labels and nodes, parents first, are looked up in
 * the common ones. */
#include "profile/diff/diff_merge.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/map.h"
#include "base/par.h"

/* One profile as a tree. */
struct run_tree {
	const struct diff_options *options;
	struct diff_run *run;
	bool has_commands; /* its threads have names; those of folded text do not */
	struct call_tree tree;
	struct strtab *names;
	struct map by_name; /* name, command → label */
	VEC(struct diff_label) labels;
	uint32_t *label_of, *root_of; /* by frame, by thread; CALL_NO_LABEL = not asked yet */
	uint32_t *merged;	      /* by node: the common one */
	struct buf word;
};

struct merger {
	struct diff *diff;
	struct call_tree *tree;
	struct map children; /* parent, label → node */
	struct map by_name;  /* name, command → label */
	struct map commands; /* by name: of the threads of all runs */
	struct run_tree *runs;
};

static uint64_t *label_place(struct map *by_name, const struct diff_label *label, bool *added)
{
	return map_add(by_name, (uint64_t)label->name.v << 1 | label->command, added);
}

static uint32_t intern_label(struct run_tree *t, const struct diff_label *label)
{
	bool added;
	uint64_t *place = label_place(&t->by_name, label, &added);

	if (added) {
		*place = t->labels.count;
		vec_push(&t->labels, *label);
	}
	return (uint32_t)*place;
}

/* The name of a frame, as in flame graphs. */
static string_id name_of(struct run_tree *t, const struct frame *frame)
{
	const struct profile *p = t->run->profile;
	const char *name = profile_string(p, frame->function);
	const char *module = "unknown";

	if (name[strspn(name, " \t")]) {
		/* JVMs write class names as "Lorg/example/Class;::method". */
		name += frame->kind == FRAME_JIT && name[0] == 'L' && strchr(name, '/');
		return strtab_puts(t->names, name);
	}
	if (frame->module)
		module = profile_string(p, p->modules.item[frame->module].name);
	buf_clear(&t->word);
	(void)buf_printf(&t->word, "[%s]", module);
	return strtab_intern(t->names, t->word.data, t->word.len);
}

static uint32_t frame_label(void *context, frame_id id, uint32_t root)
{
	struct run_tree *t = context;
	const struct profile *p = t->run->profile;
	const struct frame *frame = &p->frames.item[id.v];
	struct diff_label label = { .kind = frame->kind, .inlined = frame->inlined };

	(void)root;
	if (t->label_of[id.v] != CALL_NO_LABEL)
		return t->label_of[id.v];
	label.name = name_of(t, frame);
	if (frame->module)
		label.module = strtab_puts(t->names,
					   profile_string(p, p->modules.item[frame->module].path));
	t->label_of[id.v] = intern_label(t, &label);
	return t->label_of[id.v];
}

static uint32_t root_label(void *context, thread_id id)
{
	struct run_tree *t = context;
	const struct profile *p = t->run->profile;
	struct diff_label label = { .command = true };
	const char *comm;

	if (t->options->no_roots || t->root_of[id.v] != CALL_NO_LABEL)
		return t->root_of[id.v];
	comm = profile_string(p, p->threads.item[id.v].comm);
	if (!*comm)
		return CALL_NO_LABEL;
	label.name = strtab_puts(t->names, comm);
	return t->root_of[id.v] = intern_label(t, &label);
}

static uint32_t *no_labels(size_t count)
{
	uint32_t *list = mem_alloc((count + 1) * sizeof(*list));

	return memset(list, 0xff, (count + 1) * sizeof(*list)); /* CALL_NO_LABEL */
}

static void build_tree(void *context, size_t i, size_t worker)
{
	struct run_tree *t = (struct run_tree *)context + i;
	const struct profile *p = t->run->profile;
	struct call_tree_options options = { .events = t->run->events,
					     .root_label = root_label,
					     .label = frame_label,
					     .context = t,
					     .reverse = t->options->reverse };

	(void)worker;
	for (size_t j = 0; j < p->threads.count; j++)
		t->has_commands |= *profile_string(p, p->threads.item[j].comm) != '\0';
	t->names = strtab_new();
	t->label_of = no_labels(p->frames.count);
	t->root_of = no_labels(p->threads.count);
	t->run->node_of_sample =
		mem_alloc((p->samples.count + 1) * sizeof(*t->run->node_of_sample));
	options.node_of_sample = t->run->node_of_sample;
	call_tree_build(p, &options, &t->tree);
}

static void run_tree_done(struct run_tree *t)
{
	strtab_free(t->names);
	map_done(&t->by_name);
	vec_done(&t->labels);
	free(t->label_of);
	free(t->root_of);
	free(t->merged);
	buf_done(&t->word);
	call_tree_done(&t->tree);
}

static string_id copy_name(struct merger *m, const struct run_tree *t, string_id name)
{
	return strtab_intern(m->diff->names, strtab_get(t->names, name),
			     strtab_len(t->names, name));
}

static uint32_t common_label(struct merger *m, const struct diff_label *label)
{
	bool added;
	uint64_t *place = label_place(&m->by_name, label, &added);

	if (added) {
		*place = m->diff->labels.count;
		vec_push(&m->diff->labels, *label);
	}
	return (uint32_t)*place;
}

/* Translates the run's labels to the common ones. */
static uint32_t *merge_labels(struct merger *m, const struct run_tree *t)
{
	uint32_t *merged = mem_alloc((t->labels.count + 1) * sizeof(*merged));

	for (size_t i = 0; i < t->labels.count; i++) {
		struct diff_label label = t->labels.item[i];

		label.name = copy_name(m, t, label.name);
		label.module = copy_name(m, t, label.module);
		merged[i] = common_label(m, &label);
	}
	return merged;
}

static uint32_t merged_child(struct merger *m, uint32_t parent, uint32_t label)
{
	struct call_node node = { .parent = parent, .label = label, .frame = UINT32_MAX };
	bool added;
	uint64_t *place = map_add(&m->children, (uint64_t)parent << 32 | label, &added);
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

/* Folded text has a command's name as the base frame of its stacks. It is the command again where
 * another run has one of that name; without root frames for commands it is left out. */
static bool is_command(struct merger *m, const struct run_tree *t, const struct call_node *node,
		       uint32_t label)
{
	bool base = t->options->reverse ? node->ends : node->depth == 1;
	uint64_t one;

	return base && !t->has_commands &&
	       map_get(&m->commands, m->diff->labels.item[label].name.v, &one);
}

static uint32_t command_label(struct merger *m, const struct run_tree *t, string_id name)
{
	struct diff_label label = { .name = name, .command = true };

	return t->options->no_roots ? CALL_NO_LABEL : common_label(m, &label);
}

static void merge_tree(struct merger *m, struct run_tree *t)
{
	uint32_t *label = merge_labels(m, t);

	t->merged = mem_zalloc(t->tree.nodes.count * sizeof(*t->merged));
	for (size_t i = 1; i < t->tree.nodes.count; i++) {
		const struct call_node *node = &t->tree.nodes.item[i];
		uint32_t merged = label[node->label];

		if (is_command(m, t, node, merged))
			merged = command_label(m, t, m->diff->labels.item[merged].name);
		t->merged[i] = merged == CALL_NO_LABEL
				       ? t->merged[node->parent]
				       : merged_child(m, t->merged[node->parent], merged);
	}
	free(label);
}

static void find_commands(struct merger *m, const struct run_tree *t)
{
	const struct profile *p = t->run->profile;
	bool added;

	for (size_t i = 0; t->has_commands && i < p->threads.count; i++) {
		string_id name =
			strtab_puts(m->diff->names, profile_string(p, p->threads.item[i].comm));

		*map_add(&m->commands, name.v, &added) = 1;
	}
}

static void place_samples(struct run_tree *t)
{
	const struct profile *p = t->run->profile;

	for (size_t i = 0; i < p->samples.count; i++)
		if (t->run->events[p->samples.item[i].event])
			t->run->node_of_sample[i] = t->merged[t->run->node_of_sample[i]];
	run_tree_done(t);
}

static int compare_names(const struct call_node *a, const struct call_node *b, void *context)
{
	const struct merger *m = context;
	const struct diff_label *labels = m->diff->labels.item;
	int order = strcmp(strtab_get(m->diff->names, labels[a->label].name),
			   strtab_get(m->diff->names, labels[b->label].name));

	return order ? order : (a->label > b->label) - (a->label < b->label);
}

/* The steps after the trees are merged: item 0 is the tree, the others are the runs. */
static void finish(void *context, size_t i, size_t worker)
{
	struct merger *m = context;

	(void)worker;
	if (i)
		place_samples(&m->runs[i - 1]);
	else
		call_tree_sort(m->tree, compare_names, m);
}

void diff_merge(struct diff_runs *runs, const struct diff_options *options, struct diff *ret,
		struct call_tree *ret_tree)
{
	struct merger m = { .diff = ret, .tree = ret_tree };
	size_t count = 0;
	struct run_tree *list = mem_zalloc((runs->count[0] + runs->count[1]) * sizeof(*list));

	for (int side = 0; side < 2; side++)
		for (size_t i = 0; i < runs->count[side]; i++)
			list[count++] =
				(struct run_tree){ .options = options, .run = &runs->run[side][i] };
	par_for(count, 1, build_tree, list);
	*ret_tree = (struct call_tree){ 0 };
	vec_push(&ret_tree->nodes,
		 ((struct call_node){ .label = CALL_NO_LABEL, .frame = UINT32_MAX }));
	for (size_t i = 0; i < count; i++)
		find_commands(&m, &list[i]);
	for (size_t i = 0; i < count; i++)
		merge_tree(&m, &list[i]);
	m.runs = list;
	par_for(count + 1, 1, finish, &m);
	free(list);
	map_done(&m.children);
	map_done(&m.by_name);
	map_done(&m.commands);
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
	ret->uncounted = runs->uncounted;
}

/* Whether numbers of samples can replace their weights. */
static bool is_uniform(const struct diff_run *run)
{
	const struct profile *p = run->profile;
	double period;

	if (run->sample_weight != floor(run->sample_weight) || run->sample_weight < 0)
		return false;
	for (size_t i = 0; i < p->events.count; i++)
		if (run->events[i] && p->events.item[i].samples && p->events.item[i].scale > 1)
			return false;
	return profile_is_uniform(p, run->events, &period);
}

static int pick(struct diff_run *run, const char *event, struct err *err)
{
	const struct profile *p = run->profile;

	run->events = mem_zalloc(p->events.count + 1);
	if (profile_pick_events(p, event, run->events)) {
		for (size_t i = 0; i < p->events.count; i++)
			if (run->events[i] && p->events.item[i].sample_weight != 0)
				run->sample_weight = p->events.item[i].sample_weight;
		return 0;
	}
	if (event)
		return err_set(err, -ENOENT, "no event '%s' on one of the sides", event);
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
			if (options->weight_per_sample > 0)
				run->sample_weight = options->weight_per_sample;
			ret->uncounted |= run->sample_weight < 0;
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

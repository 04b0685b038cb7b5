/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Laying out a flame graph (see flame_layout.h). */
#include "view/flame_layout.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/map.h"
#include "profile/call_tree.h"

#define NO_LABEL UINT32_MAX

struct layout_builder {
	const struct profile *profile;
	const struct flame_graph_options *options;
	struct flame_layout *layout;
	struct call_tree tree;
	uint32_t *label_of; /* by frame */
	struct map by_key;  /* hash of what makes a label → index */
	struct buf word;
	uint64_t smallest; /* narrower boxes are gathered */
};

static uint32_t intern_label(struct layout_builder *b, const struct flame_label *label)
{
	uint64_t key = hash_u64((uint64_t)label->name.v << 32 | label->module.v);
	uint64_t *place;
	bool added;

	key ^= hash_u64(((uint64_t)label->kind << 1 | label->inlined) + 1);
	place = map_add(&b->by_key, key, &added);
	if (added) {
		*place = b->layout->labels.count;
		vec_push(&b->layout->labels, *label);
	}
	return (uint32_t)*place;
}

static enum flame_kind kind_of(const struct frame *frame)
{
	switch (frame->kind) {
	case FRAME_KERNEL:
		return FLAME_KERNEL;
	case FRAME_JIT:
		return FLAME_JIT;
	case FRAME_INTERPRETER:
		return FLAME_INTERPRETER;
	case FRAME_GUEST:
	case FRAME_HYPERVISOR:
		return FLAME_GUEST;
	case FRAME_SEPARATOR:
		return FLAME_SEPARATOR;
	case FRAME_USER:
		break;
	}
	return FLAME_USER;
}

/* Perf prints symbols whose name is empty; they are as unknown as those without one. */
static bool has_name(const struct profile *profile, const struct frame *frame)
{
	const char *name = profile_string(profile, frame->function);

	return name[strspn(name, " \t")] != 0;
}

static string_id frame_name(struct layout_builder *b, const struct frame *frame)
{
	const struct profile *p = b->profile;

	if (has_name(p, frame)) {
		const char *name = profile_string(p, frame->function);

		/* JVMs write class names as "Lorg/example/Class;::method". */
		name += frame->kind == FRAME_JIT && name[0] == 'L' && strchr(name, '/');
		return strtab_puts(b->layout->names, name);
	}
	buf_clear(&b->word);
	(void)buf_printf(&b->word, "[%s]",
			 frame->module ? profile_string(p, p->modules.item[frame->module].name)
				       : "unknown");
	return strtab_intern(b->layout->names, b->word.data, b->word.len);
}

static void widen_lines(struct flame_label *label, uint32_t line)
{
	if (!line)
		return;
	if (!label->line_from || line < label->line_from)
		label->line_from = line;
	if (line > label->line_to)
		label->line_to = line;
}

static uint32_t frame_label(void *context, frame_id id, uint32_t root)
{
	struct layout_builder *b = context;
	const struct frame *frame = &b->profile->frames.item[id.v];
	uint32_t *cached = &b->label_of[id.v];
	struct flame_label label, *merged;

	(void)root; /* names do not depend on the command here */
	if (*cached != NO_LABEL)
		return *cached;
	label = (struct flame_label){
		.name = frame_name(b, frame),
		.module = frame->module ? b->profile->modules.item[frame->module].path
					: STRING_EMPTY,
		.file = frame->file,
		.kind = kind_of(frame),
		.inlined = frame->inlined,
	};
	if (label.kind == FLAME_USER && !has_name(b->profile, frame))
		label.kind = FLAME_UNKNOWN;
	*cached = intern_label(b, &label);
	merged = &b->layout->labels.item[*cached];
	if (merged->file.v == frame->file.v)
		widen_lines(merged, frame->line);
	return *cached;
}

static uint32_t root_label(void *context, thread_id id)
{
	struct layout_builder *b = context;
	const struct profile_thread *thread = &b->profile->threads.item[id.v];
	const char *comm = profile_string(b->profile, thread->comm);
	struct flame_label label = { .kind = FLAME_COMMAND };

	if (!*comm || b->options->roots == FLAME_ROOTS_NONE)
		return CALL_NO_LABEL;
	buf_clear(&b->word);
	(void)buf_puts(&b->word, comm);
	if (b->options->roots != FLAME_ROOTS_COMM && thread->pid != UINT32_MAX)
		(void)buf_printf(&b->word, "-%u", thread->pid);
	if (b->options->roots == FLAME_ROOTS_TID)
		(void)buf_printf(&b->word, "/%u", thread->tid);
	label.name = strtab_intern(b->layout->names, b->word.data, b->word.len);
	return intern_label(b, &label);
}

static int compare_names(const struct call_node *a, const struct call_node *b, void *context)
{
	const struct layout_builder *builder = context;
	const struct flame_label *labels = builder->layout->labels.item;
	const struct strtab *names = builder->layout->names;
	int order = strcmp(strtab_get(names, labels[a->label].name),
			   strtab_get(names, labels[b->label].name));

	return order ? order : (a->label > b->label) - (a->label < b->label);
}

static uint64_t width_of(const struct layout_builder *b, const struct call_node *node)
{
	return b->layout->by_samples ? node->total_samples : node->total;
}

static void push_box(struct layout_builder *b, const struct call_node *node, uint64_t x)
{
	vec_push(&b->layout->boxes,
		 ((struct flame_box){
			 .x = x,
			 .weight = width_of(b, node),
			 .self = b->layout->by_samples ? node->self_samples : node->self,
			 .depth = node->depth,
			 .label = node->parent == 0 && node->depth == 0 ? 0 : node->label }));
	if (node->depth > b->layout->max_depth)
		b->layout->max_depth = node->depth;
}

/* Neighbours too narrow to draw, waiting for their common box. */
struct gathered {
	uint64_t x, weight;
	uint32_t count;
};

static void flush_gathered(struct layout_builder *b, struct gathered *gathered, uint32_t depth)
{
	if (gathered->count)
		b->layout->hidden += gathered->weight;
	if (gathered->count && gathered->weight >= b->smallest) {
		vec_push(&b->layout->boxes, ((struct flame_box){ .x = gathered->x,
								 .weight = gathered->weight,
								 .depth = depth,
								 .label = 1,
								 .smaller = gathered->count }));
		if (depth > b->layout->max_depth)
			b->layout->max_depth = depth;
	}
	*gathered = (struct gathered){ 0 };
}

/* A node whose box is placed and whose children come next. */
struct pending {
	uint32_t node;
	uint64_t x;
};

typedef VEC(struct pending) pending_list;

/* Places the children of a node: wide ones first in order, then the box of the narrow ones. In a
 * flame chart, where order is time, narrow ones are gathered where they are. */
static void place_children(struct layout_builder *b, struct pending parent, pending_list *next)
{
	const struct call_node *nodes = b->tree.nodes.item;
	uint32_t depth = nodes[parent.node].depth + 1;
	bool in_order = b->options->flamechart;
	struct gathered gathered = { 0 };
	uint64_t x = parent.x;
	size_t first = next->count;

	for (uint32_t id = nodes[parent.node].first_child; id; id = nodes[id].next_sibling) {
		uint64_t width = width_of(b, &nodes[id]);

		if (width == 0)
			continue;
		if (width < b->smallest) {
			if (!gathered.count)
				gathered.x = x;
			gathered.count++;
			gathered.weight += width;
			x += in_order ? width : 0;
			continue;
		}
		if (in_order)
			flush_gathered(b, &gathered, depth);
		vec_push(next, ((struct pending){ id, x }));
		x += width;
	}
	if (!in_order)
		gathered.x = x;
	flush_gathered(b, &gathered, depth);
	for (size_t i = first, j = next->count; i + 1 < j; i++) { /* the leftmost is taken first */
		struct pending left = next->item[i];

		next->item[i] = next->item[--j];
		next->item[j] = left;
	}
}

static void place_all(struct layout_builder *b)
{
	pending_list stack = { 0 };

	vec_push(&stack, ((struct pending){ 0, 0 }));
	while (stack.count) {
		struct pending at = stack.item[--stack.count];

		push_box(b, &b->tree.nodes.item[at.node], at.x);
		place_children(b, at, &stack);
	}
	b->layout->boxes.item[0].weight = b->layout->total;
	vec_done(&stack);
}

/* True when every sample of the drawn events stands for the same weight, so that numbers of
 * samples say the same as weights and read better. */
static bool is_uniform(const struct profile *profile, const bool *events)
{
	uint64_t count = 0, weight = 0;

	for (size_t i = 0; i < profile->samples.count; i++) {
		const struct profile_sample *s = &profile->samples.item[i];

		if (!events[s->event] || !s->count)
			continue;
		if (!count) {
			count = s->count;
			weight = s->weight;
		}
		if ((unsigned __int128)s->weight * count != (unsigned __int128)weight * s->count)
			return false;
	}
	return true;
}

static int pick_event(struct layout_builder *b, struct err *err)
{
	const struct profile *p = b->profile;
	struct flame_layout *layout = b->layout;

	layout->events = mem_zalloc(p->events.count + 1);
	if (!profile_pick_events(p, b->options->event, layout->events)) {
		if (b->options->event)
			return err_set(err, -ENOENT, "no event named '%s'", b->options->event);
		return err_set(err, -ENODATA, "no samples to draw");
	}
	while (!layout->events[layout->main_event])
		layout->main_event++;
	layout->scale = p->events.item[layout->main_event].scale;
	layout->scale = layout->scale ? layout->scale : 1;
	layout->by_samples = b->options->measure == FLAME_MEASURE_SAMPLES ||
			     (b->options->measure == FLAME_MEASURE_AUTO && layout->scale == 1 &&
			      is_uniform(p, layout->events));
	if (layout->by_samples)
		layout->scale = 1;
	return 0;
}

static int lay_out(struct layout_builder *b, double smallest, struct err *err)
{
	struct call_tree_options tree = { .events = b->layout->events,
					  .root_label = root_label,
					  .label = frame_label,
					  .context = b,
					  .reverse = b->options->reverse,
					  .in_order = b->options->flamechart };
	struct flame_layout *layout = b->layout;

	call_tree_build(b->profile, &tree, &b->tree);
	if (!b->options->flamechart)
		call_tree_sort(&b->tree, compare_names, b);
	layout->total = width_of(b, &b->tree.nodes.item[0]);
	if (!layout->total)
		return err_set(err, -ENODATA, "no samples to draw");
	if (b->options->total > layout->total)
		layout->total = b->options->total;
	b->smallest = (uint64_t)ceil((double)layout->total * smallest);
	place_all(b);
	return 0;
}

int flame_layout_build(const struct profile *profile, const struct flame_graph_options *options,
		       double smallest, struct flame_layout *ret, struct err *err)
{
	struct layout_builder b = { .profile = profile, .options = options, .layout = ret };
	size_t frames = profile->frames.count + 1;
	int r;

	*ret = (struct flame_layout){ .names = strtab_new() };
	vec_push(&ret->labels, ((struct flame_label){ .name = strtab_puts(ret->names, "all"),
						      .kind = FLAME_ALL }));
	vec_push(&ret->labels, ((struct flame_label){ .kind = FLAME_SMALLER }));
	b.label_of = mem_alloc(frames * sizeof(*b.label_of));
	memset(b.label_of, 0xff, frames * sizeof(*b.label_of)); /* NO_LABEL */
	r = pick_event(&b, err);
	if (r == 0)
		r = lay_out(&b, smallest, err);
	call_tree_done(&b.tree);
	free(b.label_of);
	map_done(&b.by_key);
	buf_done(&b.word);
	if (r)
		flame_layout_done(ret);
	return r;
}

void flame_layout_done(struct flame_layout *layout)
{
	strtab_free(layout->names);
	vec_done(&layout->labels);
	vec_done(&layout->boxes);
	free(layout->events);
	*layout = (struct flame_layout){ 0 };
}

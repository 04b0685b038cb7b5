/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Merging a profile by name for flame graphs (see flame_merge.h). */
#include "view/flame/flame_merge.h"

#include <errno.h>
#include <iconv.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/map.h"
#include "profile/call_tree.h"
#include "profile/profile.h"
#include "view/flame/flame_first.h"
#include "view/flame/flame_lines.h"
#include "view/flame/flame_options.h"
#include "view/flame/flame_parts.h"
#include "view/flame/flame_prune.h"
#include "view/flame/flame_tree.h"

#define NO_LABEL UINT32_MAX
#define NO_NODE	 FLAME_NO_NODE

struct tree_builder {
	const struct profile *profile;
	const struct flame_graph_options *options;
	struct flame_tree *ret;
	size_t most;	    /* nodes that are wanted */
	uint32_t *label_of; /* by frame */
	struct map by_key;  /* hash of what makes a label → index */
	struct buf word, converted;
	iconv_t encoding; /* of names, to UTF-8; (iconv_t)-1 = they are UTF-8 */
};

static uint32_t intern_label(struct tree_builder *b, const struct flame_label *label)
{
	uint64_t key = hash_u64((uint64_t)label->name.v << 32 | label->module.v);
	uint64_t *place;
	bool added;

	key ^= hash_u64(((uint64_t)label->kind << 1 | label->inlined) + 1);
	place = map_add(&b->by_key, key, &added);
	if (added) {
		*place = b->ret->labels.count;
		vec_push(&b->ret->labels, *label);
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

/* Perf prints symbols with empty names; they are treated as unknown. */
static bool has_name(const struct profile *profile, const struct frame *frame)
{
	const char *name = profile_string(profile, frame->function);

	return name[strspn(name, " \t")] != 0;
}

/* A name in the tree's UTF-8. Invalid bytes are kept: the document replaces them. */
static string_id intern_name(struct tree_builder *b, const char *name)
{
	size_t left = strlen(name), room = left * 4 + 16, done;
	char *from = (char *)(uintptr_t)name, *to; /* iconv() does not write there */

	if (b->encoding == (iconv_t)-1)
		return strtab_puts(b->ret->names, name);
	buf_clear(&b->converted);
	if (buf_pad(&b->converted, 0, room))
		return strtab_puts(b->ret->names, name);
	to = b->converted.data;
	(void)iconv(b->encoding, NULL, NULL, NULL, NULL);
	done = iconv(b->encoding, &from, &left, &to, &room);
	if (done == (size_t)-1)
		return strtab_puts(b->ret->names, name);
	return strtab_intern(b->ret->names, b->converted.data, (size_t)(to - b->converted.data));
}

static string_id frame_name(struct tree_builder *b, const struct frame *frame)
{
	const struct profile *p = b->profile;

	if (has_name(p, frame)) {
		const char *name = profile_string(p, frame->function);

		/* JVMs write class names as "Lorg/example/Class;::method". */
		name += frame->kind == FRAME_JIT && name[0] == 'L' && strchr(name, '/');
		return intern_name(b, name);
	}
	buf_clear(&b->word);
	(void)buf_printf(&b->word, "[%s]",
			 frame->module ? profile_string(p, p->modules.item[frame->module].name)
				       : "unknown");
	return strtab_intern(b->ret->names, b->word.data, b->word.len);
}

/* The profile's string, in the tree. */
static string_id copy(struct tree_builder *b, string_id id)
{
	return strtab_puts(b->ret->names, profile_string(b->profile, id));
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
	struct tree_builder *b = context;
	const struct frame *frame = &b->profile->frames.item[id.v];
	uint32_t *cached = &b->label_of[id.v];
	struct flame_label label, *merged;

	(void)root; /* names do not depend on the command here */
	if (*cached != NO_LABEL)
		return *cached;
	label = (struct flame_label){
		.name = frame_name(b, frame),
		.module = frame->module ? copy(b, b->profile->modules.item[frame->module].path)
					: STRING_EMPTY,
		.file = copy(b, frame->file),
		.kind = kind_of(frame),
		.inlined = frame->inlined,
	};
	if (label.kind == FLAME_USER && !has_name(b->profile, frame))
		label.kind = FLAME_UNKNOWN;
	*cached = intern_label(b, &label);
	merged = &b->ret->labels.item[*cached];
	if (merged->file.v == label.file.v)
		widen_lines(merged, frame->line);
	return *cached;
}

static uint32_t root_label(void *context, thread_id id)
{
	struct tree_builder *b = context;
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
	label.name = intern_name(b, b->word.data);
	return intern_label(b, &label);
}

static int compare_labels(const struct tree_builder *b, uint32_t x, uint32_t y)
{
	const struct flame_label *labels = b->ret->labels.item;
	int order = strcmp(strtab_get(b->ret->names, labels[x].name),
			   strtab_get(b->ret->names, labels[y].name));

	return order ? order : (x > y) - (x < y);
}

static int compare_names(const struct call_node *x, const struct call_node *y, void *context)
{
	return compare_labels(context, x->label, y->label);
}

static int pick_event(struct tree_builder *b, struct err *err)
{
	const struct profile *p = b->profile;
	struct flame_tree *tree = b->ret;

	tree->events = mem_zalloc(p->events.count + 1);
	if (!profile_pick_events(p, b->options->event, tree->events)) {
		if (b->options->event)
			return err_set(err, -ENOENT, "no event '%s'", b->options->event);
		return err_set(err, -ENODATA, "no samples to draw");
	}
	while (!tree->events[tree->main_event])
		tree->main_event++;
	tree->scale = p->events.item[tree->main_event].scale;
	tree->scale = tree->scale ? tree->scale : 1;
	tree->by_samples = flame_measure_is_samples(p, b->options, tree->events, tree->scale);
	if (tree->by_samples)
		tree->scale = 1;
	return 0;
}

/* A placed call node with children to place. */
struct pending {
	uint32_t call, parent;
};

/* Pre-order, siblings in their order; omits nodes without weight. Computes totals from self weights
 * here, because a comparison combines two trees. ret_place: by call node, may be NULL. */
static void flatten(const struct call_tree *calls, flame_node_list *ret, uint32_t *ret_place)
{
	const struct call_node *from = calls->nodes.item;
	VEC(struct pending) stack = { 0 };

	vec_reserve(ret, calls->nodes.count);
	vec_push(&stack, ((struct pending){ 0, 0 }));
	while (stack.count) {
		struct pending at = stack.item[--stack.count];
		const struct call_node *call = &from[at.call];
		uint32_t id = (uint32_t)ret->count;
		size_t first = stack.count;

		if (ret_place)
			ret_place[at.call] = id;
		vec_push(ret,
			 ((struct flame_node){ .parent = at.parent,
					       .depth = call->depth,
					       .label = at.call ? call->label : FLAME_LABEL_ALL,
					       .self = call->self }));
		for (uint32_t c = call->first_child; c; c = from[c].next_sibling)
			if (from[c].total)
				vec_push(&stack, ((struct pending){ c, id }));
		for (size_t i = first, j = stack.count; i + 1 < j; i++) { /* the first is next */
			struct pending left = stack.item[i];

			stack.item[i] = stack.item[--j];
			stack.item[j] = left;
		}
	}
	vec_done(&stack);
}

static bool begins(void *context, frame_id id)
{
	struct tree_builder *b = context;
	const struct frame *frame = &b->profile->frames.item[id.v];
	const char *name = profile_string(b->profile, frame->function);

	for (size_t i = 0; i < b->options->base_count; i++)
		if (strcmp(b->options->base[i], name) == 0)
			return true;
	return false;
}

/* What is below nodes that will be pruned need not be brought into order. */
static void cut(struct tree_builder *b, struct call_tree *calls)
{
	struct flame_weights weights = { 0 };

	for (size_t i = 0; i < calls->nodes.count; i++)
		if (i == 0 || calls->nodes.item[i].total)
			flame_weights_add(&weights, calls->nodes.item[i].total);
	b->ret->least = flame_weights_least(&weights, b->most);
	for (size_t i = 1; i < calls->nodes.count && b->ret->least; i++) {
		struct call_node *node = &calls->nodes.item[i];

		if (node->total >= b->ret->least)
			continue;
		node->first_child = 0;
		node->self = node->total;
	}
}

/* One tree of these events. node_of_sample: filled unless NULL (see call_tree.h). */
static void merge_stacks(struct tree_builder *b, const bool *events, uint32_t *node_of_sample,
			 flame_node_list *ret)
{
	struct call_tree_options options = { .events = events,
					     .root_label = root_label,
					     .label = frame_label,
					     .begins = b->options->base_count ? begins : NULL,
					     .context = b,
					     .node_of_sample = node_of_sample,
					     .by_samples = b->ret->by_samples,
					     .reverse = b->options->reverse,
					     .in_order = b->options->flamechart };
	struct call_tree calls;
	uint32_t *place = NULL;

	call_tree_build(b->profile, &options, &calls);
	cut(b, &calls);
	if (!b->options->flamechart && !b->options->no_sort)
		call_tree_sort(&calls, compare_names, b);
	b->ret->left_out += calls.left_out;
	if (node_of_sample)
		place = mem_zalloc(calls.nodes.count * sizeof(*place));
	flatten(&calls, ret, place);
	for (size_t i = 1; place && i < calls.nodes.count; i++)
		if (!place[i]) /* left out: a part of its parent */
			place[i] = place[calls.nodes.item[i].parent];
	for (size_t i = 0; place && i < b->profile->samples.count; i++)
		if (node_of_sample[i] != NO_NODE)
			node_of_sample[i] = place[node_of_sample[i]];
	free(place);
	call_tree_done(&calls);
}

/* By sample. */
static uint32_t *no_nodes(const struct tree_builder *b)
{
	size_t size = (b->profile->samples.count + 1) * sizeof(uint32_t);

	return memset(mem_alloc(size), 0xff, size); /* NO_NODE */
}

/* One tree of the events that are drawn. */
static void merge_plainly(struct tree_builder *b)
{
	uint32_t *node = flame_first_known(b->profile) ? no_nodes(b) : NULL;

	merge_stacks(b, b->ret->events, node, &b->ret->nodes);
	flame_tree_sum(b->ret);
	if (node)
		flame_first_note(b->profile, node, b->ret);
	free(node);
}

/* One tree of all events, with the weights of those that are drawn. */
static void merge_parts(struct tree_builder *b)
{
	struct flame_tree *tree = b->ret;
	size_t count = b->profile->samples.count;
	uint32_t *node = no_nodes(b);
	bool *events = mem_zalloc(b->profile->events.count + 1);

	for (size_t i = 0; i < tree->parts->events.count; i++)
		for (size_t k = 0; k < b->profile->events.count; k++)
			events[k] = events[k] || tree->parts->events.item[i].events[k];
	merge_stacks(b, events, node, &tree->nodes);
	for (size_t i = 0; i < tree->nodes.count; i++)
		tree->nodes.item[i].self = 0;
	tree->left_out = 0;
	for (size_t i = 0; i < count; i++) {
		const struct profile_sample *s = &b->profile->samples.item[i];
		size_t event = flame_parts_event(tree->parts, s);
		uint64_t weight = tree->by_samples ? s->count : s->weight;

		if (event == tree->parts->main && node[i] == NO_NODE)
			tree->left_out += weight;
		else if (event == tree->parts->main)
			tree->nodes.item[node[i]].self += weight;
		if (event < tree->parts->events.count && node[i] != NO_NODE)
			flame_parts_add(tree->parts, event, s, node[i]);
	}
	flame_parts_finish(tree->parts);
	flame_tree_sum(tree);
	if (flame_first_known(b->profile))
		flame_first_note(b->profile, node, tree);
	free(node);
	free(events);
}

/* The same node of two trees, where both have it. */
struct pair {
	uint32_t after, before, parent;
};

typedef VEC(struct pair) pair_list;

/* Children of both, merged by name, the last one on top of the stack. */
static void push_children(struct tree_builder *b, const struct flame_tree *before,
			  const struct pair *at, pair_list *stack, uint32_t parent)
{
	const struct flame_node *x = b->ret->nodes.item, *y = before->nodes.item;
	uint32_t i = at->after == NO_NODE ? NO_NODE : at->after + 1;
	uint32_t j = at->before == NO_NODE ? NO_NODE : at->before + 1;
	uint32_t i_end = i == NO_NODE ? NO_NODE : x[at->after].end;
	uint32_t j_end = j == NO_NODE ? NO_NODE : y[at->before].end;
	size_t first = stack->count;

	while (i != i_end || j != j_end) {
		int order = i == i_end	 ? 1
			    : j == j_end ? -1
					 : compare_labels(b, x[i].label, y[j].label);

		vec_push(stack, ((struct pair){ order <= 0 ? i : NO_NODE, order >= 0 ? j : NO_NODE,
						parent }));
		if (order <= 0)
			i = x[i].end;
		if (order >= 0)
			j = y[j].end;
	}
	for (size_t a = first, z = stack->count; a + 1 < z; a++) {
		struct pair left = stack->item[a];

		stack->item[a] = stack->item[--z];
		stack->item[z] = left;
	}
}

/* The union of b->ret and `before`: weights of the first, with those of the second as `other`. */
static void unite(struct tree_builder *b, const struct flame_tree *before)
{
	const struct flame_node *x = b->ret->nodes.item, *y = before->nodes.item;
	flame_node_list nodes = { 0 };
	VEC(uint64_t) other = { 0 };
	pair_list stack = { 0 };

	vec_push(&stack, ((struct pair){ 0, 0, 0 }));
	while (stack.count) {
		struct pair at = stack.item[--stack.count];
		struct flame_node node = at.after == NO_NODE ? y[at.before] : x[at.after];
		uint32_t id = (uint32_t)nodes.count;

		node.parent = at.parent;
		if (at.after == NO_NODE)
			node.self = 0;
		vec_push(&nodes, node);
		vec_push(&other, at.before == NO_NODE ? 0 : y[at.before].self);
		push_children(b, before, &at, &stack, id);
	}
	vec_done(&stack);
	vec_done(&b->ret->nodes);
	b->ret->nodes = nodes;
	b->ret->other = other.item;
}

/* Folded text with two columns has the events "after" and "before". */
static bool has_before(const struct tree_builder *b, bool *events)
{
	const struct profile *p = b->profile;
	const char *name = profile_string(p, p->events.item[b->ret->main_event].name);

	return !b->options->event && !b->options->flamechart && !b->options->no_sort &&
	       strcmp(name, "after") == 0 && profile_pick_events(p, "before", events);
}

static int merge_events(struct tree_builder *b, struct err *err)
{
	bool *events = mem_zalloc(b->profile->events.count + 1);
	bool compares = has_before(b, events);
	struct flame_tree *tree = b->ret;
	size_t most = b->most;

	if (!compares)
		tree->parts = flame_parts_new(b->profile, b->options, tree->events);
	b->most = compares || tree->parts ? SIZE_MAX : most; /* each is needed whole */
	if (tree->parts)
		merge_parts(b);
	else
		merge_plainly(b);
	if (compares) {
		struct flame_tree before = { 0 };

		merge_stacks(b, events, NULL, &before.nodes);
		flame_tree_sum(&before);
		unite(b, &before);
		flame_tree_sum(tree);
		vec_done(&before.nodes);
	}
	free(events);
	flame_prune(tree, most);
	tree->in_order = b->options->flamechart;
	if (!tree->nodes.item[0].total && !tree->other_total)
		return err_set(err, -ENODATA,
			       b->options->base_count ? "no stack has a --base function"
						      : "no samples to draw");
	return 0;
}

static int open_encoding(const char *name, iconv_t *ret, struct err *err)
{
	*ret = name ? iconv_open("UTF-8", name) : (iconv_t)-1;
	if (name && *ret == (iconv_t)-1)
		return err_set(err, -EINVAL, "unknown encoding '%s'", name);
	return 0;
}

static void close_encoding(iconv_t encoding)
{
	if (encoding != (iconv_t)-1)
		(void)iconv_close(encoding);
}

int flame_tree_check(const struct flame_graph_options *options, struct err *err)
{
	iconv_t encoding;
	int r = open_encoding(options->encoding, &encoding, err);

	close_encoding(encoding);
	return r;
}

int flame_tree_build(const struct profile *profile, const struct flame_graph_options *options,
		     struct flame_tree *ret, struct err *err)
{
	return flame_tree_build_pruned(profile, options, SIZE_MAX, ret, err);
}

int flame_tree_build_pruned(const struct profile *profile,
			    const struct flame_graph_options *options, size_t most,
			    struct flame_tree *ret, struct err *err)
{
	struct tree_builder b = {
		.profile = profile, .options = options, .ret = ret, .most = most
	};
	size_t frames = profile->frames.count + 1;
	int r;

	*ret = (struct flame_tree){ .names = strtab_new() };
	vec_push(&ret->labels, ((struct flame_label){ .name = strtab_puts(ret->names, "all"),
						      .kind = FLAME_ALL }));
	vec_push(&ret->labels, ((struct flame_label){ .kind = FLAME_SMALLER }));
	b.label_of = mem_alloc(frames * sizeof(*b.label_of));
	memset(b.label_of, 0xff, frames * sizeof(*b.label_of)); /* NO_LABEL */
	r = open_encoding(options->encoding, &b.encoding, err);
	r = r ? r : pick_event(&b, err);
	r = r ? r : merge_events(&b, err);
	if (r == 0 && !options->no_javascript && !ret->other)
		flame_lines_collect(profile, b.label_of, ret);
	close_encoding(b.encoding);
	free(b.label_of);
	map_done(&b.by_key);
	buf_done(&b.word);
	buf_done(&b.converted);
	if (r)
		flame_tree_done(ret);
	return r;
}

void flame_tree_done(struct flame_tree *tree)
{
	strtab_free(tree->names);
	vec_done(&tree->labels);
	vec_done(&tree->nodes);
	vec_done(&tree->lines);
	vec_done(&tree->source);
	free(tree->other);
	free(tree->smaller);
	free(tree->first);
	free(tree->events);
	flame_parts_free(tree->parts);
	*tree = (struct flame_tree){ 0 };
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Merges stacks by label (see call_tree.h). Every (root frame, stack node) pair is placed once:
 * samples are processed by root frame, and an array has the positions of a stack's known ancestors.
 * Linear in the number of those pairs. Most of them create a new node without a lookup: a lookup is
 * necessary only where several stack nodes merged, or several frames have the same label. Where
 * none can merge, the tree of stacks is copied. */
#include "profile/call_tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/fd.h"
#include "base/map.h"

#define SHARED UINT32_MAX /* a label that several frames have */

/* Data of a node while the tree grows. */
struct growing {
	uint32_t last_child; /* for order of appearance */
	bool many;	     /* may stand for several stack nodes */
	bool hashed;	     /* its children are in the hash table */
};

struct builder {
	const struct profile *profile;
	const struct call_tree_options *options;
	struct call_tree *tree;
	VEC(struct growing) growing; /* by node */
	uint32_t *slot;		     /* hash table of children: node id, 0 = free */
	size_t capacity, used;
	VEC(uint32_t) owner; /* by label: the frame that has it + 1, or SHARED; 0 = none yet */
	uint32_t *place;     /* stack node → call node, valid where met[] == root */
	uint32_t *met;	     /* generation */
	uint32_t generation;
	VEC(uint32_t) path;
};

/* The slot of the child in the hash table, or the free slot for it. */
static uint32_t *find_slot(const struct builder *b, uint32_t parent, uint32_t label)
{
	size_t at = hash_u64((uint64_t)parent << 32 | label) & (b->capacity - 1);

	for (; b->slot[at]; at = (at + 1) & (b->capacity - 1)) {
		const struct call_node *node = &b->tree->nodes.item[b->slot[at]];

		if (node->parent == parent && node->label == label)
			break;
	}
	return &b->slot[at];
}

static void reserve_slots(struct builder *b, size_t more)
{
	if ((b->used + more) * 2 <= b->capacity)
		return;
	while ((b->used + more) * 2 > b->capacity)
		b->capacity = b->capacity ? b->capacity * 4 : 1024;
	free(b->slot);
	b->slot = mem_table(b->capacity * sizeof(*b->slot));
	for (uint32_t id = 1; id < b->tree->nodes.count; id++) {
		const struct call_node *node = &b->tree->nodes.item[id];

		if (b->growing.item[node->parent].hashed)
			*find_slot(b, node->parent, node->label) = id;
	}
}

static void hash_children(struct builder *b, uint32_t parent)
{
	const struct call_node *nodes = b->tree->nodes.item;
	size_t count = 0;

	for (uint32_t id = nodes[parent].first_child; id; id = nodes[id].next_sibling)
		count++;
	reserve_slots(b, count);
	for (uint32_t id = nodes[parent].first_child; id; id = nodes[id].next_sibling)
		*find_slot(b, parent, nodes[id].label) = id;
	b->used += count;
	b->growing.item[parent].hashed = true;
}

static uint32_t add_child(struct builder *b, uint32_t parent, uint32_t label, uint32_t frame)
{
	uint32_t id = (uint32_t)b->tree->nodes.count;
	uint32_t depth = b->tree->nodes.item[parent].depth + 1;
	struct growing *growing = &b->growing.item[parent];

	if (growing->last_child)
		b->tree->nodes.item[growing->last_child].next_sibling = id;
	else
		b->tree->nodes.item[parent].first_child = id;
	growing->last_child = id;
	vec_push(&b->tree->nodes,
		 ((struct call_node){
			 .parent = parent, .label = label, .depth = depth, .frame = frame }));
	vec_push(&b->growing, ((struct growing){ 0 }));
	if (depth > b->tree->max_depth)
		b->tree->max_depth = depth;
	return id;
}

/* The child with that label, new if there was none. */
static uint32_t child(struct builder *b, uint32_t parent, uint32_t label, uint32_t frame)
{
	uint32_t found, *slot;

	if (label == CALL_NO_LABEL)
		return parent;
	if (b->options->in_order) {
		uint32_t last = b->growing.item[parent].last_child;

		if (last && b->tree->nodes.item[last].label == label)
			return last;
		return add_child(b, parent, label, frame);
	}
	if (!b->growing.item[parent].hashed)
		hash_children(b, parent);
	reserve_slots(b, 1);
	slot = find_slot(b, parent, label);
	if (!*slot) {
		b->used++;
		return *slot = add_child(b, parent, label, frame);
	}
	found = *slot;
	b->growing.item[found].many = true;
	return found;
}

static bool is_shared(struct builder *b, uint32_t label, frame_id frame)
{
	uint32_t *owner;

	while (b->owner.count <= label)
		vec_push(&b->owner, 0);
	owner = &b->owner.item[label];
	*owner = !*owner || *owner == frame.v + 1 ? frame.v + 1 : SHARED;
	return *owner == SHARED;
}

/* The call node for a stack node with that frame, below the call node of its parent. */
static uint32_t place_node(struct builder *b, uint32_t parent, uint32_t label, frame_id frame)
{
	if (label == CALL_NO_LABEL)
		b->growing.item[parent].many = true;
	else if (!is_shared(b, label, frame) && !b->growing.item[parent].many &&
		 !b->growing.item[parent].hashed)
		return add_child(b, parent, label, frame.v);
	return child(b, parent, label, frame.v);
}

static uint32_t label_of(struct builder *b, frame_id frame, uint32_t root)
{
	return b->options->label(b->options->context, frame, root);
}

/* The parent of the outermost node at which the stack begins; STACK_EMPTY if all of it counts.
 * Returns false if it has no beginning. */
static bool find_outside(struct builder *b, stack_id stack, stack_id *ret)
{
	bool found = !b->options->begins;

	*ret = STACK_EMPTY;
	for (; b->options->begins && stack.v; stack = b->profile->nodes.item[stack.v].parent) {
		const struct stack_node *node = &b->profile->nodes.item[stack.v];

		if (b->options->begins(b->options->context, node->frame)) {
			found = true;
			*ret = node->parent;
		}
	}
	return found;
}

/* Leaf first: the path is walked upwards, the root frame comes last. */
static uint32_t place_reversed(struct builder *b, stack_id stack, uint32_t root, stack_id outside)
{
	uint32_t at = 0;

	while (stack.v != outside.v) {
		const struct stack_node *node = &b->profile->nodes.item[stack.v];

		at = child(b, at, label_of(b, node->frame, root), node->frame.v);
		stack = node->parent;
	}
	return child(b, at, b->options->begins ? CALL_NO_LABEL : root, UINT32_MAX);
}

static uint32_t place_in_order(struct builder *b, stack_id stack, uint32_t root, stack_id outside)
{
	uint32_t at = child(b, 0, b->options->begins ? CALL_NO_LABEL : root, UINT32_MAX);

	b->path.count = 0;
	for (; stack.v != outside.v; stack = b->profile->nodes.item[stack.v].parent)
		vec_push(&b->path, b->profile->nodes.item[stack.v].frame.v);
	while (b->path.count) {
		frame_id frame = { b->path.item[--b->path.count] };

		at = child(b, at, label_of(b, frame, root), frame.v);
	}
	return at;
}

/* Walks up to the first ancestor that is already placed under this root frame, then down again. */
static uint32_t place_stack(struct builder *b, stack_id stack, uint32_t root)
{
	uint32_t at;

	b->path.count = 0;
	while (stack.v && b->met[stack.v] != b->generation) {
		vec_push(&b->path, stack.v);
		stack = b->profile->nodes.item[stack.v].parent;
	}
	at = stack.v ? b->place[stack.v] : child(b, 0, root, UINT32_MAX);
	while (b->path.count) {
		uint32_t id = b->path.item[--b->path.count];
		frame_id frame = b->profile->nodes.item[id].frame;

		at = place_node(b, at, label_of(b, frame, root), frame);
		b->place[id] = at;
		b->met[id] = b->generation;
	}
	return at;
}

static uint64_t weight_of(const struct builder *b, const struct profile_sample *sample)
{
	uint32_t own = b->profile->events.item[sample->event].scale;

	if (b->options->by_samples)
		return sample->count;
	return b->options->scale ? sample->weight * (b->options->scale / (own ? own : 1))
				 : sample->weight;
}

static void add_weight(struct builder *b, uint32_t index, uint32_t at)
{
	const struct profile_sample *sample = &b->profile->samples.item[index];
	struct call_node *node = &b->tree->nodes.item[at];

	if (b->options->node_of_sample)
		b->options->node_of_sample[index] = at;
	node->self += weight_of(b, sample);
	node->ends |= sample->count != 0;
}

static void add_sample(struct builder *b, uint32_t index, uint32_t root)
{
	const struct profile_sample *sample = &b->profile->samples.item[index];
	stack_id outside;
	uint32_t at;

	if (!find_outside(b, sample->stack, &outside)) {
		b->tree->left_out += weight_of(b, sample);
		if (b->options->node_of_sample)
			b->options->node_of_sample[index] = UINT32_MAX;
		return;
	}
	if (b->options->reverse)
		at = place_reversed(b, sample->stack, root, outside);
	else if (b->options->in_order || b->options->begins)
		at = place_in_order(b, sample->stack, root, outside);
	else
		at = place_stack(b, sample->stack, root);
	add_weight(b, index, at);
}

/* Sample indexes by root frame, each root's samples in their order. */
struct by_root {
	uint32_t root, sample;
};

#define HALF_BITS 16 /* of a label */
#define HALF	  (1u << HALF_BITS)

/* By root frame, stable: a counting sort by the lower half of the label, then by the upper. */
static void sort_by_root(struct by_root *list, size_t count)
{
	struct by_root *other = mem_alloc((count + 1) * sizeof(*other)), *from = list, *to = other;
	size_t *start = mem_alloc((HALF + 1) * sizeof(*start));

	for (unsigned shift = 0; shift < 32; shift += HALF_BITS) {
		struct by_root *swapped = from;

		memset(start, 0, (HALF + 1) * sizeof(*start));
		for (size_t i = 0; i < count; i++)
			start[(from[i].root >> shift) % HALF + 1]++;
		for (size_t i = 0; i < HALF; i++)
			start[i + 1] += start[i];
		for (size_t i = 0; i < count; i++)
			to[start[(from[i].root >> shift) % HALF]++] = from[i];
		from = to;
		to = swapped;
	}
	free(start);
	free(other); /* two passes: the result is back in the list */
}

static struct by_root *collect(struct builder *b, size_t *ret_count)
{
	const struct profile *p = b->profile;
	struct by_root *list = mem_alloc((p->samples.count + 1) * sizeof(*list));
	bool one_root = true;
	size_t n = 0;

	for (size_t i = 0; i < p->samples.count; i++) {
		const struct profile_sample *s = &p->samples.item[i];
		uint32_t root = CALL_NO_LABEL;

		if (!b->options->events[s->event])
			continue;
		if (b->options->root_label)
			root = b->options->root_label(b->options->context, s->thread);
		list[n++] = (struct by_root){ root, (uint32_t)i };
		one_root = one_root && root == list[0].root;
	}
	if (!b->options->in_order && !one_root)
		sort_by_root(list, n);
	*ret_count = n;
	return list;
}

/* Whether all samples are below one root frame, and have all stack nodes, each in the order of its
 * id: what a sample has in addition to those before is a chain. */
static bool has_all_in_order(const struct builder *b, const struct by_root *list, size_t count)
{
	const struct stack_node *nodes = b->profile->nodes.item;
	uint32_t last = 0;

	for (size_t i = 0; i < count; i++) {
		uint32_t leaf = b->profile->samples.item[list[i].sample].stack.v;

		if (list[i].root != list[0].root)
			return false;
		for (uint32_t id = leaf; id > last + 1; id--)
			if (nodes[id].parent.v != id - 1)
				return false;
		last = leaf > last ? leaf : last;
	}
	return count && (size_t)last + 1 == b->profile->nodes.count;
}

/* Labels by frame. False if a frame has none, or two have the same: stack nodes may merge. */
static bool label_frames(struct builder *b, uint32_t root, uint32_t *ret)
{
	const struct profile *p = b->profile;

	memset(ret, 0xff, p->frames.count * sizeof(*ret)); /* CALL_NO_LABEL */
	for (size_t i = 1; i < p->nodes.count; i++) {
		frame_id frame = p->nodes.item[i].frame;

		if (ret[frame.v] != CALL_NO_LABEL)
			continue;
		ret[frame.v] = label_of(b, frame, root);
		if (ret[frame.v] == CALL_NO_LABEL || is_shared(b, ret[frame.v], frame))
			return false;
	}
	return true;
}

/* Stack node i becomes call node i + shift. last: of the children of each. */
static void copy_nodes(struct builder *b, const uint32_t *label, uint32_t shift, uint32_t *last)
{
	const struct stack_node *from = b->profile->nodes.item;
	size_t count = b->profile->nodes.count;
	struct call_tree *tree = b->tree;

	vec_reserve(&tree->nodes, count);
	for (uint32_t i = 1; i < count; i++) {
		uint32_t parent = from[i].parent.v + shift, id = i + shift;
		uint32_t depth = tree->nodes.item[parent].depth + 1, frame = from[i].frame.v;

		vec_push(&tree->nodes, ((struct call_node){ .parent = parent,
							    .label = label[frame],
							    .depth = depth,
							    .frame = frame }));
		if (last[parent])
			tree->nodes.item[last[parent]].next_sibling = id;
		else
			tree->nodes.item[parent].first_child = id;
		last[parent] = id;
		tree->max_depth = depth > tree->max_depth ? depth : tree->max_depth;
	}
}

/* Where no stack nodes merge, as in folded text, they are the call nodes. Returns false if they
 * may. */
static bool build_from_nodes(struct builder *b, const struct by_root *list, size_t count)
{
	const struct call_tree_options *o = b->options;
	AUTO_FREE uint32_t *label = NULL, *last = NULL;
	uint32_t root, shift;

	if (o->reverse || o->in_order || o->begins || !has_all_in_order(b, list, count))
		return false;
	root = list[0].root;
	shift = root != CALL_NO_LABEL;
	label = mem_alloc((b->profile->frames.count + 1) * sizeof(*label));
	if (!label_frames(b, root, label))
		return false;
	last = mem_zalloc((b->profile->nodes.count + shift) * sizeof(*last));
	vec_push(&b->tree->nodes,
		 ((struct call_node){ .label = CALL_NO_LABEL, .frame = UINT32_MAX }));
	if (shift) {
		vec_push(&b->tree->nodes,
			 ((struct call_node){ .label = root, .depth = 1, .frame = UINT32_MAX }));
		b->tree->nodes.item[0].first_child = 1;
		b->tree->max_depth = 1;
	}
	copy_nodes(b, label, shift, last);
	for (size_t i = 0; i < count; i++)
		add_weight(b, list[i].sample,
			   b->profile->samples.item[list[i].sample].stack.v + shift);
	return true;
}

static void build_by_label(struct builder *b, const struct by_root *list, size_t count)
{
	size_t nodes = b->profile->nodes.count;

	vec_reserve(&b->tree->nodes, nodes); /* most trees have about as many */
	vec_reserve(&b->growing, nodes);
	vec_push(&b->tree->nodes,
		 ((struct call_node){ .label = CALL_NO_LABEL, .frame = UINT32_MAX }));
	vec_push(&b->growing, ((struct growing){ .many = true })); /* of all root frames */
	b->place = mem_alloc(nodes * sizeof(*b->place));
	b->met = mem_zalloc(nodes * sizeof(*b->met));
	for (size_t i = 0; i < count; i++) {
		if (i == 0 || list[i].root != list[i - 1].root)
			b->generation++;
		add_sample(b, list[i].sample, list[i].root);
	}
}

static void sum_up(struct call_tree *tree)
{
	for (size_t i = tree->nodes.count; i-- > 0;) {
		struct call_node *node = &tree->nodes.item[i];

		node->total += node->self;
		if (i)
			tree->nodes.item[node->parent].total += node->total;
	}
}

void call_tree_build(const struct profile *profile, const struct call_tree_options *options,
		     struct call_tree *ret)
{
	struct builder b = { .profile = profile, .options = options, .tree = ret };
	struct by_root *list;
	size_t count;

	*ret = (struct call_tree){ 0 };
	list = collect(&b, &count);
	if (!build_from_nodes(&b, list, count))
		build_by_label(&b, list, count);
	sum_up(ret);
	free(list);
	free(b.slot);
	free(b.place);
	free(b.met);
	vec_done(&b.growing);
	vec_done(&b.owner);
	vec_done(&b.path);
}

struct sort_context {
	const struct call_tree *tree;
	int (*compare)(const struct call_node *a, const struct call_node *b, void *context);
	void *context;
};

static int compare_nodes(const void *a, const void *b, void *pcontext)
{
	const struct sort_context *c = pcontext;
	const struct call_node *nodes = c->tree->nodes.item;

	return c->compare(&nodes[*(const uint32_t *)a], &nodes[*(const uint32_t *)b], c->context);
}

void call_tree_sort(struct call_tree *tree,
		    int (*compare)(const struct call_node *a, const struct call_node *b,
				   void *context),
		    void *context)
{
	struct sort_context c = { .tree = tree, .compare = compare, .context = context };
	VEC(uint32_t) children = { 0 };

	for (size_t i = 0; i < tree->nodes.count; i++) {
		uint32_t *link = &tree->nodes.item[i].first_child;

		if (!*link || !tree->nodes.item[*link].next_sibling)
			continue;
		children.count = 0;
		for (uint32_t at = *link; at; at = tree->nodes.item[at].next_sibling)
			vec_push(&children, at);
		qsort_r(children.item, children.count, sizeof(uint32_t), compare_nodes, &c);
		for (size_t j = 0; j < children.count; j++) {
			*link = children.item[j];
			link = &tree->nodes.item[children.item[j]].next_sibling;
		}
		*link = 0;
	}
	vec_done(&children);
}

void call_tree_done(struct call_tree *tree)
{
	vec_done(&tree->nodes);
}

/* "cpu_core/cycles/u" and "cpu_atom/cycles/u" → "cycles/u". */
static const char *without_core(const char *name)
{
	if (strncmp(name, "cpu_core/", 9) == 0 || strncmp(name, "cpu_atom/", 9) == 0)
		return name + 9;
	return name;
}

size_t profile_pick_events(const struct profile *profile, const char *name, bool *picked)
{
	const char *core_free;
	size_t count = 0;

	for (size_t i = 0; !name && i < profile->events.count; i++)
		if (profile->events.item[i].samples)
			name = profile_string(profile, profile->events.item[i].name);
	for (size_t i = 0; i < profile->events.count; i++) {
		const char *other = profile_string(profile, profile->events.item[i].name);

		core_free = name ? without_core(name) : "";
		picked[i] = name && (strcmp(other, name) == 0 ||
				     (core_free != name && without_core(other) != other &&
				      strcmp(without_core(other), core_free) == 0));
		count += picked[i];
	}
	return count;
}

bool profile_is_uniform(const struct profile *profile, const bool *picked, double *ret_period)
{
	uint64_t count = 0, weight = 0;

	for (size_t i = 0; i < profile->samples.count; i++) {
		const struct profile_sample *s = &profile->samples.item[i];

		if (!picked[s->event] || !s->count)
			continue;
		if (profile->events.item[s->event].kind == EVENT_KIND_FAULT_WAIT)
			return false; /* it is time, also if all of it has one stack */
		if (!count) {
			count = s->count;
			weight = s->weight;
		}
		if ((unsigned __int128)s->weight * count != (unsigned __int128)weight * s->count)
			return false;
	}
	*ret_period = count ? (double)weight / (double)count : 1;
	return true;
}

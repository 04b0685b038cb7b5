/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Call tree → lines of folded text. Traversing the tree in byte order gives sorted lines without
 * sorting whole lines. The length of each line is known in advance, so the text is divided into
 * parts at known positions, which all cores write. */
#include "format/folded/folded_lines.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/par.h"
#include "base/strtab.h"
#include "base/vec.h"
#include "profile/call_tree.h"

#define PART_BYTES ((size_t)256 << 10) /* of text: the least for a part */

/* A child gives up to two places in the output: the line that ends with it sorts as "name", those
 * that go on sort as "name;". */
struct place {
	uint32_t node;
	bool goes_on;
};

typedef VEC(struct place) place_list;

/* Neighbouring places below one node. */
struct part {
	uint32_t parent;
	size_t first, count; /* in writer.places */
	size_t at;	     /* in the output */
};

struct writer {
	const struct call_tree *tree;
	const struct strtab *names;
	uint32_t scale;
	size_t *stem;  /* by node: bytes from the root's name to its own */
	size_t *below; /* by node: bytes of all lines that go on behind it */
	place_list places;
	VEC(struct part) parts;
	size_t bytes; /* in parts so far */
	char *out;
};

static const struct call_node *node_at(const struct writer *w, uint32_t id)
{
	return &w->tree->nodes.item[id];
}

static string_id name_of(const struct writer *w, uint32_t id)
{
	return (string_id){ node_at(w, id)->label };
}

/* Decimal with the event's fraction, without trailing zeros. */
static void put_weight(uint32_t scale, uint64_t weight, struct buf *ret)
{
	uint64_t fraction = weight % scale;

	(void)buf_put_u64(ret, weight / scale);
	if (!fraction)
		return;
	(void)buf_putc(ret, '.');
	for (uint64_t unit = scale / 10; fraction; unit /= 10) {
		(void)buf_putc(ret, (char)('0' + fraction / unit));
		fraction %= unit;
	}
}

static int compare_places(const void *pa, const void *pb, void *context)
{
	const struct writer *w = context;
	const struct place *a = pa, *b = pb;
	const unsigned char *sa = (const unsigned char *)strtab_get(w->names, name_of(w, a->node));
	const unsigned char *sb = (const unsigned char *)strtab_get(w->names, name_of(w, b->node));

	while (*sa && *sa == *sb) {
		sa++;
		sb++;
	}
	return (*sa ? *sa : a->goes_on * ';') - (*sb ? *sb : b->goes_on * ';');
}

/* Most nodes have few children. */
static void sort_places(const struct writer *w, struct place *place, size_t count)
{
	if (count > 8) {
		qsort_r(place, count, sizeof(*place), compare_places, (void *)(uintptr_t)w);
		return;
	}
	for (size_t i = 1; i < count; i++) {
		struct place moving = place[i];
		size_t to = i;

		for (; to > 0 && compare_places(&place[to - 1], &moving, (void *)(uintptr_t)w) > 0;
		     to--)
			place[to] = place[to - 1];
		place[to] = moving;
	}
}

/* Adds the sorted places below a node to a list. */
static void add_places(const struct writer *w, uint32_t parent, place_list *list)
{
	size_t first = list->count;

	for (uint32_t id = node_at(w, parent)->first_child; id; id = node_at(w, id)->next_sibling) {
		if (node_at(w, id)->ends)
			vec_push(list, ((struct place){ id, false }));
		if (node_at(w, id)->first_child)
			vec_push(list, ((struct place){ id, true }));
	}
	if (list->count > first)
		sort_places(w, list->item + first, list->count - first);
}

/* One worker's way through a part. The walk keeps its own stack: hostile input may be 65536 frames
 * deep. Places of all levels are one array. */
struct level {
	size_t at, end; /* of its places */
	size_t line_len;
};

struct walk {
	const struct writer *w;
	struct buf line, weight;
	place_list places;
	VEC(struct level) levels;
	char *out;
};

static void add_name(struct walk *walk, uint32_t node)
{
	string_id name = name_of(walk->w, node);

	if (node_at(walk->w, node)->parent)
		(void)buf_putc(&walk->line, ';');
	(void)buf_append(&walk->line, strtab_get(walk->w->names, name),
			 strtab_len(walk->w->names, name));
}

static void put_line(struct walk *walk, uint32_t node)
{
	buf_clear(&walk->weight);
	put_weight(walk->w->scale, node_at(walk->w, node)->self, &walk->weight);
	if (walk->line.len)
		memcpy(walk->out, walk->line.data, walk->line.len);
	walk->out += walk->line.len;
	*walk->out++ = ' ';
	memcpy(walk->out, walk->weight.data, walk->weight.len);
	walk->out += walk->weight.len;
	*walk->out++ = '\n';
}

static void push_level(struct walk *walk, size_t first)
{
	vec_push(&walk->levels,
		 ((struct level){
			 .at = first, .end = walk->places.count, .line_len = walk->line.len }));
}

static void walk_places(struct walk *walk)
{
	while (walk->levels.count) {
		struct level *level = vec_last(&walk->levels);
		struct place place;

		if (level->at == level->end) {
			walk->levels.count--;
			walk->places.count = walk->levels.count ? vec_last(&walk->levels)->end : 0;
			continue;
		}
		place = walk->places.item[level->at++];
		walk->line.len = level->line_len;
		add_name(walk, place.node);
		if (!place.goes_on) {
			put_line(walk, place.node);
			continue;
		}
		add_places(walk->w, place.node, &walk->places);
		push_level(walk, level->end);
	}
}

static void write_part(void *context, size_t i, size_t worker)
{
	const struct writer *w = context;
	const struct part *part = &w->parts.item[i];
	struct walk walk = { .w = w, .out = w->out + part->at };
	VEC(uint32_t) above = { 0 };

	(void)worker;
	for (uint32_t id = part->parent; id; id = node_at(w, id)->parent)
		vec_push(&above, id);
	while (above.count)
		add_name(&walk, above.item[--above.count]);
	for (size_t p = 0; p < part->count; p++)
		vec_push(&walk.places, w->places.item[part->first + p]);
	push_level(&walk, 0);
	walk_places(&walk);
	vec_done(&above);
	vec_done(&walk.places);
	vec_done(&walk.levels);
	buf_done(&walk.line);
	buf_done(&walk.weight);
}

/* Bytes of the line that ends with the node. */
static size_t line_bytes(const struct writer *w, uint32_t id, struct buf *word)
{
	if (!node_at(w, id)->ends)
		return 0;
	buf_clear(word);
	put_weight(w->scale, node_at(w, id)->self, word);
	return w->stem[id] + 1 + word->len + 1;
}

static void measure(struct writer *w, struct buf *word)
{
	size_t count = w->tree->nodes.count;

	w->stem = mem_zalloc(count * sizeof(*w->stem));
	w->below = mem_zalloc(count * sizeof(*w->below));
	for (uint32_t id = 1; id < count; id++) {
		uint32_t parent = node_at(w, id)->parent;

		w->stem[id] =
			w->stem[parent] + (parent != 0) + strtab_len(w->names, name_of(w, id));
	}
	for (uint32_t id = (uint32_t)count; id-- > 1;)
		w->below[node_at(w, id)->parent] += line_bytes(w, id, word) + w->below[id];
}

/* The places from `first` on, up to `end`, become a part unless there are none. */
static void add_part(struct writer *w, uint32_t parent, size_t first, size_t end, size_t bytes)
{
	if (end > first)
		vec_push(&w->parts, ((struct part){ .parent = parent,
						    .first = first,
						    .count = end - first,
						    .at = w->bytes }));
	w->bytes += bytes;
}

/* A node with places that become parts. */
struct opened {
	uint32_t parent;
	size_t at, end;
};

static struct opened open_node(struct writer *w, uint32_t parent)
{
	size_t first = w->places.count;

	add_places(w, parent, &w->places);
	return (struct opened){ parent, first, w->places.count };
}

/* Takes places of an opened node until one is large enough for separate parts, and returns it; 0
 * at the end. */
static uint32_t cut_parts(struct writer *w, struct opened *node, struct buf *word)
{
	size_t first = node->at, bytes = 0;

	while (node->at < node->end) {
		struct place place = w->places.item[node->at++];

		if (place.goes_on && w->below[place.node] > PART_BYTES) {
			add_part(w, node->parent, first, node->at - 1, bytes);
			return place.node;
		}
		bytes += place.goes_on ? w->below[place.node] : line_bytes(w, place.node, word);
		if (bytes > PART_BYTES) {
			add_part(w, node->parent, first, node->at, bytes);
			first = node->at;
			bytes = 0;
		}
	}
	add_part(w, node->parent, first, node->end, bytes);
	return 0;
}

static void make_parts(struct writer *w, struct buf *word)
{
	VEC(struct opened) open = { 0 };

	vec_push(&open, open_node(w, 0));
	while (open.count) {
		uint32_t next = cut_parts(w, vec_last(&open), word);

		if (next)
			vec_push(&open, open_node(w, next));
		else
			open.count--;
	}
	vec_done(&open);
}

int folded_lines(const struct call_tree *tree, const struct strtab *names, uint32_t scale,
		 struct buf *ret)
{
	struct writer w = { .tree = tree, .names = names, .scale = scale };
	struct buf word = { 0 };
	size_t from;
	int r;

	if (tree->nodes.item[0].self) { /* no command, and no frame with a name */
		(void)buf_puts(ret, "[unknown] ");
		put_weight(scale, tree->nodes.item[0].self, ret);
		(void)buf_putc(ret, '\n');
	}
	from = ret->len;
	measure(&w, &word);
	make_parts(&w, &word);
	r = buf_extend(ret, w.bytes);
	if (!r) {
		w.out = ret->data + from;
		par_for(w.parts.count, 1, write_part, &w);
	}
	free(w.stem);
	free(w.below);
	vec_done(&w.places);
	vec_done(&w.parts);
	buf_done(&word);
	return r;
}

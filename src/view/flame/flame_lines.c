/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of functions (see flame_lines.h). */
#include "view/flame/flame_lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "profile/profile.h"
#include "view/flame/flame_tree.h"

#define NONE UINT32_MAX

struct collector {
	const struct profile *profile;
	const uint32_t *label_of;
	struct flame_tree *tree;
	uint32_t *line_of;   /* by frame: index in tree->lines */
	VEC(uint32_t) last;  /* by line: the sample that counted last, plus one */
	struct map by_place; /* hash of label, file and line → index */
};

static uint32_t find_line(struct collector *c, size_t frame)
{
	const struct frame *f = &c->profile->frames.item[frame];
	uint32_t label = c->label_of[frame];
	uint64_t *place;
	string_id file;
	bool added;

	if (!f->line || label == NONE || f->file.v == STRING_EMPTY.v)
		return NONE;
	file = strtab_puts(c->tree->names, profile_string(c->profile, f->file));
	place = map_add(&c->by_place,
			hash_u64((uint64_t)label << 32 | f->line) ^ hash_u64(file.v + 1ull),
			&added);
	if (added) {
		*place = c->tree->lines.count;
		vec_push(&c->tree->lines,
			 ((struct flame_line){ .label = label, .file = file, .line = f->line }));
		vec_push(&c->last, 0);
	}
	return (uint32_t)*place;
}

static void add_sample(struct collector *c, size_t index)
{
	const struct profile_sample *s = &c->profile->samples.item[index];
	uint64_t weight = c->tree->by_samples ? s->count : s->weight;

	for (stack_id at = s->stack; at.v; at = c->profile->nodes.item[at.v].parent) {
		uint32_t line = c->line_of[c->profile->nodes.item[at.v].frame.v];

		if (line == NONE)
			continue;
		if (at.v == s->stack.v)
			c->tree->lines.item[line].self += weight;
		if (c->last.item[line] != index + 1)
			c->tree->lines.item[line].total += weight;
		c->last.item[line] = (uint32_t)index + 1;
	}
}

static int compare_lines(const void *pa, const void *pb)
{
	const struct flame_line *a = pa, *b = pb;

	if (a->label != b->label)
		return a->label < b->label ? -1 : 1;
	if (a->file.v != b->file.v)
		return a->file.v < b->file.v ? -1 : 1;
	return (a->line > b->line) - (a->line < b->line);
}

static void drop_weightless(struct flame_tree *tree)
{
	size_t kept = 0;

	for (size_t i = 0; i < tree->lines.count; i++)
		if (tree->lines.item[i].total)
			tree->lines.item[kept++] = tree->lines.item[i];
	tree->lines.count = kept;
}

/* Of files with lines that are drawn. */
static void collect_source(const struct profile *profile, struct flame_tree *tree)
{
	struct map drawn = { 0 };
	uint64_t known;

	for (size_t i = 0; i < tree->lines.count; i++)
		map_set(&drawn, tree->lines.item[i].file.v, true);
	for (size_t i = 0; i < profile->source.count; i++) {
		const struct profile_source_line *line = &profile->source.item[i];
		string_id file = strtab_puts(tree->names, profile_string(profile, line->file));

		if (map_get(&drawn, file.v, &known))
			vec_push(&tree->source,
				 ((struct flame_source){ file, line->line,
							 profile_string(profile, line->text) }));
	}
	map_done(&drawn);
}

void flame_lines_collect(const struct profile *profile, const uint32_t *label_of,
			 struct flame_tree *tree)
{
	struct collector c = { .profile = profile, .label_of = label_of, .tree = tree };

	c.line_of = mem_alloc((profile->frames.count + 1) * sizeof(*c.line_of));
	for (size_t i = 0; i < profile->frames.count; i++)
		c.line_of[i] = find_line(&c, i);
	for (size_t i = 0; tree->lines.count && i < profile->samples.count; i++)
		if (tree->events[profile->samples.item[i].event])
			add_sample(&c, i);
	drop_weightless(tree);
	collect_source(profile, tree);
	if (tree->lines.count)
		qsort(tree->lines.item, tree->lines.count, sizeof(*tree->lines.item),
		      compare_lines);
	free(c.line_of);
	vec_done(&c.last);
	map_done(&c.by_place);
}

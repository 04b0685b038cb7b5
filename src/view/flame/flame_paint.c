/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Colours for trees (see flame_paint.h). */
#include "view/flame/flame_paint.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "view/flame/flame_layout.h"
#include "view/flame/flame_options.h"
#include "view/flame/flame_palette_map.h"
#include "view/flame/flame_tree.h"
#include "view/state_kind.h"

static int check_color(const char *option, const char *text, struct err *err)
{
	rgb color;

	if (!text || flame_color_parse(text, &color))
		return 0;
	return err_set(err, -EINVAL, "%s: invalid colour '%s': expected #rrggbb", option, text);
}

int flame_paint_check(const struct flame_graph_options *o, struct err *err)
{
	rgb top, bottom;
	int r;

	if (!flame_palette_find(o->colors)) {
		struct buf names = { .limit = 512 };

		flame_palette_names(&names);
		(void)err_set(err, -EINVAL, "unknown palette '%s'", o->colors);
		(void)err_hint(err, "expected one of %s", names.data);
		buf_done(&names);
		return -EINVAL;
	}
	if (o->bgcolors && !flame_background(o->bgcolors, &top, &bottom)) {
		(void)err_set(err, -EINVAL, "unknown background '%s'", o->bgcolors);
		return err_hint(err, "expected yellow, blue, green, grey or #rrggbb");
	}
	r = check_color("search-color", o->search_color, err);
	if (o->stroke_color && strcmp(o->stroke_color, "none") != 0)
		r = r ? r : check_color("stroke-color", o->stroke_color, err);
	return r ? r : check_color("uicolor", o->ui_color, err);
}

static rgb color_of(const struct flame_tree *tree, const struct flame_graph_options *o, size_t i)
{
	const struct flame_label *label = &tree->labels.item[i];
	struct flame_subject subject = { .name = strtab_get(tree->names, label->name),
					 .kind = label->kind,
					 .inlined = label->inlined,
					 .random = o->random ? (uint32_t)i + 1 : 0 };
	rgb color;

	if (o->states) {
		size_t kind = state_kind_find(strtab_get(tree->names, label->module));

		if (kind < state_kind_count)
			return state_kinds[kind].color;
	}
	if (o->palette_map && flame_palette_map_get(o->palette_map, subject.name, &color))
		return color;
	color = flame_color(flame_palette_find(o->colors), &subject);
	if (o->palette_map && *subject.name)
		flame_palette_map_add(o->palette_map, subject.name, color);
	return color;
}

rgb *flame_paint_labels(const struct flame_tree *tree, const struct flame_graph_options *options)
{
	rgb *colors = mem_alloc(tree->labels.count * sizeof(*colors));

	for (size_t i = 0; i < tree->labels.count; i++)
		colors[i] = color_of(tree, options, i);
	return colors;
}

static void find_changes(struct flame_paint *paint)
{
	const struct flame_tree *tree = paint->tree;
	size_t count = tree->nodes.count;

	paint->change = mem_zalloc(count * sizeof(*paint->change));
	for (size_t i = count; i-- > 0;) {
		const struct flame_node *node = &tree->nodes.item[i];
		int64_t change;

		paint->change[i] += (int64_t)node->self - (int64_t)tree->other[i];
		change = paint->change[i];
		if (i)
			paint->change[node->parent] += change;
		if (i && (uint64_t)llabs(change) > paint->greatest)
			paint->greatest = (uint64_t)llabs(change);
	}
}

void flame_paint_init(struct flame_paint *paint, const struct flame_tree *tree,
		      const struct flame_graph_options *options)
{
	*paint = (struct flame_paint){ .tree = tree, .options = options };
	paint->labels = flame_paint_labels(tree, options);
	if (tree->other)
		find_changes(paint);
}

double flame_paint_change(const struct flame_paint *paint, const struct flame_box *box)
{
	double change = paint->change ? (double)paint->change[box->node] : 0;

	return paint->options->negate ? -change : change;
}

/* White to red for `share` of 1, as inferno's colour diffusion and FlameGraph's differentials. */
static rgb red(double share)
{
	unsigned rest = (unsigned)(230 - 190 * share);

	return 0xff0000 | rest << 8 | rest;
}

static rgb blue(double share)
{
	unsigned rest = (unsigned)(230 - 150 * share);

	return rest << 16 | (unsigned)(230 - 100 * share) << 8 | 0xff;
}

rgb flame_paint_box(const struct flame_paint *paint, const struct flame_box *box, size_t index)
{
	const struct flame_tree *tree = paint->tree;
	const struct flame_graph_options *o = paint->options;
	uint64_t whole = tree->nodes.item[0].total;

	if (box->smaller)
		return paint->labels[FLAME_LABEL_SMALLER];
	if (paint->change && box->depth) {
		double change = flame_paint_change(paint, box);

		if (change == 0 || !paint->greatest)
			return 0xfafafa;
		return change > 0 ? red(change / (double)paint->greatest)
				  : blue(-change / (double)paint->greatest);
	}
	if (o->color_diffusion && whole)
		return red(fmin((double)box->weight / (double)whole, 1));
	if (o->random && !o->palette_map) {
		const struct flame_label *label = &tree->labels.item[box->label];
		struct flame_subject subject = { .name = strtab_get(tree->names, label->name),
						 .kind = label->kind,
						 .inlined = label->inlined,
						 .random = (uint32_t)index + 1 };

		return flame_color(flame_palette_find(o->colors), &subject);
	}
	return paint->labels[box->label];
}

void flame_paint_done(struct flame_paint *paint)
{
	free(paint->labels);
	free(paint->change);
	*paint = (struct flame_paint){ 0 };
}

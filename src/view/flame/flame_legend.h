/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kinds of code that a flame graph distinguishes by colour, with their self time.
 * Only of the default palette: colours of others mean other things. */
#ifndef VIEW_FLAME_FLAME_LEGEND_H
#define VIEW_FLAME_FLAME_LEGEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "view/flame/flame_color.h"

struct buf;
struct flame_graph_options;
struct flame_tree;
struct state_kind;

struct flame_legend_item {
	const char *name;
	enum flame_kind kind;
	bool inlined;
	rgb color;
	const struct state_kind *state; /* in place of the kind of code; its index is the item's */
	uint64_t self;			/* weight */
};

#define FLAME_LEGEND_MAX 64

struct flame_legend {
	/* Every kind that has a name, or all states; those of the picture have weight. */
	struct flame_legend_item item[FLAME_LEGEND_MAX];
	size_t count; /* 0: colours have other meanings */
	size_t shown; /* items with weight */
};

void flame_legend_collect(const struct flame_tree *tree, const struct flame_graph_options *options,
			  struct flame_legend *ret);
/* As a member of the JSON object of packed data: ",\"legend\":[…]", or nothing. */
void flame_legend_put_json(const struct flame_legend *legend, struct buf *ret);
/* Draws it as SVG text at these positions; nothing if there are fewer than two kinds. */
void flame_legend_put_svg(const struct flame_legend *legend, double x, double y, struct buf *ret);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The legend of kinds (see flame_legend.h). */
#include "view/flame/flame_legend.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/buf.h"
#include "view/flame/flame_options.h"
#include "view/flame/flame_tree.h"
#include "view/state_kind.h"

/* Names in the legend, normal and inlined; other kinds have no self time. */
static const char *const kind_name[FLAME_KIND_COUNT][2] = {
	[FLAME_COMMAND] = { "no stack", NULL },
	[FLAME_USER] = { "user", "inlined" },
	[FLAME_KERNEL] = { "kernel", "inlined in the kernel" },
	[FLAME_JIT] = { "compiled at run time", "inlined at run time" },
	[FLAME_INTERPRETER] = { "interpreted", NULL },
	[FLAME_GUEST] = { "guest", NULL },
	[FLAME_UNKNOWN] = { "no symbol", NULL },
};

static bool shows_kinds(const struct flame_tree *tree, const struct flame_graph_options *o)
{
	return !o->states && flame_palette_find(o->colors) == flame_palette_find(NULL) &&
	       !o->color_diffusion && !o->palette_map && !tree->other;
}

/* By the module of labels; the rest is of threads, which spend nothing themselves. */
static void collect_states(const struct flame_tree *tree, struct flame_legend *ret)
{
	uint64_t *self = mem_zalloc((state_kind_count + 1) * sizeof(*self));

	for (size_t i = 0; i < tree->nodes.count; i++) {
		const struct flame_node *node = &tree->nodes.item[i];
		string_id module = tree->labels.item[node->label].module;

		if (node->self)
			self[state_kind_find(strtab_get(tree->names, module))] += node->self;
	}
	for (size_t i = 0; i < state_kind_count && ret->count < FLAME_LEGEND_MAX; i++) {
		const struct state_kind *kind = &state_kinds[i];

		ret->shown += self[i] != 0;
		ret->item[ret->count++] = (struct flame_legend_item){
			.name = kind->name, .state = kind, .color = kind->color, .self = self[i]
		};
	}
	free(self);
}

void flame_legend_collect(const struct flame_tree *tree, const struct flame_graph_options *options,
			  struct flame_legend *ret)
{
	uint64_t self[FLAME_KIND_COUNT][2] = { 0 };

	*ret = (struct flame_legend){ 0 };
	if (options->states)
		collect_states(tree, ret);
	if (!shows_kinds(tree, options))
		return;
	for (size_t i = 0; i < tree->nodes.count; i++) {
		const struct flame_node *node = &tree->nodes.item[i];
		const struct flame_label *label = &tree->labels.item[node->label];

		self[label->kind][label->inlined] += node->self;
	}
	for (unsigned kind = 0; kind < FLAME_KIND_COUNT; kind++)
		for (unsigned inlined = 0; inlined < 2; inlined++) {
			if (!kind_name[kind][inlined])
				continue;
			ret->shown += self[kind][inlined] != 0;
			ret->item[ret->count++] = (struct flame_legend_item){
				.name = kind_name[kind][inlined],
				.kind = (enum flame_kind)kind,
				.inlined = inlined,
				.color = flame_color_of_kind((enum flame_kind)kind, inlined),
				.self = self[kind][inlined]
			};
		}
}

void flame_legend_put_json(const struct flame_legend *legend, struct buf *ret)
{
	for (size_t i = 0; i < legend->count; i++) {
		const struct flame_legend_item *item = &legend->item[i];

		if (item->state) {
			(void)buf_puts(ret, i ? "," : ",\"states\":true,\"legend\":[");
			state_kind_put_json(item->state, ret);
			continue;
		}
		(void)buf_printf(ret,
				 "%s{\"kind\":%d,\"inlined\":%s,\"name\":\"%s\",\"color\":"
				 "\"#%06x\"}",
				 i ? "," : ",\"legend\":[", (int)item->kind,
				 item->inlined ? "true" : "false", item->name, item->color);
	}
	if (legend->count)
		(void)buf_putc(ret, ']');
}

void flame_legend_put_svg(const struct flame_legend *legend, double x, double y, struct buf *ret)
{
	uint64_t whole = 0;

	if (legend->shown < 2)
		return;
	for (size_t i = 0; i < legend->count; i++)
		whole += legend->item[i].self;
	(void)buf_printf(ret, "<text id=\"legend\" x=\"%g\" y=\"%g\">", x, y);
	for (size_t i = 0; i < legend->count; i++) {
		const struct flame_legend_item *item = &legend->item[i];

		if (!item->self)
			continue;
		if (item->state)
			(void)buf_printf(ret, "<tspan style=\"fill:url(#state%zu)\"", i);
		else
			(void)buf_printf(ret, "<tspan style=\"fill:#%06x\"", item->color);
		(void)buf_printf(ret, ">\xe2\x96\xa0</tspan> %s %.1f%% \xc2\xa0", item->name,
				 100.0 * (double)item->self / (double)whole);
	}
	(void)buf_puts(ret, "</text>\n");
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Words around flame graphs (see flame_info.h). */
#include "view/flame/flame_info.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "profile/profile.h"
#include "view/flame/flame_attributes.h"
#include "view/flame/flame_facts.h"
#include "view/flame/flame_legend.h"
#include "view/flame/flame_options.h"
#include "view/flame/flame_parts.h"
#include "view/flame/flame_tree.h"

static void put_member(struct buf *out, const char *name, const char *text)
{
	if (!text || !*text)
		return;
	(void)buf_printf(out, ",\"%s\":", name);
	(void)buf_put_json(out, text);
}

/* Colours and fonts for pages that cannot contain a style sheet. */
static void put_looks(const struct flame_graph_options *o, struct buf *ret)
{
	rgb top, bottom;

	put_member(ret, "searchcolor", o->search_color);
	if (o->stroke_color && strcmp(o->stroke_color, "none") != 0)
		put_member(ret, "strokecolor", o->stroke_color);
	put_member(ret, "uicolor", o->ui_color);
	put_member(ret, "fonttype", o->fonttype);
	if (o->bgcolors && flame_background(o->bgcolors, &top, &bottom))
		(void)buf_printf(ret, ",\"background\":[\"#%06x\",\"#%06x\"]", top, bottom);
}

/* The user's attributes of functions, as far as a page can show them. */
static void put_attributes(const struct flame_tree *tree, const struct flame_graph_options *o,
			   struct buf *ret)
{
	const char *before = ",\"attributes\":{";

	for (size_t i = 0; o->attributes && i < tree->labels.count; i++) {
		const char *name = strtab_get(tree->names, tree->labels.item[i].name);
		const struct flame_attribute *found = flame_attributes_find(o->attributes, name);

		if (!found)
			continue;
		(void)buf_puts(ret, before);
		(void)buf_put_json(ret, name);
		(void)buf_puts(ret, ":{\"function\":true");
		put_member(ret, "href", flame_attributes_get(found, "href"));
		put_member(ret, "title", flame_attributes_get(found, "title"));
		(void)buf_putc(ret, '}');
		before = ",";
	}
	if (*before && before[1] == '\0')
		(void)buf_putc(ret, '}');
}

/* By path of the modules that have frames. */
static void put_build_ids(const struct profile *profile, struct buf *ret)
{
	bool *used = mem_zalloc(profile->modules.count + 1);
	const char *before = ",\"builds\":{";

	for (size_t i = 0; i < profile->frames.count; i++)
		used[profile->frames.item[i].module] = true;
	for (size_t i = 0; i < profile->modules.count; i++) {
		const struct profile_module *module = &profile->modules.item[i];

		if (!used[i] || !module->build_id[0])
			continue;
		(void)buf_puts(ret, before);
		(void)buf_put_json(ret, profile_string(profile, module->path));
		(void)buf_printf(ret, ":\"%s\"", module->build_id);
		before = ",";
	}
	(void)buf_puts(ret, before[1] ? "" : "}");
	free(used);
}

void flame_info_put(const struct profile *profile, const struct flame_tree *tree,
		    const struct flame_graph_options *o, const struct flame_facts *facts,
		    struct buf *ret)
{
	struct flame_legend legend;

	flame_legend_collect(tree, o, &legend);
	flame_legend_put_json(&legend, ret);
	flame_parts_put_json(profile, tree, o, ret);
	put_member(ret, "title", facts->title.data);
	put_member(ret, "subtitle", o->subtitle);
	put_member(ret, "notes", o->notes);
	put_member(ret, "about", facts->about.data);
	put_member(ret, "missing", facts->missing.data);
	put_member(ret, "hint", facts->hint.data);
	put_member(ret, "remedies", facts->remedies.data);
	put_member(ret, "countname", flame_count_name(profile, tree, o));
	put_member(ret, "nametype", o->nametype ? o->nametype : "Function:");
	put_member(ret, "find", o->find);
	put_member(ret, "code", o->code);
	(void)buf_printf(ret, ",\"each\":%.17g", flame_sample_width(profile, tree, o));
	put_looks(o, ret);
	put_attributes(tree, o, ret);
	put_build_ids(profile, ret);
	(void)buf_printf(ret, ",\"negate\":%s,\"diffusion\":%s,\"cutleft\":%s",
			 o->negate ? "true" : "false", o->color_diffusion ? "true" : "false",
			 o->truncate_left ? "true" : "false");
	(void)buf_printf(ret, ",\"rowheight\":%u,\"fontsize\":%g", o->height ? o->height : 16,
			 o->fontsize > 0 ? o->fontsize : 12.0);
	(void)buf_printf(ret, ",\"factor\":%.17g,\"total\":%llu,\"inverted\":%s,\"reverse\":%s",
			 o->factor > 0 ? o->factor : 1, (unsigned long long)o->total,
			 o->inverted ? "true" : "false", o->reverse ? "true" : "false");
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Drawing a flame graph as SVG. The document is complete without its script: titles, labels and
 * places are written here; flame_graph.js and flame_graph.css, embedded by the build, add zoom,
 * search and tooltips. Element ids, titles and the attributes fg:x, fg:w and total_samples are
 * those of FlameGraph and inferno. */
#include "view/flame/flame_graph.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "profile/profile.h"
#include "view/flame/flame_facts.h"
#include "view/flame/flame_info.h"
#include "view/flame/flame_legend.h"
#include "view/flame/flame_merge.h"
#include "view/flame/flame_pack.h"
#include "view/flame/flame_picture.h"
#include "view/state_kind.h"

#define DEFAULT_WIDTH	  1200
#define DEFAULT_HEIGHT	  16
#define DEFAULT_MINWIDTH  0.1
#define DEFAULT_FONT	  "Verdana, 'DejaVu Sans', Arial, sans-serif"
#define DEFAULT_MONO	  "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace"
#define DEFAULT_FONTSIZE  12.0
#define DEFAULT_FONTWIDTH 0.605 /* DejaVu Sans Mono */
#define SIDE_PAD	  10

extern const char flame_graph_js[], flame_graph_css[];

#define DATA_NODES 200000 /* at most so many in the packed data: a megabyte at the worst */
#define BOXES	   15000  /* browsers take some 40 us for each element before they show the first */
#define CONTROLS   34	  /* px for the bar of buttons, which scripts fill */
#define MEANING	   26	  /* px for the legend, beside which scripts put menus, */
#define STATES	   24	  /* and more where it is of states, which are many */

/* Two hyphens would end a comment. */
static void put_notes(struct picture *p)
{
	const char *notes = p->options->notes;
	struct buf clean = { 0 };

	if (!notes)
		return;
	for (size_t i = 0; notes[i]; i++) {
		(void)buf_putc(&clean, notes[i]);
		if (notes[i] == '-' && (notes[i + 1] == '-' || !notes[i + 1]))
			(void)buf_putc(&clean, ' ');
	}
	(void)buf_puts(p->out, "<!-- NOTES: ");
	flame_put_text(p->out, clean.data ? clean.data : "");
	(void)buf_puts(p->out, " -->\n");
	buf_done(&clean);
}

static void put_head(struct picture *p)
{
	const char *font = p->options->fonttype;
	struct buf *out = p->out;
	rgb top, bottom;

	(void)buf_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n");
	(void)buf_printf(out,
			 "<svg version=\"1.1\" width=\"%g\" height=\"%g\" %s"
			 "viewBox=\"0 0 %g %g\" xmlns=\"http://www.w3.org/2000/svg\" "
			 "xmlns:xlink=\"http://www.w3.org/1999/xlink\" "
			 "xmlns:fg=\"http://github.com/jonhoo/inferno\" font-size=\"%g\" "
			 "fg:hidden=\"%llu\" fg:nametype=\"",
			 p->width, p->height,
			 p->options->no_javascript ? "" : "onload=\"init(evt)\" ", p->width,
			 p->height, p->fontsize, (unsigned long long)p->layout.hidden);
	flame_put_text(out, p->options->nametype ? p->options->nametype : "Function:");
	(void)buf_puts(out, "\" font-family=\"");
	flame_put_text(out, font ? font : DEFAULT_FONT);
	(void)buf_printf(out, "\"%s>\n", p->options->bgcolors ? " class=\"fixed\"" : "");
	(void)buf_puts(out, "<!-- Flame graph made by cupel " CUPEL_VERSION
			    ". The wider a frame, the more of the samples it was in. -->\n");
	put_notes(p);
	(void)buf_puts(out, "<style type=\"text/css\"><![CDATA[\n");
	(void)buf_puts(out, p->given ? p->given->style : flame_graph_css);
	if (p->options->bgcolors && flame_background(p->options->bgcolors, &top, &bottom))
		(void)buf_printf(out, "svg.fixed { --paper: #%06x; }\n", bottom);
	if (p->options->ui_color) /* checked before */
		(void)buf_printf(out, "svg, svg.fixed { --ink: %s; --soft: %s; --link: %s; }\n",
				 p->options->ui_color, p->options->ui_color, p->options->ui_color);
	(void)buf_puts(out, "]]></style>\n");
	if (p->options->no_javascript)
		return;
	(void)buf_puts(out, "<script type=\"text/ecmascript\"><![CDATA[\n");
	(void)buf_puts(out, p->given ? p->given->script : flame_graph_js);
	(void)buf_puts(out, "]]></script>\n<metadata id=\"flame-data\">");
	(void)buf_append(out, p->data.data, p->data.len);
	(void)buf_puts(out, "</metadata>\n");
}

static void put_background(struct picture *p)
{
	rgb top, bottom;

	if (!p->options->bgcolors) {
		(void)buf_puts(p->out, "<rect id=\"background\" x=\"0\" y=\"0\" width=\"100%\" "
				       "height=\"100%\" fill=\"#fbfaf8\"/>\n");
		return;
	}
	(void)flame_background(p->options->bgcolors, &top, &bottom); /* checked before */
	(void)buf_printf(p->out,
			 "<defs><linearGradient id=\"paper\" x1=\"0\" y1=\"0\" x2=\"0\" y2=\"1\">"
			 "<stop stop-color=\"#%06x\" offset=\"5%%\"/>"
			 "<stop stop-color=\"#%06x\" offset=\"95%%\"/></linearGradient></defs>\n"
			 "<rect x=\"0\" y=\"0\" width=\"100%%\" height=\"100%%\" "
			 "fill=\"url(#paper)\"/>\n",
			 top, bottom);
}

/* One of the lines around the frames; `at` is its x, `text` may be NULL. */
static void put_line(struct picture *p, const char *attributes, double y, const char *text)
{
	(void)buf_printf(p->out, "<text %s y=\"%g\">", attributes, y);
	flame_put_text(p->out, text ? text : "");
	(void)buf_puts(p->out, "</text>\n");
}

/* What helps, one line each, below what is missing. */
static void put_remedies(struct picture *p, double y)
{
	const char *line = p->facts.remedies.data;

	if (!p->facts.remedies.len)
		return;
	(void)buf_printf(p->out, "<text id=\"remedies\" text-anchor=\"middle\" y=\"%g\">", y);
	for (const char *end; (end = strchr(line, '\n')); line = end + 1) {
		struct buf text = { 0 };

		(void)buf_append(&text, line, (size_t)(end - line));
		(void)buf_printf(p->out, "<tspan x=\"50%%\" dy=\"%g\">", p->fontsize * 1.5);
		flame_put_text(p->out, text.data);
		(void)buf_puts(p->out, "</tspan>");
		buf_done(&text);
	}
	(void)buf_puts(p->out, "</text>\n");
}

static void put_around(struct picture *p)
{
	const struct flame_graph_options *o = p->options;
	double line = p->fontsize * 1.5, y = p->fontsize * 2;

	put_line(p, "id=\"title\" x=\"50%\" text-anchor=\"middle\"", y,
		 p->facts.title.len ? p->facts.title.data : flame_title(o));
	if (o->subtitle && *o->subtitle)
		put_line(p, "id=\"subtitle\" x=\"50%\" text-anchor=\"middle\"", y += line,
			 o->subtitle);
	if (p->facts.about.len)
		put_line(p,
			 o->subtitle && *o->subtitle
				 ? "id=\"about\" x=\"50%\" text-anchor=\"middle\""
				 : "id=\"subtitle\" x=\"50%\" text-anchor=\"middle\"",
			 y += line, p->facts.about.data);
	if (p->facts.hint.len)
		put_line(p, "id=\"hint\" x=\"50%\" text-anchor=\"middle\"", y += line,
			 p->facts.hint.data);
	if (p->facts.missing.len)
		put_line(p, "id=\"missing\" x=\"50%\" text-anchor=\"middle\"", y += line,
			 p->facts.missing.data);
	put_remedies(p, y);
	if (p->given)
		put_line(p, "id=\"legend\" x=\"10\"", p->top - p->fontsize * 0.7, p->given->legend);
	else
		flame_legend_put_svg(&p->legend, SIDE_PAD, p->top - p->fontsize * 0.7, p->out);
	put_line(p, "id=\"unzoom\" class=\"hide\" x=\"10\"", p->fontsize * 2, "Reset Zoom");
	put_line(p, "id=\"search\" class=\"hide\" x=\"100%\" dx=\"-34\" text-anchor=\"end\"",
		 p->fontsize * 2, "Search");
	put_line(p, "id=\"ignorecase\" class=\"hide\" x=\"100%\" dx=\"-10\" text-anchor=\"end\"",
		 p->fontsize * 2, "ic");
	put_line(p, "id=\"details\" x=\"10\"", p->height - p->fontsize * 0.9, " ");
	put_line(p, "id=\"matched\" class=\"hide\" x=\"100%\" dx=\"-10\" text-anchor=\"end\"",
		 p->height - p->fontsize * 0.9, " ");
}

static void draw(struct picture *p)
{
	put_head(p);
	put_background(p);
	(void)buf_puts(p->out, p->given && p->given->defs ? p->given->defs : "");
	if (p->options->states)
		state_kinds_put_svg(p->out);
	put_around(p);
	(void)buf_printf(p->out, "<svg id=\"frames\" x=\"%d\" width=\"%g\" total_samples=\"%llu\"",
			 SIDE_PAD, p->inner, (unsigned long long)p->layout.total);
	(void)buf_puts(p->out, " font-family=\"");
	flame_put_text(p->out, p->options->fonttype ? p->options->fonttype : DEFAULT_MONO);
	(void)buf_puts(p->out, "\">\n");
	for (size_t i = 0; i < p->layout.boxes.count; i++)
		flame_put_box(p, i);
	(void)buf_puts(p->out, "</svg>\n</svg>\n");
}

static int meaning_height(const struct picture *p)
{
	return p->options->states ? MEANING + STATES : MEANING;
}

/* Space above and below the frames: title and lines of text, details. */
static void measure(struct picture *p)
{
	double lines = (p->options->subtitle && *p->options->subtitle) + (p->facts.about.len != 0) +
		       (p->facts.missing.len != 0) + (p->facts.hint.len != 0);

	for (size_t i = 0; i < p->facts.remedies.len; i++)
		lines += p->facts.remedies.data[i] == '\n';
	p->top = p->fontsize * 2 + lines * p->fontsize * 1.5 + p->fontsize * 1.2;
	if (!p->options->no_javascript)
		p->top += CONTROLS + (p->given ? CONTROLS : meaning_height(p));
	else if (p->legend.shown > 1)
		p->top += p->fontsize * 1.5;
	p->bottom = p->fontsize * 2 + 8;
	p->top = ceil(p->top);
	p->bottom = ceil(p->bottom);
	p->height = p->top + (p->layout.max_depth + 1) * p->row + p->bottom;
}

static void take_given(const struct flame_given *given, struct flame_pack *pack, struct buf *info)
{
	pack->tree = given->tree;
	pack->columns = given->columns;
	pack->column_count = given->column_count;
	(void)buf_puts(info, given->info);
}

/* What the viewer needs to carry on from the picture that the document holds. */
static int pack_data(struct picture *p, uint64_t least, struct err *err)
{
	struct buf info = { 0 };
	struct flame_column first = { "first", p->tree.first };
	struct flame_pack pack = { .tree = &p->tree,
				   .colors = p->paint.labels,
				   .columns = &first,
				   .column_count = p->tree.first != NULL,
				   .quick = true };
	int r;

	if (p->options->no_javascript)
		return 0;
	if (p->given)
		take_given(p->given, &pack, &info);
	else
		flame_info_put(p->profile, &p->tree, p->options, &p->facts, &info);
	(void)buf_printf(
		&info,
		",\"geometry\":{\"controls\":%d,\"top\":%g,\"bottom\":%g,\"height\":%g,\"row\":%g,"
		"\"fontsize\":%g,\"inner\":%g,\"least\":%llu,\"inverted\":%s}",
		CONTROLS + (p->given ? 6 : meaning_height(p) + 2), p->top, p->bottom, p->height,
		p->row, p->fontsize,
		p->given ? 0 : p->inner, /* 0: the script draws its own first picture */
		(unsigned long long)least, p->options->inverted ? "true" : "false");
	pack.info = info.data;
	r = flame_pack_write(&pack, &p->data, err);
	buf_done(&info);
	return r;
}

/* Places the boxes. Unless the user said how narrow they may be, a picture with very many is made
 * of those up to a pixel wide, so that it opens at once; scripts can zoom into the others. */
static void place(struct picture *p)
{
	const struct flame_graph_options *o = p->options;
	double smallest = o->minwidth_percent ? p->minwidth / 100 : p->minwidth / p->inner;

	flame_layout_build(&p->tree, o->total, smallest, &p->layout);
	while (o->minwidth < 0 && p->layout.boxes.count > BOXES && smallest * p->inner < 0.9) {
		flame_layout_done(&p->layout);
		smallest *= 1.5;
		flame_layout_build(&p->tree, o->total, smallest, &p->layout);
	}
}

static void set_up(struct picture *p, const struct flame_graph_options *o)
{
	p->width = o->width ? o->width : DEFAULT_WIDTH;
	p->inner = p->width - 2 * SIDE_PAD;
	p->row = o->height ? o->height : DEFAULT_HEIGHT;
	p->fontsize = o->fontsize > 0 ? o->fontsize : DEFAULT_FONTSIZE;
	p->fontwidth = o->fontwidth > 0 ? o->fontwidth : DEFAULT_FONTWIDTH;
	p->minwidth = o->minwidth >= 0 ? o->minwidth : DEFAULT_MINWIDTH;
	p->factor = o->factor > 0 ? o->factor : 1;
	p->indent = o->pretty_xml ? "\n  " : "";
	p->stroke = o->stroke_color && flame_color_parse(o->stroke_color, &p->stroke_color);
}

static int check_range(const char *what, double value, double least, double most, struct err *err)
{
	if (value >= least && value <= most)
		return 0;
	return err_set(err, -EINVAL, "%s: invalid value %g: expected %g to %.0f", what, value,
		       least, most);
}

int flame_graph_check(const struct flame_graph_options *o, struct err *err)
{
	struct picture p = { 0 };
	int r = flame_paint_check(o, err);

	set_up(&p, o);
	r = r ? r : check_range("width", p.width, 100, 1e6, err);
	r = r ? r : check_range("height", p.row, 4, 1000, err);
	r = r ? r : check_range("fontsize", p.fontsize, 1, 1000, err);
	if (r == 0 && o->factor < 0)
		r = err_set(err, -EINVAL, "factor: invalid value %g: expected 0 or more",
			    o->factor);
	return r ? r : flame_tree_check(o, err);
}

int flame_graph_svg(const struct profile *profile, const struct flame_graph_options *o,
		    struct buf *ret, double *ret_missed, struct err *err)
{
	struct picture p = { .profile = profile, .options = o, .out = ret };
	int r;

	set_up(&p, o);
	r = flame_graph_check(o, err);
	r = r ? r : flame_tree_build_pruned(profile, o, DATA_NODES, &p.tree, err);
	if (r)
		return r;
	if (ret_missed)
		*ret_missed = (double)flame_facts_gathered(&p.tree) /
			      (double)(p.tree.nodes.item[0].total + !p.tree.nodes.item[0].total);
	place(&p);
	flame_facts_collect(profile, &p.tree, o, &p.layout, &p.facts);
	flame_paint_init(&p.paint, &p.tree, o);
	flame_legend_collect(&p.tree, o, &p.legend);
	p.countname = flame_count_name(profile, &p.tree, o);
	p.each = flame_sample_width(profile, &p.tree, o);
	measure(&p);
	r = pack_data(&p, p.layout.smallest, err);
	if (r == 0)
		draw(&p);
	buf_done(&p.data);
	flame_paint_done(&p.paint);
	flame_facts_done(&p.facts);
	flame_layout_done(&p.layout);
	flame_tree_done(&p.tree);
	return r;
}

/* The tree as it is drawn: its nodes have the widths given. */
static void shape(const struct flame_given *given, struct flame_tree *ret)
{
	*ret = *given->tree;
	ret->nodes = (flame_node_list){ 0 };
	ret->other = NULL;
	ret->scale = 1;
	vec_reserve(&ret->nodes, given->tree->nodes.count);
	for (size_t i = 0; i < given->tree->nodes.count; i++) {
		struct flame_node node = given->tree->nodes.item[i];

		node.self = given->widths[i];
		vec_push(&ret->nodes, node);
	}
	flame_tree_sum(ret);
}

int flame_graph_svg_given(const struct flame_given *given, const struct flame_graph_options *o,
			  struct buf *ret, struct err *err)
{
	struct flame_graph_options options = *o;
	struct picture p = { .options = &options, .given = given, .out = ret };
	int r;

	set_up(&p, o);
	/* Packed data of very many nodes would make the file too large for a picture. */
	options.no_javascript = o->no_javascript || given->tree->nodes.count > DATA_NODES;
	r = flame_graph_check(o, err);
	if (r)
		return r;
	shape(given, &p.tree);
	flame_layout_build(&p.tree, 0,
			   o->minwidth_percent ? p.minwidth / 100 : p.minwidth / p.inner,
			   &p.layout);
	(void)buf_puts(&p.facts.about, given->about);
	(void)buf_puts(&p.facts.missing, given->missing ? given->missing : "");
	flame_paint_init(&p.paint, &p.tree, o);
	p.countname = given->countname;
	measure(&p);
	r = pack_data(&p, p.layout.smallest, err);
	if (r == 0)
		draw(&p);
	buf_done(&p.data);
	flame_paint_done(&p.paint);
	flame_facts_done(&p.facts);
	flame_layout_done(&p.layout);
	vec_done(&p.tree.nodes);
	return r;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Drawing a flame graph as SVG. The document is complete without its script: titles, labels and
 * places are written here; flame_graph.js and flame_graph.css, embedded by the build, add zoom,
 * search and tooltips. Element ids, titles and the attributes fg:x, fg:w and total_samples are
 * those of FlameGraph and inferno. */
#include "view/flame_graph.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "profile/profile.h"
#include "view/flame_color.h"
#include "view/flame_facts.h"
#include "view/flame_layout.h"

#define DEFAULT_WIDTH	  1200
#define DEFAULT_HEIGHT	  16
#define DEFAULT_MINWIDTH  0.1
#define DEFAULT_FONT	  "Verdana, 'DejaVu Sans', Arial, sans-serif"
#define DEFAULT_MONO	  "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace"
#define DEFAULT_FONTSIZE  12.0
#define DEFAULT_FONTWIDTH 0.605 /* DejaVu Sans Mono */
#define SIDE_PAD	  10
#define TEXT_PAD	  3

extern const char flame_graph_js[], flame_graph_css[];

struct shade {
	rgb color;
	bool dark, set; /* dark: white text reads better */
};

struct picture {
	const struct profile *profile;
	const struct flame_graph_options *options;
	const struct flame_palette *palette;
	struct flame_layout layout;
	struct flame_facts facts;
	struct buf *out;
	double width, row, top, bottom, height, inner; /* px */
	double fontsize, fontwidth, minwidth;
	double factor;
	const char *countname;
	struct shade *shades; /* by label */
};

static void put_text(struct buf *out, const char *s)
{
	(void)buf_put_xml(out, s, strlen(s));
}

/* A decimal fixed-point number: 12345 with 2 decimals is "123.45". Without the cost of printf,
 * which is most of the time of a large picture. */
static void put_fixed(struct buf *out, uint64_t value, unsigned decimals)
{
	char digits[24];
	size_t at = sizeof(digits);

	for (unsigned i = 0; i <= decimals || value; i++) {
		if (i && i == decimals)
			digits[--at] = '.';
		digits[--at] = (char)('0' + value % 10);
		value /= 10;
	}
	(void)buf_append(out, digits + at, sizeof(digits) - at);
}

/* With thousands separated, as FlameGraph writes counts. */
static void put_grouped(struct buf *out, uint64_t value)
{
	char digits[32];
	size_t at = sizeof(digits);

	for (unsigned i = 0; i == 0 || value; i++) {
		if (i && i % 3 == 0)
			digits[--at] = ',';
		digits[--at] = (char)('0' + value % 10);
		value /= 10;
	}
	(void)buf_append(out, digits + at, sizeof(digits) - at);
}

static void put_count(const struct picture *p, uint64_t weight)
{
	double value = (double)weight / p->layout.scale * p->factor;

	if (p->layout.scale == 1 && p->factor == 1) {
		put_grouped(p->out, weight);
	} else if (value < 9e15) {
		put_grouped(p->out, (uint64_t)value);
		if (value != floor(value))
			(void)buf_printf(p->out, ".%02.0f", (value - floor(value)) * 100);
	} else {
		(void)buf_printf(p->out, "%g", value);
	}
}

/* weight's part of the whole picture, in 1/unit. */
static uint64_t part(const struct picture *p, uint64_t weight, uint64_t unit)
{
	unsigned __int128 scaled = (unsigned __int128)weight * unit;

	return (uint64_t)((scaled + p->layout.total / 2) / p->layout.total);
}

static double share(const struct picture *p, uint64_t weight)
{
	return (double)weight / (double)p->layout.total;
}

/* "NAME (1,234 samples, 5.67%)" */
static void put_title(struct picture *p, const struct flame_box *box, const char *name)
{
	struct buf *out = p->out;

	(void)buf_puts(out, "<title>");
	if (box->smaller)
		(void)buf_printf(out, "(%u smaller)", box->smaller);
	else
		put_text(out, name);
	(void)buf_puts(out, " (");
	put_count(p, box->weight);
	(void)buf_putc(out, ' ');
	put_text(out, p->countname);
	if (box->depth == 0) {
		(void)buf_puts(out, ", 100%)</title>");
	} else {
		(void)buf_puts(out, ", ");
		put_fixed(out, part(p, box->weight, 10000), 2);
		(void)buf_puts(out, "%)</title>");
	}
}

static size_t utf8_step(const char *s, size_t len)
{
	size_t n = 1;

	while (n < len && ((unsigned char)s[n] & 0xc0) == 0x80)
		n++;
	return n;
}

/* As much of the name as fits into `width` px; an ellipsis stands for the rest. */
static void put_label(struct picture *p, const char *name, size_t len, double width)
{
	double room = floor((width - 2 * TEXT_PAD) / (p->fontsize * p->fontwidth));
	size_t letters = 0, cut = 0, i = 0;

	if (room < 3)
		return;
	while (i < len && letters <= room) {
		if (letters < room)
			cut = i; /* where the ellipsis would go */
		i += utf8_step(name + i, len - i);
		letters++;
	}
	if (i >= len && letters <= room) {
		(void)buf_put_xml(p->out, name, len);
		return;
	}
	(void)buf_put_xml(p->out, name, cut);
	(void)buf_puts(p->out, "\xe2\x80\xa6");
}

/* What the tooltip says besides the counts: kind, module, source. */
static void put_info(struct picture *p, const struct flame_label *label)
{
	static const char *const kinds[FLAME_KIND_COUNT] = {
		[FLAME_KERNEL] = "kernel",	     [FLAME_JIT] = "compiled at run time",
		[FLAME_INTERPRETER] = "interpreted", [FLAME_GUEST] = "guest",
		[FLAME_UNKNOWN] = "no symbol",
	};
	const char *module = profile_string(p->profile, label->module);
	const char *file = profile_string(p->profile, label->file);
	const char *sep = "";

	if (!label->inlined && !kinds[label->kind] && !*module && !*file)
		return;
	(void)buf_puts(p->out, " fg:i=\"");
	if (label->inlined || kinds[label->kind]) {
		(void)buf_printf(p->out, "%s%s%s", label->inlined ? "inlined" : "",
				 label->inlined && kinds[label->kind] ? ", " : "",
				 kinds[label->kind] ? kinds[label->kind] : "");
		sep = " \xc2\xb7 ";
	}
	if (*module) {
		(void)buf_puts(p->out, sep);
		put_text(p->out, module);
		sep = " \xc2\xb7 ";
	}
	if (*file) {
		(void)buf_puts(p->out, sep);
		put_text(p->out, file);
		if (label->line_from)
			(void)buf_printf(p->out, ":%u", label->line_from);
		if (label->line_to > label->line_from)
			(void)buf_printf(p->out, "\xe2\x80\x93%u", label->line_to);
	}
	(void)buf_putc(p->out, '"');
}

static const char *box_class(const struct flame_box *box, const struct flame_label *label,
			     bool dark)
{
	if (box->smaller)
		return " class=\"m\"";
	if (label->inlined)
		return dark ? " class=\"w i\"" : " class=\"i\"";
	return dark ? " class=\"w\"" : "";
}

static struct shade shade_of(struct picture *p, size_t index)
{
	const struct flame_box *box = &p->layout.boxes.item[index];
	const struct flame_label *label = &p->layout.labels.item[box->label];
	struct shade *known = &p->shades[box->label];
	struct flame_subject subject = { .name = strtab_get(p->layout.names, label->name),
					 .kind = label->kind,
					 .inlined = label->inlined,
					 .random = p->options->random ? (uint32_t)index + 1 : 0 };

	if (!known->set || subject.random) {
		known->color = flame_color(p->palette, &subject);
		known->dark = flame_color_is_dark(known->color);
		known->set = true;
	}
	return *known;
}

/* Places are in 1/10000 percent of the width of the frames. */
static void put_rect(struct picture *p, const struct flame_box *box, rgb color, double y)
{
	struct buf *out = p->out;

	(void)buf_puts(out, "<rect x=\"");
	put_fixed(out, part(p, box->x, 1000000), 4);
	(void)buf_puts(out, "%\" y=\"");
	(void)buf_put_u64(out, (uint64_t)y);
	(void)buf_puts(out, "\" width=\"");
	put_fixed(out, part(p, box->weight, 1000000), 4);
	(void)buf_puts(out, "%\" height=\"");
	(void)buf_put_u64(out, (uint64_t)p->row - 1);
	(void)buf_puts(out, "\" fill=\"rgb(");
	(void)buf_put_u64(out, color >> 16);
	(void)buf_putc(out, ',');
	(void)buf_put_u64(out, color >> 8 & 255);
	(void)buf_putc(out, ',');
	(void)buf_put_u64(out, color & 255);
	(void)buf_puts(out, ")\" rx=\"2\" fg:x=\"");
	(void)buf_put_u64(out, box->x);
	(void)buf_puts(out, "\" fg:w=\"");
	(void)buf_put_u64(out, box->weight);
	(void)buf_puts(out, "\"/>");
}

static void put_box(struct picture *p, size_t index)
{
	const struct flame_box *box = &p->layout.boxes.item[index];
	const struct flame_label *label = &p->layout.labels.item[box->label];
	const char *name = strtab_get(p->layout.names, label->name);
	size_t name_len = strtab_len(p->layout.names, label->name);
	struct shade shade = shade_of(p, index);
	double y = p->options->inverted ? p->top + box->depth * p->row
					: p->height - p->bottom - (box->depth + 1) * p->row;
	double text_pad = TEXT_PAD * 1000000 / p->inner;
	char smaller[32];

	if (box->smaller) {
		name_len = (size_t)snprintf(smaller, sizeof(smaller), "(%u smaller)", box->smaller);
		name = smaller;
	}
	(void)buf_puts(p->out, "<g");
	(void)buf_puts(p->out, box_class(box, label, shade.dark));
	put_info(p, label);
	(void)buf_putc(p->out, '>');
	put_title(p, box, name);
	put_rect(p, box, shade.color, y);
	(void)buf_puts(p->out, "<text x=\"");
	put_fixed(p->out, part(p, box->x, 1000000) + (uint64_t)text_pad, 4);
	(void)buf_puts(p->out, "%\" y=\"");
	put_fixed(p->out, (uint64_t)((y + p->row / 2 + p->fontsize * 0.34) * 10), 1);
	(void)buf_puts(p->out, "\">");
	put_label(p, name, name_len, share(p, box->weight) * p->inner);
	(void)buf_puts(p->out, "</text></g>\n");
}

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
	put_text(p->out, clean.data ? clean.data : "");
	(void)buf_puts(p->out, " -->\n");
	buf_done(&clean);
}

static void put_head(struct picture *p)
{
	const char *font = p->options->fonttype;
	struct buf *out = p->out;

	(void)buf_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n");
	(void)buf_printf(out,
			 "<svg version=\"1.1\" width=\"%g\" height=\"%g\" onload=\"init(evt)\" "
			 "viewBox=\"0 0 %g %g\" xmlns=\"http://www.w3.org/2000/svg\" "
			 "xmlns:xlink=\"http://www.w3.org/1999/xlink\" "
			 "xmlns:fg=\"http://github.com/jonhoo/inferno\" font-size=\"%g\" "
			 "fg:hidden=\"%llu\" fg:nametype=\"",
			 p->width, p->height, p->width, p->height, p->fontsize,
			 (unsigned long long)p->layout.hidden);
	put_text(out, p->options->nametype ? p->options->nametype : "Function:");
	(void)buf_puts(out, "\" font-family=\"");
	put_text(out, font ? font : DEFAULT_FONT);
	(void)buf_printf(out, "\"%s>\n", p->options->bgcolors ? " class=\"fixed\"" : "");
	(void)buf_puts(out, "<!-- Flame graph made by cupel " CUPEL_VERSION
			    ". The wider a frame, the more of the samples it was in. -->\n");
	put_notes(p);
	(void)buf_puts(out, "<style type=\"text/css\"><![CDATA[\n");
	(void)buf_puts(out, flame_graph_css);
	(void)buf_puts(out, "]]></style>\n<script type=\"text/ecmascript\"><![CDATA[\n");
	(void)buf_puts(out, flame_graph_js);
	(void)buf_puts(out, "]]></script>\n");
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
	put_text(p->out, text ? text : "");
	(void)buf_puts(p->out, "</text>\n");
}

static void put_around(struct picture *p)
{
	const struct flame_graph_options *o = p->options;
	const char *title = o->title	    ? o->title
			    : o->flamechart ? "Flame Chart"
			    : o->inverted   ? "Icicle Graph"
					    : "Flame Graph";
	double line = p->fontsize * 1.5, y = p->fontsize * 2;

	put_line(p, "id=\"title\" x=\"50%\" text-anchor=\"middle\"", y, title);
	if (o->subtitle && *o->subtitle)
		put_line(p, "id=\"subtitle\" x=\"50%\" text-anchor=\"middle\"", y += line,
			 o->subtitle);
	if (p->facts.about.len)
		put_line(p,
			 o->subtitle && *o->subtitle
				 ? "id=\"about\" x=\"50%\" text-anchor=\"middle\""
				 : "id=\"subtitle\" x=\"50%\" text-anchor=\"middle\"",
			 y += line, p->facts.about.data);
	if (p->facts.missing.len)
		put_line(p, "id=\"missing\" x=\"50%\" text-anchor=\"middle\"", y += line,
			 p->facts.missing.data);
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
	put_around(p);
	(void)buf_printf(p->out, "<svg id=\"frames\" x=\"%d\" width=\"%g\" total_samples=\"%llu\"",
			 SIDE_PAD, p->inner, (unsigned long long)p->layout.total);
	(void)buf_puts(p->out, " font-family=\"");
	put_text(p->out, p->options->fonttype ? p->options->fonttype : DEFAULT_MONO);
	(void)buf_puts(p->out, "\">\n");
	for (size_t i = 0; i < p->layout.boxes.count; i++)
		put_box(p, i);
	(void)buf_puts(p->out, "</svg>\n</svg>\n");
}

/* Space above and below the frames: title and lines of text, details. */
static void measure(struct picture *p)
{
	double lines = (p->options->subtitle && *p->options->subtitle) + (p->facts.about.len != 0) +
		       (p->facts.missing.len != 0);

	p->top = p->fontsize * 2 + lines * p->fontsize * 1.5 + p->fontsize * 1.2;
	p->bottom = p->fontsize * 2 + 8;
	p->top = ceil(p->top);
	p->bottom = ceil(p->bottom);
	p->height = p->top + (p->layout.max_depth + 1) * p->row + p->bottom;
}

static int check(const struct picture *p, struct err *err)
{
	const struct flame_graph_options *o = p->options;
	rgb top, bottom;

	if (!p->palette) {
		struct buf names = { .limit = 512 };

		flame_palette_names(&names);
		(void)err_set(err, -EINVAL, "no palette named '%s'", o->colors);
		(void)err_hint(err, "palettes: %s", names.data);
		buf_done(&names);
		return -EINVAL;
	}
	if (o->bgcolors && !flame_background(o->bgcolors, &top, &bottom)) {
		(void)err_set(err, -EINVAL, "no background named '%s'", o->bgcolors);
		return err_hint(err, "backgrounds: yellow, blue, green, grey or #rrggbb");
	}
	if (p->width < 100 || p->width > 1e6 || p->row < 4 || p->row > 1000 || p->fontsize < 1 ||
	    p->fontsize > 1000)
		return err_set(err, -EINVAL, "width, height or font size out of range");
	return 0;
}

static const char *count_name(const struct picture *p)
{
	const struct profile_event *event = &p->profile->events.item[p->layout.main_event];
	const char *unit = profile_string(p->profile, event->unit);

	if (p->options->countname)
		return p->options->countname;
	if (p->layout.by_samples)
		return "samples";
	if (*unit && strcmp(unit, "count") != 0)
		return unit;
	unit = profile_string(p->profile, event->name);
	return *unit ? unit : "samples";
}

int flame_graph_svg(const struct profile *profile, const struct flame_graph_options *o,
		    struct buf *ret, struct err *err)
{
	struct picture p = {
		.profile = profile,
		.options = o,
		.palette = flame_palette_find(o->colors),
		.out = ret,
		.width = o->width ? o->width : DEFAULT_WIDTH,
		.row = o->height ? o->height : DEFAULT_HEIGHT,
		.fontsize = o->fontsize > 0 ? o->fontsize : DEFAULT_FONTSIZE,
		.fontwidth = o->fontwidth > 0 ? o->fontwidth : DEFAULT_FONTWIDTH,
		.minwidth = o->minwidth >= 0 ? o->minwidth : DEFAULT_MINWIDTH,
		.factor = o->factor > 0 ? o->factor : 1,
	};
	double smallest;
	int r;

	p.inner = p.width - 2 * SIDE_PAD;
	r = check(&p, err);
	if (r)
		return r;
	smallest = o->minwidth_percent ? p.minwidth / 100 : p.minwidth / p.inner;
	r = flame_layout_build(profile, o, smallest, &p.layout, err);
	if (r)
		return r;
	flame_facts_collect(profile, &p.layout, &p.facts);
	p.countname = count_name(&p);
	p.shades = mem_zalloc(p.layout.labels.count * sizeof(*p.shades));
	measure(&p);
	draw(&p);
	free(p.shades);
	flame_facts_done(&p.facts);
	flame_layout_done(&p.layout);
	return 0;
}

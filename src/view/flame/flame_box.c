/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One box of the SVG: its group, title, rectangle and label (see flame_picture.h). */
#include "view/flame/flame_picture.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "profile/share_interval.h"
#include "view/flame/flame_attributes.h"
#include "view/state_kind.h"

#define TEXT_PAD 3

void flame_put_text(struct buf *out, const char *s)
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
	double value = (double)weight / p->tree.scale * p->factor;

	if (p->tree.scale == 1 && p->factor == 1) {
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

/* "; +1.23%" of a tree that compares. */
static void put_change(struct picture *p, const struct flame_box *box)
{
	double change = flame_paint_change(&p->paint, box) * 100 / (double)p->layout.total;

	(void)buf_printf(p->out, "; %s%.2f%%", change < 0 ? "-" : "+", fabs(change));
}

/* ", 95% 5.20–6.17%" */
static void put_interval(struct picture *p, const struct flame_box *box)
{
	double limits[2];

	if (p->each <= 0 || box->smaller)
		return;
	share_interval(share(p, box->weight), (double)p->layout.total / p->each, limits);
	(void)buf_puts(p->out, ", 95% ");
	put_fixed(p->out, (uint64_t)(limits[0] * 10000 + 0.5), 2);
	(void)buf_puts(p->out, "\xe2\x80\x93");
	put_fixed(p->out, (uint64_t)(limits[1] * 10000 + 0.5), 2);
	(void)buf_putc(p->out, '%');
}

/* "NAME (1,234 samples, 5.67%, 95% 5.20–6.17%)" */
static void put_title(struct picture *p, const struct flame_box *box, const char *name)
{
	struct buf *out = p->out;

	(void)buf_puts(out, "<title>");
	flame_put_text(out, name);
	(void)buf_puts(out, " (");
	put_count(p, box->weight);
	(void)buf_putc(out, ' ');
	flame_put_text(out, p->countname);
	(void)buf_puts(out, ", ");
	if (box->depth == 0) {
		(void)buf_puts(out, "100%");
	} else {
		put_fixed(out, part(p, box->weight, 10000), 2);
		(void)buf_putc(out, '%');
		put_interval(p, box);
		if (p->tree.other && !box->smaller)
			put_change(p, box);
	}
	(void)buf_puts(out, ")</title>");
}

static size_t utf8_step(const char *s, size_t len)
{
	size_t n = 1;

	while (n < len && ((unsigned char)s[n] & 0xc0) == 0x80)
		n++;
	return n;
}

/* East Asian characters and emoji are twice as wide: U+3000 to U+DFFF, U+FF00 to U+FFFF, and those
 * beyond. ORDER: flame_text.js */
static size_t letters_of(const char *s)
{
	unsigned char lead = (unsigned char)s[0];

	if (lead == 0xef)
		return (unsigned char)s[1] >= 0xbc ? 2 : 1;
	return (lead >= 0xe3 && lead < 0xee) || lead >= 0xf0 ? 2 : 1;
}

static size_t count_letters(const char *s, size_t len)
{
	size_t letters = 0;

	for (size_t i = 0; i < len; i += utf8_step(s + i, len - i))
		letters += letters_of(s + i);
	return letters;
}

/* Bytes of at most so many letters. */
static size_t take_letters(const char *s, size_t len, size_t letters)
{
	size_t i = 0;

	while (i < len && letters_of(s + i) <= letters) {
		letters -= letters_of(s + i);
		i += utf8_step(s + i, len - i);
	}
	return i;
}

/* The number of letters that fit into `width` px; fewer than three are useless. */
static size_t room_of(const struct picture *p, double width)
{
	double room = floor((width - 2 * TEXT_PAD) / (p->fontsize * p->fontwidth));

	return room < 3 ? 0 : (size_t)room;
}

/* As much of the name as fits, with an ellipsis. */
static void put_label(struct picture *p, const char *name, size_t len, size_t room)
{
	size_t letters = count_letters(name, len), cut;

	if (letters <= room) {
		(void)buf_put_xml(p->out, name, len);
	} else if (p->options->truncate_left) {
		for (cut = 0; letters > room - 1; cut += utf8_step(name + cut, len - cut))
			letters -= letters_of(name + cut);
		(void)buf_puts(p->out, "\xe2\x80\xa6");
		(void)buf_put_xml(p->out, name + cut, len - cut);
	} else {
		(void)buf_put_xml(p->out, name, take_letters(name, len, room - 1));
		(void)buf_puts(p->out, "\xe2\x80\xa6");
	}
}

/* The tooltip's text besides the counts: kind, module, source. */
static void put_info(struct picture *p, const struct flame_label *label)
{
	static const char *const kinds[FLAME_KIND_COUNT] = {
		[FLAME_KERNEL] = "kernel",	     [FLAME_JIT] = "compiled at run time",
		[FLAME_INTERPRETER] = "interpreted", [FLAME_GUEST] = "guest",
		[FLAME_UNKNOWN] = "no symbol",
	};
	const char *module = strtab_get(p->tree.names, label->module);
	const char *file = strtab_get(p->tree.names, label->file);
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
		flame_put_text(p->out, module);
		sep = " \xc2\xb7 ";
	}
	if (*file) {
		(void)buf_puts(p->out, sep);
		flame_put_text(p->out, file);
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

static void put_fill(struct picture *p, const struct flame_box *box, rgb color)
{
	struct buf *out = p->out;
	string_id module = p->tree.labels.item[box->label].module;
	size_t state = p->options->states && !box->smaller
			       ? state_kind_find(strtab_get(p->tree.names, module))
			       : state_kind_count;

	if (state < state_kind_count) {
		(void)buf_puts(out, "url(#state");
		(void)buf_put_u64(out, state);
		(void)buf_putc(out, ')');
		return;
	}
	(void)buf_puts(out, "rgb(");
	(void)buf_put_u64(out, color >> 16);
	(void)buf_putc(out, ',');
	(void)buf_put_u64(out, color >> 8 & 255);
	(void)buf_putc(out, ',');
	(void)buf_put_u64(out, color & 255);
	(void)buf_putc(out, ')');
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
	(void)buf_puts(out, "\" fill=\"");
	put_fill(p, box, color);
	(void)buf_puts(out, "\" rx=\"2\" fg:x=\"");
	(void)buf_put_u64(out, box->x);
	(void)buf_puts(out, "\" fg:w=\"");
	(void)buf_put_u64(out, box->weight);
	if (p->stroke)
		(void)buf_printf(out, "\" stroke=\"#%06x", p->stroke_color);
	(void)buf_puts(out, "\"/>");
}

/* The element that holds title, rectangle and label: a group, or a link when the user gave the
 * function one. Returns its name. */
static const char *open_group(struct picture *p, const struct flame_box *box, rgb color,
			      const struct flame_attribute *attribute)
{
	const struct flame_label *label = &p->tree.labels.item[box->label];
	const char *tag = flame_attributes_link(attribute) ? "a" : "g";

	(void)buf_putc(p->out, '<');
	(void)buf_puts(p->out, tag);
	if (attribute)
		flame_attributes_write(attribute, p->out);
	if (!attribute || !flame_attributes_have(attribute, "class"))
		(void)buf_puts(p->out, box_class(box, label, flame_color_is_dark(color)));
	put_info(p, label);
	(void)buf_putc(p->out, '>');
	return tag;
}

static void put_name(struct picture *p, const struct flame_box *box, const char *name, double y)
{
	bool marked = p->given && !box->smaller;
	struct buf word = { 0 };
	size_t room = room_of(p, share(p, box->weight) * p->inner);
	uint64_t pad = (uint64_t)(TEXT_PAD * 1000000 / p->inner);

	if (!room)
		return;
	(void)buf_puts(p->out, p->indent);
	(void)buf_puts(p->out, "<text x=\"");
	put_fixed(p->out, part(p, box->x, 1000000) + pad, 4);
	(void)buf_puts(p->out, "%\" y=\"");
	put_fixed(p->out, (uint64_t)((y + p->row / 2 + p->fontsize * 0.34) * 10), 1);
	(void)buf_puts(p->out, "\">");
	(void)buf_puts(&word, marked ? p->given->mark(p->given, box->node) : "");
	(void)buf_puts(&word, name);
	put_label(p, word.data, word.len, room);
	buf_done(&word);
	(void)buf_puts(p->out, "</text>");
}

void flame_put_box(struct picture *p, size_t index)
{
	const struct flame_box *box = &p->layout.boxes.item[index];
	const struct flame_label *label = &p->tree.labels.item[box->label];
	const char *name = strtab_get(p->tree.names, label->name), *given, *tag;
	const struct flame_attribute *attribute = NULL;
	bool own = p->given && !box->smaller;
	rgb color = own ? p->given->colors[box->node] : flame_paint_box(&p->paint, box, index);
	double y = p->options->inverted ? p->top + box->depth * p->row
					: p->height - p->bottom - (box->depth + 1) * p->row;
	char smaller[32];

	if (box->smaller) {
		(void)snprintf(smaller, sizeof(smaller), "(%u smaller)", box->smaller);
		name = smaller;
	} else if (p->options->attributes) {
		attribute = flame_attributes_find(p->options->attributes, name);
	}
	tag = open_group(p, box, color, attribute);
	(void)buf_puts(p->out, p->indent);
	given = attribute ? flame_attributes_get(attribute, "title") : NULL;
	if (given) {
		(void)buf_puts(p->out, "<title>");
		flame_put_text(p->out, given);
		(void)buf_puts(p->out, "</title>");
	} else if (own) {
		(void)buf_puts(p->out, "<title>");
		p->given->put_title(p->given, box->node, p->out);
		(void)buf_puts(p->out, "</title>");
	} else {
		put_title(p, box, name);
	}
	(void)buf_puts(p->out, p->indent);
	put_rect(p, box, color, y);
	put_name(p, box, name, y);
	(void)buf_puts(p->out, *p->indent ? "\n</" : "</");
	(void)buf_puts(p->out, tag);
	(void)buf_puts(p->out, ">\n");
}

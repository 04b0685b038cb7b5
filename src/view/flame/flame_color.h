/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Colours of flame graph frames: FlameGraph's and inferno's palettes by name, and the default,
 * which distinguishes kinds of code. A frame's colour depends only on its name, so it is the same
 * in every picture, except with random colours. */
#ifndef VIEW_FLAME_COLOR_H
#define VIEW_FLAME_COLOR_H

#include <stdbool.h>
#include <stdint.h>

struct buf;

/* The kind of a box, as far as colours are concerned. */
enum flame_kind {
	FLAME_ALL,     /* the root of all */
	FLAME_COMMAND, /* the root frame of a command, process or thread */
	FLAME_USER,
	FLAME_KERNEL,
	FLAME_JIT,
	FLAME_INTERPRETER,
	FLAME_GUEST,
	FLAME_SEPARATOR,
	FLAME_UNKNOWN, /* code without a name */
	FLAME_SMALLER, /* represents frames too narrow to draw */
	FLAME_KIND_COUNT
};

struct flame_subject {
	const char *name;
	enum flame_kind kind;
	bool inlined;
	uint32_t random; /* a number to take the shade from, 0 = the name's hash */
};

typedef uint32_t rgb; /* 0xrrggbb */

struct flame_palette;

/* NULL = no such palette. "" and NULL mean the default. */
const struct flame_palette *flame_palette_find(const char *name);
/* "cupel, hot, mem, …" for messages. */
void flame_palette_names(struct buf *ret);
rgb flame_color(const struct flame_palette *palette, const struct flame_subject *subject);
/* The middle colour of the default palette for a kind, for legends. */
rgb flame_color_of_kind(enum flame_kind kind, bool inlined);
/* Whether white text reads better than black on this colour (WCAG contrast); one of the two
 * always has at least 4.5:1. */
bool flame_color_is_dark(rgb color);

/* "#rrggbb" */
bool flame_color_parse(const char *text, rgb *ret);

/* Background gradient of --bgcolors: "yellow", "blue", "green", "grey" or "#rrggbb". False when
 * it is neither. */
bool flame_background(const char *name, rgb *ret_top, rgb *ret_bottom);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The drawing options of flame graphs, used by everything in this folder. All zero is the default;
 * strings are borrowed. */
#ifndef VIEW_FLAME_OPTIONS_H
#define VIEW_FLAME_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct flame_attributes;
struct flame_palette_map;

/* What the width of a frame represents. */
enum flame_measure {
	FLAME_MEASURE_AUTO,    /* samples if all have the same weight, else weight */
	FLAME_MEASURE_WEIGHT,  /* periods: time, events, bytes */
	FLAME_MEASURE_SAMPLES, /* numbers of samples */
};

/* What stacks hang from. */
enum flame_roots { FLAME_ROOTS_COMM, FLAME_ROOTS_PID, FLAME_ROOTS_TID, FLAME_ROOTS_NONE };

struct flame_graph_options {
	const char *title, *subtitle, *notes;
	const char *source; /* name of the input, for profiles that name no command; NULL = none */
	uint32_t width;	    /* px, 0 = 1200 */
	uint32_t height;    /* px per frame, 0 = 16 */
	double minwidth;    /* px, or percent when minwidth_percent; narrower frames are merged */
	bool minwidth_percent;
	const char *colors;   /* palette name, NULL = by kind of code */
	bool states;	      /* modules of frames are names of state_kind.h, which colours mean */
	const char *bgcolors; /* NULL = follows the viewer's light or dark scheme */
	bool inverted;	      /* icicle */
	bool reverse;	      /* stacks leaf first */
	bool flamechart;      /* in order of time (needs PROFILE_KEEP_TIME), not merged */
	const char *countname, *nametype;
	const char *fonttype;
	double fontsize, fontwidth; /* px; width of a character relative to the size; 0 = default */
	bool random;		    /* shades at random, not by name */
	double factor;		    /* counts shown are multiplied by it, 0 = 1 */
	uint64_t total;		    /* width of the whole picture, when more than the sum */
	enum flame_measure measure;
	enum flame_roots roots;
	bool no_javascript;   /* a picture only, without script and data */
	bool no_sort;	      /* siblings in the order of the input, not of the alphabet */
	bool negate;	      /* of two columns: what shrank is red */
	bool color_diffusion; /* by width: the wider, the redder */
	bool truncate_left;   /* of names that do not fit, show the end */
	bool no_interval;     /* no 95 % intervals */
	bool pretty_xml;
	const char *search_color, *stroke_color,
		*ui_color;    /* "#rrggbb"; NULL = default, none, default */
	const char *encoding; /* of names; NULL = UTF-8 */
	const char *const
		*base; /* stacks begin at the first of these functions; others are left out */
	size_t base_count;
	const struct flame_attributes *attributes; /* by function; NULL = none */
	struct flame_palette_map *palette_map;	   /* NULL = none; new functions are added */
	const char *find;			   /* initial search of the viewer; may be NULL */
	bool hosted; /* a page of a server: its script and style are asset/flame_html.js and .css */
	const char *code;  /* page of cupel annotate, for menus of frames; NULL = none */
	const char *event; /* which event; NULL = the first that has samples */
};

#endif

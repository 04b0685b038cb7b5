/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The flame graph: a profile drawn as one self-contained interactive SVG. Pure function. Ids and
 * attributes follow FlameGraph's and inferno's SVGs, which scrapers rely on. */
#ifndef VIEW_FLAME_GRAPH_H
#define VIEW_FLAME_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

struct buf;
struct err;
struct profile;

/* What the width of a frame means. */
enum flame_measure {
	FLAME_MEASURE_AUTO,    /* samples when each stands for the same weight, else weight */
	FLAME_MEASURE_WEIGHT,  /* periods: time, events, bytes */
	FLAME_MEASURE_SAMPLES, /* numbers of samples */
};

/* What stacks hang from. */
enum flame_roots { FLAME_ROOTS_COMM, FLAME_ROOTS_PID, FLAME_ROOTS_TID, FLAME_ROOTS_NONE };

struct flame_graph_options {
	const char *title, *subtitle, *notes;
	uint32_t width;	 /* px, 0 = 1200 */
	uint32_t height; /* px per frame, 0 = 16 */
	double minwidth; /* px, or percent when minwidth_percent; narrower frames are merged */
	bool minwidth_percent;
	const char *colors;   /* palette name, NULL = by kind of code */
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
	const char *event; /* which event; NULL = the first that has samples */
};

int flame_graph_svg(const struct profile *profile, const struct flame_graph_options *options,
		    struct buf *ret, struct err *err);

#endif

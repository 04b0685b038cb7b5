/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which boxes a flame graph has and where: the profile merged by name, siblings in order, frames
 * below the smallest width gathered into one box per parent, so that every row still adds up. No
 * drawing. */
#ifndef VIEW_FLAME_LAYOUT_H
#define VIEW_FLAME_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strtab.h"
#include "base/vec.h"
#include "view/flame_color.h"
#include "view/flame_graph.h"

struct err;
struct profile;

/* What boxes of one function have in common. Strings are ids in the profile or, for `name`, in
 * layout->names. */
struct flame_label {
	string_id name;
	string_id module, file;
	uint32_t line_from, line_to; /* 0 = unknown */
	enum flame_kind kind;
	bool inlined;
};

struct flame_box {
	uint64_t x, weight, self; /* in the units of the measure */
	uint32_t depth;		  /* 0 = the root of all */
	uint32_t label;
	uint32_t smaller; /* > 0: stands for so many frames */
};

struct flame_layout {
	struct strtab *names;
	VEC(struct flame_label) labels; /* item 0: the root, item 1: gathered frames */
	VEC(struct flame_box) boxes;	/* parents before their children, left to right */
	uint64_t total;			/* width of the root */
	uint64_t hidden;		/* weight of frames gathered, outermost ones only */
	uint32_t max_depth;
	uint32_t scale;	     /* weights are in 1/scale of the unit */
	bool by_samples;     /* the measure in use */
	bool *events;	     /* by index in profile->events: drawn here? */
	uint16_t main_event; /* first of them */
};

/* smallest: share of the total width below which a frame is gathered. */
int flame_layout_build(const struct profile *profile, const struct flame_graph_options *options,
		       double smallest, struct flame_layout *ret, struct err *err);
void flame_layout_done(struct flame_layout *layout);

#endif

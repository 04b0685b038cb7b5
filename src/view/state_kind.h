/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What threads may be doing, as pictures show it: running, waiting for a CPU, blocked, idle.
 * Colours differ in lightness or hue for every common colour blindness; a texture is the second
 * carrier, so that states of one colour family are distinct in print as well. */
#ifndef VIEW_STATE_KIND_H
#define VIEW_STATE_KIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;

struct state_kind {
	const char *name;    /* "blocked: disk"; "blocked" alone is what all of a group stand on */
	const char *group;   /* "blocked": states of one group stand together in the legend */
	uint32_t color;	     /* 0xrrggbb */
	const char *texture; /* an SVG path in a tile of STATE_TILE × STATE_TILE; "" = none */
	bool idle;	     /* of no interest unless asked for: left out of sums and orders */
};

#define STATE_TILE 8

extern const struct state_kind state_kinds[];
extern const size_t state_kind_count;

/* Index by name; state_kind_count = unknown. */
size_t state_kind_find(const char *name);
/* {"name":…,"group":…,"color":"#…","texture":…,"idle":…} */
void state_kind_put_json(const struct state_kind *kind, struct buf *out);
/* SVG patterns "state0", "state1", … for `fill`, by index. */
void state_kinds_put_svg(struct buf *out);

#endif

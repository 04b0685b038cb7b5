/* SPDX-License-Identifier: GPL-2.0-or-later */
/* FlameGraph's palette.map: which colour each function has, so that pictures of different times,
 * made with different palettes, agree. Text with a line "NAME->rgb(R,G,B)" per function. */
#ifndef VIEW_FLAME_FLAME_PALETTE_MAP_H
#define VIEW_FLAME_FLAME_PALETTE_MAP_H

#include <stdbool.h>
#include <stddef.h>

#include "view/flame/flame_color.h"

struct buf;
struct flame_palette_map;

/* Lines that are not of that form are left out and counted. */
struct flame_palette_map *flame_palette_map_parse(const char *text, size_t len, size_t *ret_bad);
bool flame_palette_map_get(const struct flame_palette_map *map, const char *name, rgb *ret);
void flame_palette_map_add(struct flame_palette_map *map, const char *name, rgb color);
/* Sorted by name, as flamegraph.pl writes it. */
void flame_palette_map_write(const struct flame_palette_map *map, struct buf *ret);
void flame_palette_map_free(struct flame_palette_map *map); /* NULL is fine */

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading and writing palette.map (see flame_palette_map.h). */
#include "view/flame/flame_palette_map.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/map.h"
#include "base/strtab.h"
#include "base/vec.h"

struct flame_palette_map {
	struct strtab *names;
	VEC(rgb) colors; /* by string id; UNSET = not a function */
};

#define UNSET UINT32_MAX

static rgb *place_of(struct flame_palette_map *map, string_id name)
{
	while (map->colors.count <= name.v)
		vec_push(&map->colors, UNSET);
	return &map->colors.item[name.v];
}

/* "123," → 123, at most 255. */
static bool take_number(const char **at, const char *end, char after, unsigned *ret)
{
	unsigned value = 0, digits = 0;

	while (*at < end && **at == ' ')
		++*at;
	for (; *at < end && **at >= '0' && **at <= '9' && digits < 4; ++*at, digits++)
		value = value * 10 + (unsigned)(**at - '0');
	if (!digits || value > 255 || *at == end || **at != after)
		return false;
	++*at;
	*ret = value;
	return true;
}

/* The last arrow of the line is the one that counts: names may hold others. */
static bool parse_line(struct flame_palette_map *map, const char *line, size_t len)
{
	static const char arrow[] = "->rgb(";
	size_t skip = sizeof(arrow) - 1;
	unsigned r, g, b;

	for (size_t i = len; i-- > 0;) {
		const char *at = line + i + skip, *end = line + len;

		if (len - i <= skip || memcmp(line + i, arrow, skip) != 0)
			continue;
		if (!i || !take_number(&at, end, ',', &r) || !take_number(&at, end, ',', &g) ||
		    !take_number(&at, end, ')', &b))
			return false;
		*place_of(map, strtab_intern(map->names, line, i)) = r << 16 | g << 8 | b;
		return true;
	}
	return false;
}

struct flame_palette_map *flame_palette_map_parse(const char *text, size_t len, size_t *ret_bad)
{
	struct flame_palette_map *map = mem_zalloc(sizeof(*map));

	map->names = strtab_new();
	*ret_bad = 0;
	while (len) {
		const char *end = memchr(text, '\n', len);
		size_t line = end ? (size_t)(end - text) : len, whole = line + (end != NULL);

		while (line && (text[line - 1] == '\r' || text[line - 1] == ' '))
			line--;
		if (line && (memchr(text, '\0', line) || !parse_line(map, text, line)))
			++*ret_bad;
		text += whole;
		len -= whole;
	}
	return map;
}

bool flame_palette_map_get(const struct flame_palette_map *map, const char *name, rgb *ret)
{
	string_id id = strtab_puts(map->names, name);

	if (id.v >= map->colors.count || map->colors.item[id.v] == UNSET)
		return false;
	*ret = map->colors.item[id.v];
	return true;
}

void flame_palette_map_add(struct flame_palette_map *map, const char *name, rgb color)
{
	*place_of(map, strtab_puts(map->names, name)) = color;
}

static int compare(const void *a, const void *b, void *names)
{
	return strcmp(strtab_get(names, *(const string_id *)a),
		      strtab_get(names, *(const string_id *)b));
}

void flame_palette_map_write(const struct flame_palette_map *map, struct buf *ret)
{
	VEC(string_id) list = { 0 };

	for (uint32_t i = 0; i < map->colors.count; i++)
		if (map->colors.item[i] != UNSET)
			vec_push(&list, ((string_id){ i }));
	if (list.count)
		qsort_r(list.item, list.count, sizeof(*list.item), compare, map->names);
	for (size_t i = 0; i < list.count; i++) {
		rgb color = map->colors.item[list.item[i].v];

		(void)buf_puts(ret, strtab_get(map->names, list.item[i]));
		(void)buf_printf(ret, "->rgb(%u,%u,%u)\n", color >> 16, color >> 8 & 255,
				 color & 255);
	}
	vec_done(&list);
}

void flame_palette_map_free(struct flame_palette_map *map)
{
	if (!map)
		return;
	strtab_free(map->names);
	vec_done(&map->colors);
	free(map);
}

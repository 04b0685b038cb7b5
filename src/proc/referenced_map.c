/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Touched pages of mappings (see referenced_map.h). */
#include "proc/referenced_map.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/map.h"
#include "event/event.h"
#include "proc/maps_line.h"

#define TEXT_LIMIT ((size_t)256 << 20)
#define KIB	   1024

struct parsing {
	struct referenced_map *map;
	struct map index_of;
	struct referenced_mapping *now; /* NULL before the first */
};

static void begin(struct parsing *p, const char *path)
{
	string_id id = strtab_puts(p->map->strings, path);
	bool added;
	uint64_t *index = map_add(&p->index_of, id.v, &added);

	if (added) {
		*index = p->map->item.count;
		vec_push(&p->map->item, ((struct referenced_mapping){ .path = id }));
	}
	p->now = &p->map->item.item[*index];
	p->now->count++;
}

static bool take(const char *line, const char *name, uint64_t *sum, uint64_t *all)
{
	size_t len = strlen(name);
	uint64_t kib;

	if (strncmp(line, name, len) != 0)
		return false;
	kib = strtoull(line + len, NULL, 10);
	if (kib < UINT64_MAX / KIB / 2) {
		*sum += kib * KIB;
		*all += kib * KIB;
	}
	return true;
}

static void take_line(struct parsing *p, char *line)
{
	struct referenced_map *map = p->map;
	struct event_mmap mapping;

	if (p->now && (take(line, "Rss:", &p->now->resident, &map->resident) ||
		       take(line, "Referenced:", &p->now->referenced, &map->referenced) ||
		       take(line, "Swap:", &p->now->swapped, &map->swapped)))
		return;
	if (maps_line_parse(line, &mapping))
		begin(p, mapping.path);
}

static uint64_t cold_of(const struct referenced_mapping *mapping)
{
	return mapping->resident > mapping->referenced ? mapping->resident - mapping->referenced
						       : 0;
}

static int colder(const void *a, const void *b)
{
	const struct referenced_mapping *x = a, *y = b;
	uint64_t of_x = cold_of(x), of_y = cold_of(y);

	if (of_x != of_y)
		return of_x > of_y ? -1 : 1;
	return x->path.v < y->path.v ? -1 : x->path.v > y->path.v;
}

void referenced_map_parse(const char *text, size_t len, struct referenced_map *ret)
{
	struct parsing p = { .map = ret };
	const char *end = text + len;
	struct buf line = { 0 };

	*ret = (struct referenced_map){ .strings = strtab_new() };
	while (text < end) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));
		size_t bytes = (size_t)((stop ? stop : end) - text);

		buf_clear(&line);
		(void)buf_append(&line, text, bytes);
		if (line.len && !memchr(line.data, '\0', line.len))
			take_line(&p, line.data);
		text += bytes + 1;
	}
	if (ret->item.count)
		qsort(ret->item.item, ret->item.count, sizeof(*ret->item.item), colder);
	buf_done(&line);
	map_done(&p.index_of);
}

void referenced_map_done(struct referenced_map *map)
{
	strtab_free(map->strings);
	vec_done(&map->item);
}

int referenced_map_clear(pid_t pid, struct err *err)
{
	AUTO_CLOSE int fd = -1;
	char path[64];
	int code;

	(void)snprintf(path, sizeof(path), "/proc/%d/clear_refs", (int)pid);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	code = fd < 0 ? -errno : fd_write_all(fd, "1", 1);
	return code ? err_set(err, code, "%s: %s", path, strerror(-code)) : 0;
}

int referenced_map_read(pid_t pid, struct referenced_map *ret, struct err *err)
{
	struct buf text = { .limit = TEXT_LIMIT };
	char path[64];
	int code;

	(void)snprintf(path, sizeof(path), "/proc/%d/smaps", (int)pid);
	code = fd_read_file(path, &text, err);
	if (!code)
		referenced_map_parse(text.data ? text.data : "", text.len, ret);
	buf_done(&text);
	return code;
}

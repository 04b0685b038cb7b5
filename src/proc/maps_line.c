/* SPDX-License-Identifier: GPL-2.0-or-later */
/* "55d0c0a000-55d0c0b000 r-xp 00001000 08:01 131 /usr/bin/x" (see maps_line.h). */
#include "proc/maps_line.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "event/event.h"

/* A number that ends at `end`, which is skipped. */
static bool take_number(char **at, int base, char end, uint64_t *ret)
{
	char *stop;

	if (**at == '-' || **at == '+' || **at == ' ')
		return false;
	errno = 0;
	*ret = strtoull(*at, &stop, base);
	if (errno || stop == *at || *stop != end)
		return false;
	*at = stop + 1;
	return true;
}

static bool take_permissions(char **at, struct event_mmap *map)
{
	const char *p = *at;

	if (strnlen(p, 5) < 5 || p[4] != ' ' || (p[3] != 'p' && p[3] != 's'))
		return false;
	map->prot = (p[0] == 'r' ? PROT_READ : 0U) | (p[1] == 'w' ? PROT_WRITE : 0U) |
		    (p[2] == 'x' ? PROT_EXEC : 0U);
	map->flags = p[3] == 's' ? MAP_SHARED : MAP_PRIVATE;
	*at += 5;
	return true;
}

/* The kernel escapes newlines in names, and nothing else. */
static void unescape(char *name)
{
	char *to = name;

	for (const char *from = name; *from; to++)
		if (strncmp(from, "\\012", 4) == 0) {
			*to = '\n';
			from += 4;
		} else {
			*to = *from++;
		}
	*to = '\0';
}

bool maps_line_parse(char *line, struct event_mmap *ret)
{
	struct event_mmap map = { 0 };
	uint64_t end, maj, min;
	char *stop;

	if (!take_number(&line, 16, '-', &map.start) || !take_number(&line, 16, ' ', &end) ||
	    end <= map.start || !take_permissions(&line, &map) ||
	    !take_number(&line, 16, ' ', &map.pgoff) || !take_number(&line, 16, ':', &maj) ||
	    !take_number(&line, 16, ' ', &min) || maj > UINT32_MAX || min > UINT32_MAX)
		return false;
	map.len = end - map.start;
	map.maj = (uint32_t)maj;
	map.min = (uint32_t)min;
	errno = 0;
	map.ino = strtoull(line, &stop, 10);
	if (errno || stop == line || *line == '-' || (*stop && *stop != ' '))
		return false;
	stop += strspn(stop, " ");
	unescape(stop);
	map.path = stop;
	*ret = map;
	return true;
}

bool maps_line_executable(const char *line)
{
	const char *permissions = strchr(line, ' ');

	return permissions && strnlen(permissions, 4) == 4 && permissions[3] == 'x';
}

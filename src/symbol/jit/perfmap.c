/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of JIT-compiled functions from perf maps (see perfmap.h), also those of containers, which
 * lie under the process's root and carry the PID that the process has inside. */
#include "symbol/jit/perfmap.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/memory_limit.h"
#include "proc/module.h"
#include "symbol/process_file.h"
#include "symbol/registry.h"
#include "symbol/symbolizer.h"

/* Large Java programs write some 20 MB. */
#define MAX_FILE ((size_t)256 << 20)
#define MAX_NAME ((size_t)64 << 10)
/* Memory for a line beside its text, while the table is made. */
#define LINE_BYTES 96

static const char *const perfmap_file[2] = { "/tmp/perf-", ".map" };

struct perfmap_symbolizer {
	struct symbolizer base;
	struct perfmap map;
	char problem[80];
};

/* A hexadecimal number of up to 16 digits; NULL if missing or longer. */
static char *parse_hex(char *p, const char *end, uint64_t *ret)
{
	uint64_t value = 0;
	unsigned digits = 0;

	if (end - p > 2 && p[0] == '0' && (p[1] == 'x' || p[1] == 'X'))
		p += 2;
	for (; p < end; p++, digits++) {
		unsigned char c = (unsigned char)*p;
		unsigned digit = c - '0';

		if (digit > 9)
			digit = (c | 0x20u) - 'a' + 10;
		if (digit > 15 || (digit > 9 && (c | 0x20u) < 'a'))
			break;
		if (value >> 60)
			return NULL;
		value = value << 4 | digit;
	}
	*ret = value;
	return digits ? p : NULL;
}

/* Shortens the name to what can be shown and ends it; false when nothing is left. */
static bool tidy_name(char *name, char *end)
{
	while (end > name && (end[-1] == ' ' || end[-1] == '\r'))
		end--;
	if ((size_t)(end - name) > MAX_NAME)
		end = name + MAX_NAME;
	for (char *p = name; p < end; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			*p = '?';
	*end = '\0';
	return end > name;
}

static bool take_line(struct perfmap *map, char *p, char *end)
{
	uint64_t start, size;

	p = parse_hex(p, end, &start);
	if (!p || p == end || *p != ' ')
		return false;
	p = parse_hex(p + 1, end, &size);
	if (!p || p == end || *p != ' ' || size == 0 || start + size < start)
		return false;
	while (p < end && *p == ' ')
		p++;
	if (!tidy_name(p, end))
		return false;
	range_table_add(&map->ranges, &(struct range){ .start = start,
						       .end = start + size,
						       .name = (uint32_t)(p - map->text) });
	return true;
}

void perfmap_parse(char *text, size_t len, struct perfmap *ret)
{
	struct perfmap map = { .text = text };
	char *end = text + len;

	for (char *p = text; p < end;) {
		char *newline = memchr(p, '\n', (size_t)(end - p));
		char *stop = newline ? newline : end;

		if (!take_line(&map, p, stop))
			map.malformed++;
		p = stop + 1;
	}
	range_table_settle(&map.ranges);
	range_table_index(&map.ranges);
	*ret = map;
}

void perfmap_done(struct perfmap *perfmap)
{
	range_table_done(&perfmap->ranges);
	free(perfmap->text);
	*perfmap = (struct perfmap){ 0 };
}

/* The lines for which there is memory: half of what is left. */
static size_t affordable(const char *text, size_t len)
{
	uint64_t left = memory_limit_left() / 2, needed = 0;

	for (size_t at = 0; left && at < len;) {
		const char *newline = memchr(text + at, '\n', len - at);

		needed += LINE_BYTES;
		if (needed > left)
			return at;
		at = newline ? (size_t)(newline - text) + 1 : len;
	}
	return len;
}

static int read_map(struct perfmap_symbolizer *self, int fd, struct err *err)
{
	struct stat st;
	size_t size, len, used;
	uint64_t left;
	char *text;
	ssize_t got;

	if (fstat(fd, &st))
		return err_errno(err, "stat");
	if (memory_limit_check(fd, &st, err))
		return err->code;
	memory_limit_input(memory_limit_disk_bytes(fd, &st));
	size = (size_t)st.st_size;
	len = size < MAX_FILE ? size : MAX_FILE;
	left = memory_limit_left();
	if (left && len > left / 2)
		len = (size_t)(left / 2);
	text = mem_alloc(len + 1);
	got = fd_read_full(fd, text, len);
	if (got < 0) {
		free(text);
		return err_set(err, (int)got, "perf map: %s", strerror((int)-got));
	}
	used = affordable(text, (size_t)got);
	perfmap_parse(text, used, &self->map);
	if (size > len || used < (size_t)got)
		(void)snprintf(self->problem, sizeof(self->problem),
			       "perf map too large: only the first %zu MB are used", used >> 20);
	else if (self->map.malformed)
		(void)snprintf(self->problem, sizeof(self->problem),
			       "%zu invalid lines in the perf map", self->map.malformed);
	return 0;
}

static void perfmap_close(struct symbolizer *symbolizer)
{
	struct perfmap_symbolizer *self = (struct perfmap_symbolizer *)symbolizer;

	perfmap_done(&self->map);
	free(self);
}

int perfmap_open_file(uint32_t pid, const struct symbol_options *options, struct err *err)
{
	return process_file_open_numbered(perfmap_file, pid, options, err);
}

static int perfmap_open(struct symbolizer **ret, const struct module *module,
			const struct symbol_options *options, struct err *err)
{
	struct perfmap_symbolizer *self;
	AUTO_CLOSE int fd = -1;
	int code;

	*ret = NULL;
	if (module->kind != MODULE_JIT)
		return 0;
	fd = perfmap_open_file(module->pid, options, err);
	if (fd < 0)
		return fd == -ENOENT ? err_set(err, fd, "no perf map for this process") : fd;
	self = mem_zalloc(sizeof(*self));
	self->base.ops = &symbolizer_perfmap;
	code = read_map(self, fd, err);
	if (code) {
		perfmap_close(&self->base);
		return code;
	}
	*ret = &self->base;
	return 0;
}

static bool perfmap_resolve(struct symbolizer *symbolizer, uint64_t offset, struct symbol *ret)
{
	struct perfmap_symbolizer *self = (struct perfmap_symbolizer *)symbolizer;
	const struct range *range = range_table_find(&self->map.ranges, offset);

	if (!range)
		return false;
	ret->count = 1;
	ret->frame[0] = (struct symbol_frame){ .name = self->map.text + range->name };
	ret->start = range->start;
	ret->end = range->end;
	ret->binding = 'l';
	return true;
}

static enum symbol_grain perfmap_grain(struct symbolizer *symbolizer, uint64_t offset,
				       uint64_t *ret_number)
{
	struct perfmap_symbolizer *self = (struct perfmap_symbolizer *)symbolizer;
	const struct range *range = range_table_find(&self->map.ranges, offset);

	if (!range)
		return SYMBOL_NONE;
	*ret_number = (uint64_t)(range - self->map.ranges.item);
	return SYMBOL_FUNCTION;
}

static const char *perfmap_problem(const struct symbolizer *symbolizer)
{
	const struct perfmap_symbolizer *self = (const struct perfmap_symbolizer *)symbolizer;

	return self->problem[0] ? self->problem : NULL;
}

const struct symbolizer_ops symbolizer_perfmap = {
	.name = "perfmap",
	.open = perfmap_open,
	.resolve = perfmap_resolve,
	.grain = perfmap_grain,
	.close = perfmap_close,
	.problem = perfmap_problem,
};

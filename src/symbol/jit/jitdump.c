/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parsing of jitdump files (see jitdump.h). All fields are in the byte order of the magic number.
 */
#include "symbol/jit/jitdump.h"

#include <byteswap.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/map.h"
#include "base/vec.h"

#define JITDUMP_MAGIC	0x4a695444u
#define JITDUMP_VERSION 1u
#define MAX_TEXT	((size_t)1 << 30)
#define MAX_NAME	((size_t)64 << 10)
#define MAX_LINES	(1u << 26)

enum { RECORD_LOAD, RECORD_MOVE, RECORD_DEBUG_INFO, RECORD_CLOSE };

enum {
	HEADER_BYTES = 40,
	RECORD_BYTES = 16, /* id, size, time */
	TIME_BYTES = 8,	   /* of them, the last */
	LOAD_BYTES = 40,   /* before the name */
	MOVE_BYTES = 48,
	LINE_BYTES = 16, /* before the file name */
};

struct parser {
	struct jitdump out;
	const uint8_t *data; /* the file */
	bool swap;
	/* Lines of the DEBUG_INFO record that belong to the next LOAD. */
	uint64_t lines_addr;
	uint32_t first_line, lines;
	struct map by_start; /* address → the function loaded there last, also its range so far */
};

static uint32_t get_u32(const struct parser *parser, const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return parser->swap ? bswap_32(v) : v;
}

static uint64_t get_u64(const struct parser *parser, const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return parser->swap ? bswap_64(v) : v;
}

/* Keeps a copy of a name of `len` bytes; false when there is no room left for it. */
static bool keep_text(struct parser *parser, const uint8_t *name, size_t len, uint32_t *ret)
{
	struct buf *text = &parser->out.text;
	size_t at = text->len;

	len = len < MAX_NAME ? len : MAX_NAME;
	if (buf_append(text, name, len) || buf_append(text, "", 1))
		return false;
	for (char *p = text->data + at; *p; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			*p = '?';
	*ret = (uint32_t)at;
	return true;
}

static bool add_function(struct parser *parser, const struct jit_function *function, uint32_t name)
{
	struct jitdump *out = &parser->out;

	if (function->end <= function->start)
		return false;
	range_table_add(&out->ranges, &(struct range){ .start = function->start,
						       .end = function->end,
						       .name = name,
						       .tag = (uint32_t)out->functions.count });
	map_set(&parser->by_start, function->start, out->functions.count);
	vec_push(&out->functions, *function);
	vec_last(&out->functions)->name = name;
	return true;
}

static bool take_load(struct parser *parser, const uint8_t *p, size_t len)
{
	struct jit_function function = { .time = get_u64(parser, p - TIME_BYTES) };
	size_t name_len;
	uint32_t name;

	if (len <= LOAD_BYTES)
		return false;
	name_len = strnlen((const char *)p + LOAD_BYTES, len - LOAD_BYTES);
	if (name_len == len - LOAD_BYTES || !keep_text(parser, p + LOAD_BYTES, name_len, &name))
		return false;
	function.start = function.loaded_at = get_u64(parser, p + 16);
	function.end = function.start + get_u64(parser, p + 24);
	if (get_u64(parser, p + 24) <= len - LOAD_BYTES - name_len - 1)
		function.code = (uint64_t)(p - parser->data) + LOAD_BYTES + name_len + 1;
	if (parser->lines && parser->lines_addr == function.start) {
		function.first_line = parser->first_line;
		function.lines = parser->lines;
	}
	parser->lines = 0;
	return add_function(parser, &function, name);
}

static bool take_move(struct parser *parser, const uint8_t *p, size_t len)
{
	struct jit_function function;
	uint64_t old;

	if (len < MOVE_BYTES || !map_get(&parser->by_start, get_u64(parser, p + 16), &old))
		return false;
	function = parser->out.functions.item[old];
	function.time = get_u64(parser, p - TIME_BYTES);
	function.start = get_u64(parser, p + 24);
	function.end = function.start + get_u64(parser, p + 32);
	return add_function(parser, &function, parser->out.ranges.item[old].name);
}

static bool take_lines(struct parser *parser, const uint8_t *p, size_t len)
{
	struct jitdump *out = &parser->out;
	const uint8_t *end = p + len;
	uint32_t file = 0;
	uint64_t count;

	if (len < 16)
		return false;
	parser->lines_addr = get_u64(parser, p);
	parser->first_line = (uint32_t)out->lines.count;
	parser->lines = 0;
	count = get_u64(parser, p + 8);
	p += 16;
	for (; count && (size_t)(end - p) > LINE_BYTES && out->lines.count < MAX_LINES; count--) {
		const uint8_t *name = p + LINE_BYTES;
		size_t name_len = strnlen((const char *)name, (size_t)(end - name));
		/* "\xff" repeats the file of the previous entry. */
		bool same = parser->lines && name_len == 1 && name[0] == 0xff;

		if (name_len == (size_t)(end - name) ||
		    (!same && !keep_text(parser, name, name_len, &file)))
			return false;
		vec_push(&out->lines,
			 ((struct jit_line){ get_u64(parser, p), get_u32(parser, p + 8), file }));
		parser->lines++;
		p = name + name_len + 1;
	}
	return count == 0;
}

static bool take_record(struct parser *parser, uint32_t id, const uint8_t *p, size_t len)
{
	switch (id) {
	case RECORD_LOAD:
		return take_load(parser, p, len);
	case RECORD_MOVE:
		return take_move(parser, p, len);
	case RECORD_DEBUG_INFO:
		return take_lines(parser, p, len);
	default: /* unwinding information and what newer writers add */
		return true;
	}
}

static int read_header(struct parser *parser, const uint8_t *data, size_t len, size_t *ret,
		       struct err *err)
{
	uint32_t size;

	if (len < HEADER_BYTES)
		return err_set(err, -EINVAL, "jitdump: no header");
	parser->swap = get_u32(parser, data) == bswap_32(JITDUMP_MAGIC);
	size = get_u32(parser, data + 8);
	if (get_u32(parser, data) != JITDUMP_MAGIC ||
	    get_u32(parser, data + 4) != JITDUMP_VERSION || size < HEADER_BYTES || size > len)
		return err_set(err, -EINVAL, "jitdump: invalid header");
	parser->out.cpu_time = len >= HEADER_BYTES && (get_u64(parser, data + 32) & 1);
	parser->out.machine = (uint16_t)get_u32(parser, data + 12);
	*ret = size;
	return 0;
}

int jitdump_parse(const uint8_t *data, size_t len, struct jitdump *ret, struct err *err)
{
	struct parser parser = { .out = { .text = { .limit = MAX_TEXT } }, .data = data };
	size_t at = 0;
	int code = read_header(&parser, data, len, &at, err);

	if (code)
		return code;
	while (len - at >= RECORD_BYTES) {
		uint32_t id = get_u32(&parser, data + at);
		uint32_t size = get_u32(&parser, data + at + 4);

		if (id == RECORD_CLOSE || size < RECORD_BYTES)
			break;
		if (size > len - at) {
			parser.out.truncated = true;
			break;
		}
		if (!take_record(&parser, id, data + at + RECORD_BYTES, size - RECORD_BYTES))
			parser.out.malformed++;
		at += size;
	}
	map_done(&parser.by_start);
	range_table_settle(&parser.out.ranges);
	range_table_index(&parser.out.ranges);
	*ret = parser.out;
	return 0;
}

const char *jitdump_line(const struct jitdump *dump, const struct range *range, uint64_t address,
			 uint32_t *line)
{
	const struct jit_function *function = &dump->functions.item[range->tag];
	const struct jit_line *item = dump->lines.item;
	uint64_t at = address - function->start + function->loaded_at;
	size_t low = 0, high = function->lines;

	if (high == 0)
		return NULL;
	item += function->first_line;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (item[middle].addr <= at)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return NULL;
	*line = item[low - 1].line;
	return dump->text.data + item[low - 1].file;
}

void jitdump_done(struct jitdump *dump)
{
	range_table_done(&dump->ranges);
	buf_done(&dump->text);
	vec_done(&dump->functions);
	vec_done(&dump->lines);
}

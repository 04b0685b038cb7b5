/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading code objects (see python_code.h). Strings: PEP 393; an object's first two words are its
 * reference count and type. */
#include "symbol/python/python_code.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/sandbox.h"

#define MAX_NAME   1000 /* characters; the rest is cut */
#define MAX_FILE   3000
#define MAX_TABLE  (1u << 20)
#define LEN_OFFSET 16 /* of strings and bytes */

/* Bits of a string's state. */
#define STATE_KIND    2 /* shift; 3 bits: bytes of a character */
#define STATE_COMPACT 0x20u
#define STATE_ASCII   0x40u

static bool read_u64(const struct python_memory *memory, uint64_t addr, uint64_t *ret)
{
	return memory->read(memory, addr, ret, sizeof(*ret));
}

bool python_identity_read(const struct python_memory *memory, uint64_t code,
			  struct python_identity *ret)
{
	const struct python_layout *layout = memory->layout;

	return read_u64(memory, code + layout->code_name, &ret->name) &&
	       read_u64(memory, code + layout->code_file, &ret->file) &&
	       read_u64(memory, code + layout->code_lines, &ret->lines) &&
	       memory->read(memory, code + layout->code_first_line, &ret->first_line,
			    sizeof(ret->first_line));
}

bool python_identity_equal(const struct python_identity *a, const struct python_identity *b)
{
	return a->name == b->name && a->file == b->file && a->lines == b->lines &&
	       a->first_line == b->first_line;
}

static void put_utf8(struct buf *ret, uint32_t c)
{
	if (c < 0x80) {
		(void)buf_putc(ret, (char)c);
		return;
	}
	if (c >= 0x110000 || (c >= 0xd800 && c < 0xe000))
		c = 0xfffd; /* no character; file names may have halves of one */
	if (c < 0x800) {
		(void)buf_putc(ret, (char)(0xc0 | c >> 6));
	} else {
		if (c < 0x10000) {
			(void)buf_putc(ret, (char)(0xe0 | c >> 12));
		} else {
			(void)buf_putc(ret, (char)(0xf0 | c >> 18));
			(void)buf_putc(ret, (char)(0x80 | (c >> 12 & 0x3f)));
		}
		(void)buf_putc(ret, (char)(0x80 | (c >> 6 & 0x3f)));
	}
	(void)buf_putc(ret, (char)(0x80 | (c & 0x3f)));
}

static uint32_t character(const uint8_t *text, size_t i, uint32_t width)
{
	uint16_t two;
	uint32_t four;

	if (width == 1)
		return text[i];
	if (width == 2) {
		memcpy(&two, text + 2 * i, sizeof(two));
		return two;
	}
	memcpy(&four, text + 4 * i, sizeof(four));
	return four;
}

/* A string of up to max characters; longer ones are cut. */
static bool read_string(const struct python_memory *memory, uint64_t addr, size_t max,
			struct buf *ret)
{
	uint8_t text[4 * MAX_FILE];
	uint64_t len;
	uint32_t state, width;

	if (!read_u64(memory, addr + LEN_OFFSET, &len) ||
	    !memory->read(memory, addr + LEN_OFFSET + 16, &state, sizeof(state)) ||
	    !(state & STATE_COMPACT))
		return false;
	width = state >> STATE_KIND & 7;
	if (width != 1 && width != 2 && width != 4)
		return false;
	if (len > max)
		len = max;
	addr += state & STATE_ASCII ? memory->layout->ascii_text : memory->layout->other_text;
	if (len && !memory->read(memory, addr, text, len * width))
		return false;
	for (size_t i = 0; i < len; i++)
		put_utf8(ret, character(text, i, width));
	return true;
}

/* The rows of a table of lines while it is read. */
struct rows {
	struct python_function *function;
	size_t room;
};

static void put_row(struct rows *rows, uint64_t end, int64_t line)
{
	struct python_function *function = rows->function;
	struct python_row *last = function->row_count ? &function->row[function->row_count - 1]
						      : NULL;
	const struct python_row row = { end < UINT32_MAX ? (uint32_t)end : UINT32_MAX,
					line > 0 && line <= UINT32_MAX ? (uint32_t)line : 0 };

	if (last && last->line == row.line) {
		last->end = row.end;
		return;
	}
	if (function->row_count == rows->room) {
		rows->room = rows->room ? 2 * rows->room : 16;
		function->row = mem_realloc(function->row, rows->room * sizeof(*function->row));
	}
	function->row[function->row_count++] = row;
}

/* Pairs of bytes: instructions' bytes, and lines to add (signed) once those are passed. */
static void rows_by_bytes(struct rows *rows, const uint8_t *table, size_t len)
{
	int64_t line = rows->function->identity.first_line;
	uint64_t at = 0;

	for (size_t i = 0; i + 1 < len; i += 2) {
		at += table[i];
		if (table[i])
			put_row(rows, (at + 1) / 2, line);
		line += (int8_t)table[i + 1];
	}
	put_row(rows, UINT32_MAX, line);
}

/* Pairs too, of the length of a range and of the line's change on entering it; -128: no line. */
static void rows_by_ranges(struct rows *rows, const uint8_t *table, size_t len)
{
	int64_t line = rows->function->identity.first_line;
	uint64_t end = 0;

	for (size_t i = 0; i + 1 < len; i += 2) {
		int8_t change = (int8_t)table[i + 1];

		end += table[i];
		if (change != -128)
			line += change;
		if (table[i])
			put_row(rows, (end + 1) / 2, change == -128 ? 0 : line);
	}
}

/* A number in groups of 6 bits, lowest first. */
static uint32_t take_varint(const uint8_t *table, size_t len, size_t *at)
{
	uint32_t value = 0;

	for (unsigned shift = 0; *at < len; shift += 6) {
		uint8_t byte = table[(*at)++];

		if (shift < 30)
			value |= (uint32_t)(byte & 63) << shift;
		if (!(byte & 64))
			break;
	}
	return value;
}

static int32_t take_signed(const uint8_t *table, size_t len, size_t *at)
{
	uint32_t value = take_varint(table, len, at);

	return value & 1 ? -(int32_t)(value >> 1) : (int32_t)(value >> 1);
}

/* Entries begin with a byte with the highest bit set: 4 bits of form, 3 of length. See
 * Objects/locations.md of CPython. */
static void rows_by_locations(struct rows *rows, const uint8_t *table, size_t len)
{
	int64_t line = rows->function->identity.first_line;
	uint64_t end = 0;

	for (size_t i = 0; i < len;) {
		uint8_t first = table[i++], form = first >> 3 & 15;
		int32_t change = 0;

		end += (first & 7) + 1u;
		if (form == 13 || form == 14)
			change = take_signed(table, len, &i);
		else if (form >= 10 && form <= 12)
			change = form - 10;
		line += change;
		put_row(rows, end, form == 15 ? 0 : line);
		while (i < len && !(table[i] & 0x80))
			i++;
	}
}

static void read_table(const struct python_memory *memory, struct python_function *function)
{
	static void (*const read[])(struct rows * rows, const uint8_t *table, size_t len) = {
		[PYTHON_LINES_BYTES] = rows_by_bytes,
		[PYTHON_LINES_RANGES] = rows_by_ranges,
		[PYTHON_LINES_LOCATIONS] = rows_by_locations,
	};
	uint64_t at = function->identity.lines, len;
	struct rows rows = { .function = function };
	uint8_t *table;

	if (memory->layout->lines > PYTHON_LINES_LOCATIONS ||
	    !read_u64(memory, at + LEN_OFFSET, &len) || !len || len > MAX_TABLE)
		return;
	table = mem_alloc(len);
	if (memory->read(memory, at + memory->layout->bytes_data, table, len))
		read[memory->layout->lines](&rows, table, len);
	free(table);
}

bool python_function_read(const struct python_memory *memory, uint64_t code,
			  struct python_function *ret, struct buf *name, struct buf *file)
{
	const struct python_layout *layout = memory->layout;
	struct python_function function = { 0 };
	uint64_t name_at;

	sandbox_check("the memory of a Python process");
	if (!python_identity_read(memory, code, &function.identity) ||
	    !read_u64(memory,
		      code + (layout->code_qualname ? layout->code_qualname : layout->code_name),
		      &name_at) ||
	    !read_string(memory, name_at, MAX_NAME, name) ||
	    !read_string(memory, function.identity.file, MAX_FILE, file))
		return false;
	read_table(memory, &function);
	*ret = function;
	return true;
}

void python_function_done(struct python_function *function)
{
	free(function->row);
	function->row = NULL;
	function->row_count = 0;
}

uint32_t python_line(const struct python_function *function, uint32_t instr)
{
	size_t low = 0, high = function->row_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (function->row[middle].end > instr)
			high = middle;
		else
			low = middle + 1;
	}
	return low < function->row_count ? function->row[low].line : 0;
}

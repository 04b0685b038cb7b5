/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See top_keys.h. */
#include "command/top/top_keys.h"

#include <string.h>

#include "base/buf.h"

#define ESCAPE '\033'

static const struct {
	const char *bytes; /* after the escape */
	enum top_key key;
} sequences[] = {
	{ "[A", TOP_KEY_UP },	 { "[B", TOP_KEY_DOWN },     { "OA", TOP_KEY_UP },
	{ "OB", TOP_KEY_DOWN },	 { "[5~", TOP_KEY_PAGE_UP }, { "[6~", TOP_KEY_PAGE_DOWN },
	{ "[H", TOP_KEY_HOME },	 { "[F", TOP_KEY_END },	     { "OH", TOP_KEY_HOME },
	{ "OF", TOP_KEY_END },	 { "[1~", TOP_KEY_HOME },    { "[4~", TOP_KEY_END },
	{ "[7~", TOP_KEY_HOME }, { "[8~", TOP_KEY_END },
};

/* Of "ESC [ parameters letter" or "ESC O letter"; the bytes after the escape. */
static size_t sequence_length(const char *bytes, size_t len)
{
	size_t end = 1;

	if (bytes[0] == 'O')
		return len < 2 ? len : 2;
	while (end < len && (bytes[end] < '@' || bytes[end] > '~'))
		end++;
	return end < len ? end + 1 : len;
}

static int escape_key(const char *bytes, size_t len, size_t *used)
{
	size_t length;

	if (len == 0 || (bytes[0] != '[' && bytes[0] != 'O')) {
		*used = 1;
		return TOP_KEY_ESCAPE;
	}
	length = sequence_length(bytes, len);
	*used = 1 + length;
	for (size_t i = 0; i < sizeof(sequences) / sizeof(sequences[0]); i++)
		if (strlen(sequences[i].bytes) == length &&
		    memcmp(sequences[i].bytes, bytes, length) == 0)
			return (int)sequences[i].key;
	return TOP_KEY_NONE;
}

int top_key_read(const char *bytes, size_t len, size_t *used)
{
	if (bytes[0] == ESCAPE)
		return escape_key(bytes + 1, len - 1, used);
	*used = 1;
	switch (bytes[0]) {
	case '\r':
	case '\n':
		return TOP_KEY_ENTER;
	case '\b':
	case '\177':
		return TOP_KEY_BACKSPACE;
	default:
		return (unsigned char)bytes[0];
	}
}

void top_cursor_move(struct top_cursor *cursor, int key, uint32_t lines, uint32_t room)
{
	int64_t at = (int64_t)cursor->selected - 1, page = room > 1 ? room - 1 : 1;

	switch (key) {
	case TOP_KEY_UP:
		at--;
		break;
	case TOP_KEY_DOWN:
		at++;
		break;
	case TOP_KEY_PAGE_UP:
		at -= page;
		break;
	case TOP_KEY_PAGE_DOWN:
		at += page;
		break;
	case TOP_KEY_HOME:
		at = 0;
		break;
	case TOP_KEY_END:
		at = (int64_t)lines - 1;
		break;
	default:
		return;
	}
	if (at >= (int64_t)lines)
		at = (int64_t)lines - 1;
	if (at < 0)
		at = 0;
	cursor->selected = lines ? (uint32_t)at + 1 : 0;
	if (at < cursor->first)
		cursor->first = (uint32_t)at;
	if (room && at >= (int64_t)cursor->first + room)
		cursor->first = (uint32_t)at - room + 1;
}

#define KEY_COLUMNS 12

static const struct {
	const char *key, *what;
} help[] = {
	{ "up, down", "select a line, and scroll; also page up, page down, home, end" },
	{ "enter", "only the selected function, with its callers" },
	{ "/", "filter: only functions with this text" },
	{ "escape", "all functions, nothing selected" },
	{ "s", "next order: object and function, function, command" },
	{ "g", "callers on or off" },
	{ "c", "cost of callees on or off" },
	{ "K, U", "kernel, user space on or off" },
	{ "b", "browse the samples so far: expand, zoom, callers, code, flame graph" },
	{ "a", "annotate: source and assembly of the selected function" },
	{ "w", "write the samples so far to the recording perf.data.N" },
	{ "z", "clear all samples" },
	{ "space, p", "pause or continue" },
	{ "q", "quit" },
};

bool top_help_put(uint32_t columns, uint32_t rows, uint32_t page, struct buf *ret)
{
	struct buf all = { 0 };
	uint32_t room = rows > 1 ? rows - 1 : 1, line = 0;
	const char *at;

	for (size_t i = 0; i < sizeof(help) / sizeof(*help); i++) {
		(void)buf_printf(&all, "%-*s", KEY_COLUMNS, help[i].key);
		(void)buf_put_wrapped(&all, help[i].what, KEY_COLUMNS, KEY_COLUMNS, columns);
	}
	for (at = all.data; *at && line < (page + 1) * room; line++) {
		size_t len = strcspn(at, "\n") + 1;

		if (line >= page * room)
			(void)buf_append(ret, at, len);
		at += len;
	}
	(void)buf_puts(ret, *at ? "any key: more, q: back" : "any key: back to the table");
	line = *at;
	buf_done(&all);
	return line;
}

const char *top_next_order(const char *order)
{
	static const char *const orders[] = { "dso,symbol", "symbol", "comm,dso,symbol", "comm",
					      "dso" };
	size_t count = sizeof(orders) / sizeof(orders[0]), at = 0;

	while (at < count && strcmp(orders[at], order) != 0)
		at++;
	return orders[at < count ? (at + 1) % count : 0];
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One line of ftrace's text (see ftrace_line.h). Formats: Documentation/trace/ftrace.rst. */
#include "format/ftrace/ftrace_line.h"

#include <string.h>

/* What is left of the line. */
struct cursor {
	const char *at, *end;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static void skip_blanks(struct cursor *cursor)
{
	while (cursor->at < cursor->end && (*cursor->at == ' ' || *cursor->at == '\t'))
		cursor->at++;
}

static struct ftrace_text trimmed(const char *from, const char *to)
{
	while (from < to && (*from == ' ' || *from == '\t'))
		from++;
	while (from < to && (to[-1] == ' ' || to[-1] == '\t' || to[-1] == '\n'))
		to--;
	return (struct ftrace_text){ from, (size_t)(to - from) };
}

static bool take_number(struct cursor *cursor, uint64_t *ret)
{
	uint64_t value = 0;
	const char *from = cursor->at;

	while (cursor->at < cursor->end && is_digit(*cursor->at)) {
		if (value > (UINT64_MAX - 9) / 10)
			return false;
		value = value * 10 + (uint64_t)(*cursor->at++ - '0');
	}
	*ret = value;
	return cursor->at > from;
}

/* "12.345" times ten to the power of `digits`. */
static bool take_decimal(struct cursor *cursor, unsigned digits, uint64_t *ret)
{
	uint64_t whole, scale = 1, part = 0;

	for (unsigned i = 0; i < digits; i++)
		scale *= 10;
	if (!take_number(cursor, &whole) || whole > UINT64_MAX / scale - 1)
		return false;
	if (cursor->at < cursor->end && *cursor->at == '.')
		for (cursor->at++; cursor->at < cursor->end && is_digit(*cursor->at); cursor->at++)
			if (digits) {
				part = part * 10 + (uint64_t)(*cursor->at - '0');
				digits--;
			}
	while (digits--)
		part *= 10;
	*ret = whole * scale + part;
	return true;
}

static bool starts(const struct cursor *cursor, const char *word)
{
	size_t len = strlen(word);

	return (size_t)(cursor->end - cursor->at) >= len && memcmp(cursor->at, word, len) == 0;
}

bool ftrace_line_thread(const char *text, size_t len, struct ftrace_line *ret)
{
	struct ftrace_text all = trimmed(text, text + len);
	const char *at = all.data + all.len;
	struct cursor number;
	uint64_t pid;

	while (at > all.data && is_digit(at[-1]))
		at--;
	number = (struct cursor){ at, all.data + all.len };
	if (at == all.data || at[-1] != '-' || !take_number(&number, &pid) || pid > INT32_MAX)
		return false;
	ret->comm = (struct ftrace_text){ all.data, (size_t)(at - 1 - all.data) };
	ret->pid = (int32_t)pid;
	return true;
}

/* "+ 12.345 us" or blank. */
static bool is_duration(const char *from, const char *to, struct ftrace_line *ret)
{
	struct ftrace_text text = trimmed(from, to);
	struct cursor cursor = { text.data, text.data + text.len };

	if (!text.len)
		return true;
	if (cursor.at < cursor.end && strchr("+!#*@$", *cursor.at))
		cursor.at++;
	skip_blanks(&cursor);
	if (!take_decimal(&cursor, 3, &ret->duration_ns))
		return false;
	skip_blanks(&cursor);
	ret->has_duration = starts(&cursor, "us");
	return ret->has_duration;
}

/* The function graph's own text: "fn();", "fn() {", "}", "} /∗ fn ∗/". */
static void parse_body(struct cursor cursor, struct ftrace_line *ret)
{
	const char *from = cursor.at, *open;
	struct ftrace_text text;

	skip_blanks(&cursor);
	text = trimmed(cursor.at, cursor.end);
	ret->depth = (uint32_t)(cursor.at - from) / 2;
	ret->depth -= ret->depth != 0;
	if (!text.len)
		return;
	if (*text.data == '}') {
		const char *name = memmem(text.data, text.len, "/* ", 3);

		ret->kind = FTRACE_LINE_EXIT;
		if (name) {
			name += 3;
			ret->name.data = name;
			while (name < text.data + text.len && !strchr(" (", *name))
				name++;
			ret->name.len = (size_t)(name - ret->name.data);
		}
		return;
	}
	open = memchr(text.data, '(', text.len);
	if (!open || open == text.data || starts(&cursor, "/*"))
		return;
	ret->name = trimmed(text.data, open);
	ret->kind = memmem(open, text.len - (size_t)(open - text.data), ");", 2)
			    ? FTRACE_LINE_LEAF
			    : FTRACE_LINE_ENTRY;
	if (text.len - (size_t)(open - text.data) > 2)
		ret->args = (struct ftrace_text){ open, text.len - (size_t)(open - text.data) };
}

/* " 0)   0.633 us    |  fn();", with or without a time in front and a thread between. */
static bool parse_graph(struct cursor cursor, struct ftrace_line *ret)
{
	struct cursor time = cursor;
	const char *bar;
	uint64_t cpu;

	skip_blanks(&time);
	if (take_decimal(&time, 9, &ret->time_ns)) {
		skip_blanks(&time);
		if (starts(&time, "|")) {
			ret->has_time = true;
			cursor.at = time.at + 1;
		}
	}
	skip_blanks(&cursor);
	if (!take_number(&cursor, &cpu) || cpu > INT32_MAX || !starts(&cursor, ")"))
		return false;
	ret->cpu = (int32_t)cpu;
	cursor.at++;
	if (memmem(cursor.at, (size_t)(cursor.end - cursor.at), " => ", 4) &&
	    !memchr(cursor.at, '|', (size_t)(cursor.end - cursor.at))) {
		ret->kind = FTRACE_LINE_SWITCH;
		return ftrace_line_thread(cursor.at, (size_t)(cursor.end - cursor.at), ret);
	}
	while ((bar = memchr(cursor.at, '|', (size_t)(cursor.end - cursor.at)))) {
		bool duration = is_duration(cursor.at, bar, ret);

		if (!duration)
			(void)ftrace_line_thread(cursor.at, (size_t)(bar - cursor.at), ret);
		cursor.at = bar + 1;
		if (duration) {
			parse_body(cursor, ret);
			return true;
		}
	}
	return false;
}

/* "CPU:1 [LOST 123 EVENTS]" and "CPU 1 [123 EVENTS DROPPED]" */
static bool parse_lost(struct cursor cursor, struct ftrace_line *ret)
{
	const char *open = memchr(cursor.at, '[', (size_t)(cursor.end - cursor.at));
	struct cursor number = { open, cursor.end };

	if (!starts(&cursor, "CPU") || !open ||
	    !memmem(open, (size_t)(cursor.end - open), "EVENTS", 6))
		return false;
	while (number.at < number.end && !is_digit(*number.at))
		number.at++;
	ret->kind = FTRACE_LINE_LOST;
	(void)take_number(&number, &ret->count); /* "[LOST EVENTS]": unknown */
	return true;
}

/* The end of "comm-123  ( 123)": true with the thread. */
static bool take_thread(const char *from, const char *to, struct ftrace_line *ret)
{
	struct ftrace_text text = trimmed(from, to);
	const char *open;

	if (text.len && text.data[text.len - 1] == ')') {
		open = memrchr(text.data, '(', text.len);
		if (!open)
			return false;
		text = trimmed(text.data, open);
	}
	return ftrace_line_thread(text.data, text.len, ret);
}

/* "[001]" behind a thread; moves the cursor behind it. */
static bool take_head(struct cursor *cursor, struct ftrace_line *ret)
{
	const char *open = cursor->at;
	uint64_t cpu;

	while ((open = memchr(open, '[', (size_t)(cursor->end - open)))) {
		struct cursor number = { open + 1, cursor->end };

		if (take_number(&number, &cpu) && starts(&number, "]") && cpu <= INT32_MAX &&
		    take_thread(cursor->at, open, ret)) {
			ret->cpu = (int32_t)cpu;
			cursor->at = number.at + 1;
			return true;
		}
		open++;
	}
	return false;
}

/* " d..1.  123.456789: ", flags or none. */
static bool take_time(struct cursor *cursor, struct ftrace_line *ret)
{
	for (int word = 0; word < 2; word++) {
		struct cursor time;

		skip_blanks(cursor);
		time = *cursor;
		if (take_decimal(&time, 9, &ret->time_ns) && starts(&time, ":")) {
			ret->has_time = true;
			cursor->at = time.at + 1;
			return true;
		}
		while (cursor->at < cursor->end && *cursor->at != ' ')
			cursor->at++;
	}
	return false;
}

/* "funcgraph_exit:  + 12.1 us | }" of trace-cmd. */
static void parse_graph_event(struct cursor cursor, struct ftrace_line *ret)
{
	const char *bar = memchr(cursor.at, '|', (size_t)(cursor.end - cursor.at));

	if (!bar || !is_duration(cursor.at, bar, ret))
		return;
	cursor.at = bar + 1;
	ret->name = ret->args = (struct ftrace_text){ 0 };
	parse_body(cursor, ret);
}

static bool is(struct ftrace_text text, const char *word)
{
	return text.len == strlen(word) && memcmp(text.data, word, text.len) == 0;
}

bool ftrace_line_is(const struct ftrace_line *line, const char *name)
{
	size_t len = strlen(line->prefix);

	return strncmp(name, line->prefix, len) == 0 && is(line->name, name + len);
}

/* "sys_read(fd: 3, …)" and "sys_read -> 0x0" */
static bool parse_syscall(struct ftrace_text text, struct ftrace_line *ret)
{
	const char *end = text.data + text.len, *at = text.data;

	if (text.len < 5 || memcmp(at, "sys_", 4) != 0)
		return false;
	while (at < end && *at != '(' && *at != ' ' && *at != ':')
		at++;
	if (at == end || *at == ':' || (*at == ' ' && (end - at < 4 || memcmp(at, " -> ", 4) != 0)))
		return false;
	ret->kind = FTRACE_LINE_EVENT;
	ret->prefix = *at == '(' ? "sys_enter_" : "sys_exit_";
	ret->name = trimmed(text.data + 4, at);
	ret->args = *at == '(' ? trimmed(at + 1, end) : trimmed(at + 4, end);
	if (*at == '(' && ret->args.len && ret->args.data[ret->args.len - 1] == ')')
		ret->args.len--;
	return true;
}

static void parse_rest(struct cursor cursor, struct ftrace_line *ret)
{
	struct ftrace_text text = trimmed(cursor.at, cursor.end);
	const char *arrow = memmem(text.data, text.len, " <-", 3);
	const char *colon = memmem(text.data, text.len, ":", 1);
	const char *end = text.data + text.len;

	if (text.len >= 12 && memcmp(text.data, "<stack trace", 12) == 0) {
		ret->kind = FTRACE_LINE_STACK;
		return;
	}
	if (parse_syscall(text, ret))
		return;
	if (arrow && (!colon || arrow < colon)) {
		ret->kind = FTRACE_LINE_FUNCTION;
		ret->name = trimmed(text.data, arrow);
		ret->parent = trimmed(arrow + 3, end);
		return;
	}
	if (!colon)
		return;
	ret->name = trimmed(text.data, colon);
	ret->args = trimmed(colon + 1, end);
	ret->kind = FTRACE_LINE_EVENT;
	if (is(ret->name, "funcgraph_entry") || is(ret->name, "funcgraph_exit")) {
		parse_graph_event((struct cursor){ colon + 1, end }, ret);
	} else if (is(ret->name, "kernel_stack") || is(ret->name, "user_stack")) {
		ret->kind = FTRACE_LINE_STACK;
	} else if (is(ret->name, "function")) {
		ret->kind = FTRACE_LINE_FUNCTION;
		arrow = memmem(ret->args.data, ret->args.len, " <-", 3);
		ret->name = trimmed(ret->args.data, arrow ? arrow : end);
		if (arrow)
			ret->parent =
				trimmed(arrow + 3 + (arrow + 3 < end && arrow[3] == '-'), end);
		ret->args = (struct ftrace_text){ 0 };
	}
}

void ftrace_line_parse(const char *line, size_t len, struct ftrace_line *ret)
{
	struct cursor cursor = { line, line + len }, frame = cursor;

	*ret = (struct ftrace_line){ .pid = -1, .cpu = -1, .prefix = "" };
	skip_blanks(&frame);
	if (frame.at == frame.end || *frame.at == '#')
		return;
	if (starts(&frame, "=> ")) {
		struct ftrace_text text = trimmed(frame.at + 3, frame.end);
		const char *space = memchr(text.data, ' ', text.len);

		ret->kind = FTRACE_LINE_FRAME;
		ret->name = space ? trimmed(text.data, space) : text;
		return;
	}
	if (parse_lost(frame, ret) || parse_graph(cursor, ret))
		return;
	*ret = (struct ftrace_line){ .pid = -1, .cpu = -1, .prefix = "" };
	if (take_head(&cursor, ret) && take_time(&cursor, ret))
		parse_rest(cursor, ret);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of perf script text (see perf_script_line.h). The comm may hold any bytes, blanks and
 * digits included, so a header is recognised by what follows the comm, not by the comm. */
#include "format/perf_script/perf_script_line.h"

#include <string.h>

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static int hex_value(char c)
{
	if (is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* Takes the next word off the front of *rest; its length is 0 at the end. */
static struct slice next_word(struct slice *rest)
{
	const char *end = rest->s + rest->len, *p = rest->s, *start;

	while (p < end && is_blank(*p))
		p++;
	start = p;
	while (p < end && !is_blank(*p))
		p++;
	*rest = (struct slice){ p, (size_t)(end - p) };
	return (struct slice){ start, (size_t)(p - start) };
}

static struct slice trim(struct slice s)
{
	while (s.len && is_blank(s.s[0])) {
		s.s++;
		s.len--;
	}
	while (s.len && is_blank(s.s[s.len - 1]))
		s.len--;
	return s;
}

/* All of s as a decimal number that fits; false otherwise. */
static bool parse_u64(struct slice s, uint64_t *ret)
{
	uint64_t value = 0;

	if (s.len == 0 || s.len > 20)
		return false;
	for (size_t i = 0; i < s.len && s.len < 20; i++) { /* 19 digits fit */
		if (!is_digit(s.s[i]))
			return false;
		value = value * 10 + (uint64_t)(s.s[i] - '0');
	}
	for (size_t i = 0; i < s.len && s.len == 20; i++) {
		if (!is_digit(s.s[i]) || __builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(s.s[i] - '0'), &value))
			return false;
	}
	*ret = value;
	return true;
}

static bool parse_id(struct slice s, uint32_t *ret)
{
	uint64_t value;

	if (s.len == 2 && s.s[0] == '-' && s.s[1] == '1') { /* perf's "no such thread" */
		*ret = SCRIPT_UNKNOWN;
		return true;
	}
	if (!parse_u64(s, &value) || value > UINT32_MAX)
		return false;
	*ret = (uint32_t)value;
	return true;
}

/* "tid" or "pid/tid". perf pads the tid on the right, so "12/34   " is one word. */
static bool parse_thread(struct slice word, struct script_header *ret)
{
	const char *slash = memchr(word.s, '/', word.len);

	ret->pid = SCRIPT_UNKNOWN;
	if (!slash)
		return parse_id(word, &ret->tid);
	return parse_id((struct slice){ word.s, (size_t)(slash - word.s) }, &ret->pid) &&
	       parse_id((struct slice){ slash + 1, (size_t)(word.s + word.len - slash - 1) },
			&ret->tid);
}

static bool parse_cpu(struct slice word, uint32_t *ret)
{
	return word.len > 2 && word.s[0] == '[' && word.s[word.len - 1] == ']' &&
	       parse_id((struct slice){ word.s + 1, word.len - 2 }, ret);
}

/* "seconds.fraction:" with 1 to 9 digits of fraction. */
static bool parse_time(struct slice word, uint64_t *ret)
{
	const char *dot = word.len ? memchr(word.s, '.', word.len) : NULL;
	uint64_t seconds, fraction;
	struct slice digits;

	if (!dot || word.s[word.len - 1] != ':')
		return false;
	digits = (struct slice){ dot + 1, (size_t)(word.s + word.len - 1 - (dot + 1)) };
	if (digits.len > 9 || !parse_u64(digits, &fraction) ||
	    !parse_u64((struct slice){ word.s, (size_t)(dot - word.s) }, &seconds) ||
	    seconds > UINT64_MAX / 1000000000 - 1)
		return false;
	for (size_t i = digits.len; i < 9; i++)
		fraction *= 10;
	*ret = seconds * 1000000000 + fraction;
	return true;
}

/* "period event:" or "event:" at the front of *rest. */
static void parse_event(struct slice *rest, struct script_header *ret)
{
	struct slice before = *rest, word = next_word(rest);
	uint64_t period = 0;

	if (parse_u64(word, &period))
		word = next_word(rest);
	if (word.len < 2 || word.s[word.len - 1] != ':') {
		*rest = before;
		return;
	}
	ret->period = period;
	ret->event = (struct slice){ word.s, word.len - 1 };
}

/* What -F +misc puts before the time: "U", "Kp". */
static bool is_misc(struct slice word)
{
	for (size_t i = 0; i < word.len; i++)
		if ((word.s[i] | 0x20) < 'a' || (word.s[i] | 0x20) > 'z')
			return false;
	return word.len && word.len <= 4;
}

/* What follows a thread id. `rest` starts right behind it. */
static bool parse_after_thread(struct slice rest, bool strict, struct script_header *ret)
{
	struct slice after = rest, word = next_word(&after), behind;
	bool has_cpu, has_time;

	ret->cpu = SCRIPT_UNKNOWN;
	ret->time_ns = ret->period = 0;
	ret->event = (struct slice){ "", 0 };
	has_cpu = parse_cpu(word, &ret->cpu);
	if (has_cpu) {
		rest = after;
		word = next_word(&after);
	}
	behind = after;
	if (is_misc(word) && parse_time(next_word(&behind), &ret->time_ns))
		word = next_word(&after);
	has_time = parse_time(word, &ret->time_ns);
	if (has_time)
		rest = after;
	parse_event(&rest, ret);
	ret->rest = trim(rest);
	if (has_time || (has_cpu && (ret->event.len || !strict)))
		return true;
	return !strict && ret->event.len;
}

bool script_header_parse(struct slice line, bool strict, struct script_header *ret)
{
	struct slice rest = line, word = next_word(&rest);
	struct script_header header;

	if (parse_thread(word, &header) && parse_after_thread(rest, true, &header) &&
	    header.time_ns) {
		header.comm = (struct slice){ line.s, 0 };
		*ret = header;
		return true;
	}
	for (;;) { /* the comm has at least one word */
		word = next_word(&rest);
		if (!word.len)
			return false;
		if (!is_digit(word.s[0]) && word.s[0] != '-')
			continue;
		if (!parse_thread(word, &header) || !parse_after_thread(rest, strict, &header))
			continue;
		header.comm = trim((struct slice){ line.s, (size_t)(word.s - line.s) });
		*ret = header;
		return true;
	}
}

bool script_header_parse_bare(struct slice line, struct script_header *ret)
{
	struct script_header header = { .cpu = SCRIPT_UNKNOWN };
	size_t len = line.len;

	while (len && !is_blank(line.s[len - 1]))
		len--;
	if (len != line.len || !len) /* perf prints a blank behind the thread */
		return false;
	line = trim(line);
	for (len = line.len; len && !is_blank(line.s[len - 1]);)
		len--;
	header.comm = trim((struct slice){ line.s, len });
	if (!header.comm.len ||
	    !parse_thread((struct slice){ line.s + len, line.len - len }, &header))
		return false;
	header.event = header.rest = (struct slice){ line.s + line.len, 0 };
	*ret = header;
	return true;
}

/* Splits "symbol (module)" at the parenthesis that matches the last one: modules may hold
 * parentheses ("/memfd:x (deleted)"), symbols too. Returns the length of the symbol. */
static bool split_module(struct slice text, struct slice *ret_symbol, struct slice *ret_module)
{
	size_t open = text.len, depth = 0;

	if (!text.len || text.s[text.len - 1] != ')')
		return false;
	for (size_t i = text.len; i-- > 0;) {
		depth += text.s[i] == ')';
		if (text.s[i] == '(' && --depth == 0) {
			open = i;
			break;
		}
	}
	if (open == text.len || (open && !is_blank(text.s[open - 1]))) { /* unbalanced */
		for (open = text.len; open-- > 0;)
			if (text.s[open] == '(' && (!open || is_blank(text.s[open - 1])))
				break;
		if (open == (size_t)-1)
			return false;
	}
	*ret_module = (struct slice){ text.s + open + 1, text.len - open - 2 };
	*ret_symbol = trim((struct slice){ text.s, open });
	return true;
}

/* Cuts "+0x1f" off the end of the name. */
static void cut_offset(struct slice *name, uint64_t *ret_offset)
{
	uint64_t value = 0;
	size_t i = name->len;

	while (i > 0 && hex_value(name->s[i - 1]) >= 0)
		i--;
	if (i == name->len || i < 4 || memcmp(name->s + i - 3, "+0x", 3) != 0)
		return;
	for (size_t j = i; j < name->len; j++)
		value = value << 4 | (unsigned)hex_value(name->s[j]);
	*ret_offset = value;
	name->len = i - 3;
}

static bool slice_is(struct slice s, const char *text)
{
	return s.len == strlen(text) && memcmp(s.s, text, s.len) == 0;
}

bool script_frame_parse(struct slice line, struct script_frame *ret)
{
	struct slice rest = line, pc, text;
	struct script_frame frame = { 0 };

	pc = next_word(&rest);
	if (!pc.len || pc.len > 16)
		return false;
	for (size_t i = 0; i < pc.len; i++) {
		int digit = hex_value(pc.s[i]);

		if (digit < 0)
			return false;
		frame.pc = frame.pc << 4 | (unsigned)digit;
	}
	text = trim(rest);
	if (!split_module(text, &frame.name, &frame.module))
		frame.name = text;
	else if (!frame.name.len && text.s - rest.s > 1) /* a symbol with an empty name */
		frame.name = (struct slice){ rest.s, 1 };
	if (slice_is(frame.module, "inlined")) {
		frame.inlined = true;
		frame.module.len = 0;
	} else if (slice_is(frame.module, "[unknown]")) {
		frame.module.len = 0;
	}
	cut_offset(&frame.name, &frame.symbol_offset);
	if (slice_is(frame.name, "[unknown]"))
		frame.name.len = 0;
	*ret = frame;
	return true;
}

bool script_srcline_parse(struct slice line, struct slice *ret_file, uint32_t *ret_line)
{
	struct slice text = trim(line);
	const char *colon = memrchr(text.s, ':', text.len);
	uint64_t number;

	if (!text.len || !is_blank(line.s[0]))
		return false;
	if (colon &&
	    parse_u64((struct slice){ colon + 1, (size_t)(text.s + text.len - colon - 1) },
		      &number) &&
	    number <= UINT32_MAX && colon > text.s) {
		*ret_file = (struct slice){ text.s, (size_t)(colon - text.s) };
		*ret_line = (uint32_t)number;
		return true;
	}
	*ret_file = (struct slice){ 0 };
	*ret_line = 0;
	return text.s[text.len - 1] == ']' || colon;
}

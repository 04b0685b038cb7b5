/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Growable bytes and the escapers for JSON and XML (see buf.h). */
#include "base/buf.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

static int reserve(struct buf *buf, size_t more)
{
	size_t limit = buf->limit ? buf->limit : BUF_DEFAULT_LIMIT;
	size_t want;

	if (more > limit - buf->len)
		return -E2BIG;
	if (buf->data && buf->len + more < buf->capacity)
		return 0;
	want = buf->capacity ? buf->capacity * 2 : 256;
	if (want < buf->len + more + 1)
		want = buf->len + more + 1;
	buf->data = mem_realloc(buf->data, want);
	buf->capacity = want;
	return 0;
}

int buf_append(struct buf *buf, const void *data, size_t len)
{
	if (reserve(buf, len))
		return -E2BIG;
	if (len)
		memcpy(buf->data + buf->len, data, len);
	buf->len += len;
	buf->data[buf->len] = '\0';
	return 0;
}

int buf_puts(struct buf *buf, const char *s)
{
	return buf_append(buf, s, strlen(s));
}

int buf_putc(struct buf *buf, char c)
{
	if (reserve(buf, 1))
		return -E2BIG;
	buf->data[buf->len++] = c;
	buf->data[buf->len] = '\0';
	return 0;
}

int buf_put_wrapped(struct buf *buf, const char *text, size_t at, size_t indent, size_t width)
{
	const char *blank = "";

	while (*text) {
		size_t len = strcspn(text, " ");

		if (*blank && at + 1 + len > width) {
			(void)buf_putc(buf, '\n'); /* a limit is noticed at the end */
			(void)buf_pad(buf, ' ', indent);
			at = indent;
			blank = "";
		}
		(void)buf_puts(buf, blank);
		(void)buf_append(buf, text, len);
		at += len + strlen(blank);
		blank = " ";
		text += len + (text[len] == ' ');
	}
	return buf_putc(buf, '\n');
}

int buf_extend(struct buf *buf, size_t len)
{
	if (reserve(buf, len))
		return -E2BIG;
	buf->len += len;
	buf->data[buf->len] = '\0';
	return 0;
}

int buf_pad(struct buf *buf, char c, size_t count)
{
	if (buf_extend(buf, count))
		return -E2BIG;
	memset(buf->data + buf->len - count, c, count);
	return 0;
}

int buf_printf(struct buf *buf, const char *fmt, ...)
{
	va_list args, again;
	char small[256];
	int len, ret;

	va_start(args, fmt);
	va_copy(again, args);
	len = vsnprintf(small, sizeof(small), fmt, args);
	va_end(args);
	if (len < 0)
		ret = -EINVAL;
	else if ((size_t)len < sizeof(small))
		ret = buf_append(buf, small, (size_t)len);
	else
		ret = reserve(buf, (size_t)len);
	if (!ret && (size_t)len >= sizeof(small)) {
		(void)vsnprintf(buf->data + buf->len, (size_t)len + 1, fmt, again);
		buf->len += (size_t)len;
	}
	va_end(again);
	return ret;
}

int buf_put_hundredths(struct buf *buf, double value)
{
	double scaled = value * 100;
	uint64_t whole = scaled < 1e12 ? (uint64_t)scaled : 0;
	double rest = scaled - (double)whole;
	char decimals[3] = ".";

	/* near a half the product's rounding error could decide */
	if (!(rest >= 0 && rest < 1) || (rest > 0.499 && rest < 0.501))
		return buf_printf(buf, "%.2f", value);
	whole += rest > 0.5;
	decimals[1] = (char)('0' + whole / 10 % 10);
	decimals[2] = (char)('0' + whole % 10);
	return buf_put_u64(buf, whole / 100) || buf_append(buf, decimals, sizeof(decimals)) ? -E2BIG
											    : 0;
}

int buf_put_utf8(struct buf *buf, uint32_t c)
{
	char out[4];
	size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;

	for (size_t i = n; i-- > 1; c >>= 6)
		out[i] = (char)(0x80 | (c & 0x3f));
	out[0] = (char)(n == 1 ? c : (0xf00u >> n & 0xff) | c);
	return buf_append(buf, out, n);
}

int buf_put_varint(struct buf *buf, uint64_t value)
{
	char bytes[10];
	size_t n = 0;

	for (; value >= 128; value >>= 7)
		bytes[n++] = (char)((value & 127) | 128);
	bytes[n++] = (char)value;
	return buf_append(buf, bytes, n);
}

int buf_put_hex64(struct buf *buf, uint64_t value)
{
	char digits[16];

	for (size_t i = sizeof(digits); i-- > 0; value >>= 4)
		digits[i] = "0123456789abcdef"[value & 15];
	return buf_append(buf, digits, sizeof(digits));
}

int buf_put_u64(struct buf *buf, uint64_t value)
{
	char digits[20];
	size_t i = sizeof(digits);

	do {
		digits[--i] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	return buf_append(buf, digits + i, sizeof(digits) - i);
}

/* Length of the valid UTF-8 sequence at s (at most len bytes), or 0. *ret gets the code point. */
static size_t utf8_sequence(const unsigned char *s, size_t len, uint32_t *ret)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t n = s[0] < 0x80 ? 1 : s[0] >= 0xf0 && s[0] < 0xf8 ? 4 : s[0] >= 0xe0 ? 3 : 2;
	uint32_t c = s[0];

	if (n == 1) {
		*ret = c;
		return 1;
	}
	if (s[0] < 0xc2 || s[0] > 0xf4 || n > len)
		return 0;
	c &= 0x7fu >> n;
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return 0;
	*ret = c;
	return n;
}

/* Terminals act on these characters, or show a line as another one. */
static bool is_control(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x200e && c <= 0x200f) ||
	       (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

/* Length of the first character; *ret_ok: whether it may stay. A byte that is not UTF-8 may be a
 * character of another encoding, as long as it is printable. */
static size_t next_character(const char *s, size_t len, bool printed, bool *ret_ok)
{
	uint32_t c = 0;
	size_t n = utf8_sequence((const unsigned char *)s, len, &c);

	*ret_ok = n ? !is_control(c) : !printed;
	return n ? n : 1;
}

/* True if all of it is printable ASCII, or newlines and tabs where allowed. The loop has no
 * early exit, so that the compiler can check many bytes at a time. */
static bool is_plain(const char *s, size_t len, bool lines)
{
	bool odd = false;

	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)s[i];

		odd |= (unsigned char)(c - 0x20) >= 0x5f && !(lines && (c == '\n' || c == '\t'));
	}
	return !odd;
}

static void tidy(char *s, size_t len, bool lines)
{
	for (size_t n, left = len; left; s += n, left -= n) {
		bool ok;

		n = next_character(s, left, lines, &ok);
		if (!ok && !(lines && (*s == '\n' || *s == '\t')))
			memset(s, '?', n);
	}
}

void text_tidy(char *s, size_t len)
{
	if (!is_plain(s, len, false))
		tidy(s, len, false);
}

/* A block with something odd in it goes on to the end of its line, so that no character is cut. */
void text_tidy_lines(char *s, size_t len)
{
	enum { BLOCK = 4096 };

	for (size_t at = 0, n; at < len; at += n) {
		n = len - at < BLOCK ? len - at : BLOCK;
		if (!is_plain(s + at, n, true)) {
			const char *end = memchr(s + at + n - 1, '\n', len - at - n + 1);

			n = end ? (size_t)(end - s) + 1 - at : len - at;
			tidy(s + at, n, true);
		}
	}
}

bool text_is_tidy(const char *s, size_t len)
{
	bool ok = true;

	if (is_plain(s, len, false))
		return true;
	for (size_t n; len && ok; s += n, len -= n)
		n = next_character(s, len, false, &ok);
	return ok;
}

int buf_put_tidy(struct buf *buf, const char *s)
{
	size_t from = buf->len;
	int ret = buf_puts(buf, s);

	if (!ret)
		text_tidy(buf->data + from, buf->len - from);
	return ret;
}

int buf_put_cut(struct buf *buf, const char *s, size_t width)
{
	size_t from = buf->len, count = 0, last = buf->len;
	int ret = buf_put_tidy(buf, s);

	if (ret)
		return ret;
	for (size_t at = from; at < buf->len; at++) {
		if (((unsigned char)buf->data[at] & 0xc0) == 0x80) /* inside a character */
			continue;
		if (count == width) {
			buf->len = width ? last : from;
			return buf_puts(buf, width ? "\xe2\x80\xa6" : "") ? -E2BIG : (int)width;
		}
		last = at;
		count++;
	}
	return (int)count;
}

int buf_put_json(struct buf *buf, const char *s)
{
	size_t len = strlen(s);
	int ret = buf_putc(buf, '"');

	while (len && !ret) {
		uint32_t c = 0;
		size_t n = utf8_sequence((const unsigned char *)s, len, &c);

		if (!n)
			ret = buf_puts(buf, "\xef\xbf\xbd");
		else if (c == '"' || c == '\\')
			ret = buf_printf(buf, "\\%c", (char)c);
		else if (c < 0x20 || (c >= 0x7f && c < 0xa0))
			ret = buf_printf(buf, "\\u%04x", c);
		else
			ret = buf_append(buf, s, n);
		n = n ? n : 1;
		s += n;
		len -= n;
	}
	return ret ? ret : buf_putc(buf, '"');
}

static const char *xml_entity(uint32_t c)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

int buf_put_xml(struct buf *buf, const char *s, size_t len)
{
	int ret = 0;

	while (len && !ret) {
		uint32_t c = 0;
		size_t n = utf8_sequence((const unsigned char *)s, len, &c);
		const char *entity = n ? xml_entity(c) : NULL;

		if (!n || (c < 0x20 && c != '\t' && c != '\n') || c == 0xfffe || c == 0xffff)
			ret = buf_puts(buf, "\xef\xbf\xbd");
		else if (entity)
			ret = buf_puts(buf, entity);
		else
			ret = buf_append(buf, s, n);
		n = n ? n : 1;
		s += n;
		len -= n;
	}
	return ret;
}

void buf_clear(struct buf *buf)
{
	buf->len = 0;
	if (buf->data)
		buf->data[0] = '\0';
}

void buf_done(struct buf *buf)
{
	free(buf->data);
	*buf = (struct buf){ .limit = buf->limit };
}

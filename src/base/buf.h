/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A growable byte string with a limit. Bytes past the limit are refused with -E2BIG, so a size
 * read from outside cannot become unbounded memory. `data` is always NUL-terminated when not
 * NULL. `limit` 0 means BUF_DEFAULT_LIMIT. */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BUF_DEFAULT_LIMIT ((size_t)4 << 30)

struct buf {
	char *data;
	size_t len, capacity, limit;
};

int buf_append(struct buf *buf, const void *data, size_t len);
int buf_puts(struct buf *buf, const char *s);
int buf_putc(struct buf *buf, char c);
int buf_pad(struct buf *buf, char c, size_t count);
/* Words from column `at` on, and a line end. Lines that would be longer than width continue after
 * `indent` blanks. */
int buf_put_wrapped(struct buf *buf, const char *text, size_t at, size_t indent, size_t width);
/* Appends `len` bytes that the caller writes. */
int buf_extend(struct buf *buf, size_t len);
int buf_printf(struct buf *buf, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Decimal, without the cost of printf. */
int buf_put_u64(struct buf *buf, uint64_t value);
/* "%.2f" of a number that is not negative, faster than printf. */
int buf_put_hundredths(struct buf *buf, double value);
/* A code point below 0x110000. */
int buf_put_utf8(struct buf *buf, uint32_t c);
/* LEB128: seven bits per byte, lowest first; the eighth bit means that more bytes follow. */
int buf_put_varint(struct buf *buf, uint64_t value);
/* All 16 digits. */
int buf_put_hex64(struct buf *buf, uint64_t value);
/* Names come from untrusted programs. Control characters (C0, DEL, C1), which terminals obey and
 * which end lines, and characters that reverse the direction of text become '?'. In place, and
 * appended. */
void text_tidy(char *s, size_t len);
bool text_is_tidy(const char *s, size_t len);
/* The same for finished text of many lines: newlines and tabs stay, bytes that are not UTF-8 become
 * '?' as well. */
void text_tidy_lines(char *s, size_t len);
int buf_put_tidy(struct buf *buf, const char *s);
/* The same, at most so many characters: the last one is then "…". Returns how many, or -E2BIG. */
int buf_put_cut(struct buf *buf, const char *s, size_t width);
/* A JSON string with its quotes. Control characters (C0, DEL, C1) are escaped; bytes that are not
 * UTF-8 become U+FFFD. */
int buf_put_json(struct buf *buf, const char *s);
/* Text for XML content or attributes: escapes & < > " ', replaces what XML 1.0 cannot hold. */
int buf_put_xml(struct buf *buf, const char *s, size_t len);
void buf_clear(struct buf *buf); /* keeps the memory */
void buf_done(struct buf *buf);

#endif

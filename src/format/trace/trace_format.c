/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks the structure of a format text (see trace_format.h): three lines of heading, one line per
 * field with numbers in range, and a print format with balanced quotes and brackets and complete
 * expressions that do not divide, index or count by values from the payload. Otherwise the event
 * loses its text. Format: Documentation/trace/events.rst of the Linux kernel, section 3. */
#include "format/trace/trace_format.h"

#include <stdint.h>
#include <string.h>

#define MAX_NESTING 64
#define MAX_BYTES   65536

/* What is left of the text. */
struct scan {
	const char *at, *end;
};

static bool take(struct scan *scan, const char *word)
{
	size_t len = strlen(word);

	if ((size_t)(scan->end - scan->at) < len || memcmp(scan->at, word, len) != 0)
		return false;
	scan->at += len;
	return true;
}

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

/* Passes over the bytes `allowed` holds besides word characters; true when there were any. */
static bool take_span(struct scan *scan, const char *allowed)
{
	const char *start = scan->at;

	while (scan->at < scan->end &&
	       (is_word(*scan->at) || (*scan->at && strchr(allowed, *scan->at))))
		scan->at++;
	return scan->at > start;
}

static bool take_number(struct scan *scan, uint64_t *ret)
{
	const char *start = scan->at;

	for (*ret = 0; scan->at < scan->end && *scan->at >= '0' && *scan->at <= '9'; scan->at++)
		if (*ret < UINT32_MAX)
			*ret = *ret * 10 + (uint64_t)(*scan->at - '0');
	return scan->at > start;
}

/* "unsigned int flags", "char comm[16]", "__data_loc char[] name": a type, a separate name, and
 * balanced square brackets. */
static bool declaration_valid(const char *text, size_t len)
{
	size_t words = 0, depth = 0;

	for (size_t i = 0; i < len; i++) {
		if (text[i] == '[' && depth++)
			return false;
		if (text[i] == ']' && !depth--)
			return false;
		words += !depth && is_word(text[i]) && (i == 0 || !is_word(text[i - 1]));
	}
	return depth == 0 && words >= 2 && (is_word(text[len - 1]) || text[len - 1] == ']') &&
	       is_word(text[0]);
}

static bool take_field(struct scan *scan)
{
	const char *declaration;
	uint64_t offset, size, is_signed;

	if (!take(scan, "\tfield:"))
		return false;
	declaration = scan->at;
	if (!take_span(scan, " *[]()+-") ||
	    !declaration_valid(declaration, (size_t)(scan->at - declaration)))
		return false;
	if (!take(scan, ";\toffset:") || !take_number(scan, &offset) || !take(scan, ";\tsize:") ||
	    !take_number(scan, &size) || !take(scan, ";"))
		return false;
	if (take(scan, "\tsigned:") && (!take_number(scan, &is_signed) || !take(scan, ";")))
		return false;
	return offset + size <= TRACE_FORMAT_FIELD_LIMIT && take(scan, "\n");
}

/* The end of a string literal that begins at scan->at. */
static bool take_quoted(struct scan *scan)
{
	for (scan->at++; scan->at < scan->end; scan->at++) {
		if (*scan->at == '\\')
			scan->at++;
		else if (*scan->at == '"') {
			scan->at++;
			return true;
		}
	}
	return false;
}

/* "[2]": an index of one or two digits, nothing else; the scan stays where it is. */
static bool index_valid(struct scan scan)
{
	uint64_t index;

	scan.at++;
	return take_number(&scan, &index) && index < 100 && take(&scan, "]");
}

/* "/ 8": by a number that is not 0. */
static bool divisor_valid(struct scan scan)
{
	uint64_t divisor;

	scan.at++;
	while (take(&scan, " ") || take(&scan, "("))
		;
	if (take(&scan, "sizeof"))
		return true;
	return take_number(&scan, &divisor) && divisor > 0;
}

/* Bytes and arrays are printed up to a count: only the one that goes with the array, which has 16
 * bits. */
static bool count_valid(struct scan scan)
{
	if (!take(&scan, "__print_hex") && !take(&scan, "__print_array"))
		return true;
	while (scan.at < scan.end && *scan.at != ',')
		scan.at++;
	return take(&scan, ", __get_dynamic_array_len(");
}

static bool step_valid(struct scan scan, const char *start)
{
	switch (*scan.at) {
	case '[':
		return index_valid(scan);
	case '/':
	case '%':
		return divisor_valid(scan);
	case '_':
		return (scan.at > start && is_word(scan.at[-1])) || count_valid(scan);
	default:
		return true;
	}
}

/* Brackets pair up in the right order and not too deeply. */
static bool expression_valid(struct scan scan)
{
	const char *start = scan.at;
	char open[MAX_NESTING], last = 0;
	size_t depth = 0;

	while (scan.at < scan.end) {
		char c = *scan.at;

		if ((c < ' ' && c != '\t' && c != '\n') || c == 127 || !step_valid(scan, start))
			return false;
		if (c != ' ' && c != '\t' && c != '\n')
			last = c;
		if (c == '"') {
			if (!take_quoted(&scan))
				return false;
			continue;
		}
		if (c == '(' || c == '{' || c == '[') {
			if (depth == MAX_NESTING)
				return false;
			open[depth++] = c == '(' ? ')' : c == '{' ? '}' : ']';
		} else if (c == ')' || c == '}' || c == ']') {
			if (!depth || open[--depth] != c)
				return false;
		}
		scan.at++;
	}
	return depth == 0 && (is_word(last) || last == '"' || last == ')' || last == ']');
}

bool trace_format_valid(const char *text, size_t len)
{
	struct scan scan = { text, text + len };
	uint64_t id;

	if (len > MAX_BYTES || memchr(text, '\0', len))
		return false;
	if (!take(&scan, "name: ") || !take_span(&scan, "") || !take(&scan, "\nID: ") ||
	    !take_number(&scan, &id) || !take(&scan, "\nformat:\n"))
		return false;
	while (scan.at < scan.end && (*scan.at == '\t' || *scan.at == '\n'))
		if (!take(&scan, "\n") && !take_field(&scan))
			return false;
	return take(&scan, "print fmt: \"") && (scan.at--, expression_valid(scan));
}

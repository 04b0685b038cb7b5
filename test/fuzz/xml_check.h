/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether a generated document is well-formed XML without any script but its own: written from the
 * standard, not from the writer, so that it finds what the writer forgets. */
#ifndef TEST_FUZZ_XML_CHECK_H
#define TEST_FUZZ_XML_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

#define XML_DEPTH 16

struct xml {
	const char *at, *end;
	struct {
		const char *name;
		size_t len;
	} open[XML_DEPTH];
	size_t depth, scripts;
};

static bool xml_skip(struct xml *x, const char *until)
{
	const char *found = memmem(x->at, (size_t)(x->end - x->at), until, strlen(until));

	if (!found)
		return false;
	x->at = found + strlen(until);
	return true;
}

/* Characters that XML 1.0 allows, in UTF-8 of the shortest form. */
static bool xml_is_text(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)s[i];
		size_t more = c < 0x80 ? 0 : c < 0xe0 ? 1 : c < 0xf0 ? 2 : 3;
		uint32_t value = more ? c & (0x3fu >> more) : c;

		if ((c < 0x20 && c != '\t' && c != '\n' && c != '\r') || (c >= 0x80 && c < 0xc2) ||
		    c > 0xf4 || i + more >= len)
			return false;
		for (size_t k = 0; k < more; k++) {
			unsigned char next = (unsigned char)s[++i];

			if ((next & 0xc0) != 0x80)
				return false;
			value = value << 6 | (next & 0x3f);
		}
		if ((value >= 0xd800 && value < 0xe000) || value > 0x10ffff ||
		    (value & 0xfffe) == 0xfffe || (more == 2 && value < 0x800) ||
		    (more == 3 && value < 0x10000))
			return false;
	}
	return true;
}

/* Text of an element or attribute: every & begins one of the five entities or a number. */
static bool xml_is_escaped(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (s[i] == '<')
			return false;
		if (s[i] != '&')
			continue;
		if (strncmp(s + i, "&amp;", 5) != 0 && strncmp(s + i, "&lt;", 4) != 0 &&
		    strncmp(s + i, "&gt;", 4) != 0 && strncmp(s + i, "&quot;", 6) != 0 &&
		    strncmp(s + i, "&apos;", 6) != 0 && strncmp(s + i, "&#", 2) != 0)
			return false;
	}
	return !memmem(s, len, "]]>", 3);
}

static size_t xml_name(const char *s)
{
	return strcspn(s, " \t\r\n=/><\"'&");
}

static bool xml_attributes(struct xml *x)
{
	for (;;) {
		const char *name, *close;
		size_t len;

		x->at += strspn(x->at, " \t\r\n");
		if (*x->at == '>' || (*x->at == '/' && x->at[1] == '>'))
			return true;
		name = x->at;
		len = xml_name(name);
		if (!len || name[len] != '=' || name[len + 1] != '"')
			return false;
		if (strncasecmp(name, "on", 2) == 0 &&
		    strncmp(name, "onload=\"init(evt)\"", 18) != 0)
			return false;
		close = strchr(name + len + 2, '"');
		if (!close || !xml_is_escaped(name + len + 2, (size_t)(close - name - len - 2)))
			return false;
		if (len >= 4 && strncasecmp(name + len - 4, "href", 4) == 0 &&
		    strncasecmp(name + len + 2, "javascript:", 11) == 0)
			return false;
		x->at = close + 1;
	}
}

static bool xml_tag(struct xml *x)
{
	bool closing = x->at[1] == '/';
	const char *name = x->at + 1 + closing;
	size_t len = xml_name(name);

	x->at = name + len;
	if (!len)
		return false;
	if (closing) {
		if (!x->depth || *x->at != '>')
			return false;
		x->depth--;
		x->at++;
		return x->open[x->depth].len == len &&
		       memcmp(x->open[x->depth].name, name, len) == 0;
	}
	x->scripts += len == 6 && strncasecmp(name, "script", 6) == 0;
	if (!xml_attributes(x) || x->depth == XML_DEPTH)
		return false;
	if (*x->at == '/') {
		x->at += 2;
		return true;
	}
	x->at++;
	x->open[x->depth].name = name;
	x->open[x->depth++].len = len;
	return true;
}

/* text is NUL-terminated; scripts: how many there must be. */
static bool xml_is_sound(const char *text, size_t len, size_t scripts)
{
	struct xml x = { .at = text, .end = text + len };

	if (!xml_is_text(text, len))
		return false;
	while (x.at < x.end) {
		const char *next = strchr(x.at, '<');
		size_t between = next ? (size_t)(next - x.at) : (size_t)(x.end - x.at);

		if (!xml_is_escaped(x.at, between))
			return false;
		x.at += between;
		if (!next)
			break;
		if (strncmp(x.at, "<![CDATA[", 9) == 0) {
			if (!xml_skip(&x, "]]>"))
				return false;
		} else if (strncmp(x.at, "<!--", 4) == 0) {
			x.at += 4;
			if (!xml_skip(&x, "--") || *x.at++ != '>')
				return false;
		} else if (strncmp(x.at, "<?xml ", 6) == 0) {
			if (x.at != text || !xml_skip(&x, "?>"))
				return false;
		} else if (!xml_tag(&x)) {
			return false;
		}
	}
	return !x.depth && x.scripts == scripts;
}

#endif

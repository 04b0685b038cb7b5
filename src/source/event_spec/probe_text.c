/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The extent of events of probes (see probe_text.h). */
#include "source/event_spec/probe_text.h"

#include <string.h>

#include "source/event_spec/event_modifiers.h"

/* "f() const": the blank belongs to the name. */
static bool is_const(const char *text, size_t at)
{
	return at && text[at - 1] == ')' && strncmp(text + at, " const", 6) == 0 &&
	       (!text[at + 6] || strchr(" ,}%+", text[at + 6]));
}

static const char *behind_prefix(const char *text)
{
	static const char *const prefixes[] = { "probe:",  "uprobe:",	 "uretprobe:",
						"kprobe:", "kretprobe:", "usdt:" };

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
		if (strncmp(text, prefixes[i], strlen(prefixes[i])) == 0)
			return text + strlen(prefixes[i]);
	return NULL;
}

/* "vfs_read", "vfs_read:k". */
static bool is_tracepoint(const char *text, size_t len)
{
	const char *colon = memchr(text, ':', len);
	char modifiers[16] = "";
	size_t rest;

	if (!colon)
		return true;
	rest = len - (size_t)(colon + 1 - text);
	if (rest >= sizeof(modifiers) || memchr(text, '/', len))
		return false;
	memcpy(modifiers, colon + 1, rest);
	return rest && event_modifiers_valid(modifiers);
}

static bool ends_with_operator(const char *text, size_t len)
{
	return len >= 8 && strncmp(text + len - 8, "operator", 8) == 0;
}

size_t probe_text_place(const char *text)
{
	size_t depth = 0, len;

	for (len = 0; text[len]; len++) {
		if (strchr("(<[", text[len]))
			depth++;
		else if (depth && strchr(")>]", text[len]))
			depth--;
		else if (!depth && text[len] == ' ' && !ends_with_operator(text, len) &&
			 !is_const(text, len))
			break;
	}
	return len;
}

static bool is_probe(const char *text)
{
	const char *rest = behind_prefix(text);

	if (!rest)
		return false;
	return strncmp(text, "probe:", 6) != 0 ||
	       !is_tracepoint(rest, probe_text_extent(text) - (size_t)(rest - text));
}

/* What is behind "GROUP:EVENT=", or all of it. */
static const char *behind_name(const char *text)
{
	static const char name_bytes[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
					 "0123456789_";
	size_t group = strspn(text, name_bytes), event;

	if (!group || text[group] != ':')
		return text;
	event = strspn(text + group + 1, name_bytes);
	return event && text[group + 1 + event] == '=' ? text + group + event + 2 : text;
}

bool probe_text_begins(const char *text)
{
	return is_probe(behind_name(text));
}

const char *probe_text_split(char *text)
{
	size_t len = (size_t)(behind_name(text) - text);

	if (len)
		text[len - 1] = '\0';
	return text + len;
}

/* 0: the brackets do not match, as in operator<. */
static size_t extent(const char *text, bool angles)
{
	size_t depth = 0, i;

	for (i = 0; text[i]; i++) {
		if (strchr("([", text[i]) || (angles && text[i] == '<'))
			depth++;
		else if (depth && (strchr(")]", text[i]) || (angles && text[i] == '>')))
			depth--;
		else if (!depth && strchr(",}", text[i]))
			return i;
	}
	return depth ? 0 : i;
}

size_t probe_text_extent(const char *text)
{
	size_t len = extent(text, true);

	if (!len)
		len = extent(text, false);
	return len ? len : strcspn(text, ",}");
}

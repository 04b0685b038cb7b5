/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Attributes of functions (see flame_attributes.h). */
#include "view/flame/flame_attributes.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/map.h"
#include "base/strtab.h"
#include "base/vec.h"

struct pair {
	string_id name, value;
};

struct flame_attribute {
	const struct strtab *strings;
	VEC(struct pair) pairs;
};

struct flame_attributes {
	struct strtab *strings;
	struct map by_function; /* string id → struct flame_attribute * */
	VEC(struct flame_attribute *) all;
};

const char *flame_attributes_get(const struct flame_attribute *attribute, const char *name)
{
	for (size_t i = 0; attribute && i < attribute->pairs.count; i++)
		if (strcmp(strtab_get(attribute->strings, attribute->pairs.item[i].name), name) ==
		    0)
			return strtab_get(attribute->strings, attribute->pairs.item[i].value);
	return NULL;
}

/* A name that XML allows, and that names no event handler and no namespace. */
static bool is_name(const char *s, size_t len)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";

	if (!len || !memchr(letters, s[0], sizeof(letters) - 1) ||
	    (len >= 2 && strncasecmp(s, "on", 2) == 0) ||
	    (len >= 3 && strncasecmp(s, "xml", 3) == 0))
		return false;
	for (size_t i = 1; i < len; i++)
		if (!memchr(letters, s[i], sizeof(letters) - 1) &&
		    !memchr("0123456789-.", s[i], 12))
			return false;
	return true;
}

bool flame_link_loads_page(const char *s)
{
	static const char *const schemes[] = { "http:", "https:", "file:", "mailto:" };
	size_t colon = strcspn(s, ":");

	for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++)
		if (strncasecmp(s, schemes[i], strlen(schemes[i])) == 0)
			return true;
	return !s[colon] || strcspn(s, "/?#") < colon;
}

static bool is_link(const char *name, size_t len)
{
	return len == 4 && memcmp(name, "href", 4) == 0;
}

/* Bytes of the file. */
struct span {
	const char *s;
	size_t len;
};

static bool add_pair(struct flame_attributes *all, struct flame_attribute *to, struct span name,
		     struct span value)
{
	struct pair pair = { .value = strtab_intern(all->strings, value.s, value.len) };

	if (!is_name(name.s, name.len) ||
	    (is_link(name.s, name.len) &&
	     !flame_link_loads_page(strtab_get(all->strings, pair.value))))
		return false;
	pair.name = strtab_intern(all->strings, name.s, name.len);
	if (!flame_attributes_get(to, strtab_get(all->strings, pair.name)))
		vec_push(&to->pairs, pair);
	return true;
}

/* NAME="VALUE" NAME='VALUE' …, as g_extra and a_extra hold them. Returns how many are bad. */
static size_t add_extra(struct flame_attributes *all, struct flame_attribute *to, const char *s,
			const char *end)
{
	size_t bad = 0;

	while (s < end) {
		const char *equals = memchr(s, '=', (size_t)(end - s));
		const char *close = NULL;

		if (equals && equals + 1 < end && (equals[1] == '"' || equals[1] == '\''))
			close = memchr(equals + 2, equals[1], (size_t)(end - equals - 2));
		if (!close)
			return bad + 1;
		bad += !add_pair(all, to, (struct span){ s, (size_t)(equals - s) },
				 (struct span){ equals + 2, (size_t)(close - equals - 2) });
		for (s = close + 1; s < end && *s == ' '; s++)
			;
	}
	return bad;
}

static size_t add_field(struct flame_attributes *all, struct flame_attribute *to, const char *field,
			size_t len)
{
	const char *equals = memchr(field, '=', len);
	size_t name = equals ? (size_t)(equals - field) : 0;

	if (!equals)
		return 1;
	if (name == 7 && (memcmp(field, "g_extra", 7) == 0 || memcmp(field, "a_extra", 7) == 0))
		return add_extra(all, to, equals + 1, field + len);
	return !add_pair(all, to, (struct span){ field, name },
			 (struct span){ equals + 1, len - name - 1 });
}

static size_t parse_line(struct flame_attributes *all, const char *line, size_t len)
{
	const char *tab = memchr(line, '\t', len), *end = line + len;
	struct flame_attribute *to;
	size_t bad = 0;

	if (!tab || tab == line || memchr(line, '\0', len))
		return 1;
	to = mem_zalloc(sizeof(*to));
	to->strings = all->strings;
	vec_push(&all->all, to);
	map_set(&all->by_function, strtab_intern(all->strings, line, (size_t)(tab - line)).v,
		(uintptr_t)to);
	while (tab < end) {
		const char *field = tab + 1;

		tab = memchr(field, '\t', (size_t)(end - field));
		tab = tab ? tab : end;
		bad += field < tab ? add_field(all, to, field, (size_t)(tab - field)) : 0;
	}
	return bad;
}

struct flame_attributes *flame_attributes_parse(const char *text, size_t len, size_t *ret_bad)
{
	struct flame_attributes *all = mem_zalloc(sizeof(*all));

	all->strings = strtab_new();
	*ret_bad = 0;
	while (len) {
		const char *end = memchr(text, '\n', len);
		size_t line = end ? (size_t)(end - text) : len, whole = line + (end != NULL);

		if (line && text[line - 1] == '\r')
			line--;
		if (line)
			*ret_bad += parse_line(all, text, line);
		text += whole;
		len -= whole;
	}
	return all;
}

void flame_attributes_free(struct flame_attributes *attributes)
{
	if (!attributes)
		return;
	for (size_t i = 0; i < attributes->all.count; i++) {
		vec_done(&attributes->all.item[i]->pairs);
		free(attributes->all.item[i]);
	}
	vec_done(&attributes->all);
	map_done(&attributes->by_function);
	strtab_free(attributes->strings);
	free(attributes);
}

const struct flame_attribute *flame_attributes_find(const struct flame_attributes *attributes,
						    const char *function)
{
	uint64_t found;

	if (!map_get(&attributes->by_function, strtab_puts(attributes->strings, function).v,
		     &found))
		return NULL;
	return (const struct flame_attribute *)(uintptr_t)found;
}

bool flame_attributes_have(const struct flame_attribute *attribute, const char *name)
{
	return flame_attributes_get(attribute, name) != NULL;
}

bool flame_attributes_link(const struct flame_attribute *attribute)
{
	return flame_attributes_get(attribute, "href") != NULL;
}

static void put_pair(const char *name, const char *value, struct buf *ret)
{
	(void)buf_printf(ret, " %s=\"", strcmp(name, "href") == 0 ? "xlink:href" : name);
	(void)buf_put_xml(ret, value, strlen(value));
	(void)buf_putc(ret, '"');
}

void flame_attributes_write(const struct flame_attribute *attribute, struct buf *ret)
{
	bool link = flame_attributes_link(attribute);

	for (size_t i = 0; i < attribute->pairs.count; i++) {
		const struct pair *pair = &attribute->pairs.item[i];
		const char *name = strtab_get(attribute->strings, pair->name);

		if (strcmp(name, "title") != 0 && (link || strcmp(name, "target") != 0))
			put_pair(name, strtab_get(attribute->strings, pair->value), ret);
	}
	if (link && !flame_attributes_get(attribute, "target"))
		put_pair("target", "_top", ret); /* else it opens inside a page's <object> */
}

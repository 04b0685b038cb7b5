/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Nodes of JSON documents and their values (see json.h). */
#include "base/json.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

void json_done(struct json *json)
{
	vec_done(&json->nodes);
	if (json->pieces)
		free((char *)(uintptr_t)json->text); /* copies of scalars */
	json->text = NULL;
}

static const struct json_node *node_of(const struct json *json, json_id id)
{
	static const struct json_node none = { .type = JSON_NULL };

	return id < json->nodes.count ? &json->nodes.item[id] : &none;
}

enum json_type json_type(const struct json *json, json_id id)
{
	return node_of(json, id)->type;
}

bool json_is_deferred(const struct json *json, json_id id)
{
	return node_of(json, id)->deferred;
}

size_t json_count(const struct json *json, json_id id)
{
	return node_of(json, id)->count;
}

json_id json_first(const struct json *json, json_id parent)
{
	return node_of(json, parent)->count ? parent + 1 : JSON_NONE;
}

json_id json_next(const struct json *json, json_id parent, json_id child)
{
	json_id next = node_of(json, child)->next;

	return next < node_of(json, parent)->next ? next : JSON_NONE;
}

bool json_is(const struct json *json, json_id id, const char *text)
{
	const struct json_node *node = node_of(json, id);

	return node->type == JSON_STRING && node->len == strlen(text) &&
	       memcmp(json->text + node->at, text, node->len) == 0;
}

json_id json_get(const struct json *json, json_id object, const char *name)
{
	if (json_type(json, object) != JSON_OBJECT)
		return JSON_NONE;
	for (json_id at = json_first(json, object); at != JSON_NONE;) {
		if (json_is(json, at, name))
			return at + 1;
		at = json_next(json, object, at + 1);
	}
	return JSON_NONE;
}

json_id json_item(const struct json *json, json_id array, size_t index)
{
	const struct json_node *node = node_of(json, array);
	json_id at = json_first(json, array);

	if (node->type != JSON_ARRAY || index >= node->count)
		return JSON_NONE;
	if (node->next - array - 1 == node->count)
		return array + 1 + (json_id)index;
	while (index--)
		at = json_next(json, array, at);
	return at;
}

double json_number(const struct json *json, json_id id, double otherwise)
{
	const struct json_node *node = node_of(json, id);
	char copy[64], *end;
	double value;

	if (node->type != JSON_NUMBER || node->len >= sizeof(copy))
		return otherwise;
	memcpy(copy, json->text + node->at, node->len);
	copy[node->len] = 0;
	value = strtod(copy, &end);
	return *end ? otherwise : value;
}

uint64_t json_u64(const struct json *json, json_id id, uint64_t otherwise)
{
	const struct json_node *node = node_of(json, id);
	const char *s;
	uint64_t value = 0;
	double number;

	if (node->type != JSON_NUMBER)
		return otherwise;
	s = json->text + node->at;
	for (uint32_t i = 0; i < node->len; i++) {
		if (s[i] < '0' || s[i] > '9' || i == 18) { /* signs, fractions, exponents */
			number = json_number(json, id, -1);
			return number >= 0 && number < 18446744073709551616.0 ? (uint64_t)number
									      : otherwise;
		}
		value = value * 10 + (uint64_t)(s[i] - '0');
	}
	return value;
}

static int hex4(const char *s, const char *end)
{
	int value = 0;

	if (end - s < 4)
		return -1;
	for (int i = 0; i < 4; i++) {
		char c = s[i];
		int digit = c >= '0' && c <= '9'   ? c - '0'
			    : c >= 'a' && c <= 'f' ? c - 'a' + 10
			    : c >= 'A' && c <= 'F' ? c - 'A' + 10
						   : -1;

		if (digit < 0)
			return -1;
		value = value << 4 | digit;
	}
	return value;
}

/* The four digits after "\u", and the second half of a surrogate pair. */
static const char *put_unicode(const char *s, const char *end, struct buf *ret)
{
	int c = hex4(s, end), low;

	if (c < 0) {
		(void)buf_put_utf8(ret, 0xfffd);
		return s;
	}
	s += 4;
	if (c >= 0xd800 && c < 0xdc00 && end - s >= 6 && s[0] == '\\' && s[1] == 'u') {
		low = hex4(s + 2, end);
		if (low >= 0xdc00 && low < 0xe000) {
			(void)buf_put_utf8(ret, 0x10000u + ((uint32_t)(c - 0xd800) << 10) +
							(uint32_t)(low - 0xdc00));
			return s + 6;
		}
	}
	(void)buf_put_utf8(ret, c >= 0xd800 && c < 0xe000 ? 0xfffd : (uint32_t)c);
	return s;
}

static char unescape(char c)
{
	switch (c) {
	case 'b':
		return '\b';
	case 'f':
		return '\f';
	case 'n':
		return '\n';
	case 'r':
		return '\r';
	case 't':
		return '\t';
	default:
		return c;
	}
}

void json_put(const struct json *json, json_id id, struct buf *ret)
{
	const struct json_node *node = node_of(json, id);
	const char *s, *end;

	if (!node->len)
		return;
	s = json->text + node->at;
	end = s + node->len;
	while (s < end) {
		const char *slash = memchr(s, '\\', (size_t)(end - s));

		if (!slash)
			slash = end;
		(void)buf_append(ret, s, (size_t)(slash - s));
		if (end - slash < 2)
			break;
		s = slash + 2;
		if (slash[1] == 'u')
			s = put_unicode(s, end, ret);
		else
			(void)buf_putc(ret, unescape(slash[1]));
	}
}

string_id json_intern(const struct json *json, json_id id, struct strtab *tab)
{
	const struct json_node *node = node_of(json, id);
	struct buf text = { 0 };
	string_id ret;

	if (!node->len)
		return STRING_EMPTY;
	if (!memchr(json->text + node->at, '\\', node->len))
		return strtab_intern(tab, json->text + node->at, node->len);
	json_put(json, id, &text);
	ret = strtab_intern(tab, text.data ? text.data : "", text.len);
	buf_done(&text);
	return ret;
}

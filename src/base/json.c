/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The JSON parser of json.h: one pass, an explicit stack, no copies. A library would build the
 * whole document as objects on the heap and reject truncated ones, which tracers produce. */
#include "base/json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"

#define MAX_NODES (UINT32_MAX - 1)
#define MAX_DEPTH 10000

struct parser {
	struct json *json;
	const char *at, *end;
	VEC(uint32_t) open; /* containers around `at`, outermost first */
	bool value;	    /* a value or a name was just read: a comma or a bracket follows */
};

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static uint32_t add_node(struct parser *p, enum json_type type, const char *at, size_t len)
{
	struct json *json = p->json;
	uint32_t id = (uint32_t)json->nodes.count;

	vec_push(&json->nodes, ((struct json_node){ .type = type,
						    .len = (uint32_t)len,
						    .next = id + 1,
						    .at = (uint64_t)(at - json->text) }));
	if (p->open.count)
		json->nodes.item[*vec_last(&p->open)].count++;
	return id;
}

/* The closing quote of a string that starts at `at`; NULL if it is missing. */
static const char *end_of_string(const char *at, const char *end)
{
	while (at < end) {
		const char *quote = memchr(at, '"', (size_t)(end - at));
		const char *slash = quote ? memchr(at, '\\', (size_t)(quote - at)) : NULL;

		if (!slash)
			return quote;
		at = slash + 2;
	}
	return NULL;
}

/* False if the text ends inside it. */
static bool read_string(struct parser *p)
{
	const char *quote = end_of_string(p->at + 1, p->end);

	if (!quote || quote - p->at > UINT32_MAX)
		return false;
	(void)add_node(p, JSON_STRING, p->at + 1, (size_t)(quote - p->at - 1));
	p->at = quote + 1;
	return true;
}

static bool is_number(const char *s, size_t len)
{
	size_t digits = 0;

	for (size_t i = 0; i < len; i++) {
		if (s[i] >= '0' && s[i] <= '9')
			digits++;
		else if (!strchr("+-.eE", s[i]))
			return false;
	}
	return digits > 0;
}

/* A number or a word. Returns 0, -EBADMSG, or -EPIPE when the text ends in it. */
static int read_word(struct parser *p)
{
	static const char *const words[] = { "null", "true", "false" };
	const char *start = p->at;
	size_t len;

	while (p->at < p->end && !is_space(*p->at) && !strchr(",:]}\"[{", *p->at))
		p->at++;
	len = (size_t)(p->at - start);
	if (len && len < 64 && is_number(start, len)) {
		if (p->at == p->end && p->open.count)
			return -EPIPE; /* there may have been more digits */
		(void)add_node(p, JSON_NUMBER, start, len);
		return 0;
	}
	for (size_t i = 0; i < 3; i++) {
		if (len == strlen(words[i]) && memcmp(start, words[i], len) == 0) {
			(void)add_node(p, i ? JSON_BOOL : JSON_NULL, start, len);
			return 0;
		}
		if (p->at == p->end && len < strlen(words[i]) && memcmp(start, words[i], len) == 0)
			return -EPIPE;
	}
	p->at = start;
	return -EBADMSG;
}

static int open_container(struct parser *p, enum json_type type)
{
	uint32_t id;

	if (p->open.count == MAX_DEPTH)
		return -EBADMSG;
	id = add_node(p, type, p->at, 0);
	vec_push(&p->open, id);
	p->at++;
	p->value = false;
	return 0;
}

static bool inside(const struct parser *p, enum json_type type)
{
	return p->open.count && p->json->nodes.item[*vec_last(&p->open)].type == type;
}

/* Names and values of objects are both counted while they are read. */
static void close_container(struct parser *p)
{
	struct json_node *node = &p->json->nodes.item[*vec_last(&p->open)];

	if (node->type == JSON_OBJECT) {
		if (node->count % 2) { /* the text ends between a name and its value */
			node->count--;
			p->json->nodes.count--;
		}
		node->count /= 2;
	}
	node->next = (uint32_t)p->json->nodes.count;
	p->open.count--;
	p->value = true;
}

static int read_value(struct parser *p)
{
	int r = 0;

	if (p->value)
		return -EBADMSG; /* two values in a row */
	if (*p->at == '[')
		return open_container(p, JSON_ARRAY);
	if (*p->at == '{')
		return open_container(p, JSON_OBJECT);
	if (*p->at == '"')
		r = read_string(p) ? 0 : -EPIPE;
	else
		r = read_word(p);
	p->value = r == 0;
	return r;
}

/* One token: 0, 1 = the document is complete, -EBADMSG, -EPIPE. */
static int read_token(struct parser *p)
{
	const struct json_node *container =
		p->open.count ? &p->json->nodes.item[*vec_last(&p->open)] : NULL;
	bool named = inside(p, JSON_OBJECT) && container->count % 2;
	int r;

	switch (*p->at) {
	case ',':
		if (!container || !p->value || named)
			return -EBADMSG;
		p->value = false;
		p->at++;
		return 0;
	case ':':
		if (!named || !p->value)
			return -EBADMSG;
		p->value = false;
		p->at++;
		return 0;
	case ']':
	case '}':
		if (!container || named || (*p->at == ']') != (container->type == JSON_ARRAY))
			return -EBADMSG;
		close_container(p);
		p->at++;
		return p->open.count == 0;
	default:
		if (inside(p, JSON_OBJECT) && !named && *p->at != '"')
			return -EBADMSG;
		r = read_value(p);
		return r ? r : p->open.count == 0;
	}
}

static int parse(struct parser *p)
{
	while (p->at < p->end) {
		int r;

		if (is_space(*p->at)) {
			p->at++;
			continue;
		}
		if (p->json->nodes.count >= MAX_NODES)
			return -E2BIG;
		r = read_token(p);
		if (r)
			return r;
	}
	return -EPIPE;
}

int json_parse(const char *text, size_t len, struct json *ret, struct err *err)
{
	struct json json = { .text = text, .len = len };
	struct parser p = { .json = &json, .at = text, .end = text + len };
	int r;

	if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
		p.at += 3;
	r = parse(&p);
	json.truncated = r == -EPIPE;
	while (p.open.count)
		close_container(&p);
	json.after = (size_t)(p.at - text);
	vec_done(&p.open);
	if (r == 1 || (r == -EPIPE && json.nodes.count)) {
		*ret = json;
		return 0;
	}
	vec_done(&json.nodes);
	return err_set(err, r == -E2BIG ? -E2BIG : -EBADMSG, "invalid JSON at byte %zu",
		       json.after);
}

void json_done(struct json *json)
{
	vec_done(&json->nodes);
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

static void put_utf8(uint32_t c, struct buf *ret)
{
	char out[4];
	size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;

	for (size_t i = n; i-- > 1; c >>= 6)
		out[i] = (char)(0x80 | (c & 0x3f));
	out[0] = (char)(n == 1 ? c : (0xf00u >> n & 0xff) | c);
	(void)buf_append(ret, out, n);
}

/* The four digits after "\u", and the second half of a surrogate pair. */
static const char *put_unicode(const char *s, const char *end, struct buf *ret)
{
	int c = hex4(s, end), low;

	if (c < 0) {
		put_utf8(0xfffd, ret);
		return s;
	}
	s += 4;
	if (c >= 0xd800 && c < 0xdc00 && end - s >= 6 && s[0] == '\\' && s[1] == 'u') {
		low = hex4(s + 2, end);
		if (low >= 0xdc00 && low < 0xe000) {
			put_utf8(0x10000u + ((uint32_t)(c - 0xd800) << 10) +
					 (uint32_t)(low - 0xdc00),
				 ret);
			return s + 6;
		}
	}
	put_utf8(c >= 0xd800 && c < 0xe000 ? 0xfffd : (uint32_t)c, ret);
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

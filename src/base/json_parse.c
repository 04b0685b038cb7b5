/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The JSON parser of json.h: one pass, an explicit stack. Of a text in memory it makes no copies;
 * of one in pieces it copies the scalars that it keeps. A library would build the whole document as
 * objects on the heap and reject truncated ones, which tracers produce. */
#include "base/json.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"

#define MAX_NODES (UINT32_MAX - 1)
#define MAX_DEPTH 10000

/* Of a text in pieces. */
#define PIECE_BYTES ((size_t)64 << 10)
#define WORD_LIMIT  ((size_t)2 << 30)
/* An array is long when it takes this part of the memory that is left, or of all memory. */
#define LEFT_PART 16
#define MOST_PART 4096

enum { DONE = 1, ITEM = 2 };

struct open_container {
	uint32_t node;
	uint32_t nodes; /* in memory after the first item */
	size_t kept;	/* the same in bytes of scalars */
	size_t begin;	/* bytes of scalars before it */
};

struct parser {
	struct json *json;
	const char *at, *end;
	VEC(struct open_container) open; /* around `at`, outermost first */
	bool value; /* a value or a name was just read: a comma or a bracket follows */
	/* Of a text in pieces; at and end are in its window. */
	const struct json_text *text;
	void *reader;
	struct buf window, kept; /* kept: scalars of nodes */
	uint64_t offset;	 /* of the window in the text */
	bool ended;
	bool items; /* stop after each item of the outermost array */
};

/* The rest of an array. */
struct json_stream {
	struct parser parser;
	struct json json;
};

static_assert(sizeof(struct json_node) == 24, "documents have millions of nodes");

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static uint32_t add_node(struct parser *p, enum json_type type, const char *at, size_t len)
{
	struct json *json = p->json;
	uint32_t id = (uint32_t)json->nodes.count;
	uint64_t place = p->text ? p->kept.len : (uint64_t)(at - json->text);

	if (p->text && len && buf_append(&p->kept, at, len))
		len = 0; /* there is a limit */
	vec_push(&json->nodes,
		 ((struct json_node){
			 .type = type, .len = (uint32_t)len, .next = id + 1, .at = place }));
	if (p->open.count)
		json->nodes.item[vec_last(&p->open)->node].count++;
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

/* Whether it can be a number, or the beginning of one. */
static bool is_number(const char *s, size_t len, bool beginning)
{
	size_t digits = 0;

	for (size_t i = 0; i < len; i++) {
		if (s[i] >= '0' && s[i] <= '9')
			digits++;
		else if (!strchr("+-.eE", s[i]))
			return false;
	}
	return digits > 0 || beginning;
}

static bool ends_word(char c)
{
	static const bool ends[256] = { ['\0'] = true, [' '] = true, ['\t'] = true, ['\n'] = true,
					['\r'] = true, [','] = true, [':'] = true,  ['"'] = true,
					['['] = true,  [']'] = true, ['{'] = true,  ['}'] = true };

	return ends[(unsigned char)c];
}

/* A number or a word. Returns 0, -EBADMSG, or -EPIPE when the text ends in it. */
static int read_word(struct parser *p)
{
	static const char *const words[] = { "null", "true", "false" };
	const char *start = p->at;
	size_t len;

	while (p->at < p->end && !ends_word(*p->at))
		p->at++;
	len = (size_t)(p->at - start);
	if (len && len < 64 && is_number(start, len, p->at == p->end)) {
		if (p->at == p->end && (p->open.count || !is_number(start, len, false)))
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
	p->at++;
	if (p->text) /* which arrays will be long is not known yet */
		p->json->nodes.item[id].at = p->offset + (uint64_t)(p->at - p->window.data);
	vec_push(&p->open, ((struct open_container){ .node = id, .begin = p->kept.len }));
	p->value = false;
	return 0;
}

static bool inside(const struct parser *p, enum json_type type)
{
	return p->open.count && p->json->nodes.item[vec_last(&p->open)->node].type == type;
}

static bool is_long(const struct parser *p, const struct open_container *array)
{
	size_t used = p->kept.len + p->json->nodes.count * sizeof(struct json_node);
	size_t most = p->text->most_bytes, left = used < most ? (most - used) / LEFT_PART : 0;
	size_t size = p->kept.len - array->begin +
		      (p->json->nodes.count - array->node - 1) * sizeof(struct json_node);

	return size > left && size > most / MOST_PART;
}

/* After an item of an array of a text in pieces: a long one keeps its first item only. */
static void end_item(struct parser *p)
{
	struct open_container *array = p->open.count ? vec_last(&p->open) : NULL;
	struct json_node *node = array ? &p->json->nodes.item[array->node] : NULL;

	if (!array || node->type != JSON_ARRAY || (p->items && p->open.count == 1))
		return;
	if (node->count == 1) {
		array->nodes = (uint32_t)p->json->nodes.count;
		array->kept = p->kept.len;
	} else if (node->deferred || is_long(p, array)) {
		node->deferred = true;
		p->json->nodes.count = array->nodes;
		p->kept.len = array->kept;
	}
}

/* Names and values of objects are both counted while they are read. */
static void close_container(struct parser *p)
{
	struct json_node *node = &p->json->nodes.item[vec_last(&p->open)->node];

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
	if (p->text)
		end_item(p);
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
	if (p->text && r == 0)
		end_item(p);
	return r;
}

/* One token: 0, DONE = the document is complete, -EBADMSG, -EPIPE. */
static int read_token(struct parser *p)
{
	const struct json_node *container =
		p->open.count ? &p->json->nodes.item[vec_last(&p->open)->node] : NULL;
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

/* Drops what is parsed and reads on; false at the end of the text. */
static bool refill(struct parser *p)
{
	struct buf *window = &p->window;
	size_t rest = (size_t)(p->end - p->at), room = rest > PIECE_BYTES ? rest : PIECE_BYTES;
	size_t len;

	if (p->ended)
		return false;
	p->offset += window->len - rest;
	if (rest)
		memmove(window->data, p->at, rest);
	window->len = rest;
	len = buf_extend(window, room) ? 0 : p->text->read(p->reader, window->data + rest, room);
	window->len = rest + len;
	p->ended = len == 0;
	p->at = window->data;
	p->end = window->data + window->len;
	return !p->ended;
}

static int parse(struct parser *p)
{
	while (p->at < p->end || (p->text && refill(p))) {
		const char *start = p->at;
		int r;

		if (is_space(*p->at)) {
			p->at++;
			continue;
		}
		if (p->json->nodes.count >= MAX_NODES)
			return -E2BIG;
		r = read_token(p);
		if (r == -EPIPE && p->text) {
			p->at = start;
			if (refill(p))
				continue;
		}
		if (r)
			return r;
		if (p->items && p->value && p->open.count == 1)
			return ITEM;
	}
	return -EPIPE;
}

static void close_all(struct parser *p)
{
	while (p->open.count)
		close_container(p);
}

static void parser_done(struct parser *p)
{
	if (p->reader)
		p->text->close(p->reader);
	buf_done(&p->window);
	buf_done(&p->kept);
	vec_done(&p->open);
}

static void parser_open(struct parser *p, const struct json_text *text, uint64_t offset)
{
	p->text = text;
	p->offset = offset;
	p->window.limit = p->kept.limit = WORD_LIMIT;
	p->reader = text->open(text->context, offset);
	p->ended = !p->reader;
}

/* Takes the nodes; `after` is where the parser stopped. */
static int finish(struct parser *p, int r, uint64_t after, struct json *ret, struct err *err)
{
	struct json *json = p->json;

	json->truncated = r == -EPIPE;
	json->after = (size_t)after;
	if (r == DONE || (r == -EPIPE && json->nodes.count)) {
		close_all(p);
		if (p->text) {
			json->text = p->kept.data;
			json->len = p->kept.len;
			p->kept = (struct buf){ 0 };
		}
		*ret = *json;
		parser_done(p);
		return 0;
	}
	vec_done(&json->nodes);
	parser_done(p);
	return err_set(err, r == -E2BIG ? -E2BIG : -EBADMSG, "invalid JSON at byte %zu",
		       json->after);
}

static size_t mark_bytes(const char *text, size_t len)
{
	return len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

int json_parse(const char *text, size_t len, struct json *ret, struct err *err)
{
	struct json json = { .text = text, .len = len };
	struct parser p = { .json = &json, .at = text + mark_bytes(text, len), .end = text + len };
	int r = parse(&p);

	return finish(&p, r, (uint64_t)(p.at - text), ret, err);
}

int json_parse_pieces(const struct json_text *text, struct json *ret, struct err *err)
{
	struct json json = { .pieces = text };
	struct parser p = { .json = &json };
	int r;

	parser_open(&p, text, 0);
	while (p.end - p.at < 3 && refill(&p))
		;
	p.at += p.at ? mark_bytes(p.at, (size_t)(p.end - p.at)) : 0;
	r = parse(&p);
	return finish(&p, r, p.offset + (uint64_t)(p.at - p.window.data), ret, err);
}

/* Begins behind the bracket of the array. */
static struct json_stream *stream_open(const struct json_text *text, uint64_t offset)
{
	struct json_stream *s = mem_zalloc(sizeof(*s));

	s->json.pieces = text;
	s->parser.json = &s->json;
	s->parser.items = true;
	parser_open(&s->parser, text, offset);
	vec_push(&s->json.nodes, ((struct json_node){ .type = JSON_ARRAY, .next = 1 }));
	vec_push(&s->parser.open, ((struct open_container){ 0 }));
	return s;
}

/* What the text cuts off is an item as far as it goes, as in memory. */
static bool stream_next(struct json_stream *s)
{
	struct parser *p = &s->parser;
	int r;

	if (!p->open.count)
		return false;
	s->json.nodes.count = 1;
	p->kept.len = 0;
	r = parse(p);
	if (r != ITEM)
		close_all(p);
	s->json.text = p->kept.data;
	s->json.len = p->kept.len;
	return s->json.nodes.count > 1;
}

void json_items_open(struct json_items *items, const struct json *json, json_id array)
{
	*items = (struct json_items){ .json = json, .id = JSON_NONE, .array = array };
	if (json_is_deferred(json, array)) {
		items->stream = stream_open(json->pieces, json->nodes.item[array].at);
		items->json = &items->stream->json;
	} else {
		items->next = json_first(json, array);
	}
}

bool json_items_next(struct json_items *items)
{
	if (items->stream) {
		items->id = 1;
		if (stream_next(items->stream))
			return true;
		json_items_close(items);
		return false;
	}
	items->id = items->next;
	if (items->id == JSON_NONE)
		return false;
	items->next = json_next(items->json, items->array, items->id);
	return true;
}

json_id json_items_take(struct json_items *items)
{
	return json_items_next(items) ? items->id : JSON_NONE;
}

void json_items_close(struct json_items *items)
{
	static const struct json none;

	if (items->stream) {
		parser_done(&items->stream->parser);
		vec_done(&items->stream->json.nodes);
		free(items->stream);
		items->stream = NULL;
		items->json = &none;
	}
	items->id = items->next = JSON_NONE;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* JSON text → a flat array of nodes (RFC 8259), 24 bytes each; strings stay in the text, which is
 * borrowed. Tolerant where profilers are sloppy: a document that ends early is read as far as it
 * goes (the trace event format allows it), trailing commas and a byte order mark are let through.
 * Depth and memory are bounded by the text. Read-only after json_parse(), so threads may share it.
 *
 * A text that is too large for memory is parsed a piece at a time: arrays keep their first item
 * only when they become long, and json_items reads them again from the text.
 *
 * Why not yyjson: Debian 12 has no package of it, and it refuses documents that end early. On ten
 * profiles of 7.5 MB in all, yyjson 0.12 took 7.0 ms of CPU and 19.8 MB, this 27.8 ms and 18.7 MB:
 * a conversion would gain under 3 ms for each MB it reads. */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strtab.h"
#include "base/vec.h"

struct buf;
struct err;

enum json_type { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

/* Nodes in the order of the text. The children of an object alternate: name, value. */
struct json_node {
	enum json_type type : 8;
	bool deferred;	/* an array of which only the first item is in memory */
	uint32_t len;	/* bytes of a scalar, without quotes */
	uint32_t next;	/* node behind this one and all below it */
	uint32_t count; /* of an array: items; of an object: members */
	uint64_t at;	/* offset of a scalar; of a deferred array: of its first item in the text */
};

/* Index of a node, or JSON_NONE, which all functions treat as null. */
typedef uint32_t json_id;
#define JSON_NONE UINT32_MAX
#define JSON_ROOT ((json_id)0)

struct json {
	const char *text;
	size_t len;
	VEC(struct json_node) nodes;
	bool truncated;			/* the text ended inside the document */
	size_t after;			/* where the document ends in the text */
	const struct json_text *pieces; /* NULL: all of the document is in memory */
};

/* Returns -EBADMSG with the position if the text is not JSON. */
int json_parse(const char *text, size_t len, struct json *ret, struct err *err);
void json_done(struct json *json);

/* A text that can be read from any offset on, by several readers at a time. */
struct json_text {
	void *(*open)(void *context, uint64_t offset);
	/* 0 at the end; damage ends the text as well. */
	size_t (*read)(void *reader, void *data, size_t len);
	void (*close)(void *reader);
	void *context;
	size_t most_bytes; /* what a document may keep in memory of its arrays, about */
};

/* `text` is borrowed until json_done(). */
int json_parse_pieces(const struct json_text *text, struct json *ret, struct err *err);

/* The items of an array, in memory or not:
 * for (json_items_open(&items, json, array); json_items_next(&items);) … items.json, items.id …
 * An item is valid until the next one. Frees everything after the last item; those who leave
 * earlier call json_items_close(). */
struct json_items {
	const struct json *json; /* that the items are in */
	json_id id;		 /* the current item; JSON_NONE after the last */
	json_id array, next;
	struct json_stream *stream; /* of a deferred array */
};

void json_items_open(struct json_items *items, const struct json *json, json_id array);
bool json_items_next(struct json_items *items);
/* The next item, or JSON_NONE. */
json_id json_items_take(struct json_items *items);
void json_items_close(struct json_items *items);

enum json_type json_type(const struct json *json, json_id id);
bool json_is_deferred(const struct json *json, json_id id); /* an array not all in memory */
size_t json_count(const struct json *json, json_id id);	    /* items or members, 0 for scalars */
/* The value of a member of an object; of several with that name, the first. */
json_id json_get(const struct json *json, json_id object, const char *name);
/* O(1) if all items are scalars, otherwise linear. Of a deferred array only item 0 is there. */
json_id json_item(const struct json *json, json_id array, size_t index);
/* Children: for (c = json_first(j, id); c != JSON_NONE; c = json_next(j, id, c)). For arrays of any
 * length use json_items. */
json_id json_first(const struct json *json, json_id parent);
json_id json_next(const struct json *json, json_id parent, json_id child);

bool json_is(const struct json *json, json_id id, const char *text); /* a string equal to it? */
double json_number(const struct json *json, json_id id, double otherwise);
/* Whole and not negative; fractions are cut off. */
uint64_t json_u64(const struct json *json, json_id id, uint64_t otherwise);
/* Appends the decoded string (of other scalars, their text). */
void json_put(const struct json *json, json_id id, struct buf *ret);
/* The decoded string, safe for a terminal; empty if the node is not a scalar. */
string_id json_intern(const struct json *json, json_id id, struct strtab *tab);

#endif

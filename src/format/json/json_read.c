/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recognises kinds of JSON (see json_read.h), and shared parts of their readers. */
#include "format/json/json_read.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/memory_limit.h"
#include "format/format.h"
#include "format/input.h"
#include "format/packed_text.h"

#define PIECE_BYTES  16384
#define PIECES_BYTES ((size_t)16 << 20) /* of documents that are read in pieces */
#define WHOLE_PART   16 /* of memory may be text: its nodes take some times as much */

bool json_has(const struct json *json, json_id object, const char *name)
{
	return json_get(json, object, name) != JSON_NONE;
}

static const struct format_ops *find_kind(const struct json *json)
{
	for (const struct format_ops *const *f = format_all(); *f; f++)
		if ((*f)->is_json && (*f)->is_json(json))
			return *f;
	return NULL;
}

static int refuse(struct err *err)
{
	struct buf known = { 0 };
	int r = err_set(err, -EINVAL, "unknown JSON format");

	for (const struct format_ops *const *f = format_all(); *f; f++)
		if ((*f)->is_json)
			(void)buf_printf(&known, "%s%s", known.len ? ", " : "", (*f)->name);
	(void)err_hint(err, "known: %s", known.data);
	buf_done(&known);
	return r;
}

/* Readers count unusable parts in meta.unknown_records. */
static int read_kind(const struct json *json, struct profile *profile, struct err *err)
{
	const struct format_ops *format = find_kind(json);
	int r = format ? format->read_json(json, profile, err) : refuse(err);

	return r && format ? err_wrap(err, "%s", format->name) : r;
}

int json_read_document(struct json *json, struct profile *profile, struct err *err)
{
	int r = read_kind(json, profile, err);

	if (json->truncated)
		profile->meta.unknown_records++;
	json_done(json);
	return r;
}

static int read_text(const char *text, size_t len, struct profile *profile, struct err *err)
{
	struct json json;
	int r = json_parse(text, len, &json, err);

	return r ? r : json_read_document(&json, profile, err);
}

/* The text; -E2BIG when it is larger than memory allows. */
static int unpack(struct input *input, struct buf *ret, struct err *err)
{
	char piece[PIECE_BYTES];
	ssize_t n;

	while ((n = input_read(input, piece, sizeof(piece))) > 0)
		if (buf_append(ret, piece, (size_t)n))
			return -E2BIG;
	if (n < 0 && !ret->len)
		return err_set(err, (int)n, "%s: %s", input_name(input), strerror((int)-n));
	return 0;
}

static int read_pieces(struct input *input, struct profile *profile, struct err *err)
{
	struct packed_text *packed = packed_text_new(input);
	struct json_text text = packed_text_json(packed, PIECES_BYTES);
	struct json json;
	int r = json_parse_pieces(&text, &json, err);

	if (!r)
		r = json_read_document(&json, profile, err);
	packed_text_free(packed);
	return r;
}

/* A packed text that is small for the memory that there is takes less time at once. */
static int read_packed(struct input *input, uint64_t memory, struct profile *profile,
		       struct err *err)
{
	struct buf text = { .limit = memory / WHOLE_PART };
	int r = input_rewind(input, err);

	if (r)
		return r;
	r = unpack(input, &text, err);
	if (!r)
		r = read_text(text.data ? text.data : "", text.len, profile, err);
	buf_done(&text);
	return r == -E2BIG ? read_pieces(input, profile, err) : r;
}

static int json_profile_read(struct input *input, const struct format_read_options *options,
			     struct profile *profile, struct err *err)
{
	uint64_t memory = input_rewinds(input) ? memory_limit_left() : 0;
	const uint8_t *text;
	size_t len;
	int r;

	(void)options;
	if (memory)
		return read_packed(input, memory, profile, err);
	r = input_map(input, &text, &len, err);
	return r ? r : read_text((const char *)text, len, profile, err);
}

static int json_profile_sniff(const uint8_t *head, size_t len)
{
	size_t at = len >= 3 && memcmp(head, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
	bool open = false;

	for (; at < len; at++) {
		if (strchr(" \t\r\n", head[at]) && head[at])
			continue;
		if (open) /* folded text may also begin with a bracket */
			return strchr("{[\"]}", head[at]) && head[at] ? 2 : 0;
		if (head[at] != '{' && head[at] != '[')
			return 0;
		open = true;
	}
	return 0;
}

/* The content decides between formats: each has is_json(). */
const struct format_ops format_json = {
	.name = "json",
	.help = "any of the JSON formats",
	.sniff = json_profile_sniff,
	.read = json_profile_read,
};

void timeline_advance(struct timeline *t, uint64_t at_ns)
{
	if (!t->started || at_ns < t->last_ns) {
		t->last_ns = t->started ? t->last_ns : at_ns;
		t->started = true;
		return;
	}
	if (t->open.count && at_ns > t->last_ns)
		profile_add(t->profile,
			    &(struct profile_sample){ .stack = vec_last(&t->open)->stack,
						      .thread = t->thread,
						      .event = t->event,
						      .cpu = PROFILE_NO_CPU,
						      .time_ns = t->last_ns,
						      .weight = at_ns - t->last_ns,
						      .count = 1 });
	t->last_ns = at_ns;
}

void timeline_push(struct timeline *t, frame_id frame)
{
	stack_id parent = t->open.count ? vec_last(&t->open)->stack : STACK_EMPTY;

	vec_push(&t->open,
		 ((struct open_span){ frame, profile_stack_push(t->profile, parent, frame) }));
}

void timeline_pop(struct timeline *t)
{
	if (t->open.count)
		t->open.count--;
}

bool json_has_fractions(const struct json *json, json_id array)
{
	struct json_items items;
	bool ret = false;

	json_items_open(&items, json, array);
	while (!ret && json_items_next(&items))
		ret = fmod(json_number(items.json, items.id, 0), 1.0) != 0.0;
	json_items_close(&items);
	return ret;
}

void json_column_open(struct json_column *ret, const struct json *json, json_id array,
		      struct strtab *strings)
{
	struct json_items items;

	*ret = (struct json_column){ .json = json, .array = array, .strings = strings };
	if (!json_is_deferred(json, array))
		return;
	ret->loaded = true;
	json_items_open(&items, json, array);
	while (json_items_next(&items))
		vec_push(&ret->values, strings ? json_intern(items.json, items.id, strings).v
					       : json_u64(items.json, items.id, UINT64_MAX));
}

void json_column_close(struct json_column *column)
{
	vec_done(&column->values);
}

uint64_t json_column_u64(const struct json_column *column, uint64_t row)
{
	if (column->loaded)
		return row < column->values.count ? column->values.item[row] : UINT64_MAX;
	return json_u64(column->json, json_item(column->json, column->array, row), UINT64_MAX);
}

string_id json_column_string(const struct json_column *column, uint64_t row)
{
	if (!column->loaded)
		return json_intern(column->json, json_item(column->json, column->array, row),
				   column->strings);
	return row < column->values.count ? (string_id){ (uint32_t)column->values.item[row] }
					  : STRING_EMPTY;
}

size_t json_column_count(const struct json_column *column)
{
	return json_count(column->json, column->array);
}

uint64_t json_ns(const struct json *json, json_id id, double unit_ns)
{
	struct buf text = { .limit = 64 };
	double value = json_number(json, id, -1);

	if (json_type(json, id) == JSON_STRING) {
		json_put(json, id, &text);
		value = text.data ? strtod(text.data, NULL) : 0;
		buf_done(&text);
	}
	value = round(value * unit_ns);
	return value > 0 && value < 1e19 ? (uint64_t)value : 0;
}

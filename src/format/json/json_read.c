/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recognises kinds of JSON (see json_read.h), and shared parts of their readers. */
#include "format/json/json_read.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "format/format.h"
#include "format/input.h"

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

static int json_profile_read(struct input *input, const struct format_read_options *options,
			     struct profile *profile, struct err *err)
{
	const uint8_t *text;
	struct json json;
	size_t len;
	int r = input_map(input, &text, &len, err);

	(void)options;
	if (!r)
		r = json_parse((const char *)text, len, &json, err);
	if (r)
		return r;
	r = read_kind(&json, profile, err);
	if (json.truncated)
		profile->meta.unknown_records++;
	json_done(&json);
	return r;
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
	for (json_id id = json_first(json, array); id != JSON_NONE; id = json_next(json, array, id))
		if (fmod(json_number(json, id, 0), 1.0) != 0.0)
			return true;
	return false;
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

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which JSON is it (see json_read.h), and what its readers share. */
#include "format/json/json_read.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "format/input.h"

static bool has(const struct json *json, json_id object, const char *name)
{
	return json_get(json, object, name) != JSON_NONE;
}

static bool is_speedscope(const struct json *json)
{
	return has(json, JSON_ROOT, "profiles") &&
	       has(json, json_get(json, JSON_ROOT, "shared"), "frames");
}

static bool is_firefox(const struct json *json)
{
	json_id thread = json_item(json, json_get(json, JSON_ROOT, "threads"), 0);

	return has(json, json_get(json, JSON_ROOT, "meta"), "preprocessedProfileVersion") ||
	       has(json, json_get(json, thread, "funcTable"), "name"); /* the first version */
}

/* As the profiler in the browser gives it, or wrapped by the old developer tools. */
static bool is_gecko(const struct json *json)
{
	json_id profile = json_get(json, JSON_ROOT, "profile");

	return (has(json, JSON_ROOT, "meta") && has(json, JSON_ROOT, "threads")) ||
	       (has(json, profile, "meta") && has(json, profile, "threads"));
}

static bool is_chrome_trace(const struct json *json)
{
	json_id first = json_type(json, JSON_ROOT) == JSON_ARRAY ? json_item(json, JSON_ROOT, 0)
								 : JSON_NONE;

	return has(json, JSON_ROOT, "traceEvents") || has(json, first, "ph");
}

static bool is_cpuprofile(const struct json *json)
{
	json_id nodes = json_get(json, JSON_ROOT, "nodes");

	return has(json, json_item(json, nodes, 0), "callFrame");
}

static bool is_stackprof(const struct json *json)
{
	return has(json, JSON_ROOT, "raw") && has(json, JSON_ROOT, "frames") &&
	       has(json, JSON_ROOT, "mode");
}

static bool is_ghc(const struct json *json)
{
	return has(json, JSON_ROOT, "cost_centres") && has(json, JSON_ROOT, "profile");
}

static bool is_tree(const struct json *json)
{
	return (has(json, JSON_ROOT, "name") && has(json, JSON_ROOT, "value")) ||
	       has(json, json_get(json, JSON_ROOT, "head"), "callFrame");
}

static const struct {
	const char *name;
	bool (*is)(const struct json *json);
	int (*read)(const struct json *json, struct profile *profile, struct err *err);
} kinds[] = {
	{ "speedscope", is_speedscope, speedscope_read },
	{ "Firefox profile", is_firefox, firefox_read },
	{ "Firefox profile", is_gecko, gecko_read },
	{ "Chrome trace", is_chrome_trace, chrome_trace_read },
	{ "CPU profile", is_cpuprofile, cpuprofile_read },
	{ "stackprof", is_stackprof, stackprof_read },
	{ "GHC report", is_ghc, ghc_json_read },
	{ "tree of stacks", is_tree, json_tree_read },
};

int json_profile_read(struct input *input, struct profile *profile, struct err *err)
{
	const uint8_t *text;
	struct json json;
	size_t len;
	int r = input_map(input, &text, &len, err);

	if (!r)
		r = json_parse((const char *)text, len, &json, err);
	if (r)
		return r;
	r = err_set(err, -EINVAL, "JSON, but not of a profile that is known here");
	(void)err_hint(err, "known: speedscope, Firefox, Chrome trace, cpuprofile, heapprofile, "
			    "stackprof, GHC, d3-flame-graph");
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (!kinds[i].is(&json))
			continue;
		r = kinds[i].read(&json, profile, err);
		if (r)
			(void)err_wrap(err, "%s", kinds[i].name);
		break;
	}
	if (json.truncated)
		profile->meta.unknown_records++;
	json_done(&json);
	return r;
}

int json_profile_sniff(const uint8_t *head, size_t len)
{
	size_t at = len >= 3 && memcmp(head, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
	bool open = false;

	for (; at < len; at++) {
		if (strchr(" \t\r\n", head[at]) && head[at])
			continue;
		if (open) /* folded text may begin with a bracket, too */
			return strchr("{[\"]}", head[at]) && head[at] ? 2 : 0;
		if (head[at] != '{' && head[at] != '[')
			return 0;
		open = true;
	}
	return 0;
}

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

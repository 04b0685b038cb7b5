/* SPDX-License-Identifier: GPL-2.0-or-later */
/* V8's CPU profiles (.cpuprofile, also inside Chrome traces) → profile. Nodes form a tree, by
 * children or by parent; samples are node ids, and the time between samples is the weight of the
 * earlier. Without samples, nodes have hit counts. Format: the Profiler domain of the Chrome
 * DevTools protocol. */
#include <string.h>

#include "base/arena.h"
#include "base/map.h"
#include "format/format.h"
#include "format/json/json_levels.h"
#include "format/json/json_read.h"

struct cpu_node {
	uint64_t parent; /* id, 0 = none */
	frame_id frame;
	uint64_t hits;
	stack_id stack;
	bool root, placed;
};

struct cpuprofile {
	struct profile *profile;
	struct map ids; /* id → index */
	VEC(struct cpu_node) nodes;
	VEC(uint32_t) path;
	struct profile_sample sample; /* the current one, with an unknown end */
	bool pending, sampled;
	double now_us, reached_us; /* of the samples; the furthest that was reached */
};

static frame_id read_call_frame(const struct cpuprofile *r, const struct json *json, json_id call,
				bool *ret_root)
{
	struct strtab *strings = r->profile->strings;
	struct frame frame = { .kind = FRAME_JIT };
	double line = json_number(json, json_get(json, call, "lineNumber"), -1);

	frame.function = json_intern(json, json_get(json, call, "functionName"), strings);
	frame.file = json_intern(json, json_get(json, call, "url"), strings);
	frame.line = line >= 0 && line < UINT32_MAX ? (uint32_t)line + 1 : 0;
	if (!frame.function.v)
		frame.function = strtab_puts(strings, "(anonymous)");
	*ret_root = json_is(json, json_get(json, call, "functionName"), "(root)");
	return profile_frame(r->profile, &frame);
}

static uint64_t add_node(struct cpuprofile *r, const struct json *json, json_id object,
			 uint64_t parent)
{
	json_id call = json_get(json, object, "callFrame");
	struct cpu_node node = { .parent = parent };
	uint64_t id = json_u64(json, json_get(json, object, "id"), 0);

	node.hits = json_u64(json, json_get(json, object, "hitCount"), 0);
	node.frame = read_call_frame(r, json, call == JSON_NONE ? object : call, &node.root);
	map_set(&r->ids, id, r->nodes.count);
	vec_push(&r->nodes, node);
	return id;
}

/* Before 2017: nested nodes, with names in the nodes. */
static void add_head(struct cpuprofile *r, struct json_tree_node node)
{
	struct json_levels levels = { 0 };
	stack_id parent = { 0 }; /* its id is used instead of a stack */

	do {
		parent.v = (uint32_t)add_node(r, node.json, node.id, parent.v);
		json_levels_enter(&levels, node, parent);
	} while (json_levels_next(&levels, &node, &parent));
}

static void read_children(struct cpuprofile *r, const struct json *json, json_id object)
{
	uint64_t id = json_u64(json, json_get(json, object, "id"), 0), index;
	struct json_items children;

	json_items_open(&children, json, json_get(json, object, "children"));
	while (json_items_next(&children))
		if (map_get(&r->ids, json_u64(children.json, children.id, 0), &index) &&
		    !r->nodes.item[index].parent)
			r->nodes.item[index].parent = id;
}

/* Walks up to a node that has a stack already, then down again. A circle of parents ends the
 * walk. */
static stack_id stack_of(struct cpuprofile *r, uint64_t index)
{
	stack_id stack = STACK_EMPTY;

	r->path.count = 0;
	for (;;) {
		struct cpu_node *node = &r->nodes.item[index];

		if (node->placed) {
			stack = node->stack;
			break;
		}
		node->placed = true; /* its stack is set on the way down */
		vec_push(&r->path, (uint32_t)index);
		if (!node->parent || !map_get(&r->ids, node->parent, &index))
			break;
	}
	while (r->path.count) {
		struct cpu_node *node = &r->nodes.item[r->path.item[--r->path.count]];

		if (!node->root)
			stack = profile_stack_push(r->profile, stack, node->frame);
		node->stack = stack;
	}
	return stack;
}

static void add_hits(struct cpuprofile *r)
{
	struct profile_sample sample = r->sample;

	sample.event = profile_event(r->profile, "hits", "samples");
	for (uint64_t i = 0; i < r->nodes.count; i++) {
		sample.stack = profile_stack_or_unknown(r->profile, stack_of(r, i));
		sample.weight = sample.count = r->nodes.item[i].hits;
		if (sample.count)
			profile_add(r->profile, &sample);
	}
}

/* Ends the pending sample. Time steps may be negative, because Chrome sometimes delivers samples
 * out of order: such a step has no weight, and later steps compensate for it. */
static void end_sample(struct cpuprofile *r)
{
	double spent = r->now_us - r->reached_us;

	if (r->pending) {
		r->sample.weight = spent > 0 && spent < 1e15 ? (uint64_t)(spent * 1e3 + 0.5) : 0;
		r->sample.time_ns = r->reached_us > 0 && r->reached_us < 1e15
					    ? (uint64_t)(r->reached_us * 1e3 + 0.5)
					    : 0;
		profile_add(r->profile, &r->sample);
	}
	if (spent > 0)
		r->reached_us = r->now_us;
	r->pending = false;
}

static void take_sample(struct cpuprofile *r, uint64_t id, double delta_us)
{
	uint64_t index;

	r->now_us += delta_us;
	end_sample(r);
	if (!map_get(&r->ids, id, &index)) {
		r->profile->meta.unknown_records++;
		return;
	}
	r->sample.stack = profile_stack_or_unknown(r->profile, stack_of(r, index));
	r->pending = true;
}

static void add_samples(struct cpuprofile *r, const struct json *json, json_id samples,
			json_id deltas)
{
	struct json_items sample, delta;

	json_items_open(&sample, json, samples);
	json_items_open(&delta, json, deltas);
	while (json_items_next(&sample)) {
		json_id step = json_items_take(&delta);

		take_sample(r, json_u64(sample.json, sample.id, 0),
			    json_number(delta.json, step, 0));
	}
	json_items_close(&delta);
}

struct cpuprofile *cpuprofile_new(struct profile *profile, thread_id thread, double start_us)
{
	struct cpuprofile *r = mem_zalloc(sizeof(*r));

	r->profile = profile;
	r->sample = (struct profile_sample){ .thread = thread, .cpu = PROFILE_NO_CPU, .count = 1 };
	r->now_us = r->reached_us = start_us;
	return r;
}

static void add_nodes(struct cpuprofile *r, const struct json *json, json_id nodes)
{
	struct json_items items;

	json_items_open(&items, json, nodes);
	while (json_items_next(&items))
		(void)add_node(r, items.json, items.id,
			       json_u64(items.json, json_get(items.json, items.id, "parent"), 0));
	json_items_open(&items, json, nodes);
	while (json_items_next(&items))
		read_children(r, items.json, items.id);
}

void cpuprofile_add(struct cpuprofile *r, const struct json *json, json_id object, json_id deltas)
{
	json_id samples = json_get(json, object, "samples");

	add_nodes(r, json, json_get(json, object, "nodes"));
	if (!json_count(json, samples))
		return;
	r->sample.event = profile_event(r->profile, "cpu", "ns");
	r->sampled = true;
	add_samples(r, json, samples, deltas);
}

void cpuprofile_finish(struct cpuprofile *r, double end_us)
{
	if (end_us > r->now_us)
		r->now_us = end_us;
	if (r->sampled)
		end_sample(r);
	else
		add_hits(r);
	map_done(&r->ids);
	vec_done(&r->nodes);
	vec_done(&r->path);
	free(r);
}

void cpuprofile_whole(const struct json *json, json_id object, struct profile *profile,
		      thread_id thread)
{
	struct cpuprofile *r = cpuprofile_new(
		profile, thread, json_number(json, json_get(json, object, "startTime"), 0));

	cpuprofile_add(r, json, object, json_get(json, object, "timeDeltas"));
	cpuprofile_finish(r, json_number(json, json_get(json, object, "endTime"), 0));
}

/* Samples have times (µs), not steps of it; start and end are seconds. */
static void read_old(const struct json *json, struct profile *profile, thread_id thread)
{
	double start = json_number(json, json_get(json, JSON_ROOT, "startTime"), 0) * 1e6;
	double end = json_number(json, json_get(json, JSON_ROOT, "endTime"), 0) * 1e6;
	struct cpuprofile *r = cpuprofile_new(profile, thread, start);
	struct json_tree_node head = { json, json_get(json, JSON_ROOT, "head") };
	struct json_items times, samples;
	json_id time;

	add_head(r, head);
	json_items_open(&times, json, json_get(json, JSON_ROOT, "timestamps"));
	json_items_open(&samples, json, json_get(json, JSON_ROOT, "samples"));
	time = json_items_take(&times);
	if (time != JSON_NONE && json_count(json, samples.array)) {
		r->sample.event = profile_event(profile, "cpu", "ns");
		r->sampled = true;
		r->now_us = r->reached_us = json_number(times.json, time, start);
	}
	while (r->sampled && json_items_next(&samples)) {
		take_sample(r, json_u64(samples.json, samples.id, 0),
			    json_number(times.json, time, r->now_us) - r->now_us);
		time = json_items_take(&times);
	}
	json_items_close(&times);
	json_items_close(&samples);
	cpuprofile_finish(r, end);
}

static int cpuprofile_read(const struct json *json, struct profile *profile, struct err *err)
{
	(void)err;
	if (json_has(json, JSON_ROOT, "head")) {
		read_old(json, profile, profile_thread(profile, PROFILE_NO_ID, PROFILE_NO_ID, ""));
		return 0;
	}
	cpuprofile_whole(json, JSON_ROOT, profile,
			 profile_thread(profile, PROFILE_NO_ID, PROFILE_NO_ID, ""));
	return 0;
}

static bool is_cpuprofile(const struct json *json)
{
	json_id head = json_get(json, JSON_ROOT, "head");
	json_id nodes = json_get(json, JSON_ROOT, "nodes");

	return json_has(json, json_item(json, nodes, 0), "callFrame") ||
	       (json_has(json, head, "functionName") && json_has(json, head, "hitCount"));
}

const struct format_ops format_cpuprofile = {
	.name = "cpuprofile",
	.help = "V8's .cpuprofile",
	.is_json = is_cpuprofile,
	.read_json = cpuprofile_read,
};

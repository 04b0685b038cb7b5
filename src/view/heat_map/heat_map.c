/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Heat map pages (see heat_map.h). The page holds the tree of all stacks (flame_pack.h) and, as
 * "samples", base64 of zlib of: the length of a JSON object {"count", "places", "unit_ns",
 * "weights": bool} and the object; the nodes with samples, most frequent first; then in
 * time order, each in a separate column, time since the sample before in units, index of the
 * node, and if "weights" the weight; then, where "lanes" has names of CPUs or threads, its index
 * among them. Numbers are LEB128; lists follow their length in bytes. */
#include "view/heat_map/heat_map.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "profile/diff/diff.h"
#include "view/diff/diff_tree.h"
#include "view/flame/flame_facts.h"
#include "view/flame/flame_graph.h"
#include "view/flame/flame_pack.h"
#include "view/flame/flame_page.h"
#include "view/flame/flame_paint.h"
#include "view/heat_map/heat_map_lanes.h"

#define UNIT_NS 10000u /* finer than any cell */

extern const char heat_map_js[], heat_map_js_sha256[];
extern const char heat_map_css[], heat_map_css_sha256[];

struct moment {
	uint64_t time_ns, weight;
	uint32_t node, cpu, thread; /* lanes */
};

struct place {
	uint32_t node, samples;
};

struct writer {
	const struct profile *profile;
	struct diff diff;
	struct diff_tree tree;
	struct heat_map_lanes lanes;
	VEC(struct moment) moments;
	struct place *places; /* that have samples, most frequent first */
	uint32_t *index;      /* by node: in places */
	size_t place_count;
	uint64_t first_ns, last_ns;
};

static int compare_moments(const void *pa, const void *pb)
{
	const struct moment *a = pa, *b = pb;

	return (a->time_ns > b->time_ns) - (a->time_ns < b->time_ns);
}

static void collect_moments(struct writer *w, const uint32_t *node_of_sample)
{
	const struct profile *p = w->profile;
	bool sorted = true;

	vec_reserve(&w->moments, p->samples.count);
	for (size_t i = 0; i < p->samples.count; i++) {
		const struct profile_sample *s = &p->samples.item[i];
		struct moment moment = { .time_ns = s->time_ns,
					 .weight = w->diff.by_samples ? s->count : s->weight };

		if (node_of_sample[i] == UINT32_MAX)
			continue;
		moment.node = w->tree.place[node_of_sample[i]];
		moment.cpu = heat_map_lanes_cpu(&w->lanes, s);
		moment.thread = w->lanes.threads.of[s->thread.v];
		sorted = sorted &&
			 (!w->moments.count || vec_last(&w->moments)->time_ns <= moment.time_ns);
		vec_push(&w->moments, moment);
	}
	if (!sorted)
		qsort(w->moments.item, w->moments.count, sizeof(*w->moments.item), compare_moments);
	w->first_ns = w->moments.count ? w->moments.item[0].time_ns : 0;
	w->last_ns = w->moments.count ? vec_last(&w->moments)->time_ns : 0;
}

static int compare_places(const void *pa, const void *pb)
{
	const struct place *a = pa, *b = pb;

	if (a->samples != b->samples)
		return a->samples > b->samples ? -1 : 1;
	return (a->node > b->node) - (a->node < b->node);
}

static void rank_places(struct writer *w)
{
	size_t nodes = w->tree.flame.nodes.count;

	w->places = mem_zalloc(nodes * sizeof(*w->places));
	w->index = mem_alloc(nodes * sizeof(*w->index));
	for (size_t i = 0; i < nodes; i++)
		w->places[i].node = (uint32_t)i;
	for (size_t i = 0; i < w->moments.count; i++)
		w->places[w->moments.item[i].node].samples++;
	qsort(w->places, nodes, sizeof(*w->places), compare_places);
	while (w->place_count < nodes && w->places[w->place_count].samples) {
		w->index[w->places[w->place_count].node] = (uint32_t)w->place_count;
		w->place_count++;
	}
}

static void put_varint(struct buf *out, uint64_t value)
{
	do {
		(void)buf_putc(out, (char)((value & 127) | (value > 127 ? 128 : 0)));
		value >>= 7;
	} while (value);
}

static void put_list(struct buf *out, struct buf *list)
{
	put_varint(out, list->len);
	(void)buf_append(out, list->data ? list->data : "", list->len);
	buf_clear(list);
}

static bool has_weights(const struct writer *w)
{
	for (size_t i = 0; i < w->moments.count; i++)
		if (w->moments.item[i].weight != 1)
			return true;
	return false;
}

static void put_samples(const struct writer *w, struct buf *out)
{
	bool weights = has_weights(w);
	struct buf list = { 0 };
	uint64_t last = 0;

	(void)buf_printf(&list, "{\"count\":%zu,\"places\":%zu,\"unit_ns\":%u,\"weights\":%s",
			 w->moments.count, w->place_count, UNIT_NS, weights ? "true" : "false");
	(void)buf_puts(&list, ",\"lanes\":");
	heat_map_lanes_put_json(w->profile, &w->lanes, &list);
	(void)buf_putc(&list, '}');
	put_list(out, &list);
	for (size_t i = 0; i < w->place_count; i++)
		put_varint(&list, w->places[i].node);
	put_list(out, &list);
	for (size_t i = 0; i < w->moments.count; i++) {
		uint64_t now = (w->moments.item[i].time_ns - w->first_ns) / UNIT_NS;

		put_varint(&list, now - last);
		last = now;
	}
	put_list(out, &list);
	for (size_t i = 0; i < w->moments.count; i++)
		put_varint(&list, w->index[w->moments.item[i].node]);
	put_list(out, &list);
	for (size_t i = 0; weights && i < w->moments.count; i++)
		put_varint(&list, w->moments.item[i].weight);
	put_list(out, &list);
	for (size_t i = 0; w->lanes.cpus.count > 1 && i < w->moments.count; i++)
		put_varint(&list, w->moments.item[i].cpu);
	put_list(out, &list);
	for (size_t i = 0; flame_threads_count(&w->lanes.threads) > 1 && i < w->moments.count; i++)
		put_varint(&list, w->moments.item[i].thread);
	put_list(out, &list);
	buf_done(&list);
}

static void put_member(struct buf *out, const char *name, const char *text)
{
	if (!text || !*text)
		return;
	(void)buf_printf(out, ",\"%s\":", name);
	(void)buf_put_json(out, text);
}

/* What the user says, else the command without the recorder's own words. */
static const char *title_of(const struct profile *profile, const struct heat_map_options *options)
{
	const char *command = profile_string(profile, profile->meta.command);
	const char *program = strstr(command, " -- ");

	return options->title ? options->title
	       : program      ? program + 4
	       : *command     ? command
			      : "Heat Map";
}

/* Those of a flame graph of the event. */
static void put_warnings(struct writer *w, struct buf *out)
{
	const struct flame_graph_options looks = { 0 };
	struct flame_tree *tree = &w->tree.flame;
	struct flame_facts facts;

	tree->events = mem_zalloc((w->profile->events.count + 1) * sizeof(*tree->events));
	for (uint16_t i = 0; i < w->profile->events.count; i++) {
		const char *name = profile_string(w->profile, w->profile->events.item[i].name);

		tree->events[i] = strcmp(name, strtab_get(w->diff.names, w->diff.event)) == 0;
		tree->main_event = tree->events[i] ? i : tree->main_event;
	}
	flame_facts_collect(w->profile, tree, &looks, NULL, &facts);
	put_member(out, "missing", facts.missing.data);
	put_member(out, "remedies", facts.remedies.data);
	flame_facts_done(&facts);
}

static void put_about(const struct writer *w, struct buf *out)
{
	const struct profile_meta *meta = &w->profile->meta;

	(void)buf_printf(out, "%s \xc2\xb7 %llu samples \xc2\xb7 %.1f s",
			 strtab_get(w->diff.names, w->diff.event),
			 (unsigned long long)w->diff.total[DIFF_AFTER].samples,
			 (double)(w->last_ns - w->first_ns) / 1e9);
	if (meta->hostname.v)
		(void)buf_printf(out, " \xc2\xb7 %s", profile_string(w->profile, meta->hostname));
}

static void put_info(struct writer *w, const struct heat_map_options *options, const char *about,
		     struct buf *out)
{
	put_member(out, "title", title_of(w->profile, options));
	put_member(out, "subtitle", options->subtitle);
	put_member(out, "about", about);
	put_warnings(w, out);
	put_member(out, "hint",
		   options->bands
			   ? "Heights are live bytes, colours are stacks: drag over a part of the "
			     "time "
			     "to see its flame graph."
			   : "Colours are how much there was in a part of the time: drag over some "
			     "cells to see their flame graph.");
	(void)buf_puts(out, options->bands ? ",\"bands\":true" : "");
	put_member(out, "countname",
		   w->diff.by_samples ? "samples" : strtab_get(w->diff.names, w->diff.unit));
	(void)buf_printf(out,
			 ",\"sides\":[\"base\",\"range\"],\"rate\":0.05,\"first_s\":%.9f,\"own\":{"
			 "\"range\":\"\",\"base\":\"\",\"show\":\"union\",\"by\":\"total\","
			 "\"column\":\"\",\"rows\":\"50\",\"lanes\":\"\",\"time\":\"\"}",
			 (double)w->first_ns / 1e9);
}

static int write_page(struct writer *w, const struct heat_map_options *options, struct buf *ret,
		      struct err *err)
{
	struct flame_graph_options looks = { 0 };
	rgb *colors = flame_paint_labels(&w->tree.flame, &looks);
	struct buf info = { 0 }, tree = { 0 }, samples = { 0 }, text = { 0 }, nothing = { 0 };
	struct buf about = { 0 };
	struct flame_pack pack = { .tree = &w->tree.flame, .colors = colors };
	int r;

	put_about(w, &about);
	put_info(w, options, about.data, &info);
	pack.info = info.data;
	r = flame_pack_write(&pack, &tree, err);
	put_samples(w, &samples);
	if (r == 0)
		r = flame_pack_bytes(&nothing, &samples, &text, err);
	if (r == 0) {
		struct flame_data data[] = { { "flame-data", tree.data },
					     { "samples", text.data } };
		struct flame_page page = { .title = title_of(w->profile, options),
					   .what = "heat map",
					   .about = about.data,
					   .script = FLAME_ASSET(heat_map_js),
					   .style = FLAME_ASSET(heat_map_css),
					   .data = data,
					   .data_count = 2 };

		flame_page_write(&page, ret);
	}
	buf_done(&info);
	buf_done(&about);
	buf_done(&tree);
	buf_done(&samples);
	buf_done(&text);
	free(colors);
	return r;
}

int heat_map_page(const struct profile *profile, const struct diff_options *select,
		  const struct heat_map_options *options, struct buf *ret, struct err *err)
{
	struct writer w = { .profile = profile };
	uint32_t *node_of_sample;
	int r = diff_of_one(profile, select, &w.diff, &node_of_sample, err);

	if (r)
		return r;
	diff_tree_make(&w.diff, &w.tree);
	heat_map_lanes_find(profile, &w.lanes);
	collect_moments(&w, node_of_sample);
	if (!w.last_ns) {
		r = err_set(err, -ENODATA, "the samples have no times");
	} else {
		rank_places(&w);
		r = write_page(&w, options, ret, err);
	}
	free(node_of_sample);
	free(w.places);
	free(w.index);
	vec_done(&w.moments);
	heat_map_lanes_done(&w.lanes);
	diff_tree_done(&w.tree);
	diff_done(&w.diff);
	return r;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Profile → folded text. Stacks are merged by name into a call tree; walking it in the order of
 * the bytes gives sorted lines without ever sorting whole lines. */
#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "format/fold_name.h"
#include "format/folded.h"
#include "format/format.h"
#include "profile/call_tree.h"

#define NO_NAME UINT32_MAX

/* A child gives up to two places in the output: the line that ends with it sorts as "name", those
 * that go on sort as "name;". */
struct place {
	uint32_t node;
	bool goes_on;
};

struct folded_writer {
	const struct profile *profile;
	const struct fold_options *options;
	struct strtab *names;
	uint32_t *frame_name[2]; /* by frame; [1] for Java commands */
	VEC(bool) java;		 /* by name id: is this root frame a JVM's? */
	struct buf word, line, *out;
	struct call_tree tree;
	VEC(struct place) places;
	uint32_t scale;
};

static uint32_t root_label(void *context, thread_id thread)
{
	struct folded_writer *w = context;
	uint32_t id;

	if (w->options->no_comm || !w->profile->threads.item[thread.v].comm.v)
		return CALL_NO_LABEL;
	buf_clear(&w->word);
	fold_root_name(w->profile, thread, w->options, &w->word);
	id = strtab_intern(w->names, w->word.data, w->word.len).v;
	while (w->java.count <= id)
		vec_push(&w->java, false);
	w->java.item[id] = strncmp(w->word.data, "java", 4) == 0;
	return id;
}

static uint32_t frame_label(void *context, frame_id frame, uint32_t root)
{
	struct folded_writer *w = context;
	bool java = root != CALL_NO_LABEL && w->java.item[root];
	uint32_t *cached = &w->frame_name[java][frame.v];

	if (*cached == NO_NAME) {
		buf_clear(&w->word);
		fold_frame_name(w->profile, frame, w->options, java, &w->word);
		*cached = strtab_intern(w->names, w->word.data ? w->word.data : "", w->word.len).v;
	}
	return *cached;
}

/* Decimal with the event's fraction, without trailing zeros. */
static void put_weight(struct folded_writer *w, uint64_t weight)
{
	uint64_t fraction = weight % w->scale;

	(void)buf_put_u64(w->out, weight / w->scale);
	if (!fraction)
		return;
	(void)buf_putc(w->out, '.');
	for (uint64_t unit = w->scale / 10; fraction; unit /= 10) {
		(void)buf_putc(w->out, (char)('0' + fraction / unit));
		fraction %= unit;
	}
}

static int compare_places(const void *pa, const void *pb, void *context)
{
	const struct folded_writer *w = context;
	const struct place *a = pa, *b = pb;
	string_id na = { w->tree.nodes.item[a->node].label };
	string_id nb = { w->tree.nodes.item[b->node].label };
	const unsigned char *sa = (const unsigned char *)strtab_get(w->names, na);
	const unsigned char *sb = (const unsigned char *)strtab_get(w->names, nb);

	while (*sa && *sa == *sb) {
		sa++;
		sb++;
	}
	return (*sa ? *sa : a->goes_on * ';') - (*sb ? *sb : b->goes_on * ';');
}

static void put_line(struct folded_writer *w, const struct call_node *node)
{
	(void)buf_append(w->out, w->line.data, w->line.len);
	(void)buf_putc(w->out, ' ');
	put_weight(w, node->self);
	(void)buf_putc(w->out, '\n');
}

/* Most nodes have few children. */
static void sort_places(struct folded_writer *w, struct place *place, size_t count)
{
	if (count > 8) {
		qsort_r(place, count, sizeof(*place), compare_places, w);
		return;
	}
	for (size_t i = 1; i < count; i++) {
		struct place moving = place[i];
		size_t to = i;

		for (; to > 0 && compare_places(&place[to - 1], &moving, w) > 0; to--)
			place[to] = place[to - 1];
		place[to] = moving;
	}
}

/* The walk keeps its own stack: hostile input may be 65536 frames deep. Places of all levels are
 * one array. */
struct level {
	size_t at, end; /* of its places */
	size_t line_len;
};

static struct level open_level(struct folded_writer *w, uint32_t parent)
{
	struct level level = { .at = w->places.count, .line_len = w->line.len };

	for (uint32_t id = w->tree.nodes.item[parent].first_child; id;
	     id = w->tree.nodes.item[id].next_sibling) {
		const struct call_node *node = &w->tree.nodes.item[id];

		if (node->self_samples)
			vec_push(&w->places, ((struct place){ id, false }));
		if (node->first_child)
			vec_push(&w->places, ((struct place){ id, true }));
	}
	level.end = w->places.count;
	sort_places(w, w->places.item + level.at, level.end - level.at);
	return level;
}

static void walk(struct folded_writer *w)
{
	VEC(struct level) levels = { 0 };

	vec_push(&levels, open_level(w, 0));
	while (levels.count) {
		struct level *level = vec_last(&levels);
		struct place place;
		string_id name;

		if (level->at == level->end) {
			levels.count--;
			w->places.count = levels.count ? vec_last(&levels)->end : 0;
			continue;
		}
		place = w->places.item[level->at++];
		name = (string_id){ w->tree.nodes.item[place.node].label };
		w->line.len = level->line_len;
		if (levels.count > 1)
			(void)buf_putc(&w->line, ';');
		(void)buf_append(&w->line, strtab_get(w->names, name), strtab_len(w->names, name));
		if (place.goes_on)
			vec_push(&levels, open_level(w, place.node));
		else
			put_line(w, &w->tree.nodes.item[place.node]);
	}
	vec_done(&levels);
	vec_done(&w->places);
}

static void write_picked(struct folded_writer *w, const bool *picked)
{
	struct call_tree_options tree = {
		.events = picked, .root_label = root_label, .label = frame_label, .context = w
	};
	size_t frames = w->profile->frames.count;

	w->names = strtab_new();
	for (size_t i = 0; i < 2; i++) {
		w->frame_name[i] = mem_alloc((frames + 1) * sizeof(uint32_t));
		memset(w->frame_name[i], 0xff, frames * sizeof(uint32_t)); /* NO_NAME */
	}
	w->scale = 1;
	for (size_t i = 0; i < w->profile->events.count; i++)
		if (picked[i] && w->profile->events.item[i].scale > w->scale)
			w->scale = w->profile->events.item[i].scale;
	tree.scale = w->scale;
	call_tree_build(w->profile, &tree, &w->tree);
	if (w->tree.nodes.item[0].self) { /* no command, and no frame with a name */
		(void)buf_puts(&w->line, "[unknown]");
		put_line(w, &w->tree.nodes.item[0]);
		buf_clear(&w->line);
	}
	walk(w);
	call_tree_done(&w->tree);
	strtab_free(w->names);
	free(w->frame_name[0]);
	free(w->frame_name[1]);
	vec_done(&w->java);
	buf_done(&w->word);
	buf_done(&w->line);
}

int folded_write(const struct profile *profile, const struct fold_options *options, struct buf *ret,
		 struct err *err)
{
	struct folded_writer w = { .profile = profile, .options = options, .out = ret };
	bool *picked = mem_zalloc(profile->events.count + 1);
	int r = 0;

	if (options->all_events)
		memset(picked, true, profile->events.count);
	else if (!profile_pick_events(profile, options->event, picked) && options->event)
		r = err_set(err, -ENOENT, "no event named '%s'", options->event);
	if (r == 0)
		write_picked(&w, picked);
	free(picked);
	return r;
}

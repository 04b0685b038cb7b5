/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Batches as rows (see batch_rows.h). */
#include "store/batch_rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/map.h"
#include "profile/profile.h"
#include "store/dictionary.h"
#include "store/rows.h"
#include "store/store.h"

/* Numbers of the profile's items in the dictionary; NONE = not looked up yet. */
#define NONE UINT32_MAX

#define MOST_DAYS 4000 /* of one batch; years have four digits */

struct translation {
	const struct store_batch *batch;
	const struct profile *profile;
	struct dictionary *dict;
	uint32_t *string, *module, *frame, *node, *event;
	struct map series; /* thread and event → number */
};

static uint32_t *make_table(size_t count)
{
	uint32_t *table = mem_alloc((count + 1) * sizeof(*table));

	for (size_t i = 0; i <= count; i++)
		table[i] = NONE;
	return table;
}

static uint32_t string_of(struct translation *t, string_id id)
{
	if (t->string[id.v] == NONE)
		t->string[id.v] = dictionary_string(t->dict, profile_string(t->profile, id),
						    strtab_len(t->profile->strings, id));
	return t->string[id.v];
}

static uint32_t module_of(struct translation *t, uint32_t id)
{
	const struct profile_module *module = &t->profile->modules.item[id];
	struct dictionary_module own;

	if (t->module[id] != NONE)
		return t->module[id];
	own.path = id ? string_of(t, module->path) : 0;
	own.build_id = dictionary_string(t->dict, module->build_id, strlen(module->build_id));
	t->module[id] = dictionary_module(t->dict, &own);
	return t->module[id];
}

static uint32_t frame_of(struct translation *t, frame_id id)
{
	const struct frame *frame = &t->profile->frames.item[id.v];
	struct dictionary_frame own = {
		.line = frame->line,
		.kind = (uint8_t)frame->kind,
		.inlined = frame->inlined,
		.caller = frame->caller,
		.binding = frame->binding,
		.offset = frame->offset,
	};

	if (t->frame[id.v] != NONE)
		return t->frame[id.v];
	own.module = module_of(t, frame->module);
	own.function = string_of(t, frame->function);
	own.file = string_of(t, frame->file);
	if (own.function) {
		own.symbol_start = frame->symbol_start;
		own.symbol_end = frame->symbol_end;
	}
	t->frame[id.v] = dictionary_frame(t->dict, &own);
	return t->frame[id.v];
}

/* Parents first; stacks may be deep, so without recursion. */
static uint32_t node_of(struct translation *t, stack_id stack)
{
	VEC(uint32_t) path = { 0 };
	uint32_t at = stack.v, own;

	while (t->node[at] == NONE) {
		vec_push(&path, at);
		at = t->profile->nodes.item[at].parent.v;
	}
	own = t->node[at];
	while (path.count) {
		uint32_t id = path.item[--path.count];
		struct dictionary_node node = { own,
						frame_of(t, t->profile->nodes.item[id].frame) };

		own = t->node[id] = dictionary_node(t->dict, &node);
	}
	vec_done(&path);
	return own;
}

static uint32_t event_of(struct translation *t, uint16_t id)
{
	const struct profile_event *event = &t->profile->events.item[id];
	struct dictionary_event own = {
		.kind = (uint8_t)event->kind,
		.unit_type = (uint8_t)event->unit_type,
		.measured = event->measured,
		.precise = event->precise,
		.exact = event->exact,
		.scale = event->scale,
		.sample_weight = event->sample_weight,
	};

	if (t->event[id] != NONE)
		return t->event[id];
	own.name = string_of(t, event->name);
	own.unit = string_of(t, event->unit);
	t->event[id] = dictionary_event(t->dict, &own);
	return t->event[id];
}

static void thread_labels(const struct translation *t, uint32_t thread, struct label_set *ret)
{
	const struct store_batch *batch = t->batch;

	if (batch->labels)
		label_set_put_all(ret, batch->labels);
	if (thread >= t->profile->threads.count)
		return;
	(void)label_set_put(ret, "comm",
			    profile_string(t->profile, t->profile->threads.item[thread].comm));
	if (batch->thread_labels && batch->thread_labels[thread])
		label_set_put_all(ret, batch->thread_labels[thread]);
}

static uint32_t series_of(struct translation *t, uint32_t thread, uint16_t event)
{
	bool added;
	uint64_t *number = map_add(&t->series, (uint64_t)thread << 16 | event, &added);
	struct label_set labels = { 0 };
	uint32_t own;

	if (!added)
		return (uint32_t)*number;
	thread_labels(t, thread, &labels);
	own = dictionary_series(t->dict, event_of(t, event), &labels);
	*number = own;
	label_set_done(&labels);
	return own;
}

bool batch_rows_time(const struct store_batch *batch, uint64_t time_ns, uint64_t *ret)
{
	int64_t time;

	if (time_ns > INT64_MAX ||
	    __builtin_add_overflow((int64_t)time_ns, batch->clock_ns, &time) || time < 0)
		return false;
	*ret = (uint64_t)time;
	return true;
}

static void add_samples(struct translation *t, uint32_t day, struct store_rows *ret)
{
	const struct profile *profile = t->profile;

	for (size_t i = 0; i < profile->samples.count; i++) {
		const struct profile_sample *s = &profile->samples.item[i];
		struct store_row row = { .count = s->count, .weight = s->weight };
		struct dictionary_leaf leaf = { .stop = s->stop };

		if (!batch_rows_time(t->batch, s->time_ns, &row.time_ns) ||
		    row.time_ns / STORE_DAY_NS != day)
			continue;
		leaf.node = node_of(t, s->stack);
		row.leaf = dictionary_leaf(t->dict, &leaf);
		row.series = series_of(t, s->thread.v, s->event);
		vec_push(&ret->rows, row);
	}
}

/* By event; what is not known by event is the first one's. */
static void add_lost(struct translation *t, uint64_t last_ns, struct store_rows *ret)
{
	const struct profile *profile = t->profile;
	uint64_t known = 0;

	for (size_t i = 0; i < profile->events.count; i++)
		known += profile->events.item[i].lost;
	for (size_t i = 0; i < profile->events.count; i++) {
		struct store_row row = { .leaf = DICTIONARY_LEAF_LOST,
					 .time_ns = last_ns,
					 .count = profile->events.item[i].lost };

		if (!i && !known)
			row.count = profile->meta.lost_samples;
		if (!row.count)
			continue;
		row.series = series_of(t, UINT32_MAX, (uint16_t)i);
		vec_push(&ret->rows, row);
	}
}

static uint64_t last_time(const struct store_batch *batch)
{
	uint64_t last = 0, time;

	for (size_t i = 0; i < batch->profile->samples.count; i++)
		if (batch_rows_time(batch, batch->profile->samples.item[i].time_ns, &time) &&
		    time > last)
			last = time;
	if (!batch->profile->samples.count)
		(void)batch_rows_time(batch, 0, &last);
	return last;
}

void batch_rows_add(const struct store_batch *batch, uint32_t day, bool with_lost,
		    struct dictionary *dict, struct store_rows *ret)
{
	const struct profile *profile = batch->profile;
	struct translation t = {
		.batch = batch,
		.profile = profile,
		.dict = dict,
		.string = make_table(strtab_count(profile->strings)),
		.module = make_table(profile->modules.count),
		.frame = make_table(profile->frames.count),
		.node = make_table(profile->nodes.count),
		.event = make_table(profile->events.count),
	};

	t.node[STACK_EMPTY.v] = 0;
	add_samples(&t, day, ret);
	if (with_lost)
		add_lost(&t, last_time(batch), ret);
	free(t.string);
	free(t.module);
	free(t.frame);
	free(t.node);
	free(t.event);
	map_done(&t.series);
}

static int compare_days(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

int batch_rows_days(const struct store_batch *batch, uint32_t **ret, size_t *ret_count,
		    struct err *err)
{
	VEC(uint32_t) days = { 0 };
	uint64_t time = 0;
	bool valid = batch->profile->samples.count || batch_rows_time(batch, 0, &time);

	if (!batch->profile->samples.count)
		vec_push(&days, (uint32_t)(time / STORE_DAY_NS));
	for (size_t i = 0; i < batch->profile->samples.count && valid; i++) {
		valid = batch_rows_time(batch, batch->profile->samples.item[i].time_ns, &time);
		if (valid && (!days.count || *vec_last(&days) != time / STORE_DAY_NS))
			vec_push(&days, (uint32_t)(time / STORE_DAY_NS));
	}
	if (days.count)
		qsort(days.item, days.count, sizeof(*days.item), compare_days);
	*ret_count = 0;
	for (size_t i = 0; i < days.count; i++)
		if (!i || days.item[i] != days.item[i - 1])
			days.item[(*ret_count)++] = days.item[i];
	*ret = days.item;
	if (!valid || *ret_count > MOST_DAYS)
		return err_set(err, -EINVAL,
			       "samples with times before 1970, or of more than %d "
			       "days",
			       MOST_DAYS);
	return 0;
}

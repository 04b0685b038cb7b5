/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows as a profile (see row_answer.h). */
#include "store/row_answer.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/map.h"
#include "profile/profile.h"
#include "store/dictionary.h"
#include "store/rows.h"
#include "store/selector.h"
#include "store/store.h"

#define OTHERS	ROW_OF_OTHERS
#define NOTHING UINT32_MAX

/* A dictionary's items in the profile that is made. */
struct row_answer {
	const struct dictionary *dict;
	const struct store_query *query;
	struct profile *profile;
	bool *wanted;	  /* by series */
	uint32_t *module; /* by module, frame, node; NOTHING = not yet */
	uint32_t *frame, *node;
	uint32_t *thread; /* by series */
	uint16_t *event;  /* by series */
	bool *hidden;	  /* by series: another user's */
	bool by_series;	  /* a series' number is its thread's */
	stack_id others;
	uint64_t damaged;
	/* Sums by series and leaf, unless times are kept. */
	struct map sums;
	VEC(struct store_row) rows;
};

static uint32_t *nothing_yet(size_t count)
{
	uint32_t *table = mem_alloc((count + 1) * sizeof(*table));

	memset(table, 0xff, (count + 1) * sizeof(*table));
	return table;
}

static const struct dictionary_string *string_of(const struct row_answer *a, uint32_t id)
{
	return &a->dict->strings.item[id];
}

static string_id intern(struct row_answer *a, uint32_t id)
{
	const struct dictionary_string *s = string_of(a, id);

	return strtab_intern(a->profile->strings, s->text, s->len);
}

static uint32_t module_of(struct row_answer *a, uint32_t id)
{
	const struct dictionary_module *module = &a->dict->modules.item[id];

	if (a->module[id] == NOTHING)
		a->module[id] = module->path ? profile_module(a->profile,
							      string_of(a, module->path)->text,
							      string_of(a, module->build_id)->text)
					     : 0;
	return a->module[id];
}

static frame_id frame_of(struct row_answer *a, uint32_t id)
{
	const struct dictionary_frame *from = &a->dict->frames.item[id];
	struct frame frame = {
		.kind = from->kind <= FRAME_SEPARATOR ? (enum frame_kind)from->kind : FRAME_USER,
		.inlined = from->inlined,
		.caller = from->caller,
		.binding = from->binding,
		.line = from->line,
		.offset = from->offset,
		.symbol_start = from->symbol_start,
		.symbol_end = from->symbol_end,
	};

	if (a->frame[id] == NOTHING) {
		frame.module = module_of(a, from->module);
		frame.function = intern(a, from->function);
		frame.file = intern(a, from->file);
		a->frame[id] = profile_frame(a->profile, &frame).v;
	}
	return (frame_id){ a->frame[id] };
}

static bool is_left_out(const struct row_answer *a, uint32_t frame)
{
	return a->query->viewer != STORE_EVERYBODY && a->query->viewer != 0 &&
	       a->dict->frames.item[frame].kind == FRAME_KERNEL;
}

static stack_id stack_of(struct row_answer *a, uint32_t id)
{
	VEC(uint32_t) path = { 0 };
	stack_id stack;

	while (a->node[id] == NOTHING) {
		vec_push(&path, id);
		id = a->dict->nodes.item[id].parent;
	}
	stack = (stack_id){ a->node[id] };
	while (path.count) {
		uint32_t frame;

		id = path.item[--path.count];
		frame = a->dict->nodes.item[id].frame;
		if (!is_left_out(a, frame))
			stack = profile_stack_push(a->profile, stack, frame_of(a, frame));
		a->node[id] = stack.v;
	}
	vec_done(&path);
	return stack;
}

bool row_is_of_others(const struct store_query *query, const struct label_set *labels)
{
	const char *uid = label_set_get(labels, "uid");
	char *end;

	if (query->viewer == STORE_EVERYBODY || query->viewer == 0)
		return false;
	return !*uid || strtoul(uid, &end, 10) != query->viewer || *end;
}

bool row_is_meant(const struct store_query *query, const struct label_set *labels)
{
	return (!query->event || strcmp(query->event, label_set_get(labels, "event")) == 0) &&
	       selector_match(query->selector, labels);
}

static uint16_t add_event(struct row_answer *a, const struct dictionary_event *from)
{
	uint16_t id = profile_event_of_kind(a->profile, string_of(a, from->name)->text,
					    string_of(a, from->unit)->text,
					    (enum event_kind)from->kind);
	struct profile_event *event = &a->profile->events.item[id];

	event->unit_type = (enum event_unit)from->unit_type;
	event->sample_weight = from->sample_weight;
	event->measured = from->measured;
	event->precise = from->precise;
	event->exact = from->exact;
	event->scale = from->scale <= PROFILE_MAX_SCALE ? from->scale : 0;
	return id;
}

static uint32_t number_of(const char *text)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	return !*text || *end || value >= PROFILE_NO_ID ? PROFILE_NO_ID : (uint32_t)value;
}

static void choose_series(struct row_answer *a)
{
	const struct dictionary *dict = a->dict;

	for (size_t i = 0; i < dict->series.count; i++) {
		const struct dictionary_series *series = &dict->series.item[i];
		uint32_t pid;

		a->wanted[i] = row_is_meant(a->query, &series->labels);
		if (!a->wanted[i])
			continue;
		a->hidden[i] = row_is_of_others(a->query, &series->labels);
		a->event[i] = add_event(a, &dict->events.item[series->event]);
		pid = a->by_series ? (uint32_t)i : number_of(label_set_get(&series->labels, "pid"));
		a->thread[i] =
			a->hidden[i]
				? profile_thread(a->profile, PROFILE_NO_ID, PROFILE_NO_ID, OTHERS).v
				: profile_thread(a->profile, pid, pid,
						 label_set_get(&series->labels, "comm"))
					  .v;
	}
}

static void add_row(struct row_answer *a, const struct store_row *row)
{
	const struct dictionary_leaf *leaf = &a->dict->leaves.item[row->leaf];
	struct profile_sample sample = { .thread = { a->thread[row->series] },
					 .event = a->event[row->series],
					 .cpu = PROFILE_NO_CPU,
					 .time_ns = row->time_ns,
					 .weight = row->weight,
					 .count = row->count };

	if (row->leaf == DICTIONARY_LEAF_LOST) {
		a->profile->events.item[sample.event].lost += row->count;
		a->profile->meta.lost_samples += row->count;
		return;
	}
	if (!row->count)
		return; /* of a file that was not written here: nothing */
	sample.stop = leaf->stop;
	sample.stack = a->hidden[row->series] ? a->others : stack_of(a, leaf->node);
	profile_add(a->profile, &sample);
}

void row_answer_add(void *context, const struct store_row *row)
{
	struct row_answer *a = context;
	uint64_t *at;
	bool added;

	if (row->leaf >= a->dict->leaves.count || row->series >= a->dict->series.count ||
	    !a->wanted[row->series]) {
		a->damaged++;
		return;
	}
	if (a->profile->keep & (PROFILE_KEEP_TIME | PROFILE_KEEP_FIRST)) {
		add_row(a, row);
		return;
	}
	at = map_add(&a->sums, (uint64_t)row->series << 32 | row->leaf, &added);
	if (added) {
		*at = a->rows.count;
		vec_push(&a->rows, *row);
		return;
	}
	a->rows.item[*at].count += row->count;
	a->rows.item[*at].weight += row->weight;
}

static stack_id others_stack(struct profile *profile)
{
	struct frame frame = { .function = strtab_puts(profile->strings, OTHERS),
			       .kind = FRAME_SEPARATOR };

	return profile_stack_push(profile, STACK_EMPTY, profile_frame(profile, &frame));
}

static bool hides_any(const struct row_answer *a)
{
	for (size_t i = 0; i < a->dict->series.count; i++)
		if (a->hidden[i])
			return true;
	return false;
}

static struct row_answer *make(const struct dictionary *dict, const struct store_query *query,
			       struct profile *profile, bool by_series)
{
	struct row_answer *a = mem_zalloc(sizeof(*a));

	a->by_series = by_series;
	a->dict = dict;
	a->query = query;
	a->profile = profile;
	a->wanted = mem_zalloc(dict->series.count + 1);
	a->hidden = mem_zalloc(dict->series.count + 1);
	a->event = mem_zalloc((dict->series.count + 1) * sizeof(*a->event));
	a->thread = mem_zalloc((dict->series.count + 1) * sizeof(*a->thread));
	a->module = nothing_yet(dict->modules.count);
	a->frame = nothing_yet(dict->frames.count);
	a->node = nothing_yet(dict->nodes.count);
	a->node[0] = STACK_EMPTY.v;
	choose_series(a);
	if (hides_any(a))
		a->others = others_stack(profile);
	return a;
}

struct row_answer *row_answer_new(const struct dictionary *dict, const struct store_query *query,
				  struct profile *profile)
{
	return make(dict, query, profile, false);
}

struct row_answer *row_answer_new_by_series(const struct dictionary *dict,
					    const struct store_query *query,
					    struct profile *profile)
{
	return make(dict, query, profile, true);
}

const bool *row_answer_wanted(const struct row_answer *answer)
{
	return answer->wanted;
}

uint64_t row_answer_end(struct row_answer *a)
{
	uint64_t damaged;

	for (size_t i = 0; i < a->rows.count; i++)
		add_row(a, &a->rows.item[i]);
	damaged = a->damaged;
	vec_done(&a->rows);
	map_done(&a->sums);
	free(a->wanted);
	free(a->hidden);
	free(a->event);
	free(a->thread);
	free(a->module);
	free(a->frame);
	free(a->node);
	free(a);
	return damaged;
}

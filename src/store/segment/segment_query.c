/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Questions to the parts of a store: profiles, sums over time, series (see store.h). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/map.h"
#include "profile/profile.h"
#include "store/segment/part_view.h"
#include "store/segment/segment_store.h"
#include "store/selector.h"
#include "store/timeline_sum.h"

#define OTHERS	"[other users]"
#define NOTHING UINT32_MAX
#define LONG_NS (2 * STORE_DAY_NS) /* from here on whole hours are one moment */

/* A part's items in the profile that is made. */
struct answer {
	struct part_view *view;
	const struct store_query *query;
	struct profile *profile;
	bool *wanted;	  /* by series */
	uint32_t *module; /* by module, frame, node; NOTHING = not yet */
	uint32_t *frame, *node;
	uint32_t *thread; /* by series */
	uint16_t *event;  /* by series */
	bool *hidden;	  /* by series: another user's */
	stack_id others;
	/* Sums by series and leaf, unless times are kept. */
	struct map sums;
	VEC(struct block_row) rows;
};

static uint32_t *nothing_yet(size_t count)
{
	uint32_t *table = mem_alloc((count + 1) * sizeof(*table));

	memset(table, 0xff, (count + 1) * sizeof(*table));
	return table;
}

static const struct dictionary_string *string_of(const struct answer *a, uint32_t id)
{
	return &a->view->dict.strings.item[id];
}

static string_id intern(struct answer *a, uint32_t id)
{
	const struct dictionary_string *s = string_of(a, id);

	return strtab_intern(a->profile->strings, s->text, s->len);
}

static uint32_t module_of(struct answer *a, uint32_t id)
{
	const struct dictionary_module *module = &a->view->dict.modules.item[id];

	if (a->module[id] == NOTHING)
		a->module[id] = module->path ? profile_module(a->profile,
							      string_of(a, module->path)->text,
							      string_of(a, module->build_id)->text)
					     : 0;
	return a->module[id];
}

static frame_id frame_of(struct answer *a, uint32_t id)
{
	const struct dictionary_frame *from = &a->view->dict.frames.item[id];
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

static bool is_left_out(const struct answer *a, uint32_t frame)
{
	return a->query->viewer != STORE_EVERYBODY && a->query->viewer != 0 &&
	       a->view->dict.frames.item[frame].kind == FRAME_KERNEL;
}

static stack_id stack_of(struct answer *a, uint32_t id)
{
	VEC(uint32_t) path = { 0 };
	stack_id stack;

	while (a->node[id] == NOTHING) {
		vec_push(&path, id);
		id = a->view->dict.nodes.item[id].parent;
	}
	stack = (stack_id){ a->node[id] };
	while (path.count) {
		uint32_t frame;

		id = path.item[--path.count];
		frame = a->view->dict.nodes.item[id].frame;
		if (!is_left_out(a, frame))
			stack = profile_stack_push(a->profile, stack, frame_of(a, frame));
		a->node[id] = stack.v;
	}
	vec_done(&path);
	return stack;
}

static bool is_of_others(const struct store_query *query, const struct label_set *labels)
{
	const char *uid = label_set_get(labels, "uid");
	char *end;

	if (query->viewer == STORE_EVERYBODY || query->viewer == 0)
		return false;
	return !*uid || strtoul(uid, &end, 10) != query->viewer || *end;
}

static bool is_meant(const struct store_query *query, const struct label_set *labels)
{
	return (!query->event || strcmp(query->event, label_set_get(labels, "event")) == 0) &&
	       selector_match(query->selector, labels);
}

static uint16_t add_event(struct answer *a, const struct dictionary_event *from)
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

static void choose_series(struct answer *a)
{
	const struct dictionary *dict = &a->view->dict;

	for (size_t i = 0; i < dict->series.count; i++) {
		const struct dictionary_series *series = &dict->series.item[i];
		uint32_t pid;

		a->wanted[i] = is_meant(a->query, &series->labels);
		if (!a->wanted[i])
			continue;
		a->hidden[i] = is_of_others(a->query, &series->labels);
		a->event[i] = add_event(a, &dict->events.item[series->event]);
		pid = number_of(label_set_get(&series->labels, "pid"));
		a->thread[i] =
			a->hidden[i]
				? profile_thread(a->profile, PROFILE_NO_ID, PROFILE_NO_ID, OTHERS).v
				: profile_thread(a->profile, pid, pid,
						 label_set_get(&series->labels, "comm"))
					  .v;
	}
}

static void add_row(struct answer *a, const struct block_row *row)
{
	const struct dictionary_leaf *leaf = &a->view->dict.leaves.item[row->leaf];
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

static void visit(void *context, const struct block_row *row)
{
	struct answer *a = context;
	uint64_t *at;
	bool added;

	if (row->leaf >= a->view->dict.leaves.count || row->series >= a->view->dict.series.count ||
	    !a->wanted[row->series]) {
		a->view->damaged++;
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

static bool hides_any(const struct answer *a)
{
	for (size_t i = 0; i < a->view->dict.series.count; i++)
		if (a->hidden[i])
			return true;
	return false;
}

void segment_query_part(struct part_view *view, const struct store_query *query,
			struct profile *ret)
{
	const struct dictionary *dict = &view->dict;
	struct answer a = {
		.view = view,
		.query = query,
		.profile = ret,
		.wanted = mem_zalloc(dict->series.count + 1),
		.hidden = mem_zalloc(dict->series.count + 1),
		.event = mem_zalloc((dict->series.count + 1) * sizeof(*a.event)),
		.thread = mem_zalloc((dict->series.count + 1) * sizeof(*a.thread)),
		.module = nothing_yet(dict->modules.count),
		.frame = nothing_yet(dict->frames.count),
		.node = nothing_yet(dict->nodes.count),
	};
	struct block_filter filter = { a.wanted, dict->series.count, query->from_ns, query->to_ns };
	bool coarse = !(ret->keep & PROFILE_KEEP_TIME) || query->to_ns - query->from_ns > LONG_NS;

	a.node[0] = STACK_EMPTY.v;
	choose_series(&a);
	if (hides_any(&a))
		a.others = others_stack(ret);
	part_view_rows(view, &filter, coarse, visit, &a);
	for (size_t i = 0; i < a.rows.count; i++)
		add_row(&a, &a.rows.item[i]);
	vec_done(&a.rows);
	map_done(&a.sums);
	free(a.wanted);
	free(a.hidden);
	free(a.event);
	free(a.thread);
	free(a.module);
	free(a.frame);
	free(a.node);
}

typedef void (*part_call)(void *context, struct part_view *view);

/* Calls for each part of the range's days. Parts that cannot be read are reported with the first
 * one's reason, after all others. */
static int each_part(struct store *base, const struct store_query *query, part_call call,
		     void *context, struct err *err)
{
	const struct segment_store *store = (const struct segment_store *)base;
	struct segment_parts parts = { 0 };
	int code = segment_parts_find(store->folder, &parts, err), failed = 0;

	for (size_t i = 0; i < parts.part.count && !code; i++) {
		uint64_t begin = (uint64_t)parts.part.item[i].day * STORE_DAY_NS;
		struct part_view view;
		struct err own = { 0 };

		if (begin >= query->to_ns || begin + STORE_DAY_NS <= query->from_ns)
			continue;
		if (!part_view_open(store->folder, parts.part.item[i].name, &view, &own)) {
			call(context, &view);
			part_view_close(&view);
		} else if (own.code != -ENOENT && !failed) { /* one may have become too old */
			failed = own.code;
			*err = own;
		}
	}
	vec_done(&parts.part);
	code = code ? code : failed;
	return code ? err_wrap(err, "%s", store->location) : 0;
}

struct profile_question {
	const struct store_query *query;
	struct profile *profile;
	uint64_t damaged;
};

static void ask_profile(void *context, struct part_view *view)
{
	struct profile_question *question = context;

	segment_query_part(view, question->query, question->profile);
	question->damaged += view->damaged;
}

int segment_query(struct store *store, const struct store_query *query, struct profile *ret,
		  struct err *err)
{
	struct profile_question question = { query, ret, 0 };
	int code = each_part(store, query, ask_profile, &question, err);

	if (question.damaged)
		ret->meta.damage =
			strtab_puts(ret->strings, "some of the store's blocks cannot be read");
	return code;
}

struct timeline_question {
	const struct store_query *query;
	struct store_timeline *timeline;
	struct map lines;
	/* of one part */
	uint32_t *line;
	struct part_view *view;
};

static void ask_row(void *context, const struct block_row *row)
{
	struct timeline_question *q = context;

	if (row->series < q->view->dict.series.count && row->leaf != DICTIONARY_LEAF_LOST)
		timeline_add(q->timeline, q->line[row->series], row->time_ns, row->weight,
			     row->count);
}

static void ask_timeline(void *context, struct part_view *view)
{
	struct timeline_question *q = context;
	const struct dictionary *dict = &view->dict;
	bool *wanted = mem_zalloc(dict->series.count + 1);
	struct block_filter filter = { wanted, dict->series.count, q->query->from_ns,
				       q->query->to_ns };

	q->view = view;
	q->line = nothing_yet(dict->series.count);
	for (size_t i = 0; i < dict->series.count; i++) {
		const struct dictionary_series *series = &dict->series.item[i];
		const char *by = q->query->by;

		wanted[i] = is_meant(q->query, &series->labels);
		if (!wanted[i])
			continue;
		q->line[i] =
			timeline_line(q->timeline, is_of_others(q->query, &series->labels) ? OTHERS
						   : by && *by ? label_set_get(&series->labels, by)
							       : "");
		timeline_unit(q->timeline,
			      dict->strings.item[dict->events.item[series->event].unit].text);
	}
	part_view_rows(view, &filter, q->query->step_ns % STORE_HOUR_NS == 0, ask_row, q);
	q->timeline->damaged += view->damaged;
	free(q->line);
	free(wanted);
}

int segment_timeline(struct store *store, const struct store_query *query,
		     struct store_timeline *ret, struct err *err)
{
	struct timeline_question question = { .query = query, .timeline = ret };

	return each_part(store, query, ask_timeline, &question, err);
}

struct series_question {
	const struct store_query *query;
	struct store_series_list *list;
	struct map known; /* hash of labels → index */
	/* of one part */
	struct store_series *sum;
	struct part_view *view;
};

static void ask_series_row(void *context, const struct block_row *row)
{
	struct series_question *q = context;
	struct store_series *sum;

	if (row->series >= q->view->dict.series.count || row->leaf == DICTIONARY_LEAF_LOST)
		return;
	sum = &q->sum[row->series];
	if (!sum->count || row->time_ns < sum->first_ns)
		sum->first_ns = row->time_ns;
	if (row->time_ns > sum->last_ns)
		sum->last_ns = row->time_ns;
	sum->count += row->count;
}

static void ask_series(void *context, struct part_view *view)
{
	struct series_question *q = context;
	const struct dictionary *dict = &view->dict;
	bool *wanted = mem_zalloc(dict->series.count + 1);
	struct block_filter filter = { wanted, dict->series.count, q->query->from_ns,
				       q->query->to_ns };

	q->view = view;
	q->sum = mem_zalloc((dict->series.count + 1) * sizeof(*q->sum));
	for (size_t i = 0; i < dict->series.count; i++)
		wanted[i] = is_meant(q->query, &dict->series.item[i].labels) &&
			    !is_of_others(q->query, &dict->series.item[i].labels);
	part_view_rows(view, &filter, true, ask_series_row, q);
	q->list->damaged += view->damaged;
	for (size_t i = 0; i < dict->series.count; i++)
		if (q->sum[i].count)
			series_list_add(q->list, &dict->series.item[i].labels, &q->sum[i]);
	free(q->sum);
	free(wanted);
}

int segment_series(struct store *store, const struct store_query *query,
		   struct store_series_list *ret, struct err *err)
{
	struct series_question question = { .query = query, .list = ret };

	return each_part(store, query, ask_series, &question, err);
}

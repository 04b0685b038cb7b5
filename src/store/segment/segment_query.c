/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Questions to the parts of a store: profiles, sums over time, series (see store.h). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/map.h"
#include "profile/profile.h"
#include "store/row_answer.h"
#include "store/segment/part_view.h"
#include "store/segment/segment_store.h"
#include "store/timeline_sum.h"

#define LONG_NS (2 * STORE_DAY_NS) /* from here on whole hours are one moment */

static uint32_t *nothing_yet(size_t count)
{
	uint32_t *table = mem_alloc((count + 1) * sizeof(*table));

	memset(table, 0xff, (count + 1) * sizeof(*table));
	return table;
}

void segment_query_part(struct part_view *view, const struct store_query *query,
			struct profile *ret)
{
	struct row_answer *answer = row_answer_new(&view->dict, query, ret);
	struct block_filter filter = { row_answer_wanted(answer), view->dict.series.count,
				       query->from_ns, query->to_ns };
	uint64_t moment_ns = !(ret->keep & PROFILE_KEEP_TIME)	       ? STORE_DAY_NS
			     : query->to_ns - query->from_ns > LONG_NS ? STORE_HOUR_NS
								       : STORE_BUCKET_NS;

	part_view_rows(view, &filter, moment_ns, row_answer_add, answer);
	view->damaged += row_answer_end(answer);
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

static void ask_row(void *context, const struct store_row *row)
{
	struct timeline_question *q = context;

	if (row->series < q->view->dict.series.count && row->leaf != DICTIONARY_LEAF_LOST)
		timeline_add(q->timeline, q->line[row->series], row->time_ns, row->weight,
			     row->count);
}

/* Of columns of that width. */
static uint64_t moment_of(uint64_t step_ns)
{
	return step_ns % STORE_DAY_NS == 0    ? STORE_DAY_NS
	       : step_ns % STORE_HOUR_NS == 0 ? STORE_HOUR_NS
					      : STORE_BUCKET_NS;
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

		wanted[i] = row_is_meant(q->query, &series->labels);
		if (!wanted[i])
			continue;
		q->line[i] = timeline_line(
			q->timeline, row_is_of_others(q->query, &series->labels) ? ROW_OF_OTHERS
				     : by && *by ? label_set_get(&series->labels, by)
						 : "");
		timeline_unit(q->timeline,
			      dict->strings.item[dict->events.item[series->event].unit].text);
	}
	part_view_rows(view, &filter, moment_of(q->query->step_ns), ask_row, q);
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

static void ask_series_row(void *context, const struct store_row *row)
{
	struct series_question *q = context;
	struct store_series *sum;

	if (row->series >= q->view->dict.series.count || row->leaf == DICTIONARY_LEAF_LOST)
		return;
	sum = &q->sum[row->series];
	if (!sum->count || row->time_ns < sum->first_ns)
		sum->first_ns = row->time_ns;
	if (!sum->count || row->time_ns + q->view->span_ns < sum->first_end_ns)
		sum->first_end_ns = row->time_ns + q->view->span_ns;
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
		wanted[i] = row_is_meant(q->query, &dict->series.item[i].labels) &&
			    !row_is_of_others(q->query, &dict->series.item[i].labels);
	part_view_rows(view, &filter,
		       q->query->step_ns % STORE_HOUR_NS ? STORE_BUCKET_NS : STORE_HOUR_NS,
		       ask_series_row, q);
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

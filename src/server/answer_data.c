/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Answers as JSON: labels, sums over time, functions over time, and what has no name. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "profile/nameless.h"
#include "profile/profile.h"
#include "server/answer_kinds.h"
#include "server/question.h"
#include "server/reply.h"
#include "session/load/load.h"
#include "store/label_set.h"
#include "store/store.h"
#include "view/over_time.h"

#define VALUES_MAX    1000 /* of a label */
#define LINES_MAX     24   /* of a timeline; the others are summed up */
#define ROWS_MAX      200
#define UNKNOWN_MAX   50
#define FUNCTION_STEP 60 /* columns of functions over time */

static int open_store(const struct question *question, struct store **ret, struct err *err)
{
	const struct store_options where = { .location = question->input.location };

	return store_open(&where, ret, err);
}

/* Values of labels: sorted, each once. */
struct value {
	const char *name, *value;
	uint64_t count;
};

typedef VEC(struct value) value_list;

static int compare_values(const void *pa, const void *pb)
{
	const struct value *a = pa, *b = pb;
	int names = strcmp(a->name, b->name);

	return names ? names : strcmp(a->value, b->value);
}

static int compare_counts(const void *pa, const void *pb)
{
	const struct value *a = pa, *b = pb;
	int names = strcmp(a->name, b->name);

	return names		      ? names
	       : a->count != b->count ? (a->count < b->count) - (a->count > b->count)
				      : strcmp(a->value, b->value);
}

static void collect(const struct store_series_list *list, value_list *ret)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->series.count; i++) {
		const struct store_series *series = &list->series.item[i];

		for (size_t l = 0; l < series->labels.labels.count; l++)
			vec_push(ret, ((struct value){ series->labels.labels.item[l].name,
						       series->labels.labels.item[l].value,
						       series->count }));
	}
	if (ret->count)
		qsort(ret->item, ret->count, sizeof(*ret->item), compare_values);
	for (size_t i = 0; i < ret->count; i++) {
		if (kept && !compare_values(&ret->item[kept - 1], &ret->item[i]))
			ret->item[kept - 1].count += ret->item[i].count;
		else
			ret->item[kept++] = ret->item[i];
	}
	ret->count = kept;
	if (kept)
		qsort(ret->item, kept, sizeof(*ret->item), compare_counts);
}

/* {"NAME":[["VALUE",samples],…],…}, most frequent first. */
static void put_values(const value_list *values, struct buf *out)
{
	size_t in_label = 0;

	(void)buf_putc(out, '{');
	for (size_t i = 0; i < values->count; i++) {
		const struct value *value = &values->item[i];
		bool first = !i || strcmp(value[-1].name, value->name) != 0;

		if (first) {
			(void)buf_puts(out, i ? "],\n" : "\n");
			(void)buf_put_json(out, value->name);
			(void)buf_puts(out, ":[");
			in_label = 0;
		}
		if (in_label++ >= VALUES_MAX)
			continue;
		(void)buf_puts(out, first ? "[" : ",[");
		(void)buf_put_json(out, value->value);
		(void)buf_printf(out, ",%llu]", (unsigned long long)value->count);
	}
	(void)buf_puts(out, values->count ? "]}" : "}");
}

int answer_labels(const struct request *request, const struct question_place *place,
		  struct reply *reply, struct err *err)
{
	struct store_series_list list;
	struct question question;
	struct store_query query;
	value_list values = { 0 };
	struct store *store;

	if (question_make(request, place, "", &question, err))
		return err->code;
	query = question_query(&question);
	if (!open_store(&question, &store, err)) {
		if (!store_series(store, &query, &list, err)) {
			collect(&list, &values);
			reply->type = REPLY_JSON;
			(void)buf_printf(&reply->body,
					 "{\"cupel\":1,\"series\":%zu,\"damaged\":%llu,\"labels\":",
					 list.series.count, (unsigned long long)list.damaged);
			put_values(&values, &reply->body);
			(void)buf_puts(&reply->body, "}\n");
			vec_done(&values);
			store_series_list_done(&list);
		}
		store_close(store);
	}
	question_done(&question);
	return err->code;
}

static void put_weights(const uint64_t *weights, size_t count, struct buf *out)
{
	(void)buf_puts(out, ",\"weights\":[");
	for (size_t i = 0; i < count; i++) {
		(void)buf_puts(out, i ? "," : "");
		(void)buf_put_u64(out, weights[i]);
	}
	(void)buf_puts(out, "]}");
}

static void put_line(const struct store_line *line, size_t columns, struct buf *out)
{
	(void)buf_puts(out, "\n{\"value\":");
	(void)buf_put_json(out, line->value);
	(void)buf_printf(out, ",\"total\":%llu", (unsigned long long)line->total);
	put_weights(line->weight, columns, out);
}

/* Lines behind the largest ones. */
static void put_rest(const struct store_timeline *timeline, struct buf *out)
{
	uint64_t *sum = mem_zalloc((timeline->columns + 1) * sizeof(*sum)), total = 0;

	for (size_t i = LINES_MAX; i < timeline->lines.count; i++) {
		total += timeline->lines.item[i].total;
		for (size_t c = 0; c < timeline->columns; c++)
			sum[c] += timeline->lines.item[i].weight[c];
	}
	(void)buf_printf(out, ",\n{\"value\":\"\",\"others\":%zu,\"total\":%llu",
			 timeline->lines.count - LINES_MAX, (unsigned long long)total);
	put_weights(sum, timeline->columns, out);
	free(sum);
}

static void put_timeline(const struct store_timeline *timeline, const struct store_input *input,
			 size_t most, struct buf *out)
{
	(void)buf_printf(out, "{\"cupel\":1,\"from_ns\":%llu,\"step_ns\":%llu,\"columns\":%zu",
			 (unsigned long long)timeline->first_ns,
			 (unsigned long long)timeline->step_ns, timeline->columns);
	(void)buf_printf(out, ",\"begin_ns\":%llu,\"end_ns\":%llu,\"unit\":",
			 (unsigned long long)input->from_ns, (unsigned long long)input->to_ns);
	(void)buf_put_json(out, timeline->unit);
	(void)buf_printf(out, ",\"damaged\":%llu,\"lines\":[",
			 (unsigned long long)timeline->damaged);
	for (size_t i = 0; i < timeline->lines.count && i < most; i++) {
		if (!timeline->lines.item[i].total)
			break; /* series of a neighbouring time */
		(void)buf_puts(out, i ? "," : "");
		put_line(&timeline->lines.item[i], timeline->columns, out);
	}
	if (timeline->lines.count > most)
		put_rest(timeline, out);
	(void)buf_puts(out, "]}\n");
}

static bool is_by_event(const struct store_query *query)
{
	return query->by && strcmp(query->by, "event") == 0;
}

int answer_timeline(const struct request *request, const struct question_place *place,
		    struct reply *reply, struct err *err)
{
	struct store_timeline timeline;
	struct question question;
	struct store_query query;
	struct store *store;

	if (question_make(request, place, "", &question, err))
		return err->code;
	query = question_query(&question);
	if ((is_by_event(&query) || !question_check_event(&question, err)) &&
	    !open_store(&question, &store, err)) {
		if (!store_timeline(store, &query, &timeline, err)) {
			reply->type = REPLY_JSON;
			put_timeline(&timeline, &question.input,
				     is_by_event(&query) ? SIZE_MAX : LINES_MAX, &reply->body);
			store_timeline_done(&timeline);
		}
		store_close(store);
	}
	question_done(&question);
	return err->code;
}

static const struct load_options names_only = {
	.symbol = { .symfs = "", .inlines = true, .demangle = true }, .detail = RESOLVE_NAMES
};

int answer_functions(const struct request *request, const struct question_place *place,
		     struct reply *reply, struct err *err)
{
	const struct over_time_options limits = { .limit = ROWS_MAX };
	struct load_options load = names_only;
	struct over_time over = { .heading = "function" };
	struct profile *profile;
	struct question question;
	uint64_t length, step;

	if (question_make(request, place, "", &question, err))
		return err->code;
	length = question.input.to_ns - question.input.from_ns;
	step = length / FUNCTION_STEP > question.step_ns ? length / FUNCTION_STEP
							 : question.step_ns;
	over.step_ns = (step + STORE_BUCKET_NS - 1) / STORE_BUCKET_NS * STORE_BUCKET_NS;
	over.first_ns = question.input.from_ns - question.input.from_ns % over.step_ns;
	over.columns = (size_t)((question.input.to_ns - over.first_ns - 1) / over.step_ns + 1);
	load.keep = PROFILE_KEEP_TIME;
	load.event = question.event;
	if (!question_check_event(&question, err) &&
	    !question_load(&question, &load, &profile, err)) {
		over_time_of_functions(profile, question.total, &over);
		reply->type = REPLY_JSON;
		over_time_json(&over, &limits, &reply->body);
		over_time_done(&over);
		profile_free(profile);
	}
	question_done(&question);
	return err->code;
}

static void put_unknown(const struct nameless *module, struct buf *out)
{
	(void)buf_puts(out, "\n{\"module\":");
	(void)buf_put_json(out, module->path);
	(void)buf_printf(out, ",\"share\":%.6f,\"problem\":", module->share);
	(void)buf_put_json(out, module->problem);
	(void)buf_puts(out, ",\"advice\":");
	(void)buf_put_json(out, module->advice);
	(void)buf_putc(out, '}');
}

int answer_unknown(const struct request *request, const struct question_place *place,
		   struct reply *reply, struct err *err)
{
	struct nameless modules[UNKNOWN_MAX];
	struct load_options load = names_only;
	struct question question;
	struct profile *profile;
	size_t count;

	if (question_make(request, place, "", &question, err))
		return err->code;
	load.event = question.event;
	if (!question_load(&question, &load, &profile, err)) {
		count = nameless_list(profile, modules, UNKNOWN_MAX);
		reply->type = REPLY_JSON;
		(void)buf_puts(&reply->body, "{\"cupel\":1,\"modules\":[");
		for (size_t i = 0; i < count; i++) {
			(void)buf_puts(&reply->body, i ? "," : "");
			put_unknown(&modules[i], &reply->body);
		}
		(void)buf_puts(&reply->body, "],\"damage\":");
		(void)buf_put_json(&reply->body, profile_string(profile, profile->meta.damage));
		(void)buf_printf(&reply->body, ",\"lost\":%llu}\n",
				 (unsigned long long)profile->meta.lost_samples);
		profile_free(profile);
	}
	question_done(&question);
	return err->code;
}

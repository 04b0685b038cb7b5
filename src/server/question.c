/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Questions about a store (see question.h). */
#include "server/question.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "server/request.h"
#include "session/load/load.h"
#include "session/recording.h"
#include "store/label_set.h"
#include "store/selector.h"
#include "store/store.h"
#include "store/time_text.h"

#define COLUMNS 120 /* unless a step is given */

static const char *get(const struct request *request, const char *prefix, const char *name)
{
	char whole[64];
	const char *value;

	(void)snprintf(whole, sizeof(whole), "%s%s", prefix, name);
	value = request_get(request, whole);
	return value && *value ? value : NULL;
}

static int parse_range(const struct request *request, const char *prefix, uint64_t now_ns,
		       struct store_input *ret, struct err *err)
{
	const char *from = get(request, prefix, "from"), *to = get(request, prefix, "to");

	ret->to_ns = now_ns;
	if (to && time_text_parse(to, now_ns, &ret->to_ns, err))
		return err->code;
	ret->from_ns = ret->to_ns > STORE_HOUR_NS ? ret->to_ns - STORE_HOUR_NS : 0;
	if (from && time_text_parse(from, now_ns, &ret->from_ns, err))
		return err->code;
	return ret->from_ns < ret->to_ns ? 0 : err_usage(err, "the time range is empty");
}

/* Whole buckets, and so many columns that they can be counted. */
static int choose_step(const char *text, struct question *question, struct err *err)
{
	uint64_t length = question->input.to_ns - question->input.from_ns, step = length / COLUMNS;
	char *end = NULL;

	if (text) {
		unsigned long long seconds = strtoull(text, &end, 10);

		if (!*text || *end || *text == '-' || !seconds || seconds > UINT32_MAX)
			return err_usage(err, "step: expected seconds, not '%s'", text);
		step = seconds * 1000000000u;
	}
	if (step < length / QUESTION_COLUMNS_MAX)
		step = length / QUESTION_COLUMNS_MAX;
	step = (step + STORE_BUCKET_NS - 1) / STORE_BUCKET_NS * STORE_BUCKET_NS;
	question->step_ns = step ? step : STORE_BUCKET_NS;
	return 0;
}

int question_make(const struct request *request, const struct question_place *place,
		  const char *prefix, struct question *ret, struct err *err)
{
	const char *selector = get(request, prefix, "selector");
	struct question question = { .event = get(request, "", "event"),
				     .by = get(request, "", "by"),
				     .total = get(request, "", "total") != NULL };
	int code = parse_range(request, prefix, place->now_ns, &question.input, err);

	if (!code && question.by && !label_name_is_valid(question.by, strlen(question.by)))
		code = err_usage(err, "by: '%s' is no name of a label", question.by);
	if (!code)
		code = choose_step(get(request, prefix, "step"), &question, err);
	if (!code && selector)
		code = selector_parse(selector, &question.input.selector, err);
	if (code)
		return code;
	question.input.location = mem_strdup(place->location);
	question.input.viewer = place->viewer;
	*ret = question;
	return 0;
}

void question_done(struct question *question)
{
	store_input_done(&question->input);
}

struct store_query question_query(const struct question *question)
{
	return (struct store_query){ .selector = question->input.selector,
				     .from_ns = question->input.from_ns,
				     .to_ns = question->input.to_ns,
				     .event = question->event,
				     .viewer = question->input.viewer,
				     .step_ns = question->step_ns,
				     .by = question->by };
}

int question_check_event(const struct question *question, struct err *err)
{
	const struct store_options where = { .location = question->input.location };
	struct store_query query = question_query(question);
	struct store_timeline events;
	struct buf names = { .limit = 200 };
	struct store *store;
	size_t count = 0;

	if (question->event)
		return 0;
	query.by = "event";
	query.step_ns = STORE_DAY_NS; /* only which there are: the coarser, the sooner */
	if (store_open(&where, &store, err))
		return err->code;
	(void)store_timeline(store, &query, &events, err);
	store_close(store);
	if (err->code)
		return err->code;
	for (size_t i = 0; i < events.lines.count; i++)
		if (events.lines.item[i].total)
			(void)buf_printf(&names, "%s%s", count++ ? ", " : "",
					 events.lines.item[i].value);
	store_timeline_done(&events);
	if (count > 1)
		(void)err_usage(err,
				"amounts of different events cannot be added: choose one with "
				"event=NAME: %s",
				names.data ? names.data : "");
	buf_done(&names);
	return err->code;
}

int question_load(struct question *question, const struct load_options *options,
		  struct profile **ret, struct err *err)
{
	struct recording *recording = recording_open_stored(&question->input);
	int code = recording_load(recording, options, ret, err);

	recording_close(recording);
	return code;
}

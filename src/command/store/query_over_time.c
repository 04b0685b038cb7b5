/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions, labels and series over time (see query_over_time.h). */
#include "command/store/query_over_time.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "base/err.h"
#include "command/command.h"
#include "command/load_options.h"
#include "profile/profile.h"
#include "session/load/load.h"
#include "session/recording.h"
#include "session/store/store_input.h"
#include "session/store/store_names.h"
#include "store/label_set.h"
#include "store/store.h"
#include "view/over_time.h"

#define LINE_COLUMNS 60
#define ROWS	     25

/* About as many columns as fit on a line, of whole buckets. */
static uint64_t step_of(const struct store_input *input, const struct query_view_options *options)
{
	uint64_t step = options->step_ns ? options->step_ns
					 : (input->to_ns - input->from_ns) / LINE_COLUMNS;

	step = (step + STORE_BUCKET_NS - 1) / STORE_BUCKET_NS * STORE_BUCKET_NS;
	if (!options->step_ns && step > STORE_HOUR_NS)
		step = (step + STORE_HOUR_NS - 1) / STORE_HOUR_NS * STORE_HOUR_NS;
	return step ? step : STORE_BUCKET_NS;
}

static void put_time(uint64_t time_ns, char ret[32])
{
	time_t seconds = (time_t)(time_ns / 1000000000u);
	struct tm tm = { 0 };

	(void)localtime_r(&seconds, &tm);
	(void)strftime(ret, 32, "%Y-%m-%d %H:%M:%S", &tm);
}

static void put_view(const struct over_time *over, const struct store_input *input,
		     const struct query_view_options *options, struct buf *out)
{
	char from[32], to[32];
	struct over_time_options view = { options->limit ? (size_t)options->limit : ROWS,
					  LINE_COLUMNS, command_terminal_width(options->output),
					  from, to };

	put_time(input->from_ns, from);
	put_time(input->to_ns, to);
	if (options->json)
		over_time_json(over, &view, out);
	else
		over_time_text(over, &view, out);
}

/* Frees the text. */
static int print(struct buf *text, const struct query_view_options *options, struct err *err)
{
	int code = command_write_output(options->output, text, err);

	buf_done(text);
	return code ? -1 : EXIT_STATUS_OK;
}

static void set_columns(const struct store_input *input, uint64_t step_ns, struct over_time *ret)
{
	ret->step_ns = step_ns;
	ret->first_ns = input->from_ns - input->from_ns % step_ns;
	ret->columns = (size_t)((input->to_ns - ret->first_ns - 1) / step_ns + 1);
}

int query_top(const char *path, const struct store_input *input,
	      const struct query_view_options *options, struct err *err)
{
	struct load_options load = { .keep = PROFILE_KEEP_TIME,
				     .detail = RESOLVE_NAMES,
				     .event = options->event };
	struct over_time over = { .heading = options->total ? "function, with what it calls"
							    : "function" };
	struct input_options defaults = { 0 };
	struct profile *profile;
	struct buf out = { 0 };

	input_options_defaults(&defaults);
	input_options_apply(&defaults, &load);
	load.symbol.lines = false;
	set_columns(input, step_of(input, options), &over);
	if (session_load(path, &load, &profile, err))
		return -1;
	input_warn_missing(path, profile);
	over_time_of_functions(profile, options->total, &over);
	put_view(&over, input, options, &out);
	over_time_done(&over);
	profile_free(profile);
	return print(&out, options, err);
}

static int ask(const struct store_input *input, struct store **ret, struct err *err)
{
	const struct store_options where = { .location = input->location };

	return store_open(&where, ret, err);
}

static struct store_query question(const struct store_input *input,
				   const struct query_view_options *options)
{
	return (struct store_query){ .selector = input->selector,
				     .from_ns = input->from_ns,
				     .to_ns = input->to_ns,
				     .event = options->event,
				     .viewer = STORE_EVERYBODY,
				     .step_ns = step_of(input, options),
				     .by = options->by };
}

static void warn_of_damage(const struct store_input *input, uint64_t damaged)
{
	if (damaged)
		command_warn("%s: %" PRIu64
			     " blocks of the store cannot be read: samples are missing",
			     input->location, damaged);
}

/* What a timeline is made from. */
struct asked {
	struct store *store;
	const struct store_input *input;
	const struct query_view_options *options;
};

/* One event: weights of different ones cannot be added up. */
static int put_timeline(const struct asked *a, const char *event, struct buf *out, struct err *err)
{
	const struct query_view_options *options = a->options;
	struct store_query query = question(a->input, options);
	struct over_time over = { .heading = options->by ? options->by : "all", .event = event };
	struct store_timeline lines;

	query.event = event;
	if (store_timeline(a->store, &query, &lines, err))
		return err->code;
	warn_of_damage(a->input, lines.damaged);
	over.first_ns = lines.first_ns;
	over.step_ns = lines.step_ns;
	over.columns = lines.columns;
	over.unit = lines.unit;
	for (size_t i = 0; i < lines.lines.count; i++) {
		struct over_time_row *row = over_time_add(&over);

		row->name = lines.lines.item[i].value;
		row->total = lines.lines.item[i].total;
		memcpy(row->weight, lines.lines.item[i].weight,
		       lines.columns * sizeof(*row->weight));
		over.total += row->total;
	}
	put_view(&over, a->input, options, out);
	over_time_done(&over);
	store_timeline_done(&lines);
	return 0;
}

typedef VEC(const char *) name_list;

static int compare_names(const void *pa, const void *pb)
{
	const char *const *a = pa, *const *b = pb;

	return strcmp(*a, *b);
}

/* Each once, by name; borrowed from the list. */
static void find_events(const struct store_series_list *list, name_list *ret)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->series.count; i++)
		vec_push(ret, label_set_get(&list->series.item[i].labels, "event"));
	if (ret->count)
		qsort(ret->item, ret->count, sizeof(*ret->item), compare_names);
	for (size_t i = 0; i < ret->count; i++)
		if (!kept || strcmp(ret->item[kept - 1], ret->item[i]) != 0)
			ret->item[kept++] = ret->item[i];
	ret->count = kept;
}

/* A timeline of each event that there is. */
static int put_timelines(const struct asked *a, struct buf *out, struct err *err)
{
	const struct store_query query = question(a->input, a->options);
	struct store_series_list list;
	name_list events = { 0 };
	int code;

	if (query.event)
		return put_timeline(a, query.event, out, err);
	code = store_series(a->store, &query, &list, err);
	if (code)
		return code;
	find_events(&list, &events);
	if (!events.count) /* an empty one, with what is damaged */
		code = put_timeline(a, NULL, out, err);
	for (size_t i = 0; i < events.count && !code; i++) {
		(void)buf_puts(out, i && !a->options->json ? "\n" : "");
		code = put_timeline(a, events.item[i], out, err);
	}
	vec_done(&events);
	store_series_list_done(&list);
	return code;
}

int query_timeline(const struct store_input *input, const struct query_view_options *options,
		   struct err *err)
{
	struct asked asked = { NULL, input, options };
	struct buf out = { 0 };
	int code = ask(input, &asked.store, err);

	if (code)
		return -1;
	code = put_timelines(&asked, &out, err);
	store_close(asked.store);
	if (code)
		buf_done(&out);
	return code ? -1 : print(&out, options, err);
}

static void put_series(const struct store_series_list *list, bool json, struct buf *out)
{
	for (size_t i = 0; i < list->series.count; i++) {
		const struct store_series *series = &list->series.item[i];

		if (!json) {
			(void)buf_printf(out, "%12llu  ", (unsigned long long)series->count);
			label_set_text(&series->labels, out);
			(void)buf_putc(out, '\n');
			continue;
		}
		(void)buf_printf(out, "{\"samples\":%llu,\"first_ns\":%llu,\"last_ns\":%llu",
				 (unsigned long long)series->count,
				 (unsigned long long)series->first_ns,
				 (unsigned long long)series->last_ns);
		(void)buf_puts(out, ",\"labels\":{");
		for (size_t l = 0; l < series->labels.labels.count; l++) {
			(void)buf_puts(out, l ? "," : "");
			(void)buf_put_json(out, series->labels.labels.item[l].name);
			(void)buf_putc(out, ':');
			(void)buf_put_json(out, series->labels.labels.item[l].value);
		}
		(void)buf_puts(out, "}}\n");
	}
}

int query_series(const struct store_input *input, const struct query_view_options *options,
		 struct err *err)
{
	struct store_query query = question(input, options);
	struct store_series_list list;
	struct store *store;
	struct buf out = { 0 };
	int code = ask(input, &store, err);

	if (code)
		return -1;
	code = store_series(store, &query, &list, err);
	store_close(store);
	if (code)
		return -1;
	warn_of_damage(input, list.damaged);
	if (!options->json)
		(void)buf_printf(&out, "%12s  %s\n", "samples", "series");
	put_series(&list, options->json, &out);
	store_series_list_done(&list);
	code = command_write_output(options->output, &out, err);
	buf_done(&out);
	return code ? -1 : EXIT_STATUS_OK;
}

int query_learn(const struct store_input *input, struct err *err)
{
	const struct store_query query = { .to_ns = input->to_ns, .viewer = STORE_EVERYBODY };
	const struct symbol_options symbol = { .symfs = "" };
	struct profile *raw;
	struct store *store;
	uint64_t count;
	int code = ask(input, &store, err);

	if (code)
		return -1;
	code = store_query(store, &query, &raw, err);
	store_close(store);
	if (code)
		return -1;
	code = store_names_learn(input->location, raw, &symbol, &count, err);
	profile_free(raw);
	if (code)
		return -1;
	(void)fprintf(stderr, "[ cupel: the store has the names of %llu places ]\n",
		      (unsigned long long)count);
	return EXIT_STATUS_OK;
}

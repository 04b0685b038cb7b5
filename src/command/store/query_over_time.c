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

static int print(const struct over_time *over, const struct store_input *input,
		 const struct query_view_options *options, struct err *err)
{
	char from[32], to[32];
	struct over_time_options view = { options->limit ? (size_t)options->limit : ROWS,
					  LINE_COLUMNS, command_terminal_width(options->output),
					  from, to };
	struct buf out = { 0 };
	int code;

	put_time(input->from_ns, from);
	put_time(input->to_ns, to);
	if (options->json)
		over_time_json(over, &view, &out);
	else
		over_time_text(over, &view, &out);
	code = command_write_output(options->output, &out, err);
	buf_done(&out);
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
	int status;

	input_options_defaults(&defaults);
	input_options_apply(&defaults, &load);
	load.symbol.lines = false;
	set_columns(input, step_of(input, options), &over);
	if (session_load(path, &load, &profile, err))
		return -1;
	input_warn_missing(path, profile);
	over_time_of_functions(profile, options->total, &over);
	status = print(&over, input, options, err);
	over_time_done(&over);
	profile_free(profile);
	return status;
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

int query_timeline(const struct store_input *input, const struct query_view_options *options,
		   struct err *err)
{
	struct store_query query = question(input, options);
	struct over_time over = { .heading = options->by ? options->by : "all" };
	struct store_timeline lines;
	struct store *store;
	int code = ask(input, &store, err), status;

	if (code)
		return -1;
	code = store_timeline(store, &query, &lines, err);
	store_close(store);
	if (code)
		return -1;
	warn_of_damage(input, lines.damaged);
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
	status = print(&over, input, options, err);
	over_time_done(&over);
	store_timeline_done(&lines);
	return status;
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

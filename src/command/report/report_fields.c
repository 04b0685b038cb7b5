/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See report_fields.h. */
#include "command/report/report_fields.h"

#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "event/desc.h"
#include "format/perf_data/perf_data.h"
#include "format/trace/trace_print.h"
#include "session/recording.h"

#define MOST_KEYS  16 /* what a sample can carry */
#define ALL_FIELDS "trace_fields"
#define RAW	   "/raw"

struct search {
	struct report_field_keys *keys;
	const struct event_set *events;
	struct trace_print *print;
};

static void add_key(struct report_field_keys *keys, const char *name, struct load_field field)
{
	for (size_t i = 0; i < keys->column.count; i++)
		if (strcmp(keys->column.item[i].name, name) == 0)
			return;
	if (keys->field.count == MOST_KEYS)
		return;
	vec_push(&keys->field, field);
	vec_push(&keys->column,
		 report_column_of_field(name, field.name, (uint32_t)keys->field.count));
}

static bool has_field(const struct search *search, const struct load_field *field)
{
	struct trace_field ignored;

	for (size_t i = 0; i < search->events->desc.count; i++)
		if (load_field_is_of(field, search->events->desc.item[i]) &&
		    trace_print_field(search->print, search->events->desc.item[i], field->name,
				      &ignored))
			return true;
	return false;
}

/* "sched:sched_switch.prev_state/raw". */
static void find_one(const struct search *search, const char *word, size_t len)
{
	struct arena *arena = &search->keys->arena;
	size_t raw = strlen(RAW), end = len;
	struct load_field field = { 0 };
	const char *dot;

	if (len > raw && strncmp(word + len - raw, RAW, raw) == 0) {
		field.raw = true;
		end -= raw;
	}
	dot = memrchr(word, '.', end);
	if (dot)
		field.event = arena_strndup(arena, word, (size_t)(dot - word));
	field.name = dot ? arena_strndup(arena, dot + 1, (size_t)(word + end - dot - 1))
			 : arena_strndup(arena, word, end);
	if (has_field(search, &field))
		add_key(search->keys, arena_strndup(arena, word, len), field);
}

static void find_all(const struct search *search)
{
	struct arena *arena = &search->keys->arena;
	struct buf names = { 0 };

	for (size_t i = 0; i < search->events->desc.count; i++) {
		buf_clear(&names);
		if (!trace_print_names(search->print, search->events->desc.item[i], &names))
			continue;
		for (const char *at = names.data; at && *at;) {
			size_t len = strcspn(at, ",");
			struct load_field field = { .name = arena_strndup(arena, at, len) };

			add_key(search->keys, field.name, field);
			at += len + (at[len] != '\0');
		}
	}
	buf_done(&names);
}

static void find_words(const struct search *search, const char *list)
{
	while (list && *list) {
		size_t len = strcspn(list, ", ");

		if (len == strlen(ALL_FIELDS) && strncmp(list, ALL_FIELDS, len) == 0)
			find_all(search);
		else if (len && !report_column_exists(list, len))
			find_one(search, list, len);
		list += len + (list[len] != '\0');
	}
}

static int check_columns(const struct report_options *options, struct err *err)
{
	report_columns columns = { 0 };
	int code = report_columns_parse(options, &columns, err);

	vec_done(&columns);
	return code;
}

int report_fields_check(const struct report_options *options, bool json, struct err *err)
{
	struct report_options check = *options;

	if (json && (check.sort || check.fields)) {
		err_set(err, -EINVAL,
			"--json: rows are by command, object and function; --sort and "
			"--fields cannot be combined with it");
		return err_hint(err, "a table for programs: cupel report -q -t , --sort %s",
				check.sort ? check.sort : check.fields);
	}
	check.branches = check.any_field = true; /* which are known later */
	return check_columns(&check, err);
}

static void find_in(struct report_field_keys *keys, struct perf_data *data,
		    struct report_options *options)
{
	struct search search = { .keys = keys };

	search.events = perf_data_events(data);
	search.print = trace_print_new(data);
	find_words(&search, options->fields);
	find_words(&search, options->sort);
	trace_print_free(search.print);
	keys->shown = (struct report_fields){ keys->column.item, keys->column.count };
	options->tracepoints = &keys->shown;
}

int report_field_keys_find(struct report_field_keys *keys, struct recording *recording,
			   struct report_options *options, struct err *err)
{
	struct err ignored = { 0 }; /* other formats have no fields */
	struct report_options check;
	struct perf_data *data;

	report_field_keys_done(keys); /* the browser may open another recording */
	options->tracepoints = NULL;
	if (!recording_data(recording, &data, &ignored))
		find_in(keys, data, options);
	check = *options;
	check.branches = true; /* that there are none is no wrong use */
	return check_columns(&check, err);
}

void report_field_keys_done(struct report_field_keys *keys)
{
	vec_done(&keys->column);
	vec_done(&keys->field);
	arena_done(&keys->arena);
	*keys = (struct report_field_keys){ 0 };
}

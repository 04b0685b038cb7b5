/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Choosing the columns of a report (see report_column.h). */
#include "view/report/report_column.h"

#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "view/report/report.h"

static const struct report_column column_self = {
	.name = "overhead", .heading = "Self", .measure = REPORT_SELF, .width = 8, .right = true
};

#define BOTH (PROFILE_KEEP_ADDR | PROFILE_ADDR_IS_OTHER_WEIGHT)

/* Of both weights, the one that samples have, and the other one. */
static const struct report_column columns_latency[] = {
	{ .name = "latency", .heading = "Latency", .measure = REPORT_SELF, .width = 8 },
	{ .name = "overhead",
	  .heading = "Overhead",
	  .measure = REPORT_OTHER,
	  .width = 8,
	  .needs = BOTH },
};

static const struct report_column columns_overhead[] = {
	{ .name = "overhead", .heading = "Overhead", .measure = REPORT_SELF, .width = 8 },
	{ .name = "latency",
	  .heading = "Latency",
	  .measure = REPORT_OTHER,
	  .width = 8,
	  .needs = BOTH },
};

static bool is_named(const struct report_column *column, const char *name, size_t len)
{
	return strlen(column->name) == len && strncmp(column->name, name, len) == 0;
}

static const struct report_column *find_in(const struct report_column *list, size_t count,
					   const char *name, size_t len)
{
	for (size_t i = 0; i < count; i++) {
		const struct report_column *c = &list[i];

		if (is_named(c, name, len) ||
		    (c->alias && strlen(c->alias) == len && strncmp(c->alias, name, len) == 0))
			return c;
	}
	return NULL;
}

static const struct report_column *find_column(const char *name, size_t len)
{
	return find_in(report_columns_known, report_columns_known_count, name, len);
}

static const struct report_column *find_access(const char *name, size_t len)
{
	return find_in(report_columns_access, report_columns_access_count, name, len);
}

static int unknown_column(const char *list, const char *word, size_t len, struct err *err)
{
	if (find_access(word, len)) {
		(void)err_set(err, -EINVAL, "%s: %.*s is about accesses to data", list, (int)len,
			      word);
		return err_hint(err,
				"cupel mem report --sort %.*s, of a recording of cupel mem "
				"record",
				(int)len, word);
	}
	struct buf known = { .limit = 300 };

	for (size_t i = 0; i < report_columns_known_count; i++)
		(void)buf_printf(&known, " %s", report_columns_known[i].name);
	err_set(err, -EINVAL, "%s: unknown sort key '%.*s'", list, (int)len, word);
	(void)err_hint(err, "known:%s, and fields of tracepoints in the recording",
		       known.data); /* the code is returned below */
	buf_done(&known);
	return -EINVAL;
}

static void add_column(report_columns *list, const char *name)
{
	vec_push(list, find_column(name, strlen(name)));
}

static const struct report_column *weights_of(const struct report_options *options)
{
	return options->latency == REPORT_LATENCY_FIRST ? columns_latency : columns_overhead;
}

/* A sample keeps one thing more: another column may want that. */
static bool shows_both(const struct report_options *options)
{
	const char *at = options->sort ? options->sort : "";

	for (size_t len; *at; at += len + (at[len] != '\0')) {
		const struct report_column *column;

		len = strcspn(at, ", ");
		column = find_column(at, len);
		if (len && (!column || column->needs & PROFILE_KEEP_ADDR))
			return false;
	}
	return !options->branches;
}

/* The default columns of numbers. */
static void add_measures(const struct report_options *options, report_columns *list)
{
	bool intervals = options->interval == REPORT_INTERVAL_COLUMNS;

	if (options->latency) {
		const struct report_column *both = weights_of(options);

		if (options->children)
			add_column(list, "overhead_children");
		vec_push(list, &both[0]);
		if (shows_both(options))
			vec_push(list, &both[1]);
	} else if (options->children) {
		add_column(list, "overhead_children");
		if (intervals)
			add_column(list, "children_interval");
		vec_push(list, &column_self);
	} else {
		add_column(list, "overhead");
	}
	if (intervals)
		add_column(list, "overhead_interval");
	if (options->show_cpu_utilization) {
		add_column(list, "overhead_sys");
		add_column(list, "overhead_us");
	}
	if (options->show_nr_samples)
		add_column(list, "sample");
	if (options->show_total_period)
		add_column(list, "period");
}

bool report_column_exists(const char *name, size_t len)
{
	return find_column(name, len);
}

/* "trace_fields" is all of them. Returns whether there are any. */
static bool add_fields(const struct report_options *options, const char *word, size_t len,
		       report_columns *ret)
{
	const struct report_fields *fields = options->tracepoints;
	bool all = len == strlen("trace_fields") && strncmp(word, "trace_fields", len) == 0;
	bool found = false;

	for (size_t i = 0; fields && i < fields->count; i++) {
		const struct report_column *column = &fields->column[i];
		bool there = false;

		if (!all && !is_named(column, word, len))
			continue;
		found = true;
		for (size_t k = 0; k < ret->count; k++)
			there |= ret->item[k] == column;
		if (!there)
			vec_push(ret, column);
	}
	return found || options->any_field;
}

static int needs_branches(const char *list, const struct report_column *column, struct err *err)
{
	err_set(err, -EINVAL, "%s: %s needs branches, which the recording does not have", list,
		column->name);
	return err_hint(err, "record them with: cupel record -b");
}

/* The options' words `list`, of the option `what`. */
static int add_list(const char *what, const char *list, const struct report_options *options,
		    report_columns *ret, struct err *err)
{
	while (*list) {
		size_t len = strcspn(list, ", ");
		const struct report_column *access = options->mem_mode ? find_access(list, len)
								       : NULL;
		const struct report_column *column = access ? access : find_column(list, len);
		const struct report_column *weight =
			options->latency ? find_in(weights_of(options), 2, list, len) : NULL;
		bool there = false;

		column = weight ? weight : column;

		if (!column && len && !add_fields(options, list, len, ret))
			return unknown_column(what, list, len, err);
		if (column && column->branch && !options->branches)
			return needs_branches(what, column, err);
		for (size_t i = 0; i < ret->count; i++)
			there |= ret->item[i] == column;
		if (column && !there)
			vec_push(ret, column);
		list += len + (list[len] != '\0');
	}
	return 0;
}

/* A sample keeps one of these. */
static int check_kept(const report_columns *list, struct err *err)
{
	const struct report_column *first = NULL;

	for (size_t i = 0; i < list->count; i++) {
		const struct report_column *c = list->item[i];

		if (!(c->needs & PROFILE_KEEP_ADDR))
			continue;
		if (first && (first->branch != c->branch || first->needs != c->needs))
			return err_set(err, -EINVAL, "sort keys %s and %s cannot be combined",
				       first->name, c->name);
		first = c;
	}
	return 0;
}

int report_columns_parse(const struct report_options *options, report_columns *ret, struct err *err)
{
	const char *usual = options->branches	? "comm,dso_from,symbol_from,symbol_to,cycles"
			    : options->mem_mode ? REPORT_ACCESS_SORT
						: "comm,dso,symbol";
	const char *sort = options->sort ? options->sort : usual;
	report_columns list = { 0 };
	int code;

	if (options->fields)
		code = add_list("--fields", options->fields, options, &list, err);
	else {
		add_measures(options, &list);
		code = add_list("--sort", sort, options, &list, err);
		if (!code && options->parent)
			code = add_list("--parent", "parent", options, &list, err);
	}
	if (!code && options->fields && options->sort)
		code = add_list("--sort", options->sort, options, &list, err);
	if (!code)
		code = check_kept(&list, err);
	if (code) {
		vec_done(&list);
		return code;
	}
	*ret = list;
	return 0;
}

unsigned report_needs(const struct report_options *options)
{
	report_columns list = { 0 };
	struct err ignored;
	unsigned keep = options->mem_mode ? PROFILE_KEEP_ADDR | PROFILE_ADDR_IS_ACCESS : 0;

	if (report_columns_parse(options, &list, &ignored))
		return keep; /* reported when the report itself is made */
	for (size_t i = 0; i < list.count; i++)
		keep |= list.item[i]->needs;
	vec_done(&list);
	return keep;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Questions (see store.h): the server sums rows, the answer's stacks and frames are fetched by
 * their keys, and all of it becomes rows with a dictionary, as of a folder's store. Which series
 * are meant is decided here, as the server has other regular expressions. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/map.h"
#include "base/vec.h"
#include "profile/profile.h"
#include "store/clickhouse/clickhouse.h"
#include "store/clickhouse/query_tables.h"
#include "store/clickhouse/row_binary.h"
#include "store/row_answer.h"
#include "store/rows.h"
#include "store/timeline_sum.h"

#define SECOND_NS ((uint64_t)1000000000)
#define LONG_NS	  (2 * STORE_DAY_NS) /* from here on whole hours are one moment */

struct question {
	struct clickhouse *store;
	const struct store_query *query;
	struct query_tables tables;
	struct buf days; /* those with rows in `samples`, for IN */
	bool coarse;	 /* whole hours come from the roll-up */
	bool no_lost;	 /* without lost samples */
	bool spans;	 /* with a column `until`: where the row's time ends */
	struct buf sql, answer;
};

/* Seconds; the range has the buckets that begin in it. */
static uint64_t first_second(uint64_t ns)
{
	return (ns + SECOND_NS - 1) / SECOND_NS;
}

/* The days of the range for which the rows of 10 s are still there. */
static int find_days(struct question *q, struct err *err)
{
	int code;

	buf_clear(&q->sql);
	(void)buf_printf(&q->sql, "SELECT DISTINCT toUInt16(day) FROM %s.samples WHERE ",
			 q->store->database);
	query_put_days(&q->sql, q->query);
	code = clickhouse_do(q->store, q->sql.data, NULL, &q->answer, err);
	for (size_t i = 0; i < q->answer.len && !code; i++) {
		char c = q->answer.data[i];

		if (c >= '0' && c <= '9')
			(void)buf_putc(&q->days, c);
		else if (c == '\n')
			(void)buf_puts(&q->days, ",");
	}
	(void)buf_puts(&q->days, "65535"); /* IN () is an error */
	return code;
}

static void put_range(struct buf *sql, const struct store_query *query)
{
	(void)buf_printf(sql,
			 "day BETWEEN toDate(%" PRIu64 ") AND toDate(%" PRIu64
			 ") AND ts >= %" PRIu64 " AND ts < %" PRIu64,
			 query->from_ns / STORE_DAY_NS, (query->to_ns - 1) / STORE_DAY_NS,
			 first_second(query->from_ns), first_second(query->to_ns));
}

/* Of a table, on days that are in the list or not. */
static void put_part(struct question *q, const char *table, const char *columns, const char *in)
{
	(void)buf_printf(&q->sql, "SELECT %s%s FROM %s.%s WHERE ", columns,
			 !q->spans			 ? ""
			 : strcmp(table, "samples") == 0 ? ", toUInt32(ts + 10) AS until"
							 : ", toUInt32(ts + 3600) AS until",
			 q->store->database, table);
	put_range(&q->sql, q->query);
	query_put_service(&q->sql, q->query);
	(void)buf_printf(&q->sql, " AND toUInt16(day) %s (%s)", in, q->days.data);
	if (q->tables.some)
		(void)buf_puts(&q->sql, " AND series IN (SELECT id FROM ids)");
	if (q->no_lost)
		(void)buf_puts(&q->sql, " AND stack != 0");
}

/* Each sample once: rows of 10 s as long as they are kept, else hours. */
static void put_source(struct question *q, const char *columns)
{
	uint64_t from = first_second(q->query->from_ns + STORE_HOUR_NS - SECOND_NS) / 3600 * 3600;
	uint64_t to = q->query->to_ns / STORE_HOUR_NS * 3600;

	(void)buf_puts(&q->sql, "(");
	put_part(q, "samples", columns, "IN");
	if (q->coarse && from < to) {
		(void)buf_printf(&q->sql, " AND (ts < %" PRIu64 " OR ts >= %" PRIu64 ") UNION ALL ",
				 from, to);
		put_part(q, "samples_1h", columns, "IN");
		(void)buf_printf(&q->sql, " AND ts >= %" PRIu64 " AND ts < %" PRIu64, from, to);
	}
	(void)buf_puts(&q->sql, " UNION ALL ");
	put_part(q, "samples_1h", columns, "NOT IN");
	(void)buf_puts(&q->sql, ")");
}

static int begin(struct question *q, bool coarse, struct err *err)
{
	int code = clickhouse_ready(q->store, err);

	q->coarse = coarse && q->query->to_ns - q->query->from_ns > LONG_NS;
	query_tables_open(&q->tables);
	if (!code)
		code = query_tables_series(&q->tables, q->store, q->query, err);
	if (!code)
		code = find_days(q, err);
	return code;
}

static void end(struct question *q)
{
	query_tables_close(&q->tables);
	buf_done(&q->days);
	buf_done(&q->sql);
	buf_done(&q->answer);
}

/* columns: of the rows; keys: those that sums are made by, first in an answer of RowBinary. */
static int ask(struct question *q, const char *keys, const char *sums, const char *columns,
	       struct err *err)
{
	const struct clickhouse_ids ids = { q->tables.wanted.item, q->tables.wanted.count };

	buf_clear(&q->sql);
	(void)buf_printf(&q->sql, "SELECT %s, %s FROM ", keys, sums);
	put_source(q, columns);
	(void)buf_printf(&q->sql, " GROUP BY %s FORMAT RowBinary", keys);
	return clickhouse_ask(q->store, q->sql.data, q->tables.some ? &ids : NULL, &q->answer, err);
}

/* Rows with indexes of leaves. */
static int take_rows(struct question *q, bool with_time, struct store_rows *ret, struct err *err)
{
	struct row_reader in = row_reader_of(&q->answer);

	while (row_reader_more(&in)) {
		uint64_t ts = with_time ? row_take(&in, 4) : q->query->from_ns / SECOND_NS;
		uint64_t series = row_take(&in, 8), stack = row_take(&in, 8);
		struct store_row row = { .time_ns = ts * SECOND_NS };

		row.leaf = query_tables_leaf(&q->tables, stack, (uint8_t)row_take(&in, 1));
		row.count = row_take(&in, 8);
		row.weight = row_take(&in, 8);
		if (in.failed)
			return err_set(err, -EBADMSG, "%s: the answer is damaged", q->store->shown);
		if (query_tables_find(&q->tables, series, &row.series))
			vec_push(&ret->rows, row);
		else
			q->tables.missing++;
	}
	return 0;
}

static void make_profile(struct question *q, const struct store_rows *rows, struct profile *ret)
{
	struct row_answer *answer = row_answer_new(&q->tables.dict, q->query, ret);

	for (size_t i = 0; i < rows->rows.count; i++) {
		struct store_row row = rows->rows.item[i];

		row.leaf = q->tables.leaves.item[row.leaf].number;
		row_answer_add(answer, &row);
	}
	if (row_answer_end(answer) + q->tables.missing)
		ret->meta.damage = strtab_puts(ret->strings, "some of what the store's rows refer "
							     "to is missing");
}

int clickhouse_query(struct store *base, const struct store_query *query, struct profile *ret,
		     struct err *err)
{
	struct question q = { .store = (struct clickhouse *)base, .query = query };
	bool with_time = ret->keep & (PROFILE_KEEP_TIME | PROFILE_KEEP_FIRST);
	struct store_rows rows = { 0 };
	int code = begin(&q, !(ret->keep & PROFILE_KEEP_TIME), err);

	if (!code)
		code = ask(&q, with_time ? "ts, series, stack, stop" : "series, stack, stop",
			   "sum(count), sum(weight)", "ts, series, stack, stop, count, weight",
			   err);
	if (!code)
		code = take_rows(&q, with_time, &rows, err);
	if (!code)
		code = query_tables_stacks(&q.tables, q.store, query, err);
	if (!code)
		make_profile(&q, &rows, ret);
	vec_done(&rows.rows);
	end(&q);
	return code;
}

/* The line of each series, which also makes the lines. */
static uint32_t *find_lines(const struct question *q, struct store_timeline *timeline)
{
	const struct dictionary *dict = &q->tables.dict;
	uint32_t *line = mem_alloc((dict->series.count + 1) * sizeof(*line));
	const char *by = q->query->by;

	for (size_t i = 0; i < dict->series.count; i++) {
		const struct dictionary_series *series = &dict->series.item[i];

		timeline_unit(timeline,
			      dict->strings.item[dict->events.item[series->event].unit].text);
		line[i] = timeline_line(timeline, row_is_of_others(q->query, &series->labels)
							  ? ROW_OF_OTHERS
						  : by && *by ? label_set_get(&series->labels, by)
							      : "");
	}
	return line;
}

static int take_timeline(struct question *q, struct store_timeline *ret, struct err *err)
{
	struct row_reader in = row_reader_of(&q->answer);
	AUTO_FREE uint32_t *line = find_lines(q, ret);
	uint32_t number;

	while (row_reader_more(&in)) {
		uint64_t ts = row_take(&in, 4), series = row_take(&in, 8);
		uint64_t count = row_take(&in, 8), weight = row_take(&in, 8);

		if (in.failed)
			return err_set(err, -EBADMSG, "%s: the answer is damaged", q->store->shown);
		if (query_tables_find(&q->tables, series, &number))
			timeline_add(ret, line[number], ts * SECOND_NS, weight, count);
		else
			ret->damaged++;
	}
	return 0;
}

int clickhouse_timeline(struct store *base, const struct store_query *query,
			struct store_timeline *ret, struct err *err)
{
	struct question q = { .store = (struct clickhouse *)base, .query = query, .no_lost = true };
	uint64_t step = query->step_ns / SECOND_NS;
	char keys[160];
	int code = begin(&q, query->step_ns % STORE_HOUR_NS == 0, err);

	(void)snprintf(keys, sizeof(keys),
		       "toUInt32(intDiv(ts, %" PRIu64 ") * %" PRIu64 "), series", step, step);
	if (!code)
		code = ask(&q, keys, "sum(count), sum(weight)", "ts, series, count, weight", err);
	if (!code)
		code = take_timeline(&q, ret, err);
	end(&q);
	return code;
}

int clickhouse_series(struct store *base, const struct store_query *query,
		      struct store_series_list *ret, struct err *err)
{
	struct question q = {
		.store = (struct clickhouse *)base, .query = query, .no_lost = true, .spans = true
	};
	struct row_reader in;
	uint32_t number;
	int code = begin(&q, query->step_ns % STORE_HOUR_NS == 0, err);

	if (!code)
		code = ask(&q, "series", "min(ts), min(until), max(ts), sum(count)",
			   "ts, series, count", err);
	in = row_reader_of(&q.answer);
	while (!code && row_reader_more(&in)) {
		uint64_t series = row_take(&in, 8);
		struct store_series sum = { .first_ns = row_take(&in, 4) * SECOND_NS };

		sum.first_end_ns = row_take(&in, 4) * SECOND_NS;
		sum.last_ns = row_take(&in, 4) * SECOND_NS;
		sum.count = row_take(&in, 8);
		if (in.failed)
			code = err_set(err, -EBADMSG, "%s: the answer is damaged", q.store->shown);
		else if (!query_tables_find(&q.tables, series, &number))
			ret->damaged++;
		else if (!row_is_of_others(query, &q.tables.dict.series.item[number].labels))
			series_list_add(ret, &q.tables.dict.series.item[number].labels, &sum);
	}
	end(&q);
	return code;
}

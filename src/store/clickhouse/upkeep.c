/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is done once in a while: batches of the spool are sent; with upkeep=yes days that are too
 * old or too much go, whole partitions at a time, and roll-ups that lack something are made anew.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "store/clickhouse/clickhouse.h"

#define UPKEEP_NS   (600 * (uint64_t)1000000000)
#define MENDED_DAYS 8

/* Whole days of a table; each call is one of them. */
typedef int (*day_call)(struct clickhouse *store, const char *table, uint64_t day, struct err *err);

/* Ends with the first failure. */
static int each_day(struct clickhouse *store, const char *table, const char *condition,
		    day_call call, struct err *err)
{
	struct buf sql = { 0 }, days = { 0 };
	int code;

	(void)buf_printf(&sql, "SELECT DISTINCT toUInt16(day) FROM %s.%s WHERE %s", store->database,
			 table, condition);
	code = clickhouse_do(store, sql.data, NULL, &days, err);
	for (char *at = days.data, *end; at && *at && !code; at = end + (*end != '\0')) {
		unsigned long long day = strtoull(at, &end, 10);

		if (end == at)
			break;
		code = call(store, table, day, err);
	}
	buf_done(&sql);
	buf_done(&days);
	return code;
}

static int drop_day(struct clickhouse *store, const char *table, uint64_t day, struct err *err)
{
	time_t seconds = (time_t)(day * (STORE_DAY_NS / 1000000000));
	char date[16], sql[256];
	struct tm tm;

	(void)strftime(date, sizeof(date), "%Y-%m-%d", gmtime_r(&seconds, &tm));
	(void)snprintf(sql, sizeof(sql), "ALTER TABLE %s.%s DROP PARTITION '%s'", store->database,
		       table, date);
	return clickhouse_do(store, sql, NULL, NULL, err);
}

static int drop_until(struct clickhouse *store, const char *table, uint64_t last_day,
		      struct err *err)
{
	char condition[64];

	(void)snprintf(condition, sizeof(condition), "day <= toDate(%" PRIu64 ")", last_day);
	return each_day(store, table, condition, drop_day, err);
}

static int drop_older(struct clickhouse *store, const char *table, uint64_t age_ns, uint64_t now_ns,
		      struct err *err)
{
	if (!age_ns || age_ns > now_ns || (now_ns - age_ns) / STORE_DAY_NS == 0)
		return 0;
	return drop_until(store, table, (now_ns - age_ns) / STORE_DAY_NS - 1, err);
}

/* What samples refer to is kept as long as the last of them: hours, or days of the limits. */
static int drop_too_old(struct clickhouse *store, const struct store_limits *limits,
			uint64_t now_ns, struct err *err)
{
	uint64_t last = limits->day_age_ns;
	int code = drop_older(store, "samples", limits->bucket_age_ns, now_ns, err);

	if (limits->bucket_age_ns && last < limits->bucket_age_ns && last)
		last = limits->bucket_age_ns;
	if (!code)
		code = drop_older(store, "samples_1h", last, now_ns, err);
	for (size_t i = 0; i < CLICKHOUSE_SAMPLES && !code; i++)
		code = drop_older(store, clickhouse_table_name[i], last, now_ns, err);
	return code;
}

static int drop_too_much(struct clickhouse *store, const struct store_limits *limits,
			 uint64_t now_ns, struct err *err)
{
	uint64_t bytes = 0, oldest = 0, today = now_ns / STORE_DAY_NS;
	char sql[256];
	int code = 0;

	while (!code && limits->bytes) {
		(void)snprintf(
			sql, sizeof(sql),
			"SELECT sum(bytes) FROM system.parts WHERE active AND database = '%s'",
			store->database);
		code = clickhouse_number(store, sql, &bytes, err);
		(void)snprintf(sql, sizeof(sql), "SELECT toUInt16(min(day)) FROM %s.frames",
			       store->database);
		if (!code)
			code = clickhouse_number(store, sql, &oldest, err);
		if (code || bytes <= limits->bytes || !oldest || oldest >= today)
			break;
		for (size_t i = 0; i < CLICKHOUSE_TABLES && !code; i++)
			code = drop_until(store, clickhouse_table_name[i], oldest, err);
		if (!code)
			code = drop_until(store, "samples_1h", oldest, err);
	}
	return code;
}

/* The server may have ended between a batch and its roll-up. */
static int mend_roll_up(struct clickhouse *store, const char *table, uint64_t day, struct err *err)
{
	const char *db = store->database;
	struct buf sql = { 0 };
	uint64_t differ = 0;
	int code;

	(void)table;
	(void)buf_printf(&sql,
			 "SELECT count() FROM (SELECT sum(c) AS c2, sum(w) AS w2 FROM (SELECT "
			 "toInt64(count) AS c, weight AS w FROM %s.samples WHERE day = "
			 "toDate(%" PRIu64 ") UNION ALL SELECT -toInt64(count) AS c, -weight AS w "
			 "FROM %s.samples_1h WHERE day = toDate(%" PRIu64 "))) WHERE c2 != 0 OR "
			 "w2 != 0",
			 db, day, db, day);
	code = clickhouse_number(store, sql.data, &differ, err);
	if (!code && differ)
		code = drop_day(store, "samples_1h", day, err);
	buf_clear(&sql);
	(void)buf_printf(&sql,
			 "INSERT INTO %s.samples_1h SELECT day, toUInt32(intDiv(ts, 3600) * 3600), "
			 "service, event, series, stack, stop, sum(count), sum(weight) FROM "
			 "%s.samples WHERE day = toDate(%" PRIu64 ") GROUP BY day, "
			 "toUInt32(intDiv(ts, 3600) * 3600), service, event, series, stack, stop",
			 db, db, day);
	if (!code && differ)
		code = clickhouse_do(store, sql.data, NULL, NULL, err);
	buf_done(&sql);
	return code;
}

static int mend_roll_ups(struct clickhouse *store, uint64_t now_ns, struct err *err)
{
	uint64_t today = now_ns / STORE_DAY_NS;
	char condition[128];

	(void)snprintf(condition, sizeof(condition),
		       "day < toDate(%" PRIu64 ") AND day >= toDate(%" PRIu64 ")", today,
		       today > MENDED_DAYS ? today - MENDED_DAYS : 0);
	return each_day(store, "samples", condition, mend_roll_up, err);
}

int clickhouse_maintain(struct store *base, const struct store_limits *limits, uint64_t now_ns,
			struct err *err)
{
	struct clickhouse *store = (struct clickhouse *)base;
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	struct err away = { 0 };
	int code = spool_send(&store->spool, &away);

	if (!code && store->upkeep && (!store->kept_ns || now - store->kept_ns >= UPKEEP_NS)) {
		store->kept_ns = now;
		code = clickhouse_ready(store, &away);
		if (!code)
			code = drop_too_old(store, limits, now_ns, &away);
		if (!code)
			code = drop_too_much(store, limits, now_ns, &away);
		if (!code)
			code = mend_roll_ups(store, now_ns, &away);
		if (code) {
			*err = away;
			return code;
		}
	}
	return spool_tell(&store->spool, store->shown, &away, err);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A store of many machines in ClickHouse, from 18.16 on, over its HTTP interface. Location:
 *
 *     clickhouse://[USER[:PASSWORD]@]HOST[:PORT][/DATABASE][?tls=yes&upkeep=yes]
 *
 * The port is 8123, with TLS 8443; the database is "cupel". CUPEL_CLICKHOUSE_PASSWORD is the
 * password if the location has none. upkeep=yes: this process deletes what is too old, and mends
 * the roll-up; one does it for all.
 *
 * Tables (schema.c): `samples` has a row for each bucket of 10 s, series and stack; `samples_1h` is
 * its roll-up by a materialized view; `series`, `events`, `stacks` and `frames` say what the
 * numbers mean. Their keys are hashes (64 bits) of the contents, so machines agree without asking.
 * All are partitioned by day, and each day has all that its samples refer to: a day can be dropped
 * as a whole. A stack is sent once a day by each process.
 *
 * Exactly once: each batch has a number, in a column of `samples`. If the answer to a batch was
 * lost, the batch is looked for before it is sent again. While the server is away batches are kept
 * in files (spool.h).
 */
#ifndef STORE_CLICKHOUSE_CLICKHOUSE_H
#define STORE_CLICKHOUSE_CLICKHOUSE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/map.h"
#include "store/spool.h"
#include "store/store.h"

struct err;
struct http_client;

enum clickhouse_table {
	CLICKHOUSE_FRAMES,
	CLICKHOUSE_STACKS,
	CLICKHOUSE_EVENTS,
	CLICKHOUSE_SERIES,
	CLICKHOUSE_SAMPLES, /* last: then all that they refer to is there */
	CLICKHOUSE_TABLES,
};

/* In place of a stack's key: 0 for lost samples, and this for a stack without frames. */
#define CLICKHOUSE_EMPTY_STACK 1u

/* Rows of one day in RowBinary, by table. */
struct clickhouse_batch {
	uint64_t id;
	uint32_t day; /* since 1970 */
	struct buf rows[CLICKHOUSE_TABLES];
};

struct clickhouse {
	struct store base;
	char *shown; /* the location without the password, for messages */
	char *url, *user, *password, *database;
	bool write, upkeep;
	struct http_client *client;
	bool is_ready;	/* the tables are there */
	bool is_modern; /* codecs, LowCardinality */
	struct spool spool;
	uint64_t away_ns; /* CLOCK_MONOTONIC: no attempt before that */
	uint64_t next_id; /* of a batch */
	struct map sent;  /* keys of a day that the server has */
	uint64_t kept_ns; /* CLOCK_MONOTONIC, of the last upkeep */
};

/* Keys of table rows that queries refer to, as a table `ids` with a column `id`. */
struct clickhouse_ids {
	const uint64_t *id;
	size_t count;
};

extern const char *const clickhouse_table_name[CLICKHOUSE_TABLES];

/* http.c: a statement, or an INSERT with its rows. *ret (may be NULL) gets the answer.
 * -EHOSTUNREACH and -EIO as in http_client.h; -EREMOTEIO: the server refused, with its reason. */
int clickhouse_do(struct clickhouse *store, const char *sql, const struct buf *rows,
		  struct buf *ret, struct err *err);
int clickhouse_ask(struct clickhouse *store, const char *sql, const struct clickhouse_ids *ids,
		   struct buf *ret, struct err *err);
/* A number that a query answers with, in text. */
int clickhouse_number(struct clickhouse *store, const char *sql, uint64_t *ret, struct err *err);

/* schema.c: makes what is missing, once. Readers only learn the version. */
int clickhouse_ready(struct clickhouse *store, struct err *err);

/* send.c: a batch; lost: an earlier attempt may have arrived. */
int clickhouse_send(struct clickhouse *store, const struct clickhouse_batch *batch, bool lost,
		    struct err *err);

/* batch_file.c: the bytes of a file of the spool. Read: false = damaged; *ret is to be freed in any
 * case. Send: as spool.send. */
void clickhouse_batch_write(const struct clickhouse_batch *batch, struct buf *ret);
bool clickhouse_batch_read(const void *data, size_t len, struct clickhouse_batch *ret);
int clickhouse_batch_send(void *store, const void *data, size_t len, struct err *err);

/* append.c */
int clickhouse_append(struct store *store, const struct store_batch *batch, struct err *err);

/* query.c */
int clickhouse_query(struct store *store, const struct store_query *query, struct profile *ret,
		     struct err *err);
int clickhouse_timeline(struct store *store, const struct store_query *query,
			struct store_timeline *ret, struct err *err);
int clickhouse_series(struct store *store, const struct store_query *query,
		      struct store_series_list *ret, struct err *err);

/* upkeep.c */
int clickhouse_maintain(struct store *store, const struct store_limits *limits, uint64_t now_ns,
			struct err *err);

#endif

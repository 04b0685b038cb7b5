/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the rows of an answer refer to: the server's keys become numbers of a dictionary. Bytes of
 * the server may be hostile: references to what it did not send are counted, memory is bounded by
 * the answer's. */
#ifndef STORE_CLICKHOUSE_QUERY_TABLES_H
#define STORE_CLICKHOUSE_QUERY_TABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"
#include "store/clickhouse/clickhouse.h"
#include "store/dictionary.h"

struct row_reader;

/* A stack and why it ends, as the rows have them. */
struct query_leaf {
	uint64_t stack;
	uint8_t stop;
	uint32_t number; /* in the dictionary, once the stacks are there */
};

struct query_tables {
	struct dictionary dict;
	struct map event, series, frame, node, leaf; /* key → number; leaf → index of leaves */
	VEC(uint64_t) wanted;			     /* keys of the series that are meant */
	bool some;				     /* others are not */
	VEC(struct query_leaf) leaves;
	uint64_t missing; /* references to nothing */
};

/* Conditions: the days of the range; services that are asked for by name, which is what tables are
 * sorted by. */
void query_put_days(struct buf *sql, const struct store_query *query);
void query_put_service(struct buf *sql, const struct store_query *query);

void query_tables_open(struct query_tables *tables);
void query_tables_close(struct query_tables *tables);
/* The series that are meant, with their events. */
int query_tables_series(struct query_tables *tables, struct clickhouse *store,
			const struct store_query *query, struct err *err);
/* False: it is not among them. */
bool query_tables_find(const struct query_tables *tables, uint64_t series, uint32_t *ret);
/* An index of tables->leaves. */
uint32_t query_tables_leaf(struct query_tables *tables, uint64_t stack, uint8_t stop);
/* Fetches all stacks of leaves, and their frames. */
int query_tables_stacks(struct query_tables *tables, struct clickhouse *store,
			const struct store_query *query, struct err *err);

/* The answers' bytes; -EBADMSG. */
int query_tables_take_events(struct query_tables *tables, struct row_reader *in, struct err *err);
int query_tables_take_series(struct query_tables *tables, struct row_reader *in,
			     const struct store_query *query, struct err *err);
int query_tables_take_frames(struct query_tables *tables, struct row_reader *in, struct err *err);
int query_tables_take_stacks(struct query_tables *tables, struct row_reader *in, struct err *err);
/* Once all stacks are there: gives the leaves their numbers. */
void query_tables_number(struct query_tables *tables);

#endif

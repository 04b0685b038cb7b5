/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows to the server, table by table (see clickhouse.h). */
#include <inttypes.h>
#include <stdio.h>

#include "store/clickhouse/clickhouse.h"

static int has_arrived(struct clickhouse *store, const struct clickhouse_batch *batch, bool *ret,
		       struct err *err)
{
	char sql[256];
	uint64_t count = 0;
	int code;

	(void)snprintf(sql, sizeof(sql),
		       "SELECT count() FROM %s.samples WHERE day = toDate(%u) AND batch = "
		       "%" PRIu64,
		       store->database, batch->day, batch->id);
	code = clickhouse_number(store, sql, &count, err);
	*ret = count > 0;
	return code;
}

int clickhouse_send(struct clickhouse *store, const struct clickhouse_batch *batch, bool lost,
		    struct err *err)
{
	int code = clickhouse_ready(store, err);
	bool arrived = false;
	char sql[128];

	if (!code && lost)
		code = has_arrived(store, batch, &arrived, err);
	for (size_t i = 0; i < CLICKHOUSE_TABLES && !code && !arrived; i++) {
		(void)snprintf(sql, sizeof(sql), "INSERT INTO %s.%s FORMAT RowBinary",
			       store->database, clickhouse_table_name[i]);
		if (batch->rows[i].len)
			code = clickhouse_do(store, sql, &batch->rows[i], NULL, err);
	}
	return code;
}

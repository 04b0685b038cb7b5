/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a ClickHouse server answers: five lengths (two bytes each), then the bytes about events,
 * series, frames and stacks, and a file of the spool, with its hash put right. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/map.h"
#include "profile/profile.h"
#include "store/clickhouse/query_tables.h"
#include "store/clickhouse/row_binary.h"
#include "store/row_answer.h"
#include "store/rows.h"

#define PIECES 5

static void read_spool(const struct row_reader *in)
{
	size_t len = (size_t)(in->end - in->at);
	struct clickhouse_batch batch;
	uint8_t *copy = mem_alloc(len + 1);

	memcpy(copy, in->at, len);
	if (len >= 16) {
		uint64_t hash = hash_bytes(copy, len - 8);

		for (size_t i = 0; i < 8; i++)
			copy[len - 8 + i] = (uint8_t)(hash >> (8 * i));
	}
	(void)clickhouse_batch_read(copy, len, &batch);
	for (size_t i = 0; i < CLICKHOUSE_TABLES; i++)
		buf_done(&batch.rows[i]);
	free(copy);
}

/* Rows of all series and stacks there are. */
static void answer(struct query_tables *tables, const struct store_query *query)
{
	struct profile *profile = profile_new(0);
	struct row_answer *rows = row_answer_new(&tables->dict, query, profile);

	for (uint32_t i = 0; i < tables->dict.series.count; i++) {
		struct store_row row = { .series = i, .count = 1, .weight = 2 };

		for (row.leaf = 0; row.leaf < tables->dict.leaves.count; row.leaf++)
			row_answer_add(rows, &row);
	}
	(void)row_answer_end(rows);
	profile_free(profile);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct store_query query = { .to_ns = UINT64_MAX, .viewer = STORE_EVERYBODY };
	struct row_reader piece[PIECES];
	struct query_tables tables;
	struct err err = { 0 };
	const uint8_t *at = data + 2 * PIECES, *end = data + size;

	if (size < 2 * PIECES)
		return 0;
	for (size_t i = 0; i < PIECES; i++) {
		size_t len = data[2 * i] | (size_t)data[2 * i + 1] << 8;

		if (len > (size_t)(end - at))
			len = (size_t)(end - at);
		piece[i] = (struct row_reader){ at, at + len, false };
		at += len;
	}
	query_tables_open(&tables);
	(void)query_tables_take_events(&tables, &piece[0], &err);
	(void)query_tables_take_series(&tables, &piece[1], &query, &err);
	(void)query_tables_take_frames(&tables, &piece[2], &err);
	(void)query_tables_take_stacks(&tables, &piece[3], &err);
	read_spool(&piece[4]);
	for (uint64_t i = 0; i < 4; i++)
		(void)query_tables_leaf(&tables, i, (uint8_t)(i * 80));
	query_tables_number(&tables);
	answer(&tables, &query);
	query_tables_close(&tables);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* store/clickhouse/batch_file: batches come back from bytes as they were, damaged ones do not. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/err.h"
#include "store/clickhouse/clickhouse.h"

static void fill(struct clickhouse_batch *batch)
{
	*batch = (struct clickhouse_batch){ .id = 0x1122334455667788, .day = 20000 };
	for (size_t i = 0; i < CLICKHOUSE_TABLES; i++)
		for (size_t k = 0; k < 7 * i; k++)
			(void)buf_putc(&batch->rows[i], (char)(i + k));
}

static void done(struct clickhouse_batch *batch)
{
	for (size_t i = 0; i < CLICKHOUSE_TABLES; i++)
		buf_done(&batch->rows[i]);
}

static void test_bytes(void **state)
{
	struct clickhouse_batch batch, again;
	struct buf bytes = { 0 };

	(void)state;
	fill(&batch);
	clickhouse_batch_write(&batch, &bytes);
	assert_true(clickhouse_batch_read(bytes.data, bytes.len, &again));
	assert_int_equal(again.id, batch.id);
	assert_int_equal(again.day, batch.day);
	for (size_t i = 0; i < CLICKHOUSE_TABLES; i++) {
		assert_int_equal(again.rows[i].len, batch.rows[i].len);
		if (batch.rows[i].len)
			assert_memory_equal(again.rows[i].data, batch.rows[i].data,
					    batch.rows[i].len);
	}
	done(&again);
	for (size_t len = 0; len < bytes.len; len++) {
		assert_false(clickhouse_batch_read(bytes.data, len, &again));
		done(&again);
	}
	for (size_t i = 0; i < bytes.len; i++) {
		bytes.data[i] ^= 1;
		assert_false(clickhouse_batch_read(bytes.data, bytes.len, &again));
		done(&again);
		bytes.data[i] ^= 1;
	}
	buf_done(&bytes);
	done(&batch);
}

static void test_damaged_file_is_not_sent(void **state)
{
	struct clickhouse store = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(clickhouse_batch_send(&store, "no batch, but bytes", 19, &err),
			 -EREMOTEIO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_damaged_file_is_not_sent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

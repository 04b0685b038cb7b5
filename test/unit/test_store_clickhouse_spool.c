/* SPDX-License-Identifier: GPL-2.0-or-later */
/* store/clickhouse/spool: batches come back from files as they were, damaged files do not, and the
 * state counts what waits. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "store/clickhouse/clickhouse.h"
#include "store/clickhouse/spool.h"

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
	spool_write(&batch, &bytes);
	assert_true(spool_read(bytes.data, bytes.len, &again));
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
		assert_false(spool_read(bytes.data, len, &again));
		done(&again);
	}
	for (size_t i = 0; i < bytes.len; i++) {
		bytes.data[i] ^= 1;
		assert_false(spool_read(bytes.data, bytes.len, &again));
		done(&again);
		bytes.data[i] ^= 1;
	}
	buf_done(&bytes);
	done(&batch);
}

static void test_files(void **state)
{
	char folder[] = "/tmp/cupel-spool.XXXXXX", spool[64], command[128];
	struct clickhouse store = { .spool = spool };
	struct clickhouse_batch batch;
	struct spool_state found;
	struct err err = { 0 };

	(void)state;
	assert_non_null(mkdtemp(folder));
	(void)snprintf(spool, sizeof(spool), "%s/spool", folder);
	fill(&batch);
	assert_int_equal(spool_state(&store, &found, &err), 0);
	assert_int_equal(found.batches, 0);
	assert_int_equal(spool_put(&store, &batch, &err), 0);
	assert_int_equal(spool_put(&store, &batch, &err), 0);
	assert_int_equal(spool_state(&store, &found, &err), 0);
	assert_int_equal(found.batches, 2);
	assert_true(found.bytes > 100);
	done(&batch);
	(void)snprintf(command, sizeof(command), "rm -r %s", folder);
	assert_int_equal(system(command), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

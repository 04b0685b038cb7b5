/* SPDX-License-Identifier: GPL-2.0-or-later */
/* store/clickhouse/query_tables: the server's keys become the numbers of a dictionary; what refers
 * to nothing is counted, and damage is an error. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "event/stop.h"
#include "store/clickhouse/query_tables.h"
#include "store/clickhouse/row_binary.h"
#include "store/selector.h"

static void put_text(struct buf *out, const char *text)
{
	row_put_string(out, text, strlen(text));
}

static void put_event(struct buf *out, uint64_t key, uint64_t kind)
{
	row_put(out, key, 8);
	put_text(out, "cpu-clock");
	put_text(out, "ns");
	row_put(out, kind, 1);
	row_put(out, EVENT_UNIT_NS, 1);
	row_put(out, 0, 3);
	row_put(out, 0, 4);
	row_put_double(out, 2.5);
}

static void put_series(struct buf *out, uint64_t key, uint64_t event, const char *host)
{
	row_put(out, key, 8);
	row_put(out, event, 8);
	(void)buf_put_varint(out, 2);
	put_text(out, "comm");
	put_text(out, "host");
	(void)buf_put_varint(out, 2);
	put_text(out, "worker");
	put_text(out, host);
}

static void put_frame(struct buf *out, uint64_t key, const char *function)
{
	row_put(out, key, 8);
	put_text(out, function);
	put_text(out, "/bin/x");
	put_text(out, "abcd");
	put_text(out, "x.c");
	row_put(out, 7, 4);
	row_put(out, 0, 4);
	row_put(out, 16, 8);
	row_put(out, 0, 8);
	row_put(out, 0, 8);
}

static void put_stack(struct buf *out, uint64_t key, const uint64_t *frame, size_t count)
{
	row_put(out, key, 8);
	(void)buf_put_varint(out, count);
	for (size_t i = 0; i < count; i++)
		row_put(out, frame[i], 8);
}

static void test_series(void **state)
{
	struct buf events = { 0 }, series = { 0 };
	struct row_reader in;
	struct query_tables tables;
	struct store_query query = { 0 };
	struct selector *selector;
	struct err err = { 0 };
	uint32_t number;

	(void)state;
	assert_int_equal(selector_parse("{host=~\"a|b\", event=cpu-clock}", &selector, &err), 0);
	query.selector = selector;
	query_tables_open(&tables);
	put_event(&events, 11, EVENT_KIND_CPU_TIME);
	put_series(&series, 21, 11, "a");
	put_series(&series, 22, 11, "c");
	put_series(&series, 23, 12, "b"); /* an event that is not there */
	in = row_reader_of(&events);
	assert_int_equal(query_tables_take_events(&tables, &in, &err), 0);
	in = row_reader_of(&series);
	assert_int_equal(query_tables_take_series(&tables, &in, &query, &err), 0);
	assert_int_equal(tables.wanted.count, 1);
	assert_true(tables.some);
	assert_int_equal(tables.missing, 1);
	assert_true(query_tables_find(&tables, 21, &number));
	assert_false(query_tables_find(&tables, 22, &number));
	assert_string_equal(label_set_get(&tables.dict.series.item[number].labels, "event"),
			    "cpu-clock");
	assert_true(tables.dict.events.item[0].sample_weight == 2.5);
	query_tables_close(&tables);
	selector_free(selector);
	buf_done(&events);
	buf_done(&series);
}

static void test_stacks(void **state)
{
	const uint64_t frames[] = { 31, 32 }, unknown[] = { 31, 99 };
	struct buf rows = { 0 }, stacks = { 0 };
	struct row_reader in;
	struct query_tables tables;
	struct err err = { 0 };
	uint32_t lost, empty, whole, gone;

	(void)state;
	query_tables_open(&tables);
	put_frame(&rows, 31, "main");
	put_frame(&rows, 32, "work");
	put_stack(&stacks, 2, frames, 2);
	put_stack(&stacks, 3, unknown, 2);
	in = row_reader_of(&rows);
	assert_int_equal(query_tables_take_frames(&tables, &in, &err), 0);
	in = row_reader_of(&stacks);
	assert_int_equal(query_tables_take_stacks(&tables, &in, &err), 0);
	assert_int_equal(tables.missing, 1);
	lost = query_tables_leaf(&tables, 0, 0);
	empty = query_tables_leaf(&tables, 1, 1);
	whole = query_tables_leaf(&tables, 2, 1);
	gone = query_tables_leaf(&tables, 4, 1);
	assert_int_equal(query_tables_leaf(&tables, 2, 1), whole);
	assert_int_not_equal(query_tables_leaf(&tables, 2, 2), whole);
	query_tables_number(&tables);
	assert_int_equal(tables.missing, 2);
	assert_int_equal(tables.leaves.item[lost].number, DICTIONARY_LEAF_LOST);
	assert_int_equal(tables.dict.leaves.item[tables.leaves.item[empty].number].node, 0);
	assert_int_equal(tables.dict.leaves.item[tables.leaves.item[gone].number].node, 0);
	assert_int_not_equal(tables.dict.leaves.item[tables.leaves.item[whole].number].node, 0);
	query_tables_close(&tables);
	buf_done(&rows);
	buf_done(&stacks);
}

/* Every length that is cut short is an error, none a crash. */
static void test_damage(void **state)
{
	struct buf events = { 0 };
	struct err err = { 0 };

	(void)state;
	put_event(&events, 11, EVENT_KIND_CPU_TIME);
	for (size_t len = 1; len < events.len; len++) {
		struct row_reader in = { (const uint8_t *)events.data,
					 (const uint8_t *)events.data + len, false };
		struct query_tables tables;

		query_tables_open(&tables);
		assert_int_equal(query_tables_take_events(&tables, &in, &err), -EBADMSG);
		assert_int_equal(tables.dict.events.count, 0);
		query_tables_close(&tables);
	}
	buf_clear(&events);
	put_event(&events, 11, EVENT_KIND_COUNT);
	{
		struct row_reader in = row_reader_of(&events);
		struct query_tables tables;

		query_tables_open(&tables);
		assert_int_equal(query_tables_take_events(&tables, &in, &err), -EBADMSG);
		query_tables_close(&tables);
	}
	buf_done(&events);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_series),
		cmocka_unit_test(test_stacks),
		cmocka_unit_test(test_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* store/remote/batch_bytes: what a batch has comes into the store, with the labels of each thread
 * and what was lost; once, however often it is sent; damaged ones are refused whole. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "store_samples.h"

#include "base/buf.h"
#include "store/batch_rows.h"
#include "store/dictionary.h"
#include "store/remote/batch_bytes.h"
#include "store/rows.h"

#define NOW_NS (MONDAY_NS + 3600 * SECOND_NS)

static char folder[64];
static uint64_t sum; /* of the weights */

static void make(struct buf *ret)
{
	const struct sample_plan plans[] = { { MONDAY_NS, SECOND_NS, 0, 500, "one" },
					     { MONDAY_NS, SECOND_NS, 500, 300, "two" } };
	struct profile *p = profile_new(PROFILE_KEEP_TIME);
	struct label_set host = { 0 }, web = { 0 };
	const struct label_set *by_thread[2] = { &web, NULL };
	struct store_batch batch = { .profile = p, .labels = &host, .thread_labels = by_thread };
	struct dictionary dict = { 0 };
	struct store_rows rows = { 0 };

	(void)label_set_put(&host, "host", "far");
	(void)label_set_put(&web, "service", "web");
	sum = fill_samples(p, &plans[0]) + fill_samples(p, &plans[1]);
	p->meta.lost_samples = 7;
	dictionary_init(&dict);
	batch_rows_add(&batch, (uint32_t)(MONDAY_NS / DAY_NS), true, &dict, &rows);
	store_rows_merge(&rows, STORE_BUCKET_NS);
	batch_bytes_write(4711, &dict, &rows, ret);
	vec_done(&rows.rows);
	dictionary_done(&dict);
	label_set_done(&host);
	label_set_done(&web);
	profile_free(p);
}

static int put(const struct buf *bytes, uint64_t first_ns, uint64_t *ret_samples)
{
	struct batch_target target = { .store = open_store(folder, true),
				       .first_ns = first_ns,
				       .last_ns = NOW_NS,
				       .now_ns = NOW_NS };
	struct err err = { 0 };
	int code = batch_bytes_append(&target, bytes->data, bytes->len, ret_samples, &err);

	store_close(target.store);
	return code;
}

static void test_once_and_whole(void **state)
{
	const struct store_query all = { .from_ns = MONDAY_NS, .to_ns = NOW_NS + DAY_NS };
	struct store_series_list list = { 0 };
	struct buf bytes = { 0 };
	uint64_t samples = 0, count = 0;
	struct err err = { 0 };
	struct store *store;
	struct profile *p;

	(void)state;
	make_folder(folder);
	make(&bytes);
	for (int i = 0; i < 3; i++)
		assert_int_equal(put(&bytes, MONDAY_NS, &samples), 0);
	assert_int_equal(stored_weight(folder, MONDAY_NS, MONDAY_NS + DAY_NS, &count), sum);
	assert_int_equal(count, 800);
	store = open_store(folder, false);
	assert_int_equal(store_series(store, &all, &list, &err), 0);
	assert_int_equal(list.series.count, 2); /* web, and the thread without labels */
	for (size_t i = 0; i < list.series.count; i++)
		assert_string_equal(label_set_get(&list.series.item[i].labels, "host"), "far");
	store_series_list_done(&list);
	assert_int_equal(store_query(store, &all, &p, &err), 0);
	assert_int_equal(p->meta.lost_samples, 7);
	profile_free(p);
	store_close(store);
	buf_done(&bytes);
	remove_folder(folder);
}

/* A sender with a clock that is wrong: all of it is now. */
static void test_implausible_times_are_now(void **state)
{
	uint64_t samples = 0, count = 0;
	struct buf bytes = { 0 };

	(void)state;
	make_folder(folder);
	make(&bytes);
	assert_int_equal(put(&bytes, NOW_NS - SECOND_NS, &samples), 0);
	assert_int_equal(stored_weight(folder, NOW_NS, NOW_NS + DAY_NS, &count), sum);
	assert_int_equal(count, 800);
	buf_done(&bytes);
	remove_folder(folder);
}

static void test_damaged_is_refused(void **state)
{
	struct buf bytes = { 0 };
	uint64_t samples = 0;

	(void)state;
	make_folder(folder);
	make(&bytes);
	for (size_t len = 0; len < bytes.len; len += 7)
		assert_int_not_equal(
			put(&(struct buf){ .data = bytes.data, .len = len }, MONDAY_NS, &samples),
			0);
	for (size_t i = 16; i < bytes.len; i += 13) {
		bytes.data[i] ^= 4;
		assert_int_equal(put(&bytes, MONDAY_NS, &samples), -EBADMSG);
		bytes.data[i] ^= 4;
	}
	assert_int_equal(samples, 0);
	assert_int_equal(stored_weight(folder, MONDAY_NS, MONDAY_NS + DAY_NS, NULL), 0);
	buf_done(&bytes);
	remove_folder(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_once_and_whole),
		cmocka_unit_test(test_implausible_times_are_now),
		cmocka_unit_test(test_damaged_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

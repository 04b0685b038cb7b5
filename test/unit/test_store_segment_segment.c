/* SPDX-License-Identifier: GPL-2.0-or-later */
/* store/segment: what is put in comes out, whole, through logs, blocks, roll-ups and deletion. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <sys/stat.h>

#include "store_samples.h"

#include "base/buf.h"
#include "store/segment/segment_store.h"
#include "store/selector.h"
#include "store/store.h"
#include "store/timeline_sum.h"

static char folder[64];

static int set_up(void **state)
{
	(void)state;
	make_folder(folder);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	remove_folder(folder);
	return 0;
}

static struct profile *ask(const struct store_query *query)
{
	struct store *store = open_store(folder, false);
	struct profile *p = NULL;
	struct err err = { 0 };

	assert_non_null(store);
	if (store_query(store, query, &p, &err))
		fail_msg("%s", err.msg);
	store_close(store);
	return p;
}

static void maintain(struct store *store, const struct store_limits *limits, uint64_t now_ns)
{
	struct err err = { 0 };

	if (store_maintain(store, limits, now_ns, &err))
		fail_msg("%s", err.msg);
}

static uint64_t put(struct store *store, uint64_t from_ns, uint64_t step_ns, size_t count)
{
	static uint64_t first;
	const struct sample_plan plan = { from_ns, step_ns, first, count, NULL };
	struct label_set labels = { 0 };
	struct err err = { 0 };
	uint64_t sum;

	(void)label_set_put(&labels, "service", "web");
	sum = put_samples(store, &plan, &labels, &err);
	if (!sum)
		fail_msg("%s", err.msg);
	label_set_done(&labels);
	first += count;
	return sum;
}

static bool exists(const char *name)
{
	char path[128];

	(void)snprintf(path, sizeof(path), "%s/%s", folder, name);
	return access(path, F_OK) == 0;
}

static void test_store__stacks_come_back(void **state)
{
	const struct sample_plan plan = { MONDAY_NS + 5, SECOND_NS, 0, 1000, "worker" };
	struct store_query query = { .from_ns = MONDAY_NS,
				     .to_ns = MONDAY_NS + DAY_NS,
				     .viewer = STORE_EVERYBODY };
	struct profile *put_in = profile_new(0), *got;
	struct store_batch batch = { .profile = put_in, .clock_ns = (int64_t)plan.from_ns };
	struct store *store = open_store(folder, true);
	struct err err = { 0 };
	uint64_t sum = fill_samples(put_in, &plan), found = 0;

	(void)state;
	assert_int_equal(store_append(store, &batch, &err), 0);
	for (int closed = 0; closed < 2; closed++) { /* from the log, then from the block */
		got = ask(&query);
		assert_int_equal(got->events.count, 1);
		assert_int_equal(got->events.item[0].weight, sum);
		assert_int_equal(got->events.item[0].samples, 1000);
		assert_int_equal(got->events.item[0].kind, EVENT_KIND_CPU_TIME);
		assert_int_equal(got->samples.count, put_in->samples.count);
		assert_int_equal(got->events.item[0].stop[STACK_STOP_DEPTH], 200);
		assert_string_equal(profile_string(got, got->threads.item[0].comm), "worker");
		for (size_t i = 0; i < got->samples.count; i++) {
			stack_id at = got->samples.item[i].stack;
			struct frame *frame = &got->frames.item[got->nodes.item[at.v].frame.v];

			assert_int_equal(got->nodes.item[at.v].depth, 3);
			assert_string_equal(got->modules.item[frame->module].build_id, "abcd");
			found += got->samples.item[i].weight;
		}
		assert_int_equal(found, sum);
		found = 0;
		profile_free(got);
		if (!closed)
			store_close(store);
	}
	profile_free(put_in);
}

static void test_store__ranges_are_exact_in_buckets(void **state)
{
	struct store *store = open_store(folder, true);
	uint64_t sum = 0;

	(void)state;
	for (int i = 0; i < 30; i++)
		sum += put(store, MONDAY_NS + (uint64_t)i * 3600 * SECOND_NS, 10 * SECOND_NS, 360);
	store_close(store);
	assert_true(exists("20241004-00"));
	assert_true(exists("20241005-00"));
	assert_int_equal(stored_weight(folder, MONDAY_NS, MONDAY_NS + 2 * DAY_NS, NULL), sum);
	for (int rolled = 0; rolled < 2; rolled++) {
		uint64_t count, from = MONDAY_NS + 7210 * SECOND_NS;

		(void)stored_weight(folder, from, from + 10 * SECOND_NS, &count);
		assert_int_equal(count, 1);
		(void)stored_weight(folder, from, from + 5 * 3600 * SECOND_NS, &count);
		assert_int_equal(count, 5 * 360);
		(void)stored_weight(folder, from, from + 26 * 3600 * SECOND_NS, &count);
		assert_int_equal(count, 26 * 360);
		store = open_store(folder, true);
		maintain(store, &(struct store_limits){ 0 }, MONDAY_NS + 3 * DAY_NS);
		store_close(store);
		assert_true(exists("20241004-00/1d"));
	}
}

static void test_store__roll_ups_keep_the_sum(void **state)
{
	struct store_limits none = { 0 };
	struct store_limits ages = { .bucket_age_ns = DAY_NS, .clock_is_sure = true };
	struct store *store = open_store(folder, true);
	uint64_t sum = 0;

	(void)state;
	for (int i = 0; i < 24; i++) {
		sum += put(store, MONDAY_NS + (uint64_t)i * 3600 * SECOND_NS, SECOND_NS, 500);
		maintain(store, &none, MONDAY_NS + (uint64_t)(i + 1) * 3600 * SECOND_NS - 1);
		assert_int_equal(stored_weight(folder, MONDAY_NS, MONDAY_NS + DAY_NS, NULL), sum);
	}
	maintain(store, &none, MONDAY_NS + DAY_NS + 1);
	assert_int_equal(stored_weight(folder, MONDAY_NS, MONDAY_NS + DAY_NS, NULL), sum);
	maintain(store, &ages, MONDAY_NS + 2 * DAY_NS + 1);
	assert_false(exists("20241004-00/10s"));
	assert_true(exists("20241004-00/1h"));
	assert_int_equal(stored_weight(folder, MONDAY_NS, MONDAY_NS + DAY_NS, NULL), sum);
	/* something comes late */
	sum += put(store, MONDAY_NS + 7200 * SECOND_NS, SECOND_NS, 500);
	store_close(store);
	assert_int_equal(stored_weight(folder, MONDAY_NS, MONDAY_NS + DAY_NS, NULL), sum);
	assert_int_equal(stored_weight(folder, MONDAY_NS + 1, MONDAY_NS + DAY_NS, NULL) +
				 stored_weight(folder, MONDAY_NS, MONDAY_NS + 1, NULL),
			 sum);
	store = open_store(folder, true);
	ages.hour_age_ns = 2 * DAY_NS;
	maintain(store, &ages, MONDAY_NS + 4 * DAY_NS);
	assert_false(exists("20241004-00/1h"));
	assert_int_equal(stored_weight(folder, MONDAY_NS, MONDAY_NS + DAY_NS, NULL), sum);
	sum += put(store, MONDAY_NS + 7200 * SECOND_NS, SECOND_NS, 500);
	assert_int_equal(stored_weight(folder, MONDAY_NS, MONDAY_NS + DAY_NS, NULL), sum);
	ages.day_age_ns = 3 * DAY_NS;
	store_close(store);
	store = open_store(folder, true);
	maintain(store, &ages, MONDAY_NS + 5 * DAY_NS);
	assert_false(exists("20241004-00"));
	store_close(store);
}

static void test_store__limit_of_bytes_counts_all_files(void **state)
{
	struct store_limits limits = { .bytes = 256 << 10 };
	struct store *store = open_store(folder, true);
	char stray[128];
	uint64_t sum = 0;
	FILE *file;

	(void)state;
	for (int i = 0; i < 6; i++)
		sum += put(store, MONDAY_NS + (uint64_t)i * DAY_NS, SECOND_NS, 20000);
	store_close(store);
	store = open_store(folder, true);
	maintain(store, &limits, MONDAY_NS + 7 * DAY_NS);
	assert_true(segment_bytes((struct segment_store *)store) <= limits.bytes);
	(void)snprintf(stray, sizeof(stray), "%s/stray", folder);
	file = fopen(stray, "w");
	for (int i = 0; i < 200 << 10; i++)
		(void)fputc(i, file);
	(void)fclose(file);
	maintain(store, &limits, MONDAY_NS + 7 * DAY_NS);
	assert_true(segment_bytes((struct segment_store *)store) <= limits.bytes);
	store_close(store);
	assert_true(stored_weight(folder, MONDAY_NS, MONDAY_NS + 7 * DAY_NS, NULL) <= sum);
}

static void test_store__a_jump_of_the_clock_deletes_nothing(void **state)
{
	struct store_limits limits = { DAY_NS, DAY_NS, DAY_NS, 0, 0, false };
	struct store *store = open_store(folder, true);
	uint64_t sum = put(store, MONDAY_NS, SECOND_NS, 1000);

	(void)state;
	maintain(store, &limits, MONDAY_NS + 3600 * SECOND_NS);
	maintain(store, &limits, MONDAY_NS + 5000 * DAY_NS);
	sum += put(store, MONDAY_NS + 5000 * DAY_NS, SECOND_NS, 1000); /* in 2038 */
	maintain(store, &limits, MONDAY_NS + 7200 * SECOND_NS);
	sum += put(store, MONDAY_NS + 7200 * SECOND_NS, SECOND_NS, 1000);
	store_close(store);
	assert_int_equal(stored_weight(folder, MONDAY_NS, MONDAY_NS + 6000 * DAY_NS, NULL), sum);
}

static void test_store__many_may_write(void **state)
{
	struct store *one = open_store(folder, true), *two = open_store(folder, true);
	uint64_t sum = put(one, MONDAY_NS, SECOND_NS, 100);

	(void)state;
	sum += put(two, MONDAY_NS, SECOND_NS, 100);
	sum += put(one, MONDAY_NS, SECOND_NS, 100);
	assert_true(exists("20241004-00"));
	assert_true(exists("20241004-01"));
	assert_int_equal(stored_weight(folder, MONDAY_NS, MONDAY_NS + DAY_NS, NULL), sum);
	store_close(one);
	store_close(two);
	assert_int_equal(stored_weight(folder, MONDAY_NS, MONDAY_NS + DAY_NS, NULL), sum);
}

static uint64_t put_of(struct store *store, const char *name, const char *value, const char *comm)
{
	const struct sample_plan plan = { MONDAY_NS, SECOND_NS, 1, 100, comm };
	struct label_set labels = { 0 };
	struct err err = { 0 };
	uint64_t sum;

	(void)label_set_put(&labels, name, value);
	sum = put_samples(store, &plan, &labels, &err);
	label_set_done(&labels);
	return sum;
}

static void test_store__labels_select(void **state)
{
	struct store_query query = { .from_ns = MONDAY_NS,
				     .to_ns = MONDAY_NS + DAY_NS,
				     .viewer = STORE_EVERYBODY,
				     .step_ns = STORE_HOUR_NS,
				     .by = "service" };
	struct store *store = open_store(folder, true);
	uint64_t web = put_of(store, "service", "web", "a"),
		 db = put_of(store, "service", "db", "b");
	struct store_series_list list;
	struct store_timeline lines;
	struct selector *selector;
	struct err err = { 0 };
	struct profile *p;

	(void)state;
	db += put_of(store, "service", "db", "c");
	assert_int_equal(store_timeline(store, &query, &lines, &err), 0);
	assert_int_equal(lines.lines.count, 2);
	assert_string_equal(lines.lines.item[0].value, "db");
	assert_int_equal(lines.lines.item[0].total, db);
	assert_int_equal(lines.lines.item[1].weight[0], web);
	assert_string_equal(lines.unit, "ns");
	assert_int_equal(lines.columns, 24);
	store_timeline_done(&lines);
	assert_int_equal(store_series(store, &query, &list, &err), 0);
	assert_int_equal(list.series.count, 3);
	assert_string_equal(label_set_get(&list.series.item[0].labels, "comm"), "a");
	assert_string_equal(label_set_get(&list.series.item[0].labels, "event"), "cpu-clock");
	store_series_list_done(&list);
	assert_int_equal(selector_parse("{service=~\"d.\", comm!=c}", &selector, &err), 0);
	query.selector = selector;
	p = ask(&query);
	assert_int_equal(p->events.item[0].weight, db / 2);
	profile_free(p);
	selector_free(selector);
	store_close(store);
}

static void test_store__users_see_their_own(void **state)
{
	struct store_query query = { .from_ns = MONDAY_NS,
				     .to_ns = MONDAY_NS + DAY_NS,
				     .viewer = 1000 };
	struct store *store = open_store(folder, true);
	uint64_t own = put_of(store, "uid", "1000", "mine"), others = 0;
	struct profile *p;

	(void)state;
	others += put_of(store, "uid", "1001", "secret");
	others += put_of(store, "service", "x", "secret"); /* of nobody that is known */
	store_close(store);
	p = ask(&query);
	assert_int_equal(p->events.item[0].weight, own + others);
	for (size_t i = 0; i < p->threads.count; i++)
		assert_string_not_equal(profile_string(p, p->threads.item[i].comm), "secret");
	for (size_t i = 0; i < p->samples.count; i++)
		if (strcmp(profile_string(p, p->threads.item[p->samples.item[i].thread.v].comm),
			   "mine") != 0)
			others -= p->samples.item[i].weight;
	assert_int_equal(others, 0);
	profile_free(p);
}

static void test_store__lost_samples_are_kept(void **state)
{
	const struct sample_plan plan = { MONDAY_NS, SECOND_NS, 1, 100, "a" };
	struct store_query query = { .from_ns = MONDAY_NS,
				     .to_ns = MONDAY_NS + DAY_NS,
				     .viewer = STORE_EVERYBODY };
	struct profile *p = profile_new(PROFILE_KEEP_TIME);
	struct store_batch batch = { .profile = p };
	struct store *store = open_store(folder, true);
	struct err err = { 0 };

	(void)state;
	(void)fill_samples(p, &plan);
	p->meta.lost_samples = 17;
	assert_int_equal(store_append(store, &batch, &err), 0);
	profile_free(p);
	maintain(store, &(struct store_limits){ 0 }, MONDAY_NS + 2 * DAY_NS);
	store_close(store);
	p = ask(&query);
	assert_int_equal(p->meta.lost_samples, 17);
	assert_int_equal(p->events.item[0].lost, 17);
	assert_int_equal(p->events.item[0].samples, 100);
	profile_free(p);
}

static void test_timeline__many_values_are_summed(void **state)
{
	struct store_timeline lines = { .step_ns = 10, .columns = 3 };
	char value[16];

	(void)state;
	for (unsigned i = 0; i < 2000; i++) {
		(void)snprintf(value, sizeof(value), "v%u", i);
		timeline_add(&lines, timeline_line(&lines, value), i % 40, 1, 1);
	}
	assert_int_equal(lines.lines.count, 1001);
	timeline_unit(&lines, "ns");
	timeline_unit(&lines, "bytes");
	assert_string_equal(lines.unit, "");
	store_timeline_done(&lines);
}

static void test_store__place_of_a_tenant(void **state)
{
	static const char *const places[][2] = {
		{ "/var/lib/cupel", "/var/lib/cupel/tenant-a" },
		{ "clickhouse://h", "clickhouse://h/cupel_a" },
		{ "clickhouse://u:p@h:1/", "clickhouse://u:p@h:1/cupel_a" },
		{ "clickhouse://h/db?tls=yes", "clickhouse://h/db_a?tls=yes" },
		{ "clickhouse://h?tls=yes", "clickhouse://h/cupel_a?tls=yes" },
	};
	char place[128];

	(void)state;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		store_tenant_location(places[i][0], "a", place, sizeof(place));
		assert_string_equal(place, places[i][1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_store__place_of_a_tenant),
		cmocka_unit_test_setup_teardown(test_store__stacks_come_back, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_store__ranges_are_exact_in_buckets, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_store__roll_ups_keep_the_sum, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_store__limit_of_bytes_counts_all_files, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_store__a_jump_of_the_clock_deletes_nothing,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_store__many_may_write, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_store__labels_select, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_store__users_see_their_own, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_store__lost_samples_are_kept, set_up,
						tear_down),
		cmocka_unit_test(test_timeline__many_values_are_summed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

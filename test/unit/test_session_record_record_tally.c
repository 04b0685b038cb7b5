/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/record_tally: samples, loss by CPU, throttling and time bounds out of raw records. */
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "event/desc.h"
#include "session/record/record_tally.h"

struct bytes {
	uint64_t word[64];
	size_t len;
};

static void put(struct bytes *bytes, uint32_t type, uint16_t misc, const uint64_t *body,
		size_t words)
{
	struct perf_event_header header = { .type = type,
					    .misc = misc,
					    .size = (uint16_t)(8 + words * 8) };

	memcpy((uint8_t *)bytes->word + bytes->len, &header, sizeof(header));
	memcpy((uint8_t *)bytes->word + bytes->len + 8, body, words * 8);
	bytes->len += header.size;
}

static void open_tally(struct record_tally *tally, uint64_t sample_type)
{
	struct perf_event_attr attr = { .sample_type = sample_type };
	struct event_set set = { 0 };

	(void)event_set_add(&set, &attr, "test");
	record_tally_open(tally, &set);
	event_set_done(&set);
}

static void test_record_tally__counts_by_kind_and_cpu(void **state)
{
	const uint64_t late[] = { 0x1000, 7, 500 }, early[] = { 0x1000, 7, 400 };
	const uint64_t lost[] = { 1, 12 }, dropped[] = { 3 }, throttle[] = { 500, 1, 1 };
	const uint64_t map[9] = { 0 };
	struct record_tally tally;
	struct bytes bytes = { 0 };

	(void)state;
	open_tally(&tally, PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME);
	put(&bytes, PERF_RECORD_SAMPLE, 0, late, 3);
	put(&bytes, PERF_RECORD_SAMPLE, 0, early, 3);
	put(&bytes, PERF_RECORD_LOST, 0, lost, 2);
	put(&bytes, PERF_RECORD_LOST_SAMPLES, 0, dropped, 1);
	put(&bytes, PERF_RECORD_THROTTLE, 0, throttle, 3);
	put(&bytes, PERF_RECORD_MMAP2, 0, map, 9);
	assert_false(record_tally_add(&tally, 0, (const uint8_t *)bytes.word, bytes.len));
	assert_int_equal(2, tally.samples);
	assert_int_equal(6, tally.records);
	assert_int_equal(12, tally.lost_records);
	assert_int_equal(3, tally.lost_samples);
	assert_int_equal(15, tally.lost_by_cpu[0]);
	assert_int_equal(1, tally.throttled);
	assert_int_equal(400, tally.first_ns);
	assert_int_equal(500, tally.last_ns);
	record_tally_close(&tally);
}

static void test_record_tally__finds_time_behind_identifier(void **state)
{
	const uint64_t sample[] = { 99, 0x1000, 7, 1234 };
	struct record_tally tally;
	struct bytes bytes = { 0 };

	(void)state;
	open_tally(&tally,
		   PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME);
	put(&bytes, PERF_RECORD_SAMPLE, 0, sample, 4);
	(void)record_tally_add(&tally, 100000, (const uint8_t *)bytes.word, bytes.len);
	assert_int_equal(1234, tally.first_ns);
	record_tally_close(&tally);
}

static void test_record_tally__recognizes_maps_of_code(void **state)
{
	const uint64_t map[9] = { 0 }, code[9] = { [7] = PROT_EXEC };
	struct record_tally tally;
	struct bytes bytes = { 0 };

	(void)state;
	open_tally(&tally, PERF_SAMPLE_IP);
	put(&bytes, PERF_RECORD_MMAP2, 0, map, 9);
	assert_false(record_tally_add(&tally, 0, (const uint8_t *)bytes.word, bytes.len));
	put(&bytes, PERF_RECORD_MMAP2, PERF_RECORD_MISC_MMAP_BUILD_ID, map, 9);
	assert_true(record_tally_add(&tally, 0, (const uint8_t *)bytes.word, bytes.len));
	bytes.len = 0;
	put(&bytes, PERF_RECORD_MMAP2, 0, code, 9);
	assert_true(record_tally_add(&tally, 0, (const uint8_t *)bytes.word, bytes.len));
	assert_int_equal(0, tally.samples);
	record_tally_close(&tally);
}

static void test_record_tally__sums_files_and_the_kernels_count(void **state)
{
	const uint64_t sample[] = { 0x1000, 7, 500 }, lost[] = { 1, 12 };
	struct record_tally file, total;
	struct bytes bytes = { 0 };

	(void)state;
	open_tally(&file, PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME);
	open_tally(&total, PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME);
	put(&bytes, PERF_RECORD_SAMPLE, 0, sample, 3);
	put(&bytes, PERF_RECORD_LOST, 0, lost, 2);
	for (int i = 0; i < 2; i++) {
		(void)record_tally_add(&file, 0, (const uint8_t *)bytes.word, bytes.len);
		record_tally_sum(&total, &file);
		record_tally_reset(&file);
	}
	assert_int_equal(0, file.samples);
	assert_int_equal(2, total.samples);
	assert_int_equal(24, total.lost_by_cpu[0]);
	record_tally_lost(&total, 0, 20,
			  24); /* the kernel's count is not above that of its records */
	assert_int_equal(24, total.lost_records);
	record_tally_lost(&total, 0, 30, 24);
	assert_int_equal(30, total.lost_records);
	assert_int_equal(30, total.lost_by_cpu[0]);
	record_tally_close(&file);
	record_tally_close(&total);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_record_tally__counts_by_kind_and_cpu),
		cmocka_unit_test(test_record_tally__finds_time_behind_identifier),
		cmocka_unit_test(test_record_tally__sums_files_and_the_kernels_count),
		cmocka_unit_test(test_record_tally__recognizes_maps_of_code),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

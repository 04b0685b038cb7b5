/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Decoding records: every part of a sample in ABI order, trailers, and records that claim more than
 * they are. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "base/err.h"
#include "event/desc.h"
#include "event/perf_record.h"
#include "perf_data_builder.h"

/* Everything a sample may hold. */
#define ALL_TYPES                                                                          \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |    \
	 PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |     \
	 PERF_SAMPLE_PERIOD | PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW | \
	 PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER |       \
	 PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_TRANSACTION |             \
	 PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_CGROUP |              \
	 PERF_SAMPLE_DATA_PAGE_SIZE | PERF_SAMPLE_CODE_PAGE_SIZE)

static struct event_set make_set(uint64_t sample_type)
{
	struct event_set set = { 0 };
	struct perf_event_attr attr = { .type = PERF_TYPE_HARDWARE,
					.size = sizeof(attr),
					.sample_type = sample_type,
					.read_format = PERF_FORMAT_ID,
					.sample_regs_user = 0x5,
					.sample_regs_intr = 0x8,
					.branch_sample_type = PERF_SAMPLE_BRANCH_HW_INDEX,
					.sample_id_all = 1 };

	event_set_add_id(&set, event_set_add(&set, &attr, NULL), 42);
	return set;
}

static void put_everything(struct builder *b)
{
	record_begin(b, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	put64(b, 42);
	for (uint64_t i = 1; i <= 8; i++) /* ip, tid, time, addr, id, stream, cpu, period */
		put64(b, i == 2 ? 7 | 8ull << 32 : i == 5 ? 42 : i * 10);
	put64(b, 900); /* counter value, id */
	put64(b, 42);
	put64(b, 1); /* chain */
	put64(b, 0xabc);
	put32(b, 12); /* raw */
	put_bytes(b, "tracepoint..", 12);
	put64(b, 1); /* branches, newest index, from, to, flags */
	put64(b, 3);
	put64(b, 0x111);
	put64(b, 0x222);
	put64(b, 0);
	put64(b, PERF_SAMPLE_REGS_ABI_64);
	put64(b, 0x51);
	put64(b, 0x52);
	put64(b, 16); /* stack: room, bytes, bytes used */
	put_bytes(b, "stackstackstacks", 16);
	put64(b, 8);
	put64(b, 61); /* weight, data source, transaction */
	put64(b, 62);
	put64(b, 63);
	put64(b, PERF_SAMPLE_REGS_ABI_64);
	put64(b, 0x71);
	for (uint64_t i = 81; i <= 84; i++) /* phys, cgroup, page sizes */
		put64(b, i);
	record_end(b);
}

static const struct perf_event_header *record_of(const struct builder *b)
{
	return (const struct perf_event_header *)b->data;
}

static void test_record__sample_with_everything(void **state)
{
	struct event_set set = make_set(ALL_TYPES);
	struct builder *b = builder_new(false);
	struct event e;
	struct err err = { 0 };
	uint64_t time_ns;

	(void)state;
	put_everything(b);
	assert_int_equal(0, perf_record_decode(&set, record_of(b), &e, &err));
	assert_int_equal(EVENT_SAMPLE, e.type);
	assert_int_equal(10, e.sample.ip);
	assert_int_equal(7, e.pid);
	assert_int_equal(8, e.tid);
	assert_int_equal(30, e.time_ns);
	assert_int_equal(40, e.sample.addr);
	assert_int_equal(60, e.stream_id);
	assert_int_equal(70, e.cpu);
	assert_int_equal(80, e.sample.period);
	assert_int_equal(16, e.sample.read_len);
	assert_int_equal(0xabc, e.sample.chain[0]);
	assert_memory_equal("tracepoint..", e.sample.raw, 12);
	assert_int_equal(0x222, e.sample.branch[0].to);
	assert_int_equal(3, e.sample.branch_hw_idx);
	assert_int_equal(0x52, e.sample.user_regs[1]);
	assert_int_equal(8, e.sample.stack_len);
	assert_int_equal(61, e.sample.weight);
	assert_int_equal(62, e.sample.data_src);
	assert_int_equal(63, e.sample.transaction);
	assert_int_equal(0x71, e.sample.intr_regs[0]);
	assert_int_equal(81, e.sample.phys_addr);
	assert_int_equal(82, e.sample.cgroup);
	assert_int_equal(84, e.sample.code_page_size);
	assert_true(perf_record_time(&set, record_of(b), &time_ns));
	assert_int_equal(30, time_ns);
	event_set_done(&set);
	free(b);
}

/* Cut anywhere, a sample is refused and nothing past its end is read (ASan watches). */
static void test_record__cut_samples_are_refused(void **state)
{
	struct event_set set = make_set(ALL_TYPES);
	struct builder *b = builder_new(false);
	struct event e;
	struct err err = { 0 };

	(void)state;
	put_everything(b);
	for (size_t size = sizeof(struct perf_event_header); size < b->len; size += 8) {
		struct perf_event_header *copy = malloc(size);

		assert_non_null(copy);
		memcpy(copy, b->data, size);
		copy->size = (uint16_t)size;
		assert_int_equal(-EBADMSG, perf_record_decode(&set, copy, &e, &err));
		free(copy);
	}
	event_set_done(&set);
	free(b);
}

static void test_record__trailer_is_not_part_of_a_name(void **state)
{
	struct event_set set = make_set(PERF_SAMPLE_TID | PERF_SAMPLE_TIME);
	struct builder *b = builder_new(false);
	struct event e;
	struct err err = { 0 };

	(void)state;
	record_begin(b, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC);
	put32(b, 5);
	put32(b, 6);
	put_padded(b, "name");
	put64(b, 0);
	put64(b, 1234);
	record_end(b);
	assert_int_equal(0, perf_record_decode(&set, record_of(b), &e, &err));
	assert_string_equal("name", e.comm.name);
	assert_true(e.comm.exec);
	assert_int_equal(1234, e.time_ns);
	assert_int_equal(6, e.tid);
	memset(b->data + 16, 'x', 8); /* no NUL before the trailer */
	assert_int_equal(-EBADMSG, perf_record_decode(&set, record_of(b), &e, &err));
	event_set_done(&set);
	free(b);
}

static void test_record__build_ids_in_mmap2(void **state)
{
	struct event_set set = make_set(PERF_SAMPLE_TIME);
	struct builder *b = builder_new(false);
	struct event e;
	struct err err = { 0 };

	(void)state;
	record_begin(b, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER | 1 << 14);
	for (int i = 0; i < 4; i++)
		put64(b, 0);
	put32(b, 20);
	put_bytes(b, "ABCDEFGHIJKLMNOPQRST", 20);
	put32(b, PROT_READ | PROT_EXEC);
	put32(b, MAP_PRIVATE);
	put_padded(b, "/bin/true");
	put64(b, 9);
	record_end(b);
	assert_int_equal(0, perf_record_decode(&set, record_of(b), &e, &err));
	assert_int_equal(20, e.mmap.build_id.len);
	assert_memory_equal("ABCDEFGHIJKLMNOPQRST", e.mmap.build_id.bytes, 20);
	assert_int_equal(0, e.mmap.ino);
	assert_string_equal("/bin/true", e.mmap.path);
	event_set_done(&set);
	free(b);
}

/* The kernel lets the bit of one session slip into the records of another. */
static void test_record__stray_build_id_bit(void **state)
{
	struct event_set set = make_set(PERF_SAMPLE_TIME);
	struct builder *b = builder_new(false);
	struct event e;
	struct err err = { 0 };

	(void)state;
	for (uint32_t major = 8; major < 256; major += 246) { /* sda, virtio */
		b->len = 0;
		record_begin(b, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER | 1 << 14);
		for (int i = 0; i < 4; i++)
			put64(b, 0);
		put32(b, major);
		put32(b, 1);
		put64(b, 246999);
		put64(b, 0);
		put64(b, PROT_EXEC);
		put_padded(b, "/bin/true");
		put64(b, 9);
		record_end(b);
		assert_int_equal(0, perf_record_decode(&set, record_of(b), &e, &err));
		assert_int_equal(0, e.mmap.build_id.len);
		assert_int_equal(major, e.mmap.maj);
		assert_int_equal(246999, e.mmap.ino);
	}
	event_set_done(&set);
	free(b);
}

static void test_record__mmap2_before_linux_3_16(void **state)
{
	struct event_set set = make_set(PERF_SAMPLE_TIME);
	struct builder *b = builder_new(false);
	struct event e;
	struct err err = { 0 };

	(void)state;
	record_begin(b, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);
	for (int i = 0; i < 7; i++)
		put64(b, 0);
	put_padded(b, "/usr/lib64/ld-2.17.so");
	put64(b, 9);
	record_end(b);
	assert_int_equal(0, perf_record_decode(&set, record_of(b), &e, &err));
	assert_string_equal("/usr/lib64/ld-2.17.so", e.mmap.path);
	assert_int_equal(PROT_EXEC, e.mmap.prot);
	event_set_done(&set);
	free(b);
}

static void test_names__follow_perf(void **state)
{
	static const struct {
		uint32_t type;
		uint64_t config;
		const char *name;
	} cases[] = {
		{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, "cycles" },
		{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, "task-clock" },
		{ PERF_TYPE_HW_CACHE, 0, "L1-dcache-loads" },
		{ PERF_TYPE_HW_CACHE, 1 << 16 | 2, "LLC-load-misses" },
		{ PERF_TYPE_RAW, 0x1c2, "raw 0x1c2" },
	};
	char text[128];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct perf_event_attr attr = { .type = cases[i].type, .config = cases[i].config };

		assert_string_equal(cases[i].name, event_attr_full_name(&attr, text, sizeof(text)));
	}
	assert_string_equal("cycles:u",
			    event_attr_full_name(&(struct perf_event_attr){ .exclude_kernel = 1,
									    .exclude_hv = 1 },
						 text, sizeof(text)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_record__sample_with_everything),
		cmocka_unit_test(test_record__cut_samples_are_refused),
		cmocka_unit_test(test_record__trailer_is_not_part_of_a_name),
		cmocka_unit_test(test_record__build_ids_in_mmap2),
		cmocka_unit_test(test_record__stray_build_id_bit),
		cmocka_unit_test(test_record__mmap2_before_linux_3_16),
		cmocka_unit_test(test_names__follow_perf),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

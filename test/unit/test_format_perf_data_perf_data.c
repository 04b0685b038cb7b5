/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading perf.data: every mode gives the same events, in order, and damage costs what is damaged
 * and no more. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <zstd.h>

#include "base/buf.h"
#include "base/err.h"
#include "format/input.h"
#include "format/perf_data/perf_data.h"
#include "format/perf_data/perf_data_header_text.h"
#include "perf_data_builder.h"

#define SAMPLE_TYPE                                                                     \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW)

static const struct attr_spec clock_attr = {
	.type = PERF_TYPE_SOFTWARE, .size = 112, .period = 1000, .sample_type = SAMPLE_TYPE
};

static void put_trailer(struct builder *b, uint64_t time_ns, uint64_t id)
{
	put32(b, 70);
	put32(b, 71);
	put64(b, time_ns);
	put32(b, 3); /* cpu */
	put32(b, 0);
	put64(b, id);
}

static void put_sample(struct builder *b, uint64_t time_ns, uint64_t id)
{
	record_begin(b, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	put64(b, id);
	put64(b, 0x1000 + time_ns);
	put32(b, 70);
	put32(b, 71);
	put64(b, time_ns);
	put32(b, 3);
	put32(b, 0);
	put64(b, 5);
	put64(b, 2); /* call chain */
	put64(b, PERF_CONTEXT_USER);
	put64(b, 0x1000 + time_ns);
	put32(b, 4); /* raw data: bytes that are not to be swapped */
	put_bytes(b, "abcd", 4);
	record_end(b);
}

static void put_comm(struct builder *b, uint64_t time_ns, const char *name)
{
	record_begin(b, PERF_RECORD_COMM, 0);
	put32(b, 70);
	put32(b, 71);
	put_padded(b, name);
	put_trailer(b, time_ns, 1);
	record_end(b);
}

static void put_mmap2(struct builder *b, uint64_t time_ns)
{
	record_begin(b, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);
	put32(b, 70);
	put32(b, 71);
	put64(b, 0x400000);
	put64(b, 0x2000);
	put64(b, 0x1000);
	put32(b, 8);
	put32(b, 1);
	put64(b, 99);
	put64(b, 7);
	put32(b, 5);
	put32(b, 2);
	put_padded(b, "/usr/bin/true");
	put_trailer(b, time_ns, 1);
	record_end(b);
}

/* What arrived, as text: one line per event. */
struct seen {
	struct sink sink;
	struct buf text;
};

static int note(struct sink *sink, const struct event *event, struct err *err)
{
	struct seen *seen = (struct seen *)sink;
	struct buf *t = &seen->text;

	(void)err;
	(void)buf_printf(t, "%llu ", (unsigned long long)event->time_ns);
	switch (event->type) {
	case EVENT_SAMPLE:
		(void)buf_printf(
			t, "sample %s %u/%u cpu %u ip %llx period %llu chain %llx raw %.4s\n",
			event->desc->name, event->pid, event->tid, event->cpu,
			(unsigned long long)event->sample.ip,
			(unsigned long long)event->sample.period,
			event->sample.chain_len == 2 ? (unsigned long long)event->sample.chain[1]
						     : 0,
			event->sample.raw ? (const char *)event->sample.raw : "-");
		break;
	case EVENT_COMM:
		(void)buf_printf(t, "comm %s %u/%u\n", event->comm.name, event->pid, event->tid);
		break;
	case EVENT_MMAP:
		(void)buf_printf(t, "mmap %llx %llx %llx %x:%x %llu %llu %u %u %s\n",
				 (unsigned long long)event->mmap.start,
				 (unsigned long long)event->mmap.len,
				 (unsigned long long)event->mmap.pgoff, event->mmap.maj,
				 event->mmap.min, (unsigned long long)event->mmap.ino,
				 (unsigned long long)event->mmap.ino_generation, event->mmap.prot,
				 event->mmap.flags, event->mmap.path);
		break;
	case EVENT_ROUND:
		(void)buf_puts(t, "round\n");
		break;
	default:
		(void)buf_printf(t, "type %u\n", event->raw->type);
		break;
	}
	return 0;
}

struct outcome {
	struct seen seen;
	struct perf_data_stats stats;
	struct perf_data_header header;
	int code;
	struct err err;
};

static void read_bytes(const void *bytes, size_t len, struct outcome *ret)
{
	struct input *input = input_memory(bytes, len);
	struct perf_data *data = NULL;

	memset(ret, 0, sizeof(*ret));
	ret->seen.sink.event = note;
	ret->code = perf_data_open(input, &data, &ret->err);
	if (!ret->code) {
		ret->code = perf_data_read(data, &ret->seen.sink, &ret->err);
		ret->stats = *perf_data_stats(data);
		ret->header = *perf_data_header(data);
	}
	perf_data_close(data);
	input_close(input);
}

static void read_builder(const struct builder *b, struct outcome *ret)
{
	read_bytes(b->data, b->len, ret);
}

static void put_story(struct builder *b)
{
	put_mmap2(b, 0); /* synthetic: no time */
	put_comm(b, 10, "first");
	put_sample(b, 30, 1);
	put_sample(b, 20, 1); /* another ring */
	put_round(b);
	put_sample(b, 50, 1);
	put_sample(b, 25, 1);
	put_round(b);
}

static const char story[] =
	"0 mmap 400000 2000 1000 8:1 99 7 5 2 /usr/bin/true\n"
	"0 round\n"
	"0 round\n"
	"10 comm first 70/71\n"
	"20 sample cpu-clock 70/71 cpu 3 ip 1014 period 5 chain 1014 raw abcd\n"
	"25 sample cpu-clock 70/71 cpu 3 ip 1019 period 5 chain 1019 raw abcd\n"
	"30 sample cpu-clock 70/71 cpu 3 ip 101e period 5 chain 101e raw abcd\n"
	"50 sample cpu-clock 70/71 cpu 3 ip 1032 period 5 chain 1032 raw abcd\n";

static void test_perf_data__orders_by_time_within_two_rounds(void **state)
{
	struct builder *b = builder_new(false);
	struct outcome got;

	(void)state;
	put_file_header(b, &clock_attr, 1);
	put_story(b);
	end_data(b);
	read_builder(b, &got);
	assert_int_equal(0, got.code);
	assert_string_equal(story, got.seen.text.data);
	assert_int_equal(4, got.stats.samples);
	assert_int_equal(8, got.stats.records);
	assert_string_equal("", got.stats.damage);
	buf_done(&got.seen.text);
	free(b);
}

static void test_perf_data__reads_the_other_byte_order(void **state)
{
	struct builder *b = builder_new(true);
	struct outcome got;

	(void)state;
	put_file_header(b, &clock_attr, 1);
	put_story(b);
	end_data(b);
	read_builder(b, &got);
	assert_int_equal(0, got.code);
	assert_true(got.header.swapped);
	assert_string_equal(story, got.seen.text.data);
	buf_done(&got.seen.text);
	free(b);
}

/* The header of a pipe has no contents: attr, name and facts are records. */
static void put_pipe_head(struct builder *b)
{
	put64(b, 0x32454c4946524550ull);
	put64(b, 16);
	record_begin(b, 64, 0);
	put_attr(b, &clock_attr);
	put64(b, 1);
	record_end(b);
	record_begin(b, 80, 0);
	put64(b, PERF_FEATURE_HOSTNAME);
	put_string(b, "machine");
	record_end(b);
}

static void test_perf_data__reads_pipes(void **state)
{
	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		struct builder *b = builder_new(swap);
		struct outcome got;

		put_pipe_head(b);
		put_story(b);
		read_builder(b, &got);
		assert_int_equal(0, got.code);
		assert_true(got.header.pipe);
		assert_non_null(strstr(got.seen.text.data, story));
		buf_done(&got.seen.text);
		free(b);
	}
}

static void test_perf_data__pipe_names_events(void **state)
{
	struct builder *b = builder_new(false);
	struct outcome got;

	(void)state;
	put_pipe_head(b);
	record_begin(b, 78, 0); /* EVENT_UPDATE */
	put64(b, 2);		/* a name */
	put64(b, 1);		/* for this id */
	put_padded(b, "my-event");
	record_end(b);
	put_sample(b, 5, 1);
	read_builder(b, &got);
	assert_non_null(strstr(got.seen.text.data, "5 sample my-event"));
	buf_done(&got.seen.text);
	free(b);
}

static void test_perf_data__attr_of_a_newer_kernel_is_read(void **state)
{
	struct attr_spec big = clock_attr;
	struct builder *b = builder_new(false);
	struct outcome got;

	(void)state;
	big.size = 144;
	put_file_header(b, &big, 1);
	put_story(b);
	end_data(b);
	read_builder(b, &got);
	assert_int_equal(0, got.code);
	assert_string_equal(story, got.seen.text.data);
	buf_done(&got.seen.text);
	free(b);
}

static void test_perf_data__ids_distinguish_events(void **state)
{
	struct attr_spec attrs[2] = { clock_attr, clock_attr };
	struct builder *b = builder_new(false);
	struct outcome got;

	(void)state;
	attrs[1].config = PERF_COUNT_SW_PAGE_FAULTS;
	put_file_header(b, attrs, 2);
	put_sample(b, 1, 2);
	put_sample(b, 2, 1);
	put_sample(b, 3, 77); /* of no event */
	end_data(b);
	read_builder(b, &got);
	assert_non_null(strstr(got.seen.text.data, "1 sample page-faults"));
	assert_non_null(strstr(got.seen.text.data, "2 sample cpu-clock"));
	assert_null(strstr(got.seen.text.data, "3 sample"));
	assert_int_equal(1, got.stats.bad_records);
	buf_done(&got.seen.text);
	free(b);
}

static void test_perf_data__cut_file_gives_what_is_whole(void **state)
{
	struct builder *b = builder_new(false);
	struct outcome got;

	(void)state;
	put_file_header(b, &clock_attr, 1);
	put_story(b);
	end_data(b);
	read_bytes(b->data, b->len - 20, &got); /* the last round and some of the last sample */
	assert_int_equal(0, got.code);
	assert_int_equal(3, got.stats.samples);
	assert_true(got.stats.truncated_bytes > 20);
	assert_string_not_equal("", got.stats.damage);
	buf_done(&got.seen.text);

	patch64(b, 48, 0); /* a killed recorder leaves data.size 0 */
	read_builder(b, &got);
	assert_string_equal(story, got.seen.text.data);
	assert_string_not_equal("", got.stats.damage);
	buf_done(&got.seen.text);
	free(b);
}

static void test_perf_data__goes_on_at_a_later_round(void **state)
{
	struct builder *b = builder_new(false);
	struct outcome got;
	size_t broken;

	(void)state;
	put_file_header(b, &clock_attr, 1);
	put_sample(b, 1, 1);
	broken = b->len;
	put_sample(b, 2, 1);
	put_round(b);
	put_sample(b, 3, 1);
	end_data(b);
	b->data[broken + 6] = b->data[broken + 7] = 0; /* a record of size 0 */
	read_builder(b, &got);
	assert_int_equal(0, got.code);
	assert_int_equal(2, got.stats.samples);
	assert_int_equal(1, got.stats.bad_records);
	assert_non_null(strstr(got.seen.text.data, "3 sample"));
	buf_done(&got.seen.text);
	free(b);
}

static void test_perf_data__lying_records_are_counted(void **state)
{
	struct builder *b = builder_new(false);
	struct outcome got;

	(void)state;
	put_file_header(b, &clock_attr, 1);
	put_sample(b, 1, 1);
	patch64(b, b->len - 32, UINT64_MAX / 2); /* entries of the call chain */
	put_sample(b, 2, 1);
	record_begin(b, 60, 0); /* no such type */
	put_trailer(b, 3, 1);
	record_end(b);
	end_data(b);
	read_builder(b, &got);
	assert_int_equal(1, got.stats.samples);
	assert_int_equal(1, got.stats.bad_records);
	assert_int_equal(1, got.stats.unknown_records);
	assert_non_null(strstr(got.seen.text.data, "3 type 60"));
	buf_done(&got.seen.text);
	free(b);
}

static void test_perf_data__what_is_no_recording_is_refused(void **state)
{
	struct outcome got;
	static const char old[] = "PERFFILE and more than sixteen bytes";
	static const char text[] = "comm 12 3.4: cycles:";

	(void)state;
	read_bytes("", 0, &got);
	assert_int_equal(-ENODATA, got.code);
	read_bytes(text, sizeof(text), &got);
	assert_int_equal(-EINVAL, got.code);
	read_bytes(old, sizeof(old), &got);
	assert_int_equal(-ENOTSUP, got.code);
	read_bytes("PERFILE2h\0\0\0\0\0\0\0", 16, &got);
	assert_int_equal(-EBADMSG, got.code);
}

/* Packs records as perf record -z does: one zstd stream, cut at any byte. */
static void put_compressed(struct builder *b, uint32_t type, const struct builder *records)
{
	ZSTD_CCtx *context = ZSTD_createCCtx();
	size_t at = 0, step = records->len / 3;

	while (at < records->len) {
		size_t len = records->len - at < step ? records->len - at : step;
		uint8_t packed[8192], zeros[8] = { 0 };
		ZSTD_inBuffer in = { records->data + at, len, 0 };
		ZSTD_outBuffer out = { packed, sizeof(packed), 0 };

		assert_int_equal(0, ZSTD_compressStream2(context, &out, &in, ZSTD_e_flush));
		record_begin(b, type, 0);
		if (type == 83)
			put64(b, out.pos);
		put_bytes(b, packed, out.pos);
		if (type == 83)
			put_bytes(b, zeros, (8 - out.pos % 8) % 8);
		record_end(b);
		at += len;
	}
	ZSTD_freeCCtx(context);
}

static void test_perf_data__unpacks_both_compressed_forms(void **state)
{
	(void)state;
	for (uint32_t type = 81; type <= 83; type += 2) {
		struct builder *b = builder_new(false), *records = builder_new(false);
		struct outcome got;

		put_file_header(b, &clock_attr, 1);
		for (uint64_t i = 0; i < 50; i++)
			put_sample(records, 100 - i, 1);
		put_compressed(b, type, records);
		put_round(b);
		end_data(b);
		read_builder(b, &got);
		assert_int_equal(0, got.code);
		assert_int_equal(50, got.stats.samples);
		assert_int_equal(records->len, got.stats.uncompressed_bytes);
		assert_string_equal("", got.stats.damage);
		assert_memory_equal("0 round\n51 sample", got.seen.text.data, 17);
		buf_done(&got.seen.text);
		free(b);
		free(records);
	}
}

static void put_group_sample(struct builder *b, uint64_t time_ns, uint64_t first, uint64_t second)
{
	record_begin(b, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	put64(b, 1);
	put64(b, 0x1000);
	put64(b, time_ns);
	put64(b, 2); /* counters */
	put64(b, first);
	put64(b, 1);
	put64(b, second);
	put64(b, 2);
	record_end(b);
}

static void test_perf_data__group_reads_become_one_event_per_counter(void **state)
{
	struct attr_spec attrs[2] = { { .type = PERF_TYPE_HARDWARE,
					.size = 112,
					.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP |
						       PERF_SAMPLE_TIME | PERF_SAMPLE_READ,
					.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID } };
	struct builder *b = builder_new(false);
	struct outcome got;

	(void)state;
	attrs[1] = attrs[0];
	attrs[1].config = PERF_COUNT_HW_INSTRUCTIONS;
	put_file_header(b, attrs, 2);
	put_group_sample(b, 1, 100, 700);
	put_group_sample(b, 2, 150, 700); /* the second stood still */
	end_data(b);
	read_builder(b, &got);
	assert_non_null(strstr(got.seen.text.data, "1 sample cycles 4294967295/4294967295 cpu "
						   "4294967295 ip 1000 period 100 "));
	assert_non_null(strstr(got.seen.text.data, "period 700 "));
	assert_non_null(strstr(got.seen.text.data, "period 50 "));
	assert_int_equal(2, got.stats.samples);
	buf_done(&got.seen.text);
	free(b);
}

static void test_perf_data__header_sections(void **state)
{
	struct builder *b = builder_new(false);
	struct input *input;
	struct perf_data *data;
	struct buf text = { 0 };
	struct err err = { 0 };
	size_t table;

	(void)state;
	put_file_header(b, &clock_attr, 1);
	put_round(b);
	end_data(b);
	patch64(b, 72, 1ull << PERF_FEATURE_HOSTNAME | 1ull << PERF_FEATURE_NRCPUS);
	table = b->len;
	for (int i = 0; i < 4; i++)
		put64(b, 0);
	patch64(b, table, b->len);
	put_string(b, "machine");
	patch64(b, table + 8, b->len - table - 32);
	patch64(b, table + 16, b->len);
	put32(b, 8);
	put32(b, 4);
	patch64(b, table + 24, 8);
	input = input_memory(b->data, b->len);
	assert_int_equal(0, perf_data_open(input, &data, &err));
	assert_string_equal("machine", perf_data_header(data)->hostname);
	assert_int_equal(4, perf_data_header(data)->cpus_online);
	assert_int_equal(8, perf_data_header(data)->cpus_available);
	assert_int_equal(0, perf_data_header_text(data, true, &text));
	assert_non_null(strstr(text.data, "# hostname : machine\n# nrcpus online : 4\n"));
	assert_non_null(strstr(text.data, "# missing features: TRACING_DATA "));
	buf_done(&text);
	perf_data_close(data);
	input_close(input);
	free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_perf_data__orders_by_time_within_two_rounds),
		cmocka_unit_test(test_perf_data__reads_the_other_byte_order),
		cmocka_unit_test(test_perf_data__reads_pipes),
		cmocka_unit_test(test_perf_data__pipe_names_events),
		cmocka_unit_test(test_perf_data__attr_of_a_newer_kernel_is_read),
		cmocka_unit_test(test_perf_data__ids_distinguish_events),
		cmocka_unit_test(test_perf_data__cut_file_gives_what_is_whole),
		cmocka_unit_test(test_perf_data__goes_on_at_a_later_round),
		cmocka_unit_test(test_perf_data__lying_records_are_counted),
		cmocka_unit_test(test_perf_data__what_is_no_recording_is_refused),
		cmocka_unit_test(test_perf_data__unpacks_both_compressed_forms),
		cmocka_unit_test(test_perf_data__group_reads_become_one_event_per_counter),
		cmocka_unit_test(test_perf_data__header_sections),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

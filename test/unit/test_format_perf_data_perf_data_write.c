/* SPDX-License-Identifier: GPL-2.0-or-later */
/* format/perf_data_write: what is written is read back the same, by our own reader (test/live does
 * it with stock perf): file and pipe mode, compressed or not, cut off by a crash or a full disk. */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/err.h"
#include "event/desc.h"
#include "format/input.h"
#include "format/perf_data/perf_data.h"
#include "format/perf_data/perf_data_write.h"

#define SAMPLES 1000

struct sample {
	struct perf_event_header header;
	uint64_t identifier, ip;
	uint32_t pid, tid;
	uint64_t time, period;
};

static void make_events(struct event_set *set)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			       PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD,
		.sample_id_all = 1,
	};
	struct event_desc *desc = event_set_add(set, &attr, "cpu-clock:u");

	event_set_add_id(set, desc, 17);
	event_set_add_id(set, desc, 18);
	attr.config = PERF_COUNT_SW_DUMMY;
	desc = event_set_add(set, &attr, "dummy");
	event_set_add_id(set, desc, 19);
	desc->group_leader = 0;
}

static void write_samples(struct perf_data_writer *writer, uint64_t first, size_t count)
{
	struct err err = { 0 };

	for (size_t i = 0; i < count; i++) {
		const struct sample sample = {
			.header = { PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, sizeof(sample) },
			.identifier = 17 + (first + i) % 3,
			.ip = 0x401000 + i % 16,
			.pid = 42,
			.tid = 43,
			.time = 1000 + first + i,
			.period = 10101,
		};

		assert_int_equal(0,
				 perf_data_writer_records(writer, &sample, sizeof(sample), &err));
	}
}

static void write_before(struct perf_data_writer *writer)
{
	struct err err = { 0 };
	struct event event = { .type = EVENT_COMM, .pid = 42, .tid = 43, .cpu = UINT32_MAX };

	event.comm.name = "worker \n x";
	assert_int_equal(0, perf_data_writer_event(writer, &event, &err));
	event = (struct event){
		.type = EVENT_MMAP, .misc = PERF_RECORD_MISC_USER, .pid = 42, .tid = 42
	};
	event.mmap = (struct event_mmap){ .start = 0x400000,
					  .len = 0x2000,
					  .maj = 8,
					  .min = 1,
					  .ino = 77,
					  .prot = PROT_READ | PROT_EXEC,
					  .path = "/usr/bin/worker" };
	assert_int_equal(0, perf_data_writer_event(writer, &event, &err));
	event.mmap.start += 0x2000;
	event.mmap.path = "/usr/lib/libx.so";
	event.mmap.build_id = (struct build_id){ 20, "0123456789abcdefghij" };
	assert_int_equal(0, perf_data_writer_event(writer, &event, &err));
	event = (struct event){ .type = EVENT_MMAP,
				.misc = PERF_RECORD_MISC_KERNEL,
				.pid = UINT32_MAX };
	event.mmap = (struct event_mmap){ .start = 0xffffffff81000000,
					  .len = 0x1000000,
					  .pgoff = 0xffffffff81000000,
					  .path = "[kernel.kallsyms]_text" };
	assert_int_equal(0, perf_data_writer_event(writer, &event, &err));
	event = (struct event){ .type = EVENT_FORK, .pid = 42, .tid = 44 };
	event.task.ppid = event.task.ptid = 42;
	assert_int_equal(0, perf_data_writer_event(writer, &event, &err));
	event = (struct event){ .type = EVENT_SAMPLE };
	assert_int_equal(-EINVAL, perf_data_writer_event(writer, &event, &err));
}

static const char *const cmdline[] = { "cupel", "record", "--", "worker" };
static const uint64_t lost[] = { 0, 7 };

/* Names to keep, more than a record holds; their bytes mean nothing here. */
static char kept[150001];

static void make_kept(void)
{
	for (size_t i = 0; i < sizeof(kept); i++)
		kept[i] = (char)(i * 7 + i / 251);
}

static struct perf_data_writer *open_writer(int fd, bool pipe, int level, struct event_set *set)
{
	const struct perf_data_facts facts = { .fd = fd,
					       .pipe = pipe,
					       .cmdline = cmdline,
					       .cmdline_count = 4,
					       .zstd_level = level,
					       .mmap_len = 4096,
					       .names = kept,
					       .names_len = sizeof(kept) };
	struct perf_data_writer *writer = NULL;
	struct err err = { 0 };

	make_kept();
	make_events(set);
	if (perf_data_writer_open(set, &facts, &writer, &err))
		fail_msg("%s", err.msg);
	return writer;
}

static void finish(struct perf_data_writer *writer, int expected)
{
	struct event build_id = { .type = EVENT_BUILD_ID,
				  .misc = PERF_RECORD_MISC_USER,
				  .pid = UINT32_MAX };
	struct perf_data_summary summary = { .first_ns = 1000,
					     .last_ns = 1999,
					     .self_cpu_ns = 12345,
					     .self_peak_rss_bytes = 678,
					     .lost_samples = 7,
					     .lost_by_cpu = lost,
					     .cpus = 2,
					     .build_ids = &build_id,
					     .build_id_count = 1,
					     .names = kept,
					     .names_len = sizeof(kept) };
	struct err err = { 0 };

	build_id.build_id.id = (struct build_id){ 20, "0123456789abcdefghij" };
	build_id.build_id.path = "/usr/bin/worker";
	if (perf_data_writer_finish(writer, &summary, &err) != expected)
		fail_msg("%s", err.msg);
}

struct counter {
	struct sink sink;
	size_t samples[2], maps, comms, forks;
	bool kernel, build_id;
};

static int count_event(struct sink *sink, const struct event *event, struct err *err)
{
	struct counter *counter = (struct counter *)sink;

	(void)err;
	switch (event->type) {
	case EVENT_SAMPLE:
		assert_non_null(event->desc);
		assert_int_equal(43, event->tid);
		assert_int_equal(10101, event->sample.period);
		counter->samples[event->desc->index]++;
		break;
	case EVENT_MMAP:
		counter->maps++;
		counter->kernel |= strcmp(event->mmap.path, "[kernel.kallsyms]_text") == 0 &&
				   event->mmap.pgoff == 0xffffffff81000000 &&
				   event->pid == UINT32_MAX;
		counter->build_id |=
			event->mmap.build_id.len == 20 &&
			strcmp(event->mmap.path, "/usr/lib/libx.so") == 0 &&
			memcmp(event->mmap.build_id.bytes, "0123456789abcdefghij", 20) == 0;
		break;
	case EVENT_COMM:
		assert_string_equal("worker \n x", event->comm.name);
		counter->comms++;
		break;
	case EVENT_FORK:
		assert_int_equal(42, event->task.ppid);
		counter->forks++;
		break;
	default:
		break;
	}
	return 0;
}

enum whole { ANY, DATA, NAMES, ALL }; /* ANY: its end is there or not */

static struct counter read_back(const char *path, size_t expected, enum whole whole)
{
	struct counter counter = { .sink = { .event = count_event } };
	struct perf_data *data = NULL;
	struct input *input = NULL;
	struct err err = { 0 };
	const uint8_t *names;
	bool has_kept;
	size_t len;

	assert_int_equal(0, input_open(path, &input, &err));
	if (perf_data_open(input, &data, &err))
		fail_msg("%s", err.msg);
	/* before any event, as names are needed for the first */
	has_kept = perf_data_feature(data, PERF_FEATURE_KEPT_NAMES, &names, &len) &&
		   len == sizeof(kept) && memcmp(names, kept, len) == 0;
	if (perf_data_read(data, &counter.sink, &err))
		fail_msg("%s", err.msg);
	if (whole != ANY)
		assert_string_equal(whole == ALL ? "" : "the recorder did not finish the file",
				    perf_data_stats(data)->damage);
	assert_int_equal(expected, counter.samples[0] + counter.samples[1]);
	assert_int_equal(3, counter.maps);
	assert_int_equal(1, counter.comms);
	assert_int_equal(1, counter.forks);
	assert_true(counter.kernel && counter.build_id);
	if (whole >= NAMES) {
		assert_string_equal("cpu-clock:u", perf_data_events(data)->desc.item[0]->name);
		assert_int_equal(4, perf_data_header(data)->cmdline_count);
		assert_string_equal("worker", perf_data_header(data)->cmdline[3]);
	}
	if (whole == ALL) {
		assert_int_equal(12345, perf_data_stats(data)->self_cpu_ns);
		assert_int_equal(678, perf_data_stats(data)->self_peak_rss_bytes);
		assert_int_equal(1999, perf_data_header(data)->last_ns);
		assert_true(has_kept);
	}
	perf_data_close(data);
	input_close(input);
	return counter;
}

static void round_trip(bool pipe, int level)
{
	char path[] = "/tmp/cupel-test-XXXXXX";
	struct event_set set = { 0 };
	int fd = mkstemp(path);
	struct perf_data_writer *writer = open_writer(fd, pipe, level, &set);
	struct err err = { 0 };

	write_before(writer);
	for (int i = 0; i < 10; i++) {
		write_samples(writer, (uint64_t)i * SAMPLES / 10, SAMPLES / 10);
		assert_int_equal(0, perf_data_writer_round(writer, &err));
	}
	finish(writer, 0);
	assert_int_equal(lseek(fd, 0, SEEK_END), perf_data_writer_bytes(writer));
	perf_data_writer_free(writer);
	event_set_done(&set);
	assert_int_equal(0, close(fd));
	(void)read_back(path, SAMPLES, ALL);
	if (!getenv("CUPEL_TEST_KEEP"))
		assert_int_equal(0, unlink(path));
	else
		print_message("%s: %s, level %d\n", path, pipe ? "pipe" : "file", level);
}

static void test_writer__file_reads_back(void **state)
{
	(void)state;
	round_trip(false, 0);
}

static void test_writer__pipe_reads_back(void **state)
{
	(void)state;
	round_trip(true, 0);
}

static void test_writer__compressed_reads_back(void **state)
{
	(void)state;
	round_trip(false, 1);
	round_trip(true, 3);
}

static void crash(size_t more, bool names)
{
	char path[] = "/tmp/cupel-test-XXXXXX";
	struct event_set set = { 0 };
	int fd = mkstemp(path);
	struct perf_data_writer *writer = open_writer(fd, false, 0, &set);
	struct err err = { 0 };

	write_before(writer);
	write_samples(writer, 0, 100);
	assert_int_equal(0, perf_data_writer_round(writer, &err));
	write_samples(writer, 100, more);
	perf_data_writer_free(writer); /* no finish: as after SIGKILL */
	event_set_done(&set);
	assert_int_equal(0, close(fd));
	(void)read_back(path, 100, names ? NAMES : DATA);
	assert_int_equal(0, unlink(path));
}

/* Between rounds all is there but what only the end knows; within one the names may be missing. */
static void test_writer__crash_keeps_full_rounds(void **state)
{
	(void)state;
	crash(10, true);
	crash(20000, false);
}

/* A limit on the file's size stands for a full disk. */
static void test_writer__full_disk_keeps_full_rounds(void **state)
{
	char path[] = "/tmp/cupel-test-XXXXXX";
	struct event_set set = { 0 };
	int fd = mkstemp(path);
	struct perf_data_writer *writer = open_writer(fd, false, 0, &set);
	struct rlimit old, limit;
	struct err err = { 0 };
	static const char big[1 << 20];

	(void)state;
	(void)signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(0, getrlimit(RLIMIT_FSIZE, &old));
	limit = (struct rlimit){ 200000, old.rlim_max };
	assert_int_equal(0, setrlimit(RLIMIT_FSIZE, &limit));
	write_before(writer);
	write_samples(writer, 0, 100);
	assert_int_equal(0, perf_data_writer_round(writer, &err));
	assert_int_equal(-EFBIG, perf_data_writer_records(writer, big, sizeof(big), &err));
	assert_int_equal(-EFBIG, perf_data_writer_round(writer, &err));
	finish(writer, 0);
	perf_data_writer_free(writer);
	event_set_done(&set);
	assert_int_equal(0, setrlimit(RLIMIT_FSIZE, &old));
	assert_int_equal(0, close(fd));
	(void)read_back(path, 100, ALL);
	assert_int_equal(0, unlink(path));
}

/* The limit is `more` bytes behind the last round. */
static void finish_without_room(rlim_t more)
{
	char path[] = "/tmp/cupel-test-XXXXXX";
	const struct perf_data_summary summary = { .self_cpu_ns = 12345,
						   .first_ns = 1000,
						   .last_ns = 1999,
						   .names = path,
						   .names_len = sizeof(path) };
	struct event_set set = { 0 };
	int fd = mkstemp(path);
	struct perf_data_writer *writer = open_writer(fd, false, 1, &set);
	struct rlimit old, limit;
	struct err err = { 0 };

	assert_int_equal(0, getrlimit(RLIMIT_FSIZE, &old));
	write_before(writer);
	write_samples(writer, 0, 100);
	assert_int_equal(0, perf_data_writer_round(writer, &err));
	limit = (struct rlimit){ perf_data_writer_bytes(writer) + more, old.rlim_max };
	assert_int_equal(0, setrlimit(RLIMIT_FSIZE, &limit));
	(void)perf_data_writer_finish(writer, &summary, &err); /* there is room or not */
	perf_data_writer_free(writer);
	event_set_done(&set);
	assert_int_equal(0, setrlimit(RLIMIT_FSIZE, &old));
	assert_int_equal(0, close(fd));
	(void)read_back(path, 100, ANY);
	assert_int_equal(0, unlink(path));
}

/* Wherever the room ends behind the data, nothing in the file points to what is not there. */
static void test_writer__full_disk_at_the_end(void **state)
{
	(void)state;
	(void)signal(SIGXFSZ, SIG_IGN);
	for (rlim_t more = 0; more < 1200; more += 8)
		finish_without_room(more);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_writer__file_reads_back),
		cmocka_unit_test(test_writer__pipe_reads_back),
		cmocka_unit_test(test_writer__compressed_reads_back),
		cmocka_unit_test(test_writer__crash_keeps_full_rounds),
		cmocka_unit_test(test_writer__full_disk_keeps_full_rounds),
		cmocka_unit_test(test_writer__full_disk_at_the_end),
	};

	return cmocka_run_group_tests_name("format/perf_data_write", tests, NULL, NULL);
}

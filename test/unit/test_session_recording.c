/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/recording: one opening is enough for header, statistics and content, so a pipe will do.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/err.h"
#include "event/desc.h"
#include "format/perf_data/perf_data.h"
#include "format/perf_data/perf_data_write.h"
#include "proc/proc.h"
#include "profile/profile.h"
#include "session/load/load.h"
#include "session/recording.h"
#include "session/replay.h"

#define SAMPLES 3

static const struct load_options raw = { .symbol.symfs = "", .no_symbols = true };

static void write_samples(struct perf_data_writer *writer)
{
	struct sample {
		struct perf_event_header header;
		uint64_t identifier, ip;
		uint32_t pid, tid;
		uint64_t time, period;
	} sample = { .header = { PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, sizeof(sample) },
		     .identifier = 17,
		     .ip = 0x401000,
		     .pid = 42,
		     .tid = 43,
		     .period = 5 };
	struct err err = { 0 };

	for (sample.time = 1; sample.time <= SAMPLES; sample.time++)
		assert_int_equal(perf_data_writer_records(writer, &sample, sizeof(sample), &err),
				 0);
}

/* The reading end of a pipe that holds all of it; its path goes to ret. */
static int fill_pipe(char *ret, size_t size)
{
	static const char *const words[] = { "cupel", "record", "worker" };
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			       PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD,
		.sample_id_all = 1,
	};
	struct perf_data_facts facts = { .pipe = true, .cmdline = words, .cmdline_count = 3 };
	struct perf_data_summary summary = { .lost_samples = 9 };
	struct perf_data_writer *writer = NULL;
	struct event_set set = { 0 };
	struct err err = { 0 };
	int fd[2];

	assert_int_equal(pipe(fd), 0);
	facts.fd = fd[1];
	event_set_add_id(&set, event_set_add(&set, &attr, "cpu-clock"), 17);
	assert_int_equal(perf_data_writer_open(&set, &facts, &writer, &err), 0);
	write_samples(writer);
	assert_int_equal(perf_data_writer_finish(writer, &summary, &err), 0);
	perf_data_writer_free(writer);
	event_set_done(&set);
	assert_int_equal(close(fd[1]), 0);
	(void)snprintf(ret, size, "/proc/self/fd/%d", fd[0]);
	return fd[0];
}

static void test_header_then_content_of_a_pipe(void **state)
{
	struct recording *recording;
	struct profile *profile;
	struct perf_data *data;
	struct buf text = { 0 };
	struct err err = { 0 };
	char path[64];
	int fd = fill_pipe(path, sizeof(path));

	(void)state;
	assert_int_equal(recording_open(path, &recording, &err), 0);
	assert_string_equal(recording_name(recording), path);
	assert_int_equal(recording_header_text(recording, false, &text, &err), 0);
	assert_non_null(strstr(text.data, "cmdline : cupel record worker"));
	assert_int_equal(recording_load(recording, &raw, &profile, &err), 0);
	assert_int_equal(profile->events.item[0].samples, SAMPLES);
	assert_int_equal(profile->events.item[0].weight, SAMPLES * 5);
	assert_int_equal(profile->meta.words.count, 3);
	assert_int_equal(recording_data(recording, &data, &err), 0);
	assert_int_equal(perf_data_stats(data)->samples, SAMPLES);
	profile_free(profile);
	recording_close(recording);
	buf_done(&text);
	(void)close(fd);
}

static void test_named_symbol_files_must_be_there(void **state)
{
	const struct load_options options[] = {
		{ .symbol = { .symfs = "", .kallsyms_path = "/no/such/file" } },
		{ .symbol = { .symfs = "", .vmlinux_path = "/no/such/file" } },
		{ .symbol = { .symfs = "/no/such/file" } },
		{ .symbol = { .symfs = "/proc/self/exe" } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		struct recording *recording;
		struct profile *profile;
		struct err err = { 0 };
		char path[64];
		int fd = fill_pipe(path, sizeof(path));

		assert_int_equal(recording_open(path, &recording, &err), 0);
		assert_int_equal(recording_load(recording, &options[i], &profile, &err),
				 i < 3 ? -ENOENT : -ENOTDIR);
		assert_non_null(strstr(err.msg, i < 3 ? "/no/such/file" : "not a folder"));
		recording_close(recording);
		(void)close(fd);
	}
}

struct counter {
	struct replay_handler handler;
	unsigned samples;
};

static int count_sample(struct replay_handler *handler, const struct replay_sample *sample,
			struct err *err)
{
	(void)err;
	assert_int_equal(sample->thread->tid, 43);
	((struct counter *)handler)->samples++;
	return 0;
}

static void test_events_of_a_pipe(void **state)
{
	const struct replay_options options = { .no_symbols = true };
	struct counter counter = { .handler.sample = count_sample };
	struct recording *recording;
	struct err err = { 0 };
	char path[64];
	int fd = fill_pipe(path, sizeof(path));

	(void)state;
	assert_int_equal(recording_open(path, &recording, &err), 0);
	assert_int_equal(recording_replay(recording, &options, &counter.handler, &err), 0);
	assert_int_equal(counter.samples, SAMPLES);
	recording_close(recording);
	(void)close(fd);
}

static void test_text_has_content_but_no_header(void **state)
{
	struct recording *recording;
	struct profile *profile;
	struct perf_data *data;
	struct buf text = { 0 };
	struct err err = { 0 };
	char path[64];
	int fd[2];

	(void)state;
	assert_int_equal(pipe(fd), 0);
	assert_int_equal(write(fd[1], "app;main 3\n", 11), 11);
	assert_int_equal(close(fd[1]), 0);
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd[0]);
	assert_int_equal(recording_open(path, &recording, &err), 0);
	assert_int_equal(recording_data(recording, &data, &err), -EINVAL);
	assert_int_equal(recording_header_text(recording, false, &text, &err), -EINVAL);
	assert_int_equal(recording_load(recording, &raw, &profile, &err), 0);
	assert_int_equal(profile->events.item[0].weight, 3);
	profile_free(profile);
	recording_close(recording);
	(void)close(fd[0]);
}

static void test_what_is_not_there_says_how_to_make_it(void **state)
{
	struct recording *recording = NULL;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(recording_open("/proc/nonexistent", &recording, &err), -ENOENT);
	assert_non_null(strstr(err.hint, "cupel record"));
	recording_close(recording);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_named_symbol_files_must_be_there),
		cmocka_unit_test(test_header_then_content_of_a_pipe),
		cmocka_unit_test(test_events_of_a_pipe),
		cmocka_unit_test(test_text_has_content_but_no_header),
		cmocka_unit_test(test_what_is_not_there_says_how_to_make_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

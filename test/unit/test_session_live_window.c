/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/live_window: samples of the window only, records of what lives, bounded memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <linux/perf_event.h>

#include "base/err.h"
#include "base/fd.h"
#include "event/desc.h"
#include "event/sink.h"
#include "format/input.h"
#include "format/perf_data/perf_data.h"
#include "format/perf_data/perf_data_write.h"
#include "session/live_window.h"

struct record {
	struct perf_event_header header;
	uint32_t word[6];
};

static void add(struct live_window *w, uint32_t type, uint16_t misc, const uint32_t word[6])
{
	struct record record = { .header = { type, misc, sizeof(record) } };

	memcpy(record.word, word, sizeof(record.word));
	live_window_add(w, &record.header);
}

#define SAMPLE(n)           \
	(const uint32_t[6]) \
	{                   \
		n           \
	}
#define TASK(pid, from)              \
	(const uint32_t[6])          \
	{                            \
		pid, from, pid, from \
	}

/* What a file of the window has: " s3 c10" */
struct found {
	struct sink sink;
	char text[512];
};

static int on_event(struct sink *sink, const struct event *event, struct err *err)
{
	struct found *found = (struct found *)sink;
	size_t len = strlen(found->text);

	(void)err;
	if (event->type == EVENT_SAMPLE)
		(void)snprintf(found->text + len, sizeof(found->text) - len, " s%u",
			       (unsigned)event->sample.ip);
	else if (event->type == EVENT_COMM || event->type == EVENT_FORK)
		(void)snprintf(found->text + len, sizeof(found->text) - len, " %c%u",
			       event->type == EVENT_COMM ? 'c' : 'f', event->pid);
	return 0;
}

static void expect(const struct live_window *w, const char *text)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.size = sizeof(attr),
					.sample_type = PERF_SAMPLE_IP };
	struct found found = { .sink = { .event = on_event } };
	struct event_set events = { 0 };
	struct perf_data_writer *writer;
	struct perf_data *data;
	struct err err = { 0 };
	struct input *input;
	char path[32];
	int fd = fd_temporary("window", &err);

	assert_true(fd >= 0);
	(void)event_set_add(&events, &attr, "cpu-clock");
	assert_int_equal(perf_data_writer_open(&events, &(struct perf_data_facts){ .fd = fd },
					       &writer, &err),
			 0);
	assert_int_equal(live_window_write(w, writer, &err), 0);
	assert_int_equal(perf_data_writer_finish(writer, &(struct perf_data_summary){ 0 }, &err),
			 0);
	perf_data_writer_free(writer);
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_int_equal(input_open(path, &input, &err), 0);
	assert_int_equal(perf_data_open(input, &data, &err), 0);
	assert_int_equal(perf_data_read(data, &found.sink, &err), 0);
	perf_data_close(data);
	input_close(input);
	event_set_done(&events);
	fd_close(&fd);
	assert_string_equal(found.text, text);
}

static void test_live_window__keeps_the_last_moments(void **state)
{
	struct live_window *w = live_window_new(2, 1 << 20);

	(void)state;
	add(w, PERF_RECORD_COMM, 0, TASK(10, 10));
	add(w, PERF_RECORD_SAMPLE, 0, SAMPLE(1));
	expect(w, ""); /* the moment has not ended */
	live_window_push(w);
	add(w, PERF_RECORD_SAMPLE, 0, SAMPLE(2));
	live_window_push(w);
	expect(w, " c10 s1 s2");
	add(w, PERF_RECORD_SAMPLE, 0, SAMPLE(3));
	live_window_push(w);
	expect(w, " c10 s2 s3");
	live_window_clear(w);
	expect(w, " c10");
	live_window_push(w);
	expect(w, " c10");
	live_window_free(w);
}

static void test_live_window__has_a_limit(void **state)
{
	struct live_window *w = live_window_new(1, 3 * sizeof(struct record));

	(void)state;
	for (uint32_t i = 1; i < 6; i++)
		add(w, PERF_RECORD_SAMPLE, 0, SAMPLE(i));
	add(w, PERF_RECORD_COMM, 0, TASK(7, 7)); /* not a sample: kept in any case */
	live_window_push(w);
	expect(w, " s1 s2 s3 c7");
	assert_int_equal(live_window_dropped(w), 2);
	live_window_push(w);
	assert_int_equal(live_window_dropped(w), 0);
	live_window_free(w);
}

/* A million short programs leave nothing; those that live stay, with where their mappings come
 * from. */
static void test_live_window__forgets_what_ended(void **state)
{
	struct live_window *w = live_window_new(1, 1 << 20);
	size_t most = 0;

	(void)state;
	add(w, PERF_RECORD_COMM, 0, TASK(10, 10));
	add(w, PERF_RECORD_FORK, 0, TASK(11, 10));
	add(w, PERF_RECORD_EXIT, 0, TASK(10, 1)); /* 11 has its mappings */
	add(w, PERF_RECORD_COMM, 0, TASK(12, 12));
	add(w, PERF_RECORD_FORK, 0, TASK(13, 12));
	add(w, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, TASK(13, 13));
	add(w, PERF_RECORD_EXIT, 0, TASK(12, 1)); /* 13 has its own */
	for (uint32_t i = 0; i < 1000000; i++) {
		add(w, PERF_RECORD_FORK, 0, TASK(1000 + i, 11));
		add(w, PERF_RECORD_COMM, 0, TASK(1000 + i, 1000 + i));
		add(w, PERF_RECORD_EXIT, 0, TASK(1000 + i, 11));
		if (i % 1000 == 999) {
			live_window_push(w);
			most = live_window_bytes(w) > most ? live_window_bytes(w) : most;
		}
	}
	assert_true(most < 2 << 20);
	while (live_window_bytes(w) > 20 * sizeof(struct record)) { /* until it is tidied again */
		add(w, PERF_RECORD_KSYMBOL, 0, TASK(0, 0));
		for (uint32_t i = 0; i < 10000; i++) {
			add(w, PERF_RECORD_FORK, 0, TASK(5, 11));
			add(w, PERF_RECORD_EXIT, 0, TASK(5, 11));
		}
		live_window_push(w);
		live_window_push(w);
	}
	expect(w, " c10 f11 f13 c13");
	live_window_free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_live_window__keeps_the_last_moments),
		cmocka_unit_test(test_live_window__has_a_limit),
		cmocka_unit_test(test_live_window__forgets_what_ended),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/ftrace: a recording is made of other traces, and calls have their own time. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "event/kind.h"
#include "profile/profile.h"
#include "session/ftrace/call_times.h"
#include "session/ftrace/trace_dat_load.h"
#include "session/ftrace/trace_records.h"
#include "session/ftrace/trace_text_load.h"
#include "session/load/load.h"
#include "session/recording.h"

static void test_records__become_a_recording(void **state)
{
	static const uint64_t frame[] = { 0xffffffff81000010, 0xffffffff81000104 };
	struct trace_records *records = trace_records_new();
	struct trace_record record = {
		.tid = 7, .time_ns = 1000, .period = 30, .frame = frame, .frames = 2
	};
	struct load_options options = { .symbol = { .symfs = "" } };
	struct profile *profile;
	struct err err = { 0 };
	char path[64];
	int fd;

	(void)state;
	record.event = trace_records_add_event(records, "function-time", 0);
	assert_int_equal(trace_records_begin(records, NULL, 0, 0xffffffff80000001, &err), 0);
	assert_int_equal(trace_records_comm(records, 7, "worker", &err), 0);
	trace_records_name(records, frame[0], frame[0] + 16, "inner");
	trace_records_name(records, 0xffffffff81000100, 0xffffffff81000200, "outer");
	assert_int_equal(trace_records_sample(records, &record, &err), 0);
	record.time_ns = 2000;
	assert_int_equal(trace_records_sample(records, &record, &err), 0);
	fd = trace_records_finish(records, &err);
	assert_true(fd >= 0);
	trace_records_free(records);
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_int_equal(session_load(path, &options, &profile, &err), 0);
	assert_int_equal(profile->samples.count, 1); /* the same stack twice */
	assert_int_equal(profile->samples.item[0].weight, 60);
	assert_int_equal(profile->events.count, 1);
	assert_int_equal(profile->events.item[0].kind, EVENT_KIND_FUNCTION_TIME);
	assert_int_equal(profile->events.item[0].unit_type, EVENT_UNIT_NS);
	profile_free(profile);
	(void)close(fd);
}

static void enter(struct call_times *times, uint64_t function, uint32_t depth, uint64_t ns)
{
	const struct call call = { .function = function, .depth = depth, .start_ns = ns };

	call_times_enter(times, 1, &call);
}

static bool leave(struct call_times *times, uint64_t function, uint32_t depth, uint64_t ns,
		  uint64_t *ret)
{
	const struct call call = { .function = function, .depth = depth, .start_ns = ns };

	return call_times_exit(times, 1, &call, UINT64_MAX, ret);
}

static void test_calls__have_their_own_time(void **state)
{
	struct call_times times = { 0 };
	uint64_t self;

	(void)state;
	assert_false(leave(&times, 0x10, 0, 5, &self)); /* its entry was not seen */
	enter(&times, 0x10, 0, 10);
	enter(&times, 0x20, 1, 12);
	assert_true(leave(&times, 0x20, 1, 15, &self));
	assert_int_equal(self, 3);
	assert_int_equal(times.frame.count, 2);
	assert_int_equal(times.frame.item[0], 0x20);
	assert_int_equal(times.frame.item[1], 0x11);
	enter(&times, 0x30, 1, 16); /* its exit is not seen */
	assert_true(leave(&times, 0x10, 0, 20, &self));
	assert_int_equal(self, 10 - 3);
	call_times_done(&times);
}

static void test_dat__that_is_damaged_is_refused(void **state)
{
	static const char cut[] = "\x17\x08\x44tracing7\0\0\x08\0\x10\0\0none\0\0";
	struct err err = { 0 };

	(void)state;
	assert_int_equal(trace_dat_load((const uint8_t *)cut, sizeof(cut) - 1, &err), -EBADMSG);
	assert_non_null(strstr(err.msg, "options are missing"));
}

static void test_text__becomes_a_recording(void **state)
{
	static const char text[] = "# tracer: function_graph\n"
				   " 0)  cat-12   =>   ls-13  \n"
				   " 0)               |  vfs_read() {\n"
				   " 0)   2.000 us    |    inner();\n"
				   " 0)   5.000 us    |  }\n"
				   "CPU:1 [LOST 7 EVENTS]\n"
				   " 1)   1.000 us    |  other();\n"
				   " ls-13 [000] ..... 9.5: mine: a=1 b=x y c=2\n"
				   " => outer\n"
				   " ls-13 [000] ..... 9.6: <stack trace>\n"
				   " => deep+0x1/0x2\n => main_fn\n";
	struct load_options options = { .symbol = { .symfs = "" } };
	struct profile *profile;
	struct err err = { 0 };
	uint64_t weight = 0;
	char path[64];
	int fd = trace_text_load((const uint8_t *)text, strlen(text), &err);

	(void)state;
	assert_true(fd >= 0);
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_int_equal(session_load(path, &options, &profile, &err), 0);
	assert_int_equal(profile->events.count, 2);
	for (size_t i = 0; i < profile->samples.count; i++)
		weight += profile->samples.item[i].weight;
	assert_int_equal(weight, 2000 + 3000 + 1000 + 1);
	profile_free(profile);
	(void)close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text__becomes_a_recording),
		cmocka_unit_test(test_records__become_a_recording),
		cmocka_unit_test(test_calls__have_their_own_time),
		cmocka_unit_test(test_dat__that_is_damaged_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Chrome traces: how begins and ends become stacks, CPU profiles inside, and writing. */
#include "format/format.h"
#include "json_text.h"

static void test_trace__spans_nest(void **state)
{
	(void)state;
	assert_stacks(
		read_json("[{\"pid\":1,\"tid\":2,\"ph\":\"M\",\"name\":\"thread_name\","
			  "\"args\":{\"name\":\"t\"}},"
			  "{\"pid\":1,\"tid\":2,\"ph\":\"X\",\"name\":\"in\",\"ts\":2,\"dur\":3},"
			  "{\"pid\":1,\"tid\":2,\"ph\":\"B\",\"name\":\"out\",\"ts\":1},"
			  "{\"pid\":1,\"tid\":2,\"ph\":\"E\",\"name\":\"out\",\"ts\":10}"),
		NULL, "t-1/2;out 6000\nt-1/2;out;in 3000\n");
}

static void test_trace__ends_without_begin_are_counted(void **state)
{
	struct profile *profile =
		read_json("[{\"pid\":1,\"tid\":2,\"ph\":\"B\",\"name\":\"a\",\"ts\":1},"
			  "{\"pid\":1,\"tid\":2,\"ph\":\"E\",\"name\":\"b\",\"ts\":3},"
			  "{\"pid\":1,\"tid\":2,\"ph\":\"E\",\"name\":\"a\",\"ts\":4}]");

	(void)state;
	assert_int_equal(profile->meta.unknown_records, 1);
	assert_stacks(profile, NULL, "a 3000\n");
}

/* Chrome before version 58: nodes in nodes, times of samples, start and end in seconds. */
static void test_trace__old_cpu_profile(void **state)
{
	(void)state;
	assert_stacks(
		read_json("{\"head\":{\"functionName\":\"(root)\",\"id\":1,\"hitCount\":0,"
			  "\"children\":[{\"functionName\":\"f\",\"url\":\"a.js\","
			  "\"lineNumber\":3,\"id\":2,\"hitCount\":1,\"children\":["
			  "{\"functionName\":\"g\",\"id\":3,\"hitCount\":2,\"children\":[]}]}]},"
			  "\"startTime\":1,\"endTime\":1.00002,\"samples\":[2,3,3],"
			  "\"timestamps\":[1000000,1000005,1000015]}"),
		"cpu", "f_[j]:a.js:4 5000\nf_[j]:a.js:4;g_[j] 15000\n");
}

/* Viewers add numbers: an end must be the very number that the next span begins with. */
static void test_trace__neighbours_touch(void **state)
{
	static const char text[] = "a 1/2 1.0: 1 cpu-clock: \n\t1 f (/a)\n\t2 main (/a)\n\n"
				   "a 1/2 1.1: 2 cpu-clock: \n\t3 g (/a)\n\t2 main (/a)\n\n";
	struct format_write_options all = { 0 };
	struct profile *profile = profile_new(PROFILE_KEEP_TIME);
	struct input *input = input_memory(text, strlen(text));
	struct buf out = { 0 };
	struct err err = { 0 };
	const char *end, *begin;

	(void)state;
	assert_int_equal(format_read(&format_perf_script, input, NULL, profile, &err), 0);
	assert_int_equal(format_chrome_trace.write(profile, &all, &out, &err), 0);
	assert_null(strstr(out.data, "\"X\""));
	end = strstr(out.data, "\"ph\":\"E\",\"pid\":1,\"tid\":2,\"ts\":0.001,\"name\":\"f\"");
	begin = strstr(out.data, "\"ph\":\"B\",\"pid\":1,\"tid\":2,\"ts\":0.001,\"name\":\"g\"");
	assert_true(end && begin && end < begin);
	buf_done(&out);
	input_close(input);
	profile_free(profile);
}

static void test_trace__samples_with_frames(void **state)
{
	(void)state;
	assert_stacks(read_json("{\"traceEvents\":[],\"stackFrames\":{\"1\":{\"name\":\"r\"},"
				"\"2\":{\"name\":\"f\",\"parent\":1}},\"samples\":["
				"{\"pid\":1,\"tid\":\"2\",\"ts\":\"10\",\"sf\":1},"
				"{\"pid\":1,\"tid\":\"2\",\"ts\":\"14\",\"sf\":2},"
				"{\"pid\":1,\"tid\":\"2\",\"ts\":\"20\",\"sf\":1}]}"),
		      NULL, "r 4000\nr;f 6000\n");
}

/* A profile in chunks; and the same tree as a .cpuprofile. */
static void test_trace__cpu_profiles(void **state)
{
	(void)state;
	assert_stacks(read_json("{\"traceEvents\":[{\"ph\":\"P\",\"name\":\"Profile\",\"id\":"
				"\"0x1\",\"pid\":1,"
				"\"tid\":2,\"args\":{\"data\":{\"startTime\":5}}},"
				"{\"ph\":\"P\",\"name\":\"ProfileChunk\",\"id\":\"0x1\",\"pid\":1,"
				"\"tid\":3,"
				"\"args\":{\"data\":{\"cpuProfile\":{\"nodes\":["
				"{\"callFrame\":{\"functionName\":\"(root)\"},\"id\":1},"
				"{\"callFrame\":{\"functionName\":\"f\"},\"id\":2,\"parent\":1}],"
				"\"samples\":[2,2]},\"timeDeltas\":[3,4]}}},"
				"{\"ph\":\"P\",\"name\":\"ProfileChunk\",\"id\":\"0x1\",\"pid\":1,"
				"\"tid\":3,"
				"\"args\":{\"data\":{\"cpuProfile\":{\"samples\":[1]},"
				"\"timeDeltas\":[6]}}}]}"),
		      "cpu", "[unknown] 0\nf_[j] 10000\n");
	assert_stacks(
		read_json("{\"nodes\":[{\"id\":1,\"callFrame\":{\"functionName\":\"(root)\"},"
			  "\"children\":[2]},{\"id\":2,\"callFrame\":{\"functionName\":\"\"}}],"
			  "\"startTime\":10,\"endTime\":100,\"samples\":[2,2],\"timeDeltas\":[5,20]"
			  "}"),
		"cpu", "(anonymous)_[j] 85000\n");
	assert_stacks(read_json("{\"nodes\":[{\"id\":1,\"hitCount\":3,"
				"\"callFrame\":{\"functionName\":\"g\"}}]}"),
		      "hits", "g_[j] 3\n");
}

static void test_trace__round_trip(void **state)
{
	struct format_write_options all = { 0 };
	struct profile *profile = profile_new(PROFILE_KEEP_TIME);
	struct input *input = input_memory(round_trip_text, strlen(round_trip_text));
	struct buf text = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(format_read(&format_perf_script, input, NULL, profile, &err), 0);
	assert_int_equal(format_chrome_trace.write(profile, &all, &text, &err), 0);
	input_close(input);
	profile_free(profile);
	assert_stacks(read_json(text.data), "cycles", "a_b-1/2;main;leaf;deep 7\n");
	assert_stacks(read_json(text.data), "cpu-clock", "c-3/4;[b] 9\n");
	buf_done(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_trace__spans_nest),
		cmocka_unit_test(test_trace__ends_without_begin_are_counted),
		cmocka_unit_test(test_trace__old_cpu_profile),
		cmocka_unit_test(test_trace__neighbours_touch),
		cmocka_unit_test(test_trace__samples_with_frames),
		cmocka_unit_test(test_trace__cpu_profiles),
		cmocka_unit_test(test_trace__round_trip),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

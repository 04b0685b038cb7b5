/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Firefox Profiler's processed format, both ways. */
#include "json_text.h"

/* Tables shared by all threads, as since version 55. */
static void test_firefox__shared_tables(void **state)
{
	(void)state;
	assert_stacks(
		read_json("{\"meta\":{\"preprocessedProfileVersion\":56},\"libs\":[],\"shared\":{"
			  "\"stringArray\":[\"main\",\"f\",\"a.c\"],"
			  "\"frameTable\":{\"func\":[0,1],\"line\":[null,7]},"
			  "\"funcTable\":{\"name\":[0,1],\"resource\":[-1,-1],\"source\":[null,0]},"
			  "\"sources\":{\"filename\":[2]},"
			  "\"stackTable\":{\"prefix\":[null,0],\"frame\":[0,1]}},"
			  "\"threads\":[{\"name\":\"t\",\"pid\":\"12\",\"tid\":13,\"samples\":{"
			  "\"stack\":[1,0,null],\"timeDeltas\":[1,1,1],\"weight\":null,"
			  "\"weightType\":\"samples\"}}]}"),
		"samples", "t-12/13;[unknown] 1\nt-12/13;main 1\nt-12/13;main;f:a.c:7 1\n");
}

/* Since 66 a prefix is a distance, since 70 frames have the library. */
static void test_firefox__newest(void **state)
{
	struct profile *profile = read_json(
		"{\"meta\":{\"preprocessedProfileVersion\":70},\"libs\":[{\"name\":\"a.so\","
		"\"path\":\"/lib/a.so\"}],\"shared\":{"
		"\"stringArray\":[\"main\",\"f\"],"
		"\"frameTable\":{\"func\":[0,1],\"lib\":[-1,0]},"
		"\"funcTable\":{\"name\":[0,1],\"resource\":[-1,-1]},"
		"\"stackTable\":{\"prefixOffset\":[0,1,9],\"frame\":[0,1,1]}},"
		"\"threads\":[{\"name\":\"t\",\"pid\":\"12\",\"tid\":13,\"samples\":{"
		"\"stack\":[1,2],\"time\":[1,1],\"weightType\":\"samples\"}}]}");
	size_t libraries = 0;

	(void)state;
	for (size_t i = 0; i < profile->frames.count; i++)
		libraries += profile->frames.item[i].module > 0;
	assert_int_equal(libraries, 1);
	assert_stacks(profile, "samples", "t-12/13;f 1\nt-12/13;main;f 1\n");
}

static void test_firefox__circles_end(void **state)
{
	struct profile *profile =
		read_json("{\"meta\":{\"preprocessedProfileVersion\":41},\"threads\":[{"
			  "\"stringArray\":[\"f\"],"
			  "\"frameTable\":{\"func\":[0]},\"funcTable\":{\"name\":[0]},"
			  "\"stackTable\":{\"prefix\":[1,0],\"frame\":[0,0]},\"samples\":{"
			  "\"stack\":[0,1]}}]}");

	(void)state;
	assert_int_equal(profile->events.item[0].weight, 2);
	profile_free(profile);
}

static void test_firefox__round_trip(void **state)
{
	(void)state;
	assert_round_trip(&format_firefox);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_firefox__shared_tables),
		cmocka_unit_test(test_firefox__newest),
		cmocka_unit_test(test_firefox__circles_end),
		cmocka_unit_test(test_firefox__round_trip),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

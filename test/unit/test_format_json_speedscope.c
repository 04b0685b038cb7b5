/* SPDX-License-Identifier: GPL-2.0-or-later */
/* speedscope's format, both ways. */
#include "json_text.h"

static void test_speedscope__evented(void **state)
{
	(void)state;
	assert_stacks(
		read_json("{\"shared\":{\"frames\":[{\"name\":\"a\"},{\"name\":\"b\",\"file\":\"x."
			  "c\","
			  "\"line\":4}]},\"profiles\":[{\"type\":\"evented\",\"name\":\"t\","
			  "\"unit\":\"milliseconds\",\"startValue\":1,\"endValue\":9,\"events\":["
			  "{\"type\":\"O\",\"frame\":0,\"at\":1},{\"type\":\"O\",\"frame\":1,"
			  "\"at\":2},"
			  "{\"type\":\"C\",\"frame\":1,\"at\":5.5},{\"type\":\"C\",\"frame\":0,"
			  "\"at\":9}]}]}"),
		"time", "t-?/4294967295;a 4500000\nt-?/4294967295;a;b:x.c:4 3500000\n");
}

static void test_speedscope__fractions_are_kept(void **state)
{
	struct profile *profile = read_json(
		"{\"shared\":{\"frames\":[{\"name\":\"a\"}]},\"profiles\":[{\"type\":\"sampled\","
		"\"name\":\"\",\"unit\":\"none\",\"samples\":[[0],[0],[7]],\"weights\":[0.5,1.25,1]"
		"}]}");

	(void)state;
	assert_int_equal(profile->meta.unknown_records, 1); /* frame 7 */
	assert_stacks(profile, NULL, "[unknown] 1\na 1.75\n");
}

/* One event has one scale, whichever of its threads has the fractions. */
static void test_speedscope__fractions_of_one_thread(void **state)
{
	(void)state;
	assert_stacks(read_json("{\"shared\":{\"frames\":[{\"name\":\"a\"}]},\"profiles\":["
				"{\"type\":\"sampled\",\"name\":\"\",\"unit\":\"none\","
				"\"samples\":[[0]],\"weights\":[3]},{\"type\":\"sampled\","
				"\"name\":\"\",\"unit\":\"none\",\"samples\":[[0]],"
				"\"weights\":[0.5]}]}"),
		      NULL, "a 3.5\n");
}

/* Time has no scale, and a scale is a power of ten, whatever a file says. */
static void test_speedscope__impossible_scales(void **state)
{
	static const char *const extra[] = { "\"unit\":\"ns\",\"scale\":1000",
					     "\"unit\":\"x\",\"scale\":7",
					     "\"unit\":\"x\",\"scale\":4294967297" };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct buf text = { 0 };

		(void)buf_printf(&text,
				 "{\"shared\":{\"frames\":[{\"name\":\"a\"}]},\"profiles\":["
				 "{\"type\":\"sampled\",\"name\":\"\",\"unit\":\"none\","
				 "\"samples\":[[0]],\"weights\":[5],\"cupel\":{%s}}]}",
				 extra[i]);
		assert_stacks(read_json(text.data), NULL, "a 5\n");
		buf_done(&text);
	}
}

static void test_speedscope__round_trip(void **state)
{
	(void)state;
	assert_round_trip(&format_speedscope);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_speedscope__evented),
		cmocka_unit_test(test_speedscope__fractions_are_kept),
		cmocka_unit_test(test_speedscope__fractions_of_one_thread),
		cmocka_unit_test(test_speedscope__impossible_scales),
		cmocka_unit_test(test_speedscope__round_trip),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Dispatches JSON formats to their readers, and rejects others. */
#include "format/format.h"
#include "json_text.h"

static void test_json__other_documents_are_refused(void **state)
{
	static const char *const texts[] = { "{}", "[]", "{\"a\":[1,2]}", "[{\"name\":1}]",
					     "{nonsense}" };

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct profile *profile = profile_new(0);
		struct input *input = input_memory(texts[i], strlen(texts[i]));
		struct err err = { 0 };

		assert_int_not_equal(format_read(&format_json, input, NULL, profile, &err), 0);
		assert_true(err.msg[0]);
		input_close(input);
		profile_free(profile);
	}
}

static void test_json__folded_text_is_none(void **state)
{
	(void)state;
	assert_int_equal(format_json.sniff((const uint8_t *)"[unknown];a 1\n", 14), 0);
	assert_int_equal(format_json.sniff((const uint8_t *)"", 0), 0);
}

static void test_json__trees(void **state)
{
	(void)state;
	assert_stacks(
		read_json(
			"{\"name\":\"root\",\"value\":10,\"children\":["
			"{\"name\":\"a\",\"value\":7,\"children\":[{\"name\":\"b\",\"value\":3}]},"
			"{\"name\":\"c\",\"value\":3}]}"),
		NULL, "a 4\na;b 3\nc 3\n");
	assert_stacks(
		read_json("{\"head\":{\"callFrame\":{\"functionName\":\"(root)\"},\"selfSize\":0,"
			  "\"children\":[{\"callFrame\":{\"functionName\":\"f\"},"
			  "\"selfSize\":5,\"children\":[]}]}}"),
		NULL, "f_[j] 5\n");
}

static void test_json__stackprof(void **state)
{
	static const char text[] =
		"{\"version\":1.2,\"mode\":\"wall\",\"frames\":{\"7\":{\"name\":\"A#b\"},"
		"\"9\":{\"name\":\"main\"}},\"raw\":[2,9,7,3,1,9,1]%s}";
	struct buf timed = { 0 };

	(void)state;
	(void)buf_printf(&timed, text, ",\"raw_timestamp_deltas\":[10,20,30,40]");
	assert_stacks(read_json(timed.data), "wall", "main 40000\nmain;A#b 60000\n");
	buf_done(&timed);
	assert_stacks(read_json("{\"version\":1.2,\"mode\":\"cpu\",\"interval\":1000,\"frames\":{"
				"\"9\":{\"name\":\"main\"}},\"raw\":[1,9,3],"
				"\"raw_timestamp_deltas\":[10,70000,30]}"),
		      "cpu", "main 3000000\n"); /* CPU time, not the time that went by */
	timed = (struct buf){ 0 };
	(void)buf_printf(&timed, text, "");
	assert_stacks(read_json(timed.data), NULL, "main 1\nmain;A#b 3\n");
	buf_done(&timed);
}

static void test_json__gecko(void **state)
{
	struct profile *profile = read_json(
		"{\"meta\":{\"version\":3},\"threads\":[{\"name\":\"G\",\"tid\":1,\"pid\":2,"
		"\"samples\":{\"schema\":{\"stack\":0,\"time\":1},\"data\":[[1,0],[0,2.5]]},"
		"\"stackTable\":{\"schema\":{\"prefix\":0,\"frame\":1},\"data\":[[null,0],[0,1]]},"
		"\"frameTable\":{\"schema\":{\"location\":0},\"data\":[[0],[1]]},"
		"\"stringTable\":[\"(root)\",\"f (a.js:3)\"]},\"{}\"]}");

	(void)state;
	assert_int_equal(profile->meta.unknown_records, 1); /* the other process */
	assert_stacks(profile, NULL, "G-2/1;(root) 1\nG-2/1;(root);f_[j]:a.js:3 1\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_json__other_documents_are_refused),
		cmocka_unit_test(test_json__folded_text_is_none),
		cmocka_unit_test(test_json__trees),
		cmocka_unit_test(test_json__stackprof),
		cmocka_unit_test(test_json__gecko),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

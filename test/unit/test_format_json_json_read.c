/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Dispatches JSON formats to their readers, and rejects others. */
#include "format/format.h"
#include "json_pieces.h"
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

/* The stacks of a text that is read in pieces; most_bytes 0: no array is in memory. */
static struct profile *read_pieces(const char *text, size_t most_bytes)
{
	struct json_pieces pieces = { .data = text, .len = strlen(text), .piece = 100 };
	struct json_text in_pieces = json_pieces_text(&pieces, most_bytes);
	struct profile *profile = profile_new(0);
	struct err err = { 0 };
	struct json json;

	assert_int_equal(0, json_parse_pieces(&in_pieces, &json, &err));
	assert_int_equal(0, json_read_document(&json, profile, &err));
	assert_int_equal(0, pieces.readers);
	return profile;
}

static void fold(const struct profile *profile, struct buf *ret)
{
	const struct fold_options options = {
		.tid = true, .inlined = true, .kernel = true, .all_events = true, .srcline = true
	};
	struct err err = { 0 };

	assert_int_equal(0, folded_write(profile, &options, ret, &err));
	(void)buf_printf(ret, "%llu unknown\n", (unsigned long long)profile->meta.unknown_records);
}

/* Every reader, each of two shapes where a format has two. */
static const char *const documents[] = {
	"{\"traceEvents\":[{\"ph\":\"X\",\"ts\":1,\"dur\":9,\"pid\":1,\"tid\":2,\"name\":\"a\"},"
	"{\"ph\":\"B\",\"ts\":2,\"pid\":1,\"tid\":2,\"name\":\"b\"},"
	"{\"ph\":\"E\",\"ts\":5,\"pid\":1,\"tid\":2,\"name\":\"b\"},"
	"{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":2,\"args\":{\"name\":\"t\"}}],"
	"\"stackFrames\":{\"7\":{\"name\":\"f\"},\"8\":{\"name\":\"g\",\"parent\":\"7\"}},"
	"\"samples\":[{\"pid\":1,\"tid\":2,\"ts\":1,\"sf\":\"8\"},"
	"{\"pid\":1,\"tid\":2,\"ts\":4,\"sf\":\"7\"},{\"pid\":1,\"tid\":2,\"ts\":9,\"sf\":\"8\"}]}",
	"[{\"ph\":\"P\",\"name\":\"Profile\",\"id\":\"1\",\"pid\":1,\"tid\":1,"
	"\"args\":{\"data\":{\"startTime\":5}}},"
	"{\"ph\":\"P\",\"name\":\"ProfileChunk\",\"id\":\"1\",\"pid\":1,\"tid\":1,\"args\":{"
	"\"data\":{"
	"\"cpuProfile\":{\"nodes\":[{\"id\":1,\"callFrame\":{\"functionName\":\"(root)\"}},"
	"{\"id\":2,\"parent\":1,\"callFrame\":{\"functionName\":\"x\"}}],\"samples\":[2,2,1]},"
	"\"timeDeltas\":[10,20,30]}}}]",
	"{\"shared\":{\"frames\":[{\"name\":\"a\"},{\"name\":\"b\"},{\"name\":\"c\"}]},"
	"\"profiles\":["
	"{\"type\":\"sampled\",\"name\":\"s\",\"unit\":\"none\",\"samples\":[[0,1],[0,1,2],[0]],"
	"\"weights\":[1,2,3.5]},{\"type\":\"evented\",\"name\":\"e\",\"unit\":\"milliseconds\","
	"\"startValue\":0,\"endValue\":9,\"events\":[{\"type\":\"O\",\"at\":1,\"frame\":0},"
	"{\"type\":\"O\",\"at\":2,\"frame\":2},{\"type\":\"C\",\"at\":3,\"frame\":2},"
	"{\"type\":\"C\",\"at\":8,\"frame\":0}]}]}",
	"{\"nodes\":[{\"id\":1,\"callFrame\":{\"functionName\":\"(root)\"},\"children\":[2,3]},"
	"{\"id\":2,\"callFrame\":{\"functionName\":\"x\"}},"
	"{\"id\":3,\"callFrame\":{\"functionName\":\"y\"}}],\"startTime\":0,\"endTime\":99,"
	"\"samples\":[2,3,3,2],\"timeDeltas\":[5,6,7,8]}",
	"{\"head\":{\"functionName\":\"(root)\",\"hitCount\":0,\"id\":1,\"children\":["
	"{\"functionName\":\"p\",\"hitCount\":1,\"id\":2,\"children\":[]},"
	"{\"functionName\":\"q\",\"hitCount\":2,\"id\":3,\"children\":[]}]},\"startTime\":1,"
	"\"endTime\":2,\"timestamps\":[1000000,1500000,1700000],\"samples\":[2,3,2]}",
	"{\"meta\":{\"preprocessedProfileVersion\":50},\"libs\":[{\"path\":\"/bin/"
	"a\",\"codeId\":\"ab\"},"
	"{\"path\":\"/bin/b\"}],\"threads\":[{\"name\":\"t\",\"pid\":1,\"tid\":2,"
	"\"stringArray\":[\"f\",\"g\",\"a.c\"],\"frameTable\":{\"func\":[0,1],\"line\":[7,null],"
	"\"address\":[16,32],\"inlineDepth\":[0,1]},\"funcTable\":{\"name\":[0,1],"
	"\"resource\":[0,1],\"fileName\":[2,null],\"lineNumber\":[null,9]},"
	"\"resourceTable\":{\"lib\":[0,1]},\"stackTable\":{\"frame\":[0,1],\"prefix\":[null,0]},"
	"\"samples\":{\"stack\":[1,0,1,null],\"time\":[1,2,3,4],\"weight\":[1,2,1.5,1]}},"
	"{\"name\":\"u\",\"stringArray\":[],\"samples\":{\"stack\":[null,null]}}]}",
	"{\"meta\":{\"version\":4},\"threads\":[{\"name\":\"t\",\"tid\":1,"
	"\"stringTable\":[\"f "
	"(a.js:1)\",\"g\"],\"frameTable\":{\"schema\":{\"location\":0,\"line\":1},"
	"\"data\":[[0,1],[1,2]]},\"stackTable\":{\"schema\":{\"prefix\":0,\"frame\":1},"
	"\"data\":[[null,0],[0,1]]},\"samples\":{\"schema\":{\"stack\":0,\"time\":1},"
	"\"data\":[[1,5],[0,6],[1,7]]}},\"packed\"]}",
	"{\"version\":1.2,\"mode\":\"wall\",\"frames\":{\"7\":{\"name\":\"A#b\"},"
	"\"9\":{\"name\":\"main\"}},\"raw\":[2,9,7,3,1,9,1,5],\"raw_timestamp_deltas\":[1,2,3,4]}",
	"{\"name\":\"root\",\"value\":10,\"children\":["
	"{\"name\":\"a\",\"value\":7,\"children\":[{\"name\":\"b\",\"value\":3},"
	"{\"name\":\"d\",\"value\":2}]},{\"name\":\"c\",\"value\":3}]}",
	"{\"program\":\"p\",\"cost_centres\":[{\"id\":1,\"label\":\"l\",\"module\":\"M\"},"
	"{\"id\":2,\"label\":\"k\",\"module\":\"M\"}],\"profile\":{\"id\":1,\"ticks\":1,\"alloc\":"
	"5,"
	"\"children\":[{\"id\":2,\"ticks\":3,\"alloc\":0,\"children\":[]},"
	"{\"id\":2,\"ticks\":0,\"alloc\":4,\"children\":[]}]}}",
};

static void test_json__in_pieces_they_are_the_same(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(documents) / sizeof(documents[0]); i++) {
		struct profile *whole = read_json(documents[i]);
		struct buf wanted = { 0 };

		fold(whole, &wanted);
		assert_true(whole->samples.count > 1);
		for (size_t most = 0; most < 3; most++) {
			struct profile *parts = read_pieces(documents[i], most * 500000);
			struct buf got = { 0 };

			fold(parts, &got);
			assert_string_equal(wanted.data, got.data);
			buf_done(&got);
			profile_free(parts);
		}
		buf_done(&wanted);
		profile_free(whole);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_json__other_documents_are_refused),
		cmocka_unit_test(test_json__folded_text_is_none),
		cmocka_unit_test(test_json__trees),
		cmocka_unit_test(test_json__stackprof),
		cmocka_unit_test(test_json__gecko),
		cmocka_unit_test(test_json__in_pieces_they_are_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

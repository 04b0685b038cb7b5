// SPDX-License-Identifier: GPL-2.0-or-later
/* view/annotate: text in perf's layout, arrows, JSON. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "view/annotate/annotate_arrows.h"
#include "view/annotate/annotate_json.h"
#include "view/annotate/annotate_page.h"
#include "view/annotate/annotate_text.h"

static const char *const source_text[] = { "static int mix(int x)", "{ return x << 1; }",
					   "int hot(int x) { return mix(x); }" };

static void add_row(struct annotation *a, const char *mnemonic, const char *operands,
		    uint32_t target)
{
	static const uint8_t bytes[] = { 0x48, 0x89, 0xc8 };
	size_t number = a->rows.count;
	uint64_t samples = number == 1 ? 3 : number == 2;

	vec_push(&a->rows,
		 ((struct annotation_row){ .address = 0x11a0 + 3 * number,
					   .bytes = bytes,
					   .len = 3,
					   .kind = target == ANNOTATION_NONE ? ANNOTATION_PLAIN
									     : ANNOTATION_JUMP,
					   .mnemonic = mnemonic,
					   .operands = operands,
					   .target = target,
					   .loop = ANNOTATION_NONE,
					   .frame = number == 1 ? 1 : 0,
					   .frames = number == 1 ? 2 : 1 }));
	vec_push(&a->counts, ((struct annotation_count){ samples, samples * 1000 }));
}

/* mov; inlined shl; jne back to it; ret */
static struct annotation *make(void)
{
	struct annotation *a = annotation_new();

	a->function = "hot";
	a->module = "/opt/app";
	vec_push(&a->events,
		 ((struct annotation_event){
			 .name = "cpu-clock", .all = { 8, 8000 }, .samples = { 4, 4000 } }));
	vec_push(&a->sources, ((struct annotation_source){ .path = "/src/hot.c",
							   .first = 2,
							   .last = 3,
							   .text_first = 1,
							   .text_count = 3,
							   .text = (const char **)source_text }));
	vec_push(&a->frames, ((struct annotation_frame){ "hot", "/src/hot.c", 0, 3 }));
	vec_push(&a->frames, ((struct annotation_frame){ "mix", "/src/hot.c", 0, 2 }));
	vec_push(&a->frames, ((struct annotation_frame){ "hot", "/src/hot.c", 0, 3 }));
	add_row(a, "mov", "%edi,%eax", ANNOTATION_NONE);
	add_row(a, "shl", "%eax", ANNOTATION_NONE);
	add_row(a, "jne", "11a3 <hot+0x3>", 1);
	add_row(a, "ret", "", ANNOTATION_NONE);
	annotation_find_loops(a);
	return a;
}

static void check(const struct annotate_text_options *options, const char *expected)
{
	struct annotation *a = make();
	struct buf text = { 0 };

	annotate_text(a, options, &text);
	assert_string_equal(expected, text.data);
	buf_done(&text);
	annotation_free(a);
}

static void test_annotate_text__layout(void **state)
{
	const struct annotate_text_options options = { .events = 1, .source = true };

	(void)state;
	check(&options,
	      " Percent |\tSource code & Disassembly of app for cpu-clock (4 samples, "
	      "percent: local period)\n"
	      "---------------------------------------------------------------------------"
	      "----------------------\n"
	      "         :\n"
	      "         :      00000000000011a0 <hot>:\n"
	      "         :      hot():\n"
	      "         : 1    static int mix(int x)\n"
	      "         : 2    { return x << 1; }\n"
	      "         : 3    int hot(int x) { return mix(x); }\n"
	      "    0.00 :   11a0:   mov    %edi,%eax\n"
	      "         :      mix(): inlined into hot() at hot.c:3\n"
	      "         : 2    { return x << 1; }\n"
	      "   75.00 :   11a3:   shl    %eax\n"
	      "         :      hot():\n"
	      "         : 3    int hot(int x) { return mix(x); }\n"
	      "   25.00 :   11a6:   jne    11a3 <hot+0x3>\n"
	      "    0.00 :   11a9:   ret\n"
	      "# cpu-clock is not precise: the instruction before a hot one is a suspect "
	      "too\n");
}

/* Such a number is in damaged debug information. It ends, and the text of the file is not shown. */
static void test_annotate_text__largest_line(void **state)
{
	const struct annotate_text_options options = { .events = 1, .source = true };
	struct annotation *a = make();
	struct buf text = { 0 };

	(void)state;
	a->frames.item[0].line = UINT32_MAX;
	annotate_text(a, &options, &text);
	assert_non_null(strstr(text.data, ": 4294967295 hot.c:4294967295\n"));
	assert_non_null(strstr(text.data, "ret\n"));
	buf_done(&text);
	annotation_free(a);
}

static void test_annotate_text__samples_bytes_and_arrows(void **state)
{
	const struct annotate_text_options options = { .events = 1,
						       .column = ANNOTATE_SAMPLES,
						       .bytes = true,
						       .arrows = true,
						       .quiet = true };

	(void)state;
	check(&options,
	      " Samples |\tSource code & Disassembly of app for cpu-clock (4 samples, "
	      "percent: local period)\n"
	      "---------------------------------------------------------------------------"
	      "----------------------\n"
	      "         :\n"
	      "         :      00000000000011a0 <hot>:\n"
	      "       0 :   11a0:   48 89 c8                 mov    %edi,%eax\n"
	      "       3 :   11a3:   48 89 c8              ╔→ shl    %eax\n"
	      "       1 :   11a6:   48 89 c8              ╚═ jne    11a3 <hot+0x3>\n"
	      "       0 :   11a9:   48 89 c8                 ret\n");
}

static void test_annotate_text__source_only(void **state)
{
	const struct annotate_text_options options = { .events = 1,
						       .source_only = true,
						       .quiet = true };

	(void)state;
	check(&options,
	      " Percent |\tSource code & Disassembly of app for cpu-clock (4 samples, "
	      "percent: local period)\n"
	      "---------------------------------------------------------------------------"
	      "----------------------\n"
	      "hot.c:\n"
	      "   75.00 : 2    { return x << 1; }\n"
	      "   25.00 : 3    int hot(int x) { return mix(x); }\n");
}

static void test_annotate_json__has_all(void **state)
{
	struct annotation *a = make();
	struct buf text = { 0 };
	struct err err = { 0 };
	struct json json;
	json_id rows, row, place;

	(void)state;
	annotate_json(a, &text);
	assert_int_equal(0, json_parse(text.data, text.len, &json, &err));
	rows = json_get(&json, JSON_ROOT, "instructions");
	assert_int_equal(4, json_count(&json, rows));
	row = json_item(&json, rows, 1);
	assert_true(json_is(&json, json_get(&json, row, "address"), "11a3"));
	assert_true(json_is(&json, json_get(&json, row, "bytes"), "4889c8"));
	assert_int_equal(0, json_u64(&json, json_get(&json, row, "loop"), 9));
	place = json_item(&json, json_get(&json, JSON_ROOT, "places"), 1);
	assert_true(json_is(&json, json_get(&json, place, "function"), "mix"));
	assert_int_equal(2, json_u64(&json, json_get(&json, place, "caller"), 9));
	row = json_item(&json, rows, 2);
	assert_int_equal(1, json_u64(&json, json_get(&json, row, "target"), 9));
	json_done(&json);
	buf_done(&text);
	annotation_free(a);
}

static void test_annotate_page__has_the_data_and_a_policy(void **state)
{
	struct buf json = { 0 }, page = { 0 };
	struct err err = { 0 };

	(void)state;
	(void)buf_puts(&json, "{\"functions\":[]}");
	assert_int_equal(0, annotate_page("a <b>", &json, &page, &err));
	assert_non_null(strstr(page.data, "<title>a &lt;b&gt;</title>"));
	assert_non_null(strstr(page.data, "default-src 'none'; script-src 'sha256-"));
	assert_non_null(strstr(page.data, "id=\"annotate-data\">"));
	buf_done(&json);
	buf_done(&page);
}

/* More jumps than lanes, all over each other: the shortest are drawn. */
static void test_annotate_arrows__lanes_are_limited(void **state)
{
	struct annotation *a = make();
	struct annotate_arrows arrows;
	struct buf text = { 0 };

	(void)state;
	a->rows.count = 0;
	for (uint32_t i = 0; i < 40; i++)
		vec_push(&a->rows,
			 ((struct annotation_row){ .kind = ANNOTATION_JUMP, .target = 39 - i }));
	annotate_arrows_find(a, &arrows);
	assert_int_equal(ANNOTATE_LANES, arrows.lanes);
	assert_int_equal(ANNOTATE_LANES, arrows.list.count);
	for (uint32_t i = 0; i < 40; i++)
		annotate_arrows_put(&arrows, i, &text);
	assert_non_null(strstr(text.data, "║"));
	annotate_arrows_done(&arrows);
	buf_done(&text);
	annotation_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_annotate_text__layout),
		cmocka_unit_test(test_annotate_text__largest_line),
		cmocka_unit_test(test_annotate_text__samples_bytes_and_arrows),
		cmocka_unit_test(test_annotate_text__source_only),
		cmocka_unit_test(test_annotate_json__has_all),
		cmocka_unit_test(test_annotate_page__has_the_data_and_a_policy),
		cmocka_unit_test(test_annotate_arrows__lanes_are_limited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

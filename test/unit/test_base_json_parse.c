/* SPDX-License-Identifier: GPL-2.0-or-later */
/* base/json_parse: a document in pieces is the same as the one in memory, and keeps less. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "json_pieces.h"

/* The document as text, through items. */
static void put(const struct json *json, json_id id, struct buf *ret)
{
	struct json_items items;

	if (json_type(json, id) == JSON_ARRAY) {
		(void)buf_printf(ret, "%zu[", json_count(json, id));
		json_items_open(&items, json, id);
		while (json_items_next(&items))
			put(items.json, items.id, ret);
		(void)buf_putc(ret, ']');
	} else if (json_type(json, id) == JSON_OBJECT) {
		(void)buf_putc(ret, '{');
		for (json_id at = json_first(json, id); at != JSON_NONE;
		     at = json_next(json, id, at + 1)) {
			json_put(json, at, ret);
			(void)buf_putc(ret, ':');
			put(json, at + 1, ret);
		}
		(void)buf_putc(ret, '}');
	} else {
		(void)buf_printf(ret, "%d", json_type(json, id));
		json_put(json, id, ret);
		(void)buf_putc(ret, ' ');
	}
}

static void assert_same(const char *text)
{
	struct json_pieces pieces = { .data = text, .len = strlen(text) };
	struct json_text in_pieces = json_pieces_text(&pieces, 0);
	struct json whole, parts;
	struct buf wanted = { 0 }, got = { 0 };
	struct err err = { 0 };

	assert_int_equal(0, json_parse(text, strlen(text), &whole, &err));
	put(&whole, JSON_ROOT, &wanted);
	for (pieces.piece = 1; pieces.piece < 100; pieces.piece += 7) {
		assert_int_equal(0, json_parse_pieces(&in_pieces, &parts, &err));
		assert_int_equal(whole.truncated, parts.truncated);
		assert_true(parts.after == whole.after || parts.truncated);
		buf_clear(&got);
		put(&parts, JSON_ROOT, &got);
		assert_string_equal(wanted.data, got.data);
		json_done(&parts);
		assert_int_equal(0, pieces.readers);
	}
	json_done(&whole);
	buf_done(&wanted);
	buf_done(&got);
}

static void test_pieces__documents_are_the_same(void **state)
{
	static const char *const texts[] = {
		"[]",
		"[1]",
		"[1,-22,-3.3e-3]",
		"{\"a\":[1,[2,3,[4,5]],{\"b\":[6,7]}],\"c\":{\"d\":[8,\"x\\\"y\",null,true]}} ",
		"\xef\xbb\xbf[[1,2],[3,4],[[5,6],[7,8]],]",
		"{\"s\":\"0123456789012345678901234567890123456789012345678901234567890\"}",
		"[{\"a\":1},{\"b\":[1,2,",
		"[{\"a\":1},{\"b\":[1,2],\"c",
		"[1,2,{",
		"[[[1,2],[3",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_same(texts[i]);
}

static void test_pieces__nonsense_is_refused_at_its_place(void **state)
{
	static const char text[] = "[1, 2, 3, 4, 5, 6, 7 8]";
	struct json_pieces pieces = { .data = text, .len = strlen(text), .piece = 3 };
	struct json_text in_pieces = json_pieces_text(&pieces, 0);
	struct err err = { 0 };
	struct json json;

	(void)state;
	assert_true(json_parse_pieces(&in_pieces, &json, &err) < 0);
	assert_string_equal("invalid JSON at byte 21", err.msg);
	assert_int_equal(0, pieces.readers);
}

/* A million items, of which two places can be read at a time. */
static void test_pieces__memory_does_not_grow_with_the_text(void **state)
{
	struct buf text = { 0 };
	struct json_pieces pieces;
	struct json_text in_pieces = json_pieces_text(&pieces, 1 << 20);
	struct json_items numbers, pairs;
	struct err err = { 0 };
	struct json json;

	(void)state;
	(void)buf_puts(&text, "{\"numbers\":[0");
	for (unsigned i = 1; i < 500000; i++)
		(void)buf_printf(&text, ",%u", i);
	(void)buf_puts(&text, "],\"short\":[1,2,3],\"pairs\":[[0,\"x\"]");
	for (unsigned i = 1; i < 500000; i++)
		(void)buf_printf(&text, ",[%u,\"x\"]", i);
	(void)buf_puts(&text, "]}");
	pieces = (struct json_pieces){ .data = text.data, .len = text.len, .piece = SIZE_MAX };
	assert_int_equal(0, json_parse_pieces(&in_pieces, &json, &err));
	assert_true(json.nodes.capacity * sizeof(struct json_node) + json.len < 1 << 20);
	assert_false(json_is_deferred(&json, json_get(&json, JSON_ROOT, "short")));
	json_items_open(&numbers, &json, json_get(&json, JSON_ROOT, "numbers"));
	json_items_open(&pairs, &json, json_get(&json, JSON_ROOT, "pairs"));
	assert_int_equal(500000, json_count(&json, numbers.array));
	for (unsigned i = 0; i < 500000; i++) {
		assert_true(json_items_next(&numbers) && json_items_next(&pairs));
		assert_int_equal(i, json_u64(numbers.json, numbers.id, 7));
		assert_int_equal(i, json_u64(pairs.json, json_item(pairs.json, pairs.id, 0), 7));
	}
	assert_false(json_items_next(&numbers));
	json_items_close(&pairs); /* before its end */
	assert_int_equal(0, pieces.readers);
	json_done(&json);
	buf_done(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pieces__documents_are_the_same),
		cmocka_unit_test(test_pieces__nonsense_is_refused_at_its_place),
		cmocka_unit_test(test_pieces__memory_does_not_grow_with_the_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* store/dictionary: equal things have one number, and bytes give the same tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/err.h"
#include "store/dictionary.h"

static uint32_t text(struct dictionary *dict, const char *s)
{
	return dictionary_string(dict, s, strlen(s));
}

static void fill(struct dictionary *dict, unsigned from, unsigned to)
{
	struct dictionary_event event = { .name = text(dict, "cpu-clock"),
					  .unit = text(dict, "ns"),
					  .sample_weight = 1.5 };
	struct dictionary_module module = { text(dict, "/bin/x"), text(dict, "abcd") };
	struct label_set labels = { 0 };

	for (unsigned i = from; i < to; i++) {
		struct dictionary_frame frame = { .module = dictionary_module(dict, &module),
						  .offset = i,
						  .kind = 4,
						  .caller = true };
		struct dictionary_node node = { i / 2 % (uint32_t)dict->nodes.count, 0 };
		struct dictionary_leaf leaf = { .stop = 1 };
		char value[16];

		(void)snprintf(value, sizeof(value), "h%u", i % 10);
		(void)label_set_put(&labels, "host", value);
		frame.function = text(dict, value);
		frame.symbol_start = i;
		frame.symbol_end = i + 10;
		node.frame = dictionary_frame(dict, &frame);
		leaf.node = dictionary_node(dict, &node);
		(void)dictionary_leaf(dict, &leaf);
		(void)dictionary_series(dict, dictionary_event(dict, &event), &labels);
	}
	label_set_done(&labels);
}

static void test_dictionary__equal_things_are_one(void **state)
{
	struct dictionary dict = { 0 };
	struct dictionary_mark before;

	(void)state;
	dictionary_init(&dict);
	assert_int_equal(text(&dict, ""), 0);
	fill(&dict, 0, 1000);
	before = dictionary_mark(&dict);
	assert_int_equal(dict.series.count, 10);
	assert_int_equal(dict.frames.count, 1001);
	assert_string_equal(label_set_get(&dict.series.item[3].labels, "event"), "cpu-clock");
	fill(&dict, 500, 501);
	assert_false(dict.frames.count > 1001);
	assert_true(dict.nodes.count <= before.count[DICTIONARY_NODES] + 1);
	dictionary_done(&dict);
}

static void test_dictionary__bytes_in_pieces_give_the_same(void **state)
{
	struct dictionary dict = { 0 }, again = { 0 };
	struct dictionary_mark none, marks[3];
	struct buf whole = { 0 }, back = { 0 }, piece[3] = { 0 };
	struct err err = { 0 };

	(void)state;
	dictionary_init(&dict);
	dictionary_init(&again);
	none = dictionary_mark(&dict);
	for (unsigned i = 0; i < 3; i++) {
		marks[i] = dictionary_mark(&dict);
		fill(&dict, i * 100, i * 100 + 150);
		dictionary_write(&dict, &marks[i], &piece[i]);
	}
	dictionary_write(&dict, &none, &whole);
	/* not before what comes first */
	assert_int_not_equal(
		dictionary_read(&again, (const uint8_t *)piece[1].data, piece[1].len, &err), 0);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(
			dictionary_read(&again, (const uint8_t *)piece[i].data, piece[i].len, &err),
			0);
		/* what is known already is passed over */
		assert_int_equal(
			dictionary_read(&again, (const uint8_t *)piece[0].data, piece[0].len, &err),
			0);
	}
	dictionary_write(&again, &none, &back);
	assert_int_equal(back.len, whole.len);
	assert_memory_equal(back.data, whole.data, whole.len);
	fill(&again, 0, 10); /* it can be written on */
	for (unsigned i = 0; i < 3; i++)
		buf_done(&piece[i]);
	buf_done(&whole);
	buf_done(&back);
	dictionary_done(&dict);
	dictionary_done(&again);
}

static void test_dictionary__damage_is_an_error(void **state)
{
	struct dictionary dict = { 0 };
	struct dictionary_mark none;
	struct buf whole = { 0 };

	(void)state;
	dictionary_init(&dict);
	none = dictionary_mark(&dict);
	fill(&dict, 0, 20);
	dictionary_write(&dict, &none, &whole);
	for (size_t len = 0; len < whole.len; len++) {
		struct dictionary cut = { 0 };
		struct err err = { 0 };

		dictionary_init(&cut);
		assert_int_not_equal(dictionary_read(&cut, (const uint8_t *)whole.data, len, &err),
				     0);
		dictionary_done(&cut);
	}
	buf_done(&whole);
	dictionary_done(&dict);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dictionary__equal_things_are_one),
		cmocka_unit_test(test_dictionary__bytes_in_pieces_give_the_same),
		cmocka_unit_test(test_dictionary__damage_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Packed trees and the pages that carry them: what goes in comes out, for trees that compare, too;
 * a page allows its own script only and no name leaves its data. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "profile/profile.h"
#include "view/flame/flame_graph.h"
#include "view/flame/flame_html.h"
#include "view/flame/flame_info.h"
#include "view/flame/flame_merge.h"
#include "view/flame/flame_pack.h"
#include "view/flame/flame_page.h"
#include "view/flame/flame_paint.h"
#include "view/flame/flame_prune.h"
#include "view/flame/flame_tree.h"

static void add(struct profile *p, const char *event, const char *names, uint64_t weight)
{
	struct profile_sample sample = { .thread = profile_thread(p, 7, 8, "app"),
					 .event = profile_event(p, event, ""),
					 .weight = weight,
					 .count = 1 };
	char name[128];

	while (*names) {
		size_t len = strcspn(names, ";");
		struct frame frame = { 0 };

		(void)snprintf(name, sizeof(name), "%.*s", (int)len, names);
		frame.function = strtab_puts(p->strings, name);
		sample.stack = profile_stack_push(p, sample.stack, profile_frame(p, &frame));
		names += len + (names[len] == ';');
	}
	profile_add(p, &sample);
}

static unsigned value_of(char c)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *found = strchr(digits, c);

	return c != '=' && found ? (unsigned)(found - digits) : 0;
}

/* Base64 of zlib → bytes. */
static void unpack(const struct buf *text, struct buf *ret)
{
	unsigned char *packed = mem_alloc(text->len + 1);
	uLongf len = 1 << 20;
	size_t n = 0;

	assert_int_equal(text->len % 4, 0);
	for (size_t i = 0; i < text->len; i += 4) {
		uint32_t word = value_of(text->data[i]) << 18 | value_of(text->data[i + 1]) << 12 |
				value_of(text->data[i + 2]) << 6 | value_of(text->data[i + 3]);

		for (int k = 16; k >= 0; k -= 8)
			packed[n++] = (unsigned char)(word >> k);
	}
	assert_int_equal(buf_pad(ret, 0, len), 0);
	assert_int_equal(uncompress((unsigned char *)ret->data, &len, packed, n), Z_OK);
	ret->len = len;
	free(packed);
}

static uint64_t number(const struct buf *bytes, size_t *at)
{
	uint64_t value = 0;
	unsigned shift = 0;
	unsigned char byte;

	do {
		assert_true(*at < bytes->len);
		byte = (unsigned char)bytes->data[(*at)++];
		value |= (uint64_t)(byte & 127) << shift;
		shift += 7;
	} while (byte & 128);
	return value;
}

/* The sum of the numbers in a section, and the place after it. */
static uint64_t sum_section(const struct buf *bytes, size_t *at, size_t *ret_count)
{
	uint64_t len = number(bytes, at), sum = 0;
	size_t end = *at + len;

	*ret_count = 0;
	while (*at < end) {
		sum += number(bytes, at);
		++*ret_count;
	}
	assert_int_equal(*at, end);
	return sum;
}

static void skip_section(const struct buf *bytes, size_t *at)
{
	uint64_t len = number(bytes, at);

	*at += len;
}

static void test_pack__keeps_all_weight(void **state)
{
	static const float column[] = { 1, 2, 3, 4, 5, 6, 7 };
	struct profile *p = profile_new(0);
	struct flame_graph_options options = { 0 };
	struct flame_tree tree;
	struct buf text = { 0 }, bytes = { 0 };
	struct err err = { 0 };
	size_t at = 0, leaves, inner, count;
	uint64_t sum;

	(void)state;
	add(p, "after", "main;a;b", 1ull << 40);
	add(p, "after", "main;a", 7);
	add(p, "after", "main;c", 5);
	add(p, "before", "main;a", 3);
	add(p, "before", "main;gone", 9);
	assert_int_equal(flame_tree_build(p, &options, &tree, &err), 0);
	assert_int_equal(tree.nodes.count, 7); /* all, app, main, a, b, c, gone */
	assert_int_equal(tree.nodes.item[0].total, (1ull << 40) + 12);
	assert_int_equal(tree.other_total, 12);
	struct flame_pack pack = { .tree = &tree,
				   .colors = flame_paint_labels(&tree, &options),
				   .info = ",\"title\":\"x\"",
				   .columns = &(struct flame_column){ "q", column },
				   .column_count = 1 };
	assert_int_equal(flame_pack_write(&pack, &text, &err), 0);
	unpack(&text, &bytes);
	count = number(&bytes, &at);
	assert_non_null(strstr(bytes.data + at, "\"nodes\":7"));
	assert_non_null(strstr(bytes.data + at, "\"title\":\"x\"}"));
	at += count;
	for (int i = 0; i < 3; i++) /* strings, labels, edges */
		skip_section(&bytes, &at);
	assert_int_equal(sum_section(&bytes, &at, &count), 6); /* all are children but the root */
	assert_int_equal(count, 7);
	skip_section(&bytes, &at);
	sum = sum_section(&bytes, &at, &leaves);
	sum += sum_section(&bytes, &at, &inner);
	assert_int_equal(sum, (1ull << 40) + 12);
	assert_int_equal(leaves + inner, 7);
	sum = sum_section(&bytes, &at, &leaves);
	assert_int_equal(sum + sum_section(&bytes, &at, &inner), 12);
	skip_section(&bytes, &at);
	assert_int_equal(number(&bytes, &at), 7 * sizeof(float));
	assert_int_equal(at + 7 * sizeof(float), bytes.len);
	free((void *)(uintptr_t)pack.colors);
	buf_done(&text);
	buf_done(&bytes);
	flame_tree_done(&tree);
	profile_free(p);
}

static void test_tree__is_in_pre_order(void **state)
{
	struct profile *p = profile_new(0);
	struct flame_graph_options options = { 0 };
	struct flame_tree tree;
	struct err err = { 0 };

	(void)state;
	add(p, "cycles", "b;y;z", 1);
	add(p, "cycles", "a;x", 2);
	add(p, "cycles", "b;w", 3);
	assert_int_equal(flame_tree_build(p, &options, &tree, &err), 0);
	for (uint32_t i = 1; i < tree.nodes.count; i++) {
		const struct flame_node *node = &tree.nodes.item[i];
		const struct flame_node *above = &tree.nodes.item[node->parent];

		assert_true(node->parent < i && node->end > i && node->end <= above->end);
		assert_int_equal(node->depth, above->depth + 1);
	}
	assert_int_equal(tree.nodes.item[0].end, tree.nodes.count);
	assert_int_equal(tree.nodes.item[0].total, 6);
	assert_int_equal(tree.max_depth, 4);
	flame_tree_done(&tree);
	profile_free(p);
}

static void test_prune__keeps_all_weight(void **state)
{
	static const size_t most[] = { 1, 2, 10, 50, 200, 100000 };
	struct profile *p = profile_new(0);
	struct flame_graph_options options = { 0 };
	struct flame_tree tree;
	struct err err = { 0 };
	char names[64];

	(void)state;
	for (int i = 0; i < 300; i++) {
		(void)snprintf(names, sizeof(names), "main;f%d;g%d", i % 20, i);
		add(p, i % 3 ? "after" : "before", names, 1ull << i % 40);
	}
	for (size_t i = 0; i < sizeof(most) / sizeof(most[0]); i++) {
		uint64_t total, other;
		uint32_t frames = 0;
		size_t count;

		assert_int_equal(flame_tree_build(p, &options, &tree, &err), 0);
		total = tree.nodes.item[0].total;
		other = tree.other_total;
		count = tree.nodes.count;
		flame_prune(&tree, most[i]);
		assert_int_equal(tree.nodes.item[0].total, total);
		assert_int_equal(tree.other_total, other);
		assert_int_equal(tree.nodes.item[0].end, tree.nodes.count);
		assert_true(tree.nodes.count <= 2 * most[i] + 2 || count <= most[i]);
		for (size_t j = 0; tree.smaller && j < tree.nodes.count; j++)
			frames += tree.smaller[j];
		assert_int_equal(frames == 0, count <= most[i]);
		flame_tree_done(&tree);
	}
	profile_free(p);
}

static size_t occurrences(const char *text, const char *word)
{
	size_t count = 0;

	for (const char *at = text; (at = strstr(at, word)); at++)
		count++;
	return count;
}

static void test_page__names_stay_data(void **state)
{
	static const char evil[] = "</script><script>alert(1)</script><!--";
	struct profile *p = profile_new(0);
	struct flame_graph_options options = { .title = evil, .subtitle = evil, .countname = evil };
	struct buf page = { 0 };
	struct err err = { 0 };

	(void)state;
	add(p, "cycles", evil, 1);
	assert_int_equal(flame_html(p, &options, &page, &err), 0);
	assert_int_equal(occurrences(page.data, "<script"), 2); /* data and program */
	assert_int_equal(occurrences(page.data, "</script"), 2);
	assert_int_equal(occurrences(page.data, "alert(1)</script"), 0);
	assert_int_equal(occurrences(page.data, "default-src 'none'; script-src 'sha256-"), 1);
	assert_null(strstr(page.data, "unsafe"));
	buf_done(&page);
	options.colors = "beige";
	assert_true(flame_html(p, &options, &page, &err) < 0);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pack__keeps_all_weight),
		cmocka_unit_test(test_tree__is_in_pre_order),
		cmocka_unit_test(test_prune__keeps_all_weight),
		cmocka_unit_test(test_page__names_stay_data),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a flame graph can be reduced to: weights by event and thread add up to those of the tree,
 * also after pruning; lines count a stack once; the legend distinguishes kinds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/err.h"
#include "profile/profile.h"
#include "view/flame/flame_graph.h"
#include "view/flame/flame_legend.h"
#include "view/flame/flame_lines.h"
#include "view/flame/flame_merge.h"
#include "view/flame/flame_parts.h"
#include "view/flame/flame_prune.h"
#include "view/flame/flame_threads.h"
#include "view/flame/flame_tree.h"

struct given {
	const char *event, *stack; /* names from the root, one letter each */
	uint32_t tid;
	uint64_t weight;
};

/* The letter is the function, its place in the stack its line; capitals are the kernel's. */
static void add(struct profile *p, const struct given *given)
{
	struct profile_sample sample = { .thread = profile_thread(p, 7, given->tid, "app"),
					 .event = profile_event(p, given->event, ""),
					 .weight = given->weight,
					 .count = 1 };

	for (size_t i = 0; given->stack[i]; i++) {
		struct frame frame = { .line = (uint32_t)i + 1,
				       .kind = given->stack[i] < 'a' ? FRAME_KERNEL : FRAME_USER };

		frame.function = strtab_intern(p->strings, given->stack + i, 1);
		frame.file = strtab_puts(p->strings, "app.c");
		sample.stack = profile_stack_push(p, sample.stack, profile_frame(p, &frame));
	}
	profile_add(p, &sample);
}

static struct profile *make(const struct given *given, size_t count)
{
	struct profile *p = profile_new(0);

	for (size_t i = 0; i < count; i++)
		add(p, &given[i]);
	profile_count(p);
	return p;
}

static const struct given both[] = {
	{ "cycles", "ab", 7, 10 },	 { "cycles", "ab", 8, 20 },	   { "cycles", "aK", 8, 5 },
	{ "instructions", "ab", 7, 70 }, { "instructions", "abc", 8, 80 }, { "cycles", "ab", 7, 1 },
};

static void build(struct profile *p, const struct flame_graph_options *options,
		  struct flame_tree *ret)
{
	struct err err = { 0 };

	assert_int_equal(flame_tree_build(p, options, ret, &err), 0);
}

static uint64_t sum_of(const struct flame_parts *parts, uint32_t event, uint32_t thread)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < parts->entries.count; i++)
		if (parts->entries.item[i].event == event &&
		    parts->entries.item[i].thread == thread)
			sum += parts->entries.item[i].weight;
	return sum;
}

static void test_flame_parts__add_up_to_the_tree(void **state)
{
	struct flame_graph_options options = { .measure = FLAME_MEASURE_WEIGHT };
	struct profile *p = make(both, sizeof(both) / sizeof(both[0]));
	struct flame_tree tree;
	uint32_t first;

	(void)state;
	build(p, &options, &tree);
	assert_non_null(tree.parts);
	assert_int_equal(tree.nodes.item[0].total, 36);
	assert_int_equal(tree.parts->events.count, 2);
	assert_int_equal(tree.parts->threads.list.count, 2);
	first = p->threads.item[tree.parts->threads.list.item[0]].tid == 8 ? 0 : 1;
	assert_int_equal(sum_of(tree.parts, 0, first), 25);
	assert_int_equal(sum_of(tree.parts, 0, !first), 11);
	assert_int_equal(sum_of(tree.parts, 1, first), 80);
	assert_int_equal(sum_of(tree.parts, 1, !first), 70);
	flame_tree_done(&tree);
	profile_free(p);
}

static void test_flame_parts__none_where_nothing_can_be_chosen(void **state)
{
	struct flame_graph_options options = { 0 };
	struct profile *p = make(both, 1);
	struct flame_tree tree;

	(void)state;
	build(p, &options, &tree);
	assert_null(tree.parts);
	flame_tree_done(&tree);
	add(p, &both[1]);
	profile_count(p);
	options.no_javascript = true;
	build(p, &options, &tree);
	assert_null(tree.parts);
	flame_tree_done(&tree);
	profile_free(p);
}

static void test_flame_parts__an_asked_event_is_alone(void **state)
{
	struct flame_graph_options options = { .event = "instructions",
					       .measure = FLAME_MEASURE_WEIGHT };
	struct profile *p = make(both, sizeof(both) / sizeof(both[0]));
	struct flame_tree tree;

	(void)state;
	build(p, &options, &tree);
	assert_int_equal(tree.nodes.item[0].total, 150);
	assert_int_equal(tree.parts->events.count, 1);
	assert_int_equal(tree.parts->threads.list.count, 2);
	flame_tree_done(&tree);
	profile_free(p);
}

static void test_flame_parts__survive_pruning(void **state)
{
	struct flame_graph_options options = { .measure = FLAME_MEASURE_WEIGHT };
	struct profile *p = make(both, sizeof(both) / sizeof(both[0]));
	struct flame_tree tree;

	(void)state;
	build(p, &options, &tree);
	flame_prune(&tree, 3);
	assert_int_equal(tree.nodes.item[0].total, 36);
	assert_int_equal(sum_of(tree.parts, 0, 0) + sum_of(tree.parts, 0, 1), 36);
	assert_int_equal(sum_of(tree.parts, 1, 0) + sum_of(tree.parts, 1, 1), 150);
	for (size_t i = 0; i < tree.parts->entries.count; i++)
		assert_true(tree.parts->entries.item[i].node < tree.nodes.count);
	flame_tree_done(&tree);
	profile_free(p);
}

static void test_flame_parts__hundred_threads_and_the_others(void **state)
{
	struct flame_graph_options options = { 0 };
	struct profile *p = profile_new(0);
	struct flame_tree tree;
	struct buf json = { 0 };

	(void)state;
	for (uint32_t i = 0; i < 130; i++)
		add(p, &(struct given){ "cycles", "ab", 100 + i, 1 });
	profile_count(p);
	build(p, &options, &tree);
	assert_int_equal(tree.parts->threads.list.count, 100);
	assert_int_equal(sum_of(tree.parts, 0, 100), 30);
	flame_parts_put_json(p, &tree, &options, &json);
	assert_non_null(strstr(json.data, "{\"comm\":\"30 other threads\"}]}"));
	buf_done(&json);
	flame_tree_done(&tree);
	profile_free(p);
}

static void test_flame_lines__a_stack_counts_once(void **state)
{
	struct flame_graph_options options = { .measure = FLAME_MEASURE_WEIGHT };
	static const struct given recursive[] = { { "cycles", "aba", 7, 3 },
						  { "cycles", "ab", 7, 4 },
						  { "faults", "a", 7, 100 } };
	struct profile *p = make(recursive, 3);
	struct flame_tree tree;

	(void)state;
	build(p, &options, &tree);
	assert_int_equal(tree.lines.count, 3); /* a:1, a:3, b:2 */
	for (size_t i = 0; i < tree.lines.count; i++) {
		const struct flame_line *line = &tree.lines.item[i];

		assert_string_equal(strtab_get(tree.names, line->file), "app.c");
		assert_int_equal(line->self, line->line == 3 ? 3 : line->line == 2 ? 4 : 0);
		assert_int_equal(line->total, line->line == 3 ? 3 : 7);
	}
	flame_tree_done(&tree);
	profile_free(p);
}

static void test_flame_legend__kinds_by_self(void **state)
{
	struct flame_graph_options options = { .measure = FLAME_MEASURE_WEIGHT };
	struct profile *p = make(both, sizeof(both) / sizeof(both[0]));
	struct flame_legend legend;
	struct flame_tree tree;
	struct buf svg = { 0 };

	(void)state;
	build(p, &options, &tree);
	flame_legend_collect(&tree, &options, &legend);
	assert_int_equal(legend.shown, 2);
	flame_legend_put_svg(&legend, 10, 20, &svg);
	assert_non_null(strstr(svg.data, " user 86.1%"));
	assert_non_null(strstr(svg.data, " kernel 13.9%"));
	buf_clear(&svg);
	options.colors = "hot"; /* which means nothing */
	flame_legend_collect(&tree, &options, &legend);
	flame_legend_put_svg(&legend, 10, 20, &svg);
	flame_legend_put_json(&legend, &svg);
	assert_int_equal(svg.len, 0);
	buf_done(&svg);
	flame_tree_done(&tree);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_flame_parts__add_up_to_the_tree),
		cmocka_unit_test(test_flame_parts__none_where_nothing_can_be_chosen),
		cmocka_unit_test(test_flame_parts__an_asked_event_is_alone),
		cmocka_unit_test(test_flame_parts__survive_pruning),
		cmocka_unit_test(test_flame_parts__hundred_threads_and_the_others),
		cmocka_unit_test(test_flame_lines__a_stack_counts_once),
		cmocka_unit_test(test_flame_legend__kinds_by_self),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

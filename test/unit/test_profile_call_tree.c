/* SPDX-License-Identifier: GPL-2.0-or-later */
/* profile/call_tree: stacks merge by label, weights add up, order and direction are as asked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "profile/call_tree.h"

#define ROOTS 1000 /* labels of root frames begin here */

static uint32_t label_by_name(void *context, frame_id frame, uint32_t root)
{
	const struct profile *p = context;

	(void)root;
	if (strcmp(profile_string(p, p->frames.item[frame.v].function), "skip") == 0)
		return CALL_NO_LABEL;
	return p->frames.item[frame.v].function.v;
}

static uint32_t label_by_thread(void *context, thread_id thread)
{
	(void)context;
	return ROOTS + thread.v;
}

/* names: one letter each, outermost first; '-' is the frame "skip". */
static void add(struct profile *p, uint32_t tid, const char *names, uint64_t weight)
{
	stack_id stack = STACK_EMPTY;
	struct profile_sample sample = { .thread = profile_thread(p, tid, tid, "x"),
					 .event = profile_event(p, "e", ""),
					 .weight = weight,
					 .count = 1 };

	for (size_t i = 0; names[i]; i++) {
		struct frame frame = { .offset = i }; /* places differ, names need not */

		frame.function = names[i] == '-' ? strtab_puts(p->strings, "skip")
						 : strtab_intern(p->strings, names + i, 1);
		stack = profile_stack_push(p, stack, profile_frame(p, &frame));
	}
	sample.stack = stack;
	profile_add(p, &sample);
}

static uint32_t find(const struct profile *p, const struct call_tree *tree, const char *names)
{
	uint32_t at = 0;

	for (; *names; names++) {
		uint32_t id = tree->nodes.item[at].first_child;
		uint32_t label = *names == '0'	 ? ROOTS
				 : *names == '1' ? ROOTS + 1
						 : strtab_intern(p->strings, names, 1).v;

		while (id && tree->nodes.item[id].label != label)
			id = tree->nodes.item[id].next_sibling;
		if (!id)
			return 0;
		at = id;
	}
	return at;
}

static const bool all[1] = { true };

static void test_build__merges_by_label(void **state)
{
	struct profile *p = profile_new(0);
	struct call_tree_options options = { .events = all, .label = label_by_name, .context = p };
	struct call_tree tree;
	const struct call_node *node;

	(void)state;
	add(p, 1, "ab", 1);
	add(p, 1, "a-b", 2);
	add(p, 1, "aab", 4);
	add(p, 1, "", 8);
	call_tree_build(p, &options, &tree);
	assert_int_equal(tree.nodes.item[0].total, 15);
	assert_int_equal(tree.nodes.item[0].self, 8);
	node = &tree.nodes.item[find(p, &tree, "ab")];
	assert_int_equal(node->self, 3);
	assert_true(node->ends);
	assert_false(tree.nodes.item[find(p, &tree, "a")].ends);
	assert_int_equal(tree.nodes.item[find(p, &tree, "a")].total, 7);
	assert_int_equal(tree.nodes.item[find(p, &tree, "aab")].depth, 3);
	assert_int_equal(tree.max_depth, 3);
	call_tree_done(&tree);
	options.by_samples = true;
	call_tree_build(p, &options, &tree);
	assert_int_equal(tree.nodes.item[0].total, 4);
	assert_int_equal(tree.nodes.item[find(p, &tree, "ab")].self, 2);
	call_tree_done(&tree);
	profile_free(p);
}

static void test_build__roots_keep_threads_apart(void **state)
{
	struct profile *p = profile_new(0);
	struct call_tree_options options = {
		.events = all, .root_label = label_by_thread, .label = label_by_name, .context = p
	};
	struct call_tree tree;

	(void)state;
	add(p, 1, "ab", 1);
	add(p, 2, "ab", 2);
	add(p, 1, "ab", 4);
	call_tree_build(p, &options, &tree);
	assert_int_equal(tree.nodes.item[find(p, &tree, "0ab")].self, 5);
	assert_int_equal(tree.nodes.item[find(p, &tree, "1ab")].self, 2);
	call_tree_done(&tree);
	options.reverse = true;
	call_tree_build(p, &options, &tree);
	assert_int_equal(tree.nodes.item[find(p, &tree, "ba")].total, 7);
	assert_int_equal(tree.nodes.item[find(p, &tree, "ba1")].self, 2);
	call_tree_done(&tree);
	profile_free(p);
}

static void test_build__in_order_merges_neighbours_only(void **state)
{
	struct profile *p = profile_new(PROFILE_KEEP_TIME);
	struct call_tree_options options = {
		.events = all, .label = label_by_name, .context = p, .in_order = true
	};
	struct call_tree tree;
	const struct call_node *first;

	(void)state;
	add(p, 1, "ab", 1);
	add(p, 1, "ab", 1);
	add(p, 1, "c", 1);
	add(p, 1, "ab", 1);
	call_tree_build(p, &options, &tree);
	first = &tree.nodes.item[tree.nodes.item[0].first_child];
	assert_int_equal(first->total, 2);
	assert_int_equal(tree.nodes.item[first->next_sibling].total, 1);
	assert_int_equal(tree.nodes.count, 1 + 5);
	call_tree_done(&tree);
	profile_free(p);
}

static int by_weight(const struct call_node *a, const struct call_node *b, void *context)
{
	(void)context;
	return (a->total < b->total) - (a->total > b->total);
}

/* Stacks of one root that cannot merge are copied; one more node that no sample has, or another
 * order, and they are looked up: the trees are equal. */
static void test_build__copied_or_looked_up(void **state)
{
	static const char *const orders[] = { "plain", "unused", "backwards" };
	static const char *const stacks[] = { "abc", "ab", "abd", "", "efg", "a", "eh" };
	const size_t count = sizeof(stacks) / sizeof(*stacks);
	uint32_t node_of[sizeof(stacks) / sizeof(*stacks)];

	(void)state;
	for (int with_root = 0; with_root < 2; with_root++)
		for (size_t order = 0; order < 3; order++) {
			struct profile *p = profile_new(0);
			struct call_tree_options options = { .events = all,
							     .label = label_by_name,
							     .root_label = with_root
										   ? label_by_thread
										   : NULL,
							     .context = p,
							     .node_of_sample = node_of };
			struct call_tree tree;

			if (strcmp(orders[order], "unused") == 0)
				(void)profile_stack_push(
					p, STACK_EMPTY,
					profile_frame(p, &(struct frame){ .offset = 99 }));
			for (size_t i = 0; i < count; i++) {
				size_t at = order == 2 ? count - 1 - i : i;

				add(p, 1, stacks[at], (uint64_t)1 << at);
			}
			call_tree_build(p, &options, &tree);
			assert_int_equal(tree.nodes.count, 9 + (size_t)with_root);
			assert_int_equal(tree.max_depth, 3 + with_root);
			assert_int_equal(tree.nodes.item[0].total, 127);
			for (size_t i = 0; i < count; i++) {
				char path[8] = "0";
				uint32_t at;

				memcpy(path + with_root, stacks[i], strlen(stacks[i]) + 1);
				at = find(p, &tree, path);
				assert_int_equal(tree.nodes.item[at].self, (uint64_t)1 << i);
				assert_true(tree.nodes.item[at].ends);
				assert_int_equal(node_of[order == 2 ? count - 1 - i : i], at);
			}
			assert_int_equal(
				tree.nodes.item[find(p, &tree, with_root ? "0ab" : "ab")].total, 7);
			call_tree_done(&tree);
			profile_free(p);
		}
}

static void test_sort__siblings(void **state)
{
	struct profile *p = profile_new(0);
	struct call_tree_options options = { .events = all, .label = label_by_name, .context = p };
	struct call_tree tree;
	uint64_t last = UINT64_MAX;
	size_t count = 0;

	(void)state;
	add(p, 1, "a", 2);
	add(p, 1, "b", 3);
	add(p, 1, "c", 1);
	call_tree_build(p, &options, &tree);
	call_tree_sort(&tree, by_weight, NULL);
	for (uint32_t id = tree.nodes.item[0].first_child; id;
	     id = tree.nodes.item[id].next_sibling, count++) {
		assert_true(tree.nodes.item[id].total < last);
		last = tree.nodes.item[id].total;
	}
	assert_int_equal(count, 3);
	call_tree_done(&tree);
	profile_free(p);
}

static void test_pick_events(void **state)
{
	struct profile *p = profile_new(0);
	bool picked[3];

	(void)state;
	assert_int_equal(profile_pick_events(p, NULL, picked), 0);
	(void)profile_event(p, "cpu_core/cycles/", "");
	(void)profile_event(p, "faults", "");
	(void)profile_event(p, "cpu_atom/cycles/", "");
	p->events.item[1].samples = 1;
	assert_int_equal(profile_pick_events(p, NULL, picked), 1);
	assert_true(picked[1]);
	assert_int_equal(profile_pick_events(p, "cpu_core/cycles/", picked), 2);
	assert_false(picked[1]);
	assert_int_equal(profile_pick_events(p, "nothing", picked), 0);
	profile_free(p);
}

/* The labels from the root to the node, whatever frames or stacks were merged there. */
static void check_path(const struct profile *p, const struct call_tree *tree,
		       const struct profile_sample *sample, uint32_t at)
{
	for (stack_id stack = sample->stack; stack.v; stack = p->nodes.item[stack.v].parent) {
		uint32_t label = label_by_name((void *)(uintptr_t)p, p->nodes.item[stack.v].frame,
					       CALL_NO_LABEL);

		if (label == CALL_NO_LABEL)
			continue;
		assert_int_equal(tree->nodes.item[at].label, label);
		at = tree->nodes.item[at].parent;
	}
	assert_int_equal(tree->nodes.item[at].label, ROOTS + sample->thread.v);
	assert_int_equal(tree->nodes.item[at].parent, 0);
}

static void check_siblings(const struct call_tree *tree)
{
	for (size_t i = 0; i < tree->nodes.count; i++)
		for (uint32_t a = tree->nodes.item[i].first_child; a;
		     a = tree->nodes.item[a].next_sibling)
			for (uint32_t b = tree->nodes.item[a].next_sibling; b;
			     b = tree->nodes.item[b].next_sibling)
				assert_int_not_equal(tree->nodes.item[a].label,
						     tree->nodes.item[b].label);
}

/* Random stacks of frames that share names, or have none. */
static void test_build__one_node_per_path(void **state)
{
	uint32_t seed = 7;

	(void)state;
	for (unsigned letters = 2; letters < 26; letters += 4) {
		struct profile *p = profile_new(0);
		bool events[1] = { true };
		uint32_t node_of_sample[4000];
		struct call_tree_options options = { .events = events,
						     .root_label = label_by_thread,
						     .label = label_by_name,
						     .context = p,
						     .node_of_sample = node_of_sample };
		struct call_tree tree;

		for (size_t i = 0; i < 4000; i++) {
			char names[12] = "";
			size_t count = 0;

			do {
				seed = seed * 1664525 + 1013904223;
				names[count++] = seed >> 28 ? (char)('a' + (seed >> 8) % letters)
							    : '-';
			} while (count < 10 && seed >> 30);
			add(p, seed >> 12 & 1, names, 1);
		}
		call_tree_build(p, &options, &tree);
		check_siblings(&tree);
		assert_int_equal(tree.nodes.item[0].total, 4000);
		for (size_t i = 0; i < p->samples.count; i++)
			check_path(p, &tree, &p->samples.item[i], node_of_sample[i]);
		call_tree_done(&tree);
		profile_free(p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_build__merges_by_label),
		cmocka_unit_test(test_build__roots_keep_threads_apart),
		cmocka_unit_test(test_build__in_order_merges_neighbours_only),
		cmocka_unit_test(test_build__one_node_per_path),
		cmocka_unit_test(test_build__copied_or_looked_up),
		cmocka_unit_test(test_sort__siblings),
		cmocka_unit_test(test_pick_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When stacks were seen first: the earliest of all samples, also of samples that became one, and
 * after pruning. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "profile/profile.h"
#include "view/flame/flame_first.h"
#include "view/flame/flame_graph.h"
#include "view/flame/flame_merge.h"
#include "view/flame/flame_prune.h"
#include "view/flame/flame_tree.h"

#define SECOND 1000000000ull

/* Functions have names of a letter; from the root. */
static void add(struct profile *p, const char *stack, uint32_t tid, uint64_t seconds)
{
	struct profile_sample sample = { .thread = profile_thread(p, 7, tid, "app"),
					 .event = profile_event(p, "cycles", ""),
					 .time_ns = 100 * SECOND + seconds * SECOND,
					 .weight = 1,
					 .count = 1 };

	for (; *stack; stack++) {
		struct frame frame = { .function = strtab_intern(p->strings, stack, 1) };

		sample.stack = profile_stack_push(p, sample.stack, profile_frame(p, &frame));
	}
	profile_add(p, &sample);
}

static struct profile *make(unsigned keep, uint32_t other_tid)
{
	struct profile *p = profile_new(keep);

	p->meta.first_ns = 100 * SECOND;
	p->meta.last_ns = 108 * SECOND;
	add(p, "mz", 7, 0);
	add(p, "mab", 7, 6);
	add(p, "mac", other_tid, 5);
	add(p, "mab", 7, 4); /* a clock that is not quite the other's */
	add(p, "mz", 7, 8);
	profile_count(p);
	return p;
}

static void build(const struct profile *p, struct flame_tree *ret)
{
	const struct flame_graph_options options = { 0 };
	struct err err = { 0 };

	assert_int_equal(flame_tree_build(p, &options, ret, &err), 0);
}

static double first_of(const struct flame_tree *tree, const char *name)
{
	for (size_t i = 0; i < tree->nodes.count; i++) {
		const struct flame_label *l = &tree->labels.item[tree->nodes.item[i].label];

		if (strcmp(strtab_get(tree->names, l->name), name) == 0)
			return (double)tree->first[i];
	}
	return -1;
}

static void check_times(uint32_t other_tid)
{
	struct profile *p = make(PROFILE_KEEP_FIRST, other_tid);
	struct flame_tree tree;

	assert_true(flame_first_known(p));
	build(p, &tree);
	assert_non_null(tree.first);
	assert_true(isinf(first_of(&tree, "app")));
	assert_true(first_of(&tree, "z") == 0);
	assert_true(isinf(first_of(&tree, "a")));
	assert_true(first_of(&tree, "b") == 4);
	assert_true(first_of(&tree, "c") == 5);
	flame_tree_done(&tree);
	profile_free(p);
}

static void test_first__is_the_earliest(void **state)
{
	(void)state;
	check_times(7);
	check_times(8); /* a tree of parts */
}

static void test_first__is_kept_when_pruned(void **state)
{
	struct profile *p = make(PROFILE_KEEP_FIRST, 7);
	struct flame_tree tree;
	float smallest = INFINITY;

	(void)state;
	build(p, &tree);
	tree.least = 2; /* z 2, a 3, b 2, c 1: c is a separate box */
	flame_prune(&tree, 4);
	for (size_t i = 0; i < tree.nodes.count; i++)
		if (tree.nodes.item[i].label == FLAME_LABEL_SMALLER)
			smallest = fminf(smallest, tree.first[i]);
	assert_true(smallest == 5);
	assert_true(first_of(&tree, "z") == 0);
	flame_tree_done(&tree);
	profile_free(p);
}

static void test_first__unknown_without_times(void **state)
{
	struct profile *p = make(0, 7);
	struct flame_tree tree;

	(void)state;
	assert_false(flame_first_known(p));
	build(p, &tree);
	assert_null(tree.first);
	flame_tree_done(&tree);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_first__is_the_earliest),
		cmocka_unit_test(test_first__is_kept_when_pruned),
		cmocka_unit_test(test_first__unknown_without_times),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

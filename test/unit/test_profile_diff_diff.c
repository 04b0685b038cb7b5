/* SPDX-License-Identifier: GPL-2.0-or-later */
/* profile/diff and its parts: stacks of both sides in one tree, sums on both sides, verdicts; and
 * the rules of gates. Profiles are made from folded text. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "format/folded/folded.h"
#include "profile/diff/diff.h"
#include "profile/diff/diff_rule.h"

#define assert_near(a, b, eps) assert_true(fabs((a) - (b)) <= (eps))

static struct profile *folded(const char *text)
{
	struct profile *profile = profile_new(0);

	folded_parse(text, strlen(text), profile);
	profile_count(profile);
	return profile;
}

static struct diff compare_profiles(const struct profile *before, const struct profile *after,
				    const struct diff_options *options)
{
	struct diff_input input = { .runs = { &before, &after }, .count = { 1, 1 } };
	struct err err = { 0 };
	struct diff diff;

	assert_int_equal(diff_build(&input, options, &diff, &err), 0);
	return diff;
}

static struct diff compare(const char *before, const char *after,
			   const struct diff_options *options)
{
	struct profile *b = folded(before), *a = folded(after);
	struct diff diff = compare_profiles(b, a, options);

	profile_free(b);
	profile_free(a);
	return diff;
}

static const struct diff_node *find(const struct diff *diff, const char *path)
{
	uint32_t at = 0;

	while (*path) {
		size_t len = strcspn(path, ";");

		for (at = diff->nodes.item[at].first_child; at;
		     at = diff->nodes.item[at].next_sibling) {
			const struct diff_label *label =
				&diff->labels.item[diff->nodes.item[at].label];
			const char *name = strtab_get(diff->names, label->name);

			if (strlen(name) == len && strncmp(name, path, len) == 0)
				break;
		}
		assert_true(at != 0);
		path += len + (path[len] == ';');
	}
	return &diff->nodes.item[at];
}

static const struct diff_label *function(const struct diff *diff, const char *name)
{
	for (size_t i = 0; i < diff->labels.count; i++)
		if (strcmp(strtab_get(diff->names, diff->labels.item[i].name), name) == 0)
			return &diff->labels.item[i];
	fail_msg("no function %s", name);
	return NULL;
}

static const struct diff_options shares = { 0 };

static void test_diff__union_of_both_sides(void **state)
{
	struct diff diff = compare("a;b 300\na;old 100\n", "a;b 500\na;new 300\n", &shares);
	const struct diff_node *node;

	(void)state;
	assert_int_equal(diff.nodes.count, 5);
	assert_int_equal(diff.total[0].samples, 400);
	assert_int_equal(diff.total[1].weight, 800);
	assert_int_equal(diff.max_depth, 2);
	node = find(&diff, "a;old");
	assert_int_equal(node->inclusive.weight[0], 100);
	assert_int_equal(node->inclusive.weight[1], 0);
	assert_int_equal(diff_verdict(&diff.paths, &node->inclusive), DIFF_GONE);
	assert_int_equal(diff_verdict(&diff.paths, &find(&diff, "a;new")->self), DIFF_NEW);
	node = find(&diff, "a;b");
	assert_near(node->inclusive.change.share[0], 0.75, 1e-12);
	assert_near(diff_delta(&node->inclusive), 0.625 - 0.75, 1e-12);
	assert_int_equal(diff_verdict(&diff.paths, &node->inclusive), DIFF_SHRANK);
	assert_int_equal(diff_verdict(&diff.paths, &find(&diff, "a")->inclusive), DIFF_NONE);
	assert_int_equal(find(&diff, "a")->self.weight[1], 0);
	/* Siblings are in order of their names. */
	assert_ptr_equal(&diff.nodes.item[find(&diff, "a")->first_child], find(&diff, "a;b"));
	diff_done(&diff);
}

static void test_diff__recursion_counts_once(void **state)
{
	struct diff diff = compare("a;f;f;g;f 10\na;g 30\n", "a;f 20\na;g;f;f 20\n", &shares);
	const struct diff_label *f = function(&diff, "f");

	(void)state;
	assert_int_equal(f->inclusive.weight[0], 10);
	assert_int_equal(f->self.weight[0], 10);
	assert_int_equal(f->inclusive.weight[1], 40);
	assert_int_equal(f->self.weight[1], 40);
	assert_int_equal(function(&diff, "g")->inclusive.weight[0], 40);
	assert_int_equal(function(&diff, "a")->inclusive.weight[1], 40);
	diff_done(&diff);
}

/* A chain of frames is one question; so is a leaf's own share. */
static void test_diff__chains_are_tested_once(void **state)
{
	struct diff diff = compare("a;b;c;d 40\na;e 60\n", "a;b;c;d 70\na;e 30\n", &shares);

	(void)state;
	assert_int_equal(diff.paths.tests, 3); /* a, b;c;d, e */
	assert_int_equal(diff.paths.found, 2);
	assert_near(find(&diff, "a;b")->inclusive.change.q, find(&diff, "a;b;c;d")->self.change.q,
		    0);
	assert_true(find(&diff, "a;b;c")->inclusive.change.q < 0.001);
	diff_done(&diff);
	diff = compare("a;b;c 40\na;b 20\na;e 40\n", "a;b;c 70\na;b 1\na;e 29\n", &shares);
	assert_int_equal(diff.paths.tests, 5); /* a, b, b itself, c, e */
	diff_done(&diff);
}

static void test_diff__fractions_and_normalising(void **state)
{
	struct diff diff = compare("a;b 1.5\na;c 0.25\n", "a;b 12\na;c 2\n", &shares);

	(void)state;
	assert_int_equal(diff.scale, 100);
	assert_int_equal(find(&diff, "a;b")->self.weight[0], 150);
	assert_int_equal(find(&diff, "a;b")->self.weight[1], 1200);
	assert_near(diff_delta(&find(&diff, "a;b")->self), 0, 1e-12);
	assert_int_equal(diff.paths.found, 0);
	diff_done(&diff);
}

static void test_diff__amounts(void **state)
{
	static const struct diff_options amounts = { .kind = AMOUNTS };
	struct diff diff = compare("a;b 1000\na;c 1000\n", "a;b 3000\na;c 1000\n", &amounts);

	(void)state;
	assert_near(diff_delta(&find(&diff, "a")->inclusive), 1, 1e-12);
	assert_near(diff_delta(&find(&diff, "a;b")->inclusive), 1, 1e-12);
	assert_near(diff_delta(&find(&diff, "a;c")->inclusive), 0, 1e-12);
	assert_int_equal(diff_verdict(&diff.paths, &find(&diff, "a;b")->self), DIFF_GREW);
	assert_int_equal(diff_verdict(&diff.paths, &find(&diff, "a;c")->self), DIFF_NONE);
	diff_done(&diff);
}

/* Microseconds are not samples: without knowing, everything would be significant. */
static void test_diff__weight_per_sample(void **state)
{
	struct diff_options options = { 0 };
	struct diff diff = compare("a 20000\nb 80000\n", "a 21000\nb 79000\n", &options);

	(void)state;
	assert_int_equal(diff.paths.found, 0); /* the common divisor is 20000 */
	assert_int_equal(diff.total[0].samples, 5);
	diff_done(&diff);
	options.weight_per_sample = 1;
	diff = compare("a 20000\nb 80000\n", "a 21000\nb 79000\n", &options);
	assert_true(diff.paths.found > 0);
	diff_done(&diff);
	options.weight_per_sample = 1000;
	diff = compare("a 20000\nb 80000\n", "a 21000\nb 79000\n", &options);
	assert_int_equal(diff.paths.found, 0);
	diff_done(&diff);
}

/* Times of waits: neither counts nor multiples of anything. */
static void test_diff__uncounted(void **state)
{
	struct diff_options options = { 0 };
	struct diff diff = compare("a 20123\nb 80457\n", "a 60101\nb 49003\n", &options);

	(void)state;
	assert_true(diff.uncounted);
	assert_int_equal(diff.paths.found, 0);
	assert_int_equal(diff_verdict(&diff.paths, &find(&diff, "a")->self), DIFF_NONE);
	assert_near(find(&diff, "a")->self.change.share[0], 0.2, 0.001);
	diff_done(&diff);
	diff = compare("# cupel: event=cycles unit=count period=1000.000 samples=101\n"
		       "a 20123\nb 80457\n",
		       "# cupel: event=cycles unit=count period=1000.000 samples=99\n"
		       "a 60101\nb 49003\n",
		       &options);
	assert_false(diff.uncounted);
	assert_true(diff.paths.found > 0);
	diff_done(&diff);
}

static void test_diff__reversed(void **state)
{
	static const struct diff_options options = { .reverse = true };
	struct diff diff = compare("a;x 10\nb;x 30\n", "a;x 30\nb;x 10\n", &options);

	(void)state;
	assert_int_equal(find(&diff, "x")->inclusive.weight[0], 40);
	assert_int_equal(find(&diff, "x;a")->inclusive.weight[1], 30);
	diff_done(&diff);
}

/* One profile with times: `bursts` of the same frame in a row, or spread evenly. */
static struct profile *timed(unsigned int seed, bool bursts)
{
	struct profile *p = profile_new(PROFILE_KEEP_TIME);
	struct profile_sample sample = { .thread = profile_thread(p, 1, 1, "x"),
					 .event = profile_event(p, "e", ""),
					 .weight = 1,
					 .count = 1 };
	struct frame frame = { .function = strtab_puts(p->strings, "f") };
	struct frame other = { .function = strtab_puts(p->strings, "g") };
	stack_id stack[2] = { profile_stack_push(p, STACK_EMPTY, profile_frame(p, &frame)),
			      profile_stack_push(p, STACK_EMPTY, profile_frame(p, &other)) };

	for (unsigned int i = 0; i < 6000; i++) {
		unsigned int unit = bursts ? i / 200 : i;

		unit = (unit + seed * 7919) * 2654435761u;
		sample.stack = stack[(unit >> 16) % 10 != 0];
		sample.time_ns = 1000000000u + i * 5000000ull;
		profile_add(p, &sample);
	}
	profile_count(p);
	return p;
}

static void test_diff__bursts_need_more(void **state)
{
	(void)state;
	for (int bursts = 0; bursts < 2; bursts++) {
		int found = 0, blocks = 0;
		double spread = 0;

		for (unsigned int i = 0; i < 20; i++) {
			struct profile *b = timed(i * 2, bursts), *a = timed(i * 2 + 1, bursts);
			struct diff diff = compare_profiles(b, a, &shares);

			found += diff.paths.found > 0;
			blocks += (int)diff.total[0].sums.blocks;
			spread += diff.spread / 20;
			diff_done(&diff);
			profile_free(b);
			profile_free(a);
		}
		assert_int_equal(blocks, 20 * 28);
		assert_in_range(found, 0, 3);
		assert_true(bursts ? spread > 20 : spread < 2);
	}
}

static void test_diff__sets_of_runs(void **state)
{
	static const char *const texts[2][3] = {
		{ "a;f 100\na;g 400\na;h 500\n", "a;f 102\na;g 300\na;h 598\n",
		  "a;f 98\na;g 500\na;h 402\n" },
		{ "a;f 200\na;g 390\na;h 410\n", "a;f 205\na;g 520\na;h 275\n",
		  "a;f 197\na;g 310\na;h 493\n" },
	};
	const struct profile *runs[2][3];
	struct diff_input input = { .runs = { runs[0], runs[1] }, .count = { 3, 3 } };
	struct err err = { 0 };
	struct diff diff;

	(void)state;
	for (int side = 0; side < 2; side++)
		for (int i = 0; i < 3; i++)
			runs[side][i] = folded(texts[side][i]);
	assert_int_equal(diff_build(&input, &shares, &diff, &err), 0);
	assert_int_equal(diff.total[0].sums.runs, 3);
	assert_int_equal(diff_verdict(&diff.paths, &find(&diff, "a;f")->self), DIFF_GREW);
	assert_int_equal(diff_verdict(&diff.paths, &find(&diff, "a;g")->self), DIFF_NONE);
	diff_done(&diff);
	for (int side = 0; side < 2; side++)
		for (int i = 0; i < 3; i++)
			profile_free((struct profile *)runs[side][i]);
}

static void test_diff__errors(void **state)
{
	struct profile *p = folded("a 1\n"), *empty = profile_new(0);
	const struct profile *side = p, *none = empty;
	struct diff_input input = { .runs = { &side, &none }, .count = { 1, 1 } };
	struct diff_options options = { 0 };
	struct err err = { 0 };
	struct diff diff;

	(void)state;
	assert_int_equal(diff_build(&input, &options, &diff, &err), -ENODATA);
	options.event = "cycles";
	assert_int_equal(diff_build(&input, &options, &diff, &err), -ENOENT);
	profile_free(p);
	profile_free(empty);
}

static enum diff_outcome check(const struct diff *diff, const char *text)
{
	struct diff_rule rule;
	struct err err = { 0 };

	assert_int_equal(diff_rule_parse(text, &rule, &err), 0);
	return diff_rule_check(&rule, diff).outcome;
}

static void test_diff_rule__three_outcomes(void **state)
{
	struct diff diff = compare("a;f 4000\na;g 36000\na;old 400\n",
				   "a;f 5000\na;g 35000\na;new 400\na;op<T>(int) 40\n", &shares);

	(void)state;
	assert_int_equal(check(&diff, "self(f)>+1%"), DIFF_BROKEN);
	assert_int_equal(check(&diff, "self(f)>5%"), DIFF_KEPT);
	assert_int_equal(check(&diff, "self(f)>2.4%"), DIFF_OPEN);
	assert_int_equal(check(&diff, "total(g)<-1%"), DIFF_BROKEN);
	assert_int_equal(check(&diff, "total(g)>0%"), DIFF_KEPT);
	assert_int_equal(check(&diff, "total>1%"), DIFF_BROKEN);
	assert_int_equal(check(&diff, "total>9%"), DIFF_KEPT);
	assert_int_equal(check(&diff, "new>0.5%"), DIFF_BROKEN);
	assert_int_equal(check(&diff, "new>1%"), DIFF_OPEN);
	assert_int_equal(check(&diff, "new>2%"), DIFF_KEPT);
	assert_int_equal(check(&diff, "gone>0.5%"), DIFF_BROKEN);
	assert_int_equal(check(&diff, "gone(f)>0.5%"), DIFF_KEPT);
	assert_int_equal(check(&diff, "new(op<*>(int))>0.01%"), DIFF_BROKEN);
	assert_int_equal(check(&diff, "self(nothing)>1%"), DIFF_KEPT);
	diff_done(&diff);
	/* Too few samples for a decision. */
	diff = compare("a;f 4\na;g 36\n", "a;f 5\na;g 35\n", &shares);
	assert_int_equal(check(&diff, "self(f)>+1%"), DIFF_OPEN);
	assert_int_equal(check(&diff, "new>0.5%"), DIFF_OPEN);
	assert_int_equal(check(&diff, "self(nothing)>1%"), DIFF_OPEN);
	diff_done(&diff);
}

/* 2.2 standard errors: enough for one test, not for six. */
static void test_diff_rule__agrees_with_the_table(void **state)
{
	struct diff diff = compare("a;f 1000\na;g 9000\nb 1000\nc 1000\nd 1000\n",
				   "a;f 1096\na;g 8904\nb 1000\nc 1000\nd 1000\n", &shares);
	const struct diff_amount *f = &function(&diff, "f")->self;
	struct diff_rule rule;
	struct err err = { 0 };
	struct diff_finding finding;
	double interval[2];

	(void)state;
	assert_true(f->change.p < 0.05);
	assert_false(diff_is_significant(&diff.functions, f));
	assert_int_equal(diff_rule_parse("self(f)>0%", &rule, &err), 0);
	finding = diff_rule_check(&rule, &diff);
	assert_int_equal(finding.outcome, DIFF_OPEN);
	diff_interval(&diff.functions, f, interval);
	assert_near(finding.interval[0], interval[0], 0);
	assert_near(finding.interval[1], interval[1], 0);
	diff_done(&diff);
}

static void test_diff_rule__refuses_what_is_none(void **state)
{
	static const char *const bad[] = {
		"",	     "self",	  "self>",	 "self>1",     "selfish>1%", "self(>1%",
		"self()>1%", "self f>1%", "self(f)>-1%", "self(f)<1%", "new<-1%",    "self>%",
		"self>1%%",  "self>nan%", "self(f)",	 "self(a->b)", "(f)>1%",     ">1%",
	};
	struct diff_rule rule;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct err err = { 0 };

		if (diff_rule_parse(bad[i], &rule, &err) != -EINVAL)
			fail_msg("'%s' is taken for a rule", bad[i]);
		assert_true(err.hint[0]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_diff__union_of_both_sides),
		cmocka_unit_test(test_diff__recursion_counts_once),
		cmocka_unit_test(test_diff__chains_are_tested_once),
		cmocka_unit_test(test_diff__fractions_and_normalising),
		cmocka_unit_test(test_diff__amounts),
		cmocka_unit_test(test_diff__weight_per_sample),
		cmocka_unit_test(test_diff__uncounted),
		cmocka_unit_test(test_diff__reversed),
		cmocka_unit_test(test_diff__bursts_need_more),
		cmocka_unit_test(test_diff__sets_of_runs),
		cmocka_unit_test(test_diff__errors),
		cmocka_unit_test(test_diff_rule__three_outcomes),
		cmocka_unit_test(test_diff_rule__agrees_with_the_table),
		cmocka_unit_test(test_diff_rule__refuses_what_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

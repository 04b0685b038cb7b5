/* SPDX-License-Identifier: GPL-2.0-or-later */
/* profile/diff/diff_names: a module with names on one side only leaves a comparison undecided. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "profile/diff/diff.h"
#include "profile/diff/diff_names.h"

/* `count` samples in a program, and ten times as many in a library with names. */
static struct profile *profile_of(const char *path, const char *function, uint64_t count)
{
	struct profile *p = profile_new(0);
	uint16_t event = profile_event(p, "cpu-clock", "ns");
	uint32_t module = profile_module(p, path, ""), library = profile_module(p, "/lib/c.so", "");
	thread_id thread = profile_thread(p, 1, 1, "program");
	struct frame own = { .module = module, .offset = 0x1000 };
	struct frame lib = { .module = library, .function = strtab_puts(p->strings, "write") };
	struct profile_sample sample = { .event = event, .thread = thread, .weight = 1 };

	own.function = strtab_puts(p->strings, function);
	sample.stack = profile_stack_push(p, STACK_EMPTY, profile_frame(p, &own));
	for (uint64_t i = 0; i < count; i++)
		profile_add(p, &sample);
	sample.stack = profile_stack_push(p, STACK_EMPTY, profile_frame(p, &lib));
	for (uint64_t i = 0; i < 10 * count; i++)
		profile_add(p, &sample);
	profile_count(p);
	return p;
}

static bool one_sided(const struct profile *before, const struct profile *after, const char **name,
		      enum diff_side *nameless)
{
	const struct diff_input input = { .runs = { &before, &after }, .count = { 1, 1 } };

	return diff_names_one_sided(&input, name, nameless);
}

static void test_names_on_one_side(void **state)
{
	struct profile *named = profile_of("/home/a/program", "hot", 50);
	struct profile *nameless = profile_of("/tmp/program", "", 50);
	enum diff_side side = DIFF_BEFORE;
	const char *name = "";

	(void)state;
	assert_true(one_sided(named, nameless, &name, &side));
	assert_string_equal(name, "program");
	assert_int_equal(side, DIFF_AFTER);
	assert_true(one_sided(nameless, named, &name, &side));
	assert_int_equal(side, DIFF_BEFORE);
	assert_false(one_sided(named, named, &name, &side));
	assert_false(one_sided(nameless, nameless, &name, &side));
	profile_free(named);
	profile_free(nameless);
}

static void test_there_are_no_verdicts_then(void **state)
{
	struct profile *before = profile_of("/program", "", 500);
	struct profile *after = profile_of("/program", "hot", 500);
	const struct diff_input input = { .runs = { (const struct profile *const[]){ before },
						    (const struct profile *const[]){ after } },
					  .count = { 1, 1 } };
	const struct diff_options options = { 0 };
	struct err err = { 0 };
	struct diff diff;

	(void)state;
	assert_int_equal(diff_build(&input, &options, &diff, &err), 0);
	assert_true(diff.functions.undecided);
	assert_int_equal(diff.functions.found, 0);
	assert_non_null(
		strstr(strtab_get(diff.names, diff.undecided), "program has symbols only after"));
	diff_done(&diff);
	profile_free(before);
	profile_free(after);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_on_one_side),
		cmocka_unit_test(test_there_are_no_verdicts_then),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

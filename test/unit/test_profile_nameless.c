/* SPDX-License-Identifier: GPL-2.0-or-later */
/* profile/nameless: finds the module that lacks most names, and the remedy for its problem. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "profile/nameless.h"
#include "profile/profile.h"

static void add(struct profile *p, const char *path, const char *problem, const char *function,
		uint64_t count)
{
	uint32_t module = profile_module(p, path, "");
	struct frame frame = { .module = module, .offset = module };
	struct profile_sample sample = { .event = profile_event(p, "cycles", ""),
					 .thread = profile_thread(p, 1, 1, "x"),
					 .weight = count,
					 .count = count };

	p->modules.item[module].problem = strtab_puts(p->strings, problem);
	frame.function = strtab_puts(p->strings, function);
	sample.stack = profile_stack_push(p, STACK_EMPTY, profile_frame(p, &frame));
	profile_add(p, &sample);
}

static void test_finds_the_worst_module(void **state)
{
	struct profile *p = profile_new(0);
	struct nameless found;

	(void)state;
	add(p, "/bin/fine", "", "main", 500);
	add(p, "/bin/rare", "no such file", "", 2);
	assert_false(nameless_find(p, &found)); /* less than 1 % */
	add(p, "/bin/named", "stripped: only exported functions have names", "write", 100);
	assert_false(nameless_find(p, &found));
	add(p, "/bin/stripped", "stripped: no symbols", "", 50);
	assert_true(nameless_find(p, &found));
	assert_string_equal(found.path, "/bin/stripped");
	assert_non_null(strstr(found.advice, "-dbgsym"));
	add(p, "/bin/gone", "no such file", "", 60);
	assert_true(nameless_find(p, &found));
	assert_string_equal(found.problem, "no such file");
	assert_non_null(strstr(found.advice, "--symfs"));
	add(p, "/tmp/perf-7.map", "no perf map for this process", "", 70);
	assert_true(nameless_find(p, &found));
	assert_non_null(strstr(found.advice, "--perf-basic-prof"));
	add(p, "[kernel.kallsyms]", "kernel addresses are hidden (kptr_restrict)", "", 218);
	assert_true(nameless_find(p, &found));
	assert_non_null(strstr(found.advice, "sysctl"));
	assert_true(found.share > 0.217 && found.share < 0.219);
	add(p, "[uprobes]", "no such file", "", 400);
	assert_true(nameless_find(p, &found));
	assert_non_null(strstr(found.advice, "probed instructions"));
	assert_null(strstr(found.advice, "VMLINUX"));
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_finds_the_worst_module),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

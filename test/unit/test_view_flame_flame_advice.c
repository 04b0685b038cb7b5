/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view/flame/flame_advice: what width means by kind of event, and what helps where names, stacks or
 * samples are missing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/err.h"
#include "profile/profile.h"
#include "view/flame/flame_advice.h"
#include "view/flame/flame_merge.h"
#include "view/flame/flame_options.h"
#include "view/flame/flame_tree.h"

static struct profile *profile_of(const char *event, const char *module)
{
	struct profile *p = profile_new(0);
	struct profile_sample sample = { .event = profile_event(p, event, ""),
					 .stop = STACK_STOP_NO_TABLE,
					 .cpu = PROFILE_NO_CPU,
					 .weight = 1000,
					 .count = 1000 };
	struct frame frame = { .module = profile_module(p, module, ""), .offset = 16 };

	sample.thread = profile_thread(p, 1, 1, "x");
	sample.stack = profile_stack_push(p, STACK_EMPTY, profile_frame(p, &frame));
	profile_add(p, &sample);
	profile_count(p);
	return p;
}

static void check(const char *event, const char *module, const char *hint, const char *remedy)
{
	struct profile *p = profile_of(event, module);
	struct flame_graph_options options = { 0 };
	struct flame_tree tree;
	struct buf said = { 0 }, remedies = { 0 };
	struct err err;

	assert_int_equal(flame_tree_build(p, &options, &tree, &err), 0);
	flame_advice_hint(p, &tree, &options, &said);
	assert_memory_equal(said.data, hint, strlen(hint));
	flame_advice_remedies(p, &tree, &remedies);
	assert_non_null(strstr(remedies.data, remedy));
	assert_non_null(strstr(remedies.data, "incomplete stacks: mostly module has no unwind "
					      "table; "));
	buf_done(&said);
	buf_done(&remedies);
	flame_tree_done(&tree);
	profile_free(p);
}

static void test_advice(void **state)
{
	(void)state;
	check("cpu-clock", "/usr/lib/libm.so.6", "Width is CPU time: look first",
	      "frames without a symbol: mostly in libm.so.6; install its debug package (-dbgsym)");
	check("offcpu-time", "[kernel.kallsyms]",
	      "Width is time off the CPU, waiting: ", "kernel.kptr_restrict=0");
	check("page-faults", "//anon", "Width is the number of page-faults: ", "perf map");
}

static void test_names_the_package(void **state)
{
	struct profile *p = profile_of("cpu-clock", "/usr/lib/libm.so.6");
	struct flame_graph_options options = { 0 };
	struct profile_module *module = &p->modules.item[p->modules.count - 1];
	struct flame_tree tree;
	struct buf remedies = { 0 };
	struct err err;

	(void)state;
	module->problem = strtab_puts(p->strings, "stripped: no symbols");
	module->remedy = strtab_puts(p->strings, "install libc6-dbg, or use --debuginfod");
	assert_int_equal(flame_tree_build(p, &options, &tree, &err), 0);
	flame_advice_remedies(p, &tree, &remedies);
	assert_non_null(strstr(remedies.data,
			       "frames without a symbol: mostly in libm.so.6; install "
			       "libc6-dbg, or use --debuginfod\n"));
	buf_done(&remedies);
	flame_tree_done(&tree);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_advice),
					    cmocka_unit_test(test_names_the_package) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* session/probe: argdist's specifications in BCC's syntax. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "session/probe/argument_spec.h"

static void parse(const char *text, struct arena *arena, struct argument_spec *ret)
{
	struct err err = { 0 };

	if (argument_spec_parse(text, arena, ret, &err))
		fail_msg("%s: %s", text, err.msg);
}

static void test_spec__all_parts(void **state)
{
	struct arena arena = { 0 };
	struct argument_spec spec;

	(void)state;
	parse("p:c:write(int fd, const void *buf, size_t):int,char *: fd , (char *)buf:fd > 2#who",
	      &arena, &spec);
	assert_string_equal(spec.place, "p:c:write");
	assert_int_equal(spec.parameters, 3);
	assert_string_equal(spec.parameter[0].name, "fd");
	assert_string_equal(spec.parameter[1].type, "const void *");
	assert_string_equal(spec.parameter[1].name, "buf");
	assert_int_equal(spec.expressions, 2);
	assert_string_equal(spec.expression[0], "fd");
	assert_string_equal(spec.expression[1], "(char *)buf");
	assert_string_equal(spec.type[1], "char *");
	assert_string_equal(spec.filter, "fd > 2");
	assert_string_equal(spec.label, "who");
	arena_done(&arena);
}

static void test_spec__parts_may_be_missing(void **state)
{
	struct arena arena = { 0 };
	struct argument_spec spec;

	(void)state;
	parse("c:malloc", &arena, &spec);
	assert_string_equal(spec.place, "p:c:malloc");
	assert_int_equal(spec.expressions, 0);
	assert_string_equal(spec.label, "c:malloc");
	parse("r:/a/b:ns::Class::method():int:$retval", &arena, &spec);
	assert_string_equal(spec.place, "r:/a/b:ns::Class::method");
	assert_int_equal(spec.kind, 'r');
	parse("u:lib:provider:name():u64:arg2", &arena, &spec);
	assert_string_equal(spec.place, "u:lib:provider:name");
	assert_string_equal(spec.expression[0], "arg2");
	parse("u:lib:name():u64:arg2", &arena, &spec);
	assert_string_equal(spec.place, "u:lib:name");
	parse("p::vfs_read(void *file):int:arg3", &arena, &spec);
	assert_string_equal(spec.place, "p::vfs_read");
	parse("t:sched:sched_switch():int:args->prev_prio:args->prev_prio > 5", &arena, &spec);
	assert_string_equal(spec.place, "t:sched:sched_switch");
	assert_string_equal(spec.expression[0], "args->prev_prio");
	assert_string_equal(spec.filter, "args->prev_prio > 5");
	parse("r:c:f(int n):int:$entry(n):$latency > 5", &arena, &spec);
	assert_string_equal(spec.expression[0], "$entry(n)");
	arena_done(&arena);
}

static void test_spec__malformed(void **state)
{
	static const char *const bad[] = {
		"",
		"p:",
		"t:sched",
		"p:c:",
		"p:c:f(int a",
		"p:c:f():int",
		"p:c:f():int:",
		"p:c:f():int,int:a",
		"t:sched:()",
		"p:c:f():u64:a,b,c,d,e,f,g,h,i",
	};
	struct arena arena = { 0 };
	struct argument_spec spec;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct err err = { 0 };

		if (!argument_spec_parse(bad[i], &arena, &spec, &err))
			fail_msg("'%s' is taken", bad[i]);
		assert_true(err.usage && err.hint[0]);
	}
	arena_done(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_spec__all_parts),
		cmocka_unit_test(test_spec__parts_may_be_missing),
		cmocka_unit_test(test_spec__malformed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* profile/ignore_callees: stacks end at the outermost match, others stay, bad patterns are errors.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/err.h"
#include "profile/ignore_callees.h"
#include "profile/profile.h"

static stack_id push(struct profile *p, stack_id stack, const char *name)
{
	struct frame frame = { .function = strtab_puts(p->strings, name) };

	return profile_stack_push(p, stack, profile_frame(p, &frame));
}

static void test_ignore_callees__cuts_at_the_outermost_match(void **state)
{
	struct profile *p = profile_new(0);
	stack_id main = push(p, STACK_EMPTY, "main");
	stack_id lock = push(p, main, "lock_outer");
	stack_id deep = push(p, push(p, lock, "lock_inner"), "spin");
	stack_id other = push(p, main, "work");
	struct profile_sample s = { .event = profile_event(p, "cycles", "count"),
				    .thread = profile_thread(p, 1, 1, "x"),
				    .weight = 1 };
	struct err err = { 0 };

	(void)state;
	s.stack = deep;
	profile_add(p, &s);
	s.stack = other;
	profile_add(p, &s);
	assert_int_equal(0, profile_ignore_callees(p, "^lock", &err));
	assert_int_equal(lock.v, p->samples.item[0].stack.v);
	assert_int_equal(other.v, p->samples.item[1].stack.v);
	assert_int_equal(-EINVAL, profile_ignore_callees(p, "(", &err));
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ignore_callees__cuts_at_the_outermost_match),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

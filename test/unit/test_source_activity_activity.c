/* SPDX-License-Identifier: GPL-2.0-or-later */
/* source/activity: what system calls are to a tool, and that the source opens or says why not. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "event/event.h"
#include "source/activity/activity_source.h"
#include "source/source.h"
#include "source/syscall/syscall_table.h"

static struct activity_role roles[SYSCALL_ABIS][SYSCALL_NUMBERS];

static const struct activity_role *role_of(const char *name)
{
	for (size_t i = 0; i < syscall_numbers[SYSCALL_NATIVE].count; i++)
		if (syscall_numbers[SYSCALL_NATIVE].name[i] &&
		    strcmp(syscall_numbers[SYSCALL_NATIVE].name[i], name) == 0)
			return &roles[SYSCALL_NATIVE][i];
	return NULL;
}

static void test_roles__are_of_the_chosen_kinds(void **state)
{
	struct activity_choice choice = { .rules.kinds = 1u << ACTIVITY_OPEN };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(activity_roles(&choice, roles, &err), 0);
	assert_int_equal(role_of("openat")->kind_plus_one, ACTIVITY_OPEN + 1);
	assert_int_equal(role_of("openat")->path, 2);
	assert_int_equal(role_of("read")->kind_plus_one, 0);
	assert_int_equal(role_of("pwrite64")->kind_plus_one, 0);
	assert_int_equal(role_of("pwrite64")->what, 'W');
	choice.rules.kinds = 1u << ACTIVITY_LIFE;
	assert_int_equal(activity_roles(&choice, roles, &err), 0);
	assert_int_equal(role_of("accept4")->kind_plus_one, ACTIVITY_ACCEPT + 1);
	assert_int_equal(role_of("openat")->kind_plus_one, 0);
}

static void test_roles__of_one_call(void **state)
{
	struct activity_choice choice = { .rules.kinds = 1u << ACTIVITY_CALL, .call = "fsync" };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(activity_roles(&choice, roles, &err), 0);
	assert_int_equal(role_of("fsync")->kind_plus_one, ACTIVITY_CALL + 1);
	assert_int_equal(role_of("read")->kind_plus_one, 0);
	choice.call = "nothing";
	assert_int_equal(activity_roles(&choice, roles, &err), -EINVAL);
	assert_string_equal(err.msg, "syscall 'nothing': not found");
}

static int ignore(struct sink *sink, const struct event *event, struct err *err)
{
	(void)sink;
	(void)err;
	assert_int_equal(event->type, EVENT_OWN);
	assert_int_equal(event->own.len, sizeof(struct activity));
	return 0;
}

static void test_source__opens_or_is_refused(void **state)
{
	const struct activity_choice choice = { .rules = { .kinds = 1u << ACTIVITY_CACHE,
							   .sums = 1 } };
	const struct source_options options = { .system_wide = true, .activity = &choice };
	const struct source_ops *ops = source_find("activity");
	struct sink sink = { .event = ignore };
	struct source *source;
	struct err err = { 0 };

	(void)state;
	assert_non_null(ops);
	if (ops->open(&source, &options, &err)) {
		assert_true(err.msg[0]);
		return;
	}
	assert_int_equal(ops->start(source, &err), 0);
	assert_int_equal(source_snapshot(source, &sink, &err), 0);
	assert_int_equal(ops->stop(source, &sink, &err), 0);
	source_close(source);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_roles__are_of_the_chosen_kinds),
		cmocka_unit_test(test_roles__of_one_call),
		cmocka_unit_test(test_source__opens_or_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

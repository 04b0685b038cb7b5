/* SPDX-License-Identifier: GPL-2.0-or-later */
/* profile/syscall_callers: sums of calls by number and user stack, out of samples. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "event/syscall_frame.h"
#include "profile/syscall_callers.h"

static const char *label(uint32_t call, char buf[48])
{
	(void)snprintf(buf, 48, "call %u", call);
	return buf;
}

static stack_id push(struct profile *profile, stack_id parent, const char *name, uint64_t pc)
{
	struct frame frame = { .kind = pc ? FRAME_KERNEL : FRAME_USER, .offset = pc, .pc = pc };

	if (!pc)
		frame.function = strtab_intern(profile->strings, name, strlen(name));
	return profile_stack_push(profile, parent, profile_frame(profile, &frame));
}

static void add(struct profile *profile, const char *caller, uint32_t call, uint64_t what,
		uint64_t weight)
{
	struct profile_sample sample = { .thread = profile_thread(profile, 1, 1, "a"),
					 .event = profile_event(profile, "off-cpu", "ns"),
					 .stop = STACK_STOP_ROOT,
					 .cpu = PROFILE_NO_CPU,
					 .weight = weight };

	sample.stack = push(profile, STACK_EMPTY, "main", 0);
	sample.stack = push(profile, sample.stack, caller, 0);
	sample.stack = push(profile, sample.stack, NULL, syscall_frame_of_call(call));
	sample.stack = push(profile, sample.stack, NULL, what);
	profile_add(profile, &sample);
}

static void test_collect__adds_up_by_call_and_stack(void **state)
{
	struct profile *profile = profile_new(0);
	struct syscall_callers callers;

	(void)state;
	add(profile, "a", 0, SYSCALL_FRAME_ACCOUNT + LEDGER_RUNNING, 100);
	add(profile, "a", 0, SYSCALL_FRAME_ACCOUNT + LEDGER_DISK, 50);
	add(profile, "a", 0, SYSCALL_FRAME_LENGTH + 30, 9);
	add(profile, "a", 0, SYSCALL_FRAME_LENGTH + 60, 1);
	add(profile, "b", 0, SYSCALL_FRAME_ACCOUNT + LEDGER_POLL, 100000);
	add(profile, "b", 0, SYSCALL_FRAME_LENGTH + 60, 1);
	add(profile, "a", 1, SYSCALL_FRAME_ACCOUNT + LEDGER_RUNNING, 500);
	syscall_callers_collect(profile, label, &callers);
	assert_int_equal(callers.row.count, 3);
	assert_int_equal(callers.calls, 11);
	assert_int_equal(callers.whole, 11);
	assert_int_equal(callers.ns[LEDGER_RUNNING], 600);
	assert_string_equal(callers.row.item[0].name, "call 1"); /* idle time is no cost */
	assert_int_equal(callers.row.item[0].calls, 0);
	assert_int_equal(callers.row.item[0].p50_ns, 0);
	assert_int_equal(callers.row.item[1].calls, 10);
	assert_int_equal(callers.row.item[1].ns[LEDGER_DISK], 50);
	assert_true(callers.row.item[1].p50_ns < callers.row.item[1].p99_ns);
	assert_int_equal(callers.row.item[2].ns[LEDGER_POLL], 100000);
	assert_int_equal(syscall_state_ns(callers.ns, LEDGER_STATE_IDLE), 100000);
	assert_int_equal(syscall_state_ns(callers.ns, LEDGER_STATE_BLOCKED), 50);
	assert_int_equal(syscall_state_ns(callers.ns, LEDGER_STATE_RUNNING_KERNEL), 600);
	syscall_callers_done(&callers);
	profile_free(profile);
}

static void test_collect__other_samples_do_not_count(void **state)
{
	struct profile *profile = profile_new(0);
	struct syscall_callers callers;

	(void)state;
	add(profile, "a", 0, SYSCALL_FRAME_LENGTH + SYSCALL_BUCKETS, 7);
	add(profile, "a", 0, SYSCALL_FRAME_END, 7);
	add(profile, "a", 0, 0xffffffff81000000, 7);
	syscall_callers_collect(profile, label, &callers);
	assert_int_equal(callers.calls, 0);
	assert_int_equal(callers.ns[LEDGER_RUNNING], 0);
	syscall_callers_done(&callers);
	profile_free(profile);
}

static void test_frame__has_the_call(void **state)
{
	const uint32_t calls[] = { 0, 453, 5 | SYSCALL_COMPAT_BIT, 1 | SYSCALL_X32_BIT };

	(void)state;
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		assert_int_equal(syscall_frame_call(syscall_frame_of_call(calls[i])), calls[i]);
	assert_int_equal(syscall_frame_call(syscall_frame_of_call(0x12345678)),
			 SYSCALL_FRAME_NUMBERS - 1);
	assert_true(syscall_frame_of_call(UINT32_MAX) < SYSCALL_FRAME_ACCOUNT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_collect__adds_up_by_call_and_stack),
		cmocka_unit_test(test_collect__other_samples_do_not_count),
		cmocka_unit_test(test_frame__has_the_call),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

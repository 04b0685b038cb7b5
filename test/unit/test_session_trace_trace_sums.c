/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/trace/trace_sums: sums of calls that come one by one. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

#include <cmocka.h>

#include "session/trace/trace_sums.h"

static void add(struct trace_sums *sums, uint32_t tid, uint32_t call, uint64_t ns, int64_t result)
{
	const struct syscall_line line = { .start_ns = 1000,
					   .ns = ns,
					   .result = result,
					   .call = call,
					   .tid = tid,
					   .tgid = 7,
					   .comm = "a" };

	trace_sums_add(sums, &line);
}

static void test_sums__are_those_of_the_kernel_part(void **state)
{
	struct syscall_line exit = { .call = SYS_exit_group, .tid = 7, .returns_never = 1 };
	struct syscall_line headless = { .call = SYS_read, .tid = 7, .headless = 1 };
	struct trace_sums sums = { 0 };
	struct syscall_groups groups;
	struct syscall_sums whole;
	const struct syscall_total *read;

	(void)state;
	for (uint64_t i = 1; i <= 100; i++)
		add(&sums, 7, SYS_read, i * 1000, i % 10 ? 5 : -EAGAIN);
	add(&sums, 8, SYS_read, 3, 0);
	trace_sums_add(&sums, &exit);
	trace_sums_add(&sums, &headless);
	trace_sums_end(&sums, &whole);
	assert_true(whole.no_cpu);
	assert_int_equal(whole.end_ns, 101000);
	syscall_groups_make(&whole, SYSCALL_BY_THREAD, &groups);
	assert_int_equal(groups.group.count, 2);
	assert_int_equal(groups.group.item[0].tid, 7);
	read = &groups.group.item[0].line.item[0];
	assert_string_equal(read->name, "read");
	assert_int_equal(read->calls, 101);
	assert_int_equal(read->timed, 100);
	assert_int_equal(read->errors, 10);
	assert_int_equal(read->error.item[0].error, EAGAIN);
	assert_int_equal(read->min_ns, 1000);
	assert_int_equal(read->max_ns, 100000);
	assert_int_equal(read->total_ns, 5050000);
	assert_in_range(read->quantile_ns[SYSCALL_P50], 40000, 60000);
	assert_int_equal(groups.group.item[0].line.item[1].calls, 1);
	syscall_groups_done(&groups);
	syscall_sums_done(&whole);
	trace_sums_done(&sums);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sums__are_those_of_the_kernel_part),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

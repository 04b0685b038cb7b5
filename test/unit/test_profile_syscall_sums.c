/* SPDX-License-Identifier: GPL-2.0-or-later */
/* profile/syscall_sums: groups, percentiles and errors of counted calls. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "profile/syscall_sums.h"

static const char *label(uint32_t call, char buf[48])
{
	(void)snprintf(buf, 48, "%s", call == 1 ? "one" : "two");
	return buf;
}

static const char *error_name(uint32_t error)
{
	return error == 2 ? "ENOENT" : NULL;
}

static void add(struct syscall_sums *sums, uint32_t thread, uint32_t call, uint64_t calls,
		size_t bucket)
{
	uint64_t ns = syscall_bucket_ns(bucket);
	struct syscall_sum sum = { .key = { thread, call },
				   .calls = calls,
				   .timed = calls,
				   .total_ns = calls * ns,
				   .off_cpu_ns = ns,
				   .min_ns = ns,
				   .max_ns = ns + 3 };

	sum.bucket[bucket] = (uint32_t)calls;
	syscall_sums_add(sums, &sum);
}

static void fill(struct syscall_sums *sums)
{
	const struct syscall_error errors[] = {
		{ .key = { { 1, 1 }, 2 }, .count = 3 },
		{ .key = { { 2, 1 }, 2 }, .count = 4 },
		{ .key = { { 2, 1 }, 999 }, .count = 9 },
	};

	vec_push(&sums->thread, ((struct syscall_thread){
					.number = 1, .tid = 100, .tgid = 100, .comm = "leader" }));
	vec_push(&sums->thread, ((struct syscall_thread){
					.number = 2, .tid = 101, .tgid = 100, .comm = "worker" }));
	vec_push(&sums->thread, ((struct syscall_thread){
					.number = 3, .tid = 200, .tgid = 200, .comm = "other" }));
	add(sums, 1, 1, 10, 20);
	add(sums, 2, 1, 90, 40);
	add(sums, 2, 2, 1, 5);
	add(sums, 3, 1, 1, 5);
	for (size_t i = 0; i < 3; i++)
		vec_push(&sums->error, errors[i]);
	syscall_sums_name(sums, label, error_name);
}

static void test_groups__by_thread_process_and_total(void **state)
{
	struct syscall_sums sums = { 0 };
	struct syscall_groups groups;

	(void)state;
	fill(&sums);
	syscall_groups_make(&sums, SYSCALL_BY_THREAD, &groups);
	assert_int_equal(groups.group.count, 3);
	assert_int_equal(groups.calls, 102);
	assert_string_equal(groups.group.item[0].comm, "worker");
	assert_int_equal(groups.group.item[0].calls, 91);
	assert_int_equal(groups.group.item[0].line.count, 2);
	assert_string_equal(groups.group.item[0].line.item[0].name, "one");
	syscall_groups_done(&groups);
	syscall_groups_make(&sums, SYSCALL_BY_PROCESS, &groups);
	assert_int_equal(groups.group.count, 2);
	assert_string_equal(groups.group.item[0].comm, "leader");
	assert_int_equal(groups.group.item[0].line.item[0].calls, 100);
	syscall_groups_done(&groups);
	syscall_groups_make(&sums, SYSCALL_BY_TOTAL, &groups);
	assert_int_equal(groups.group.count, 1);
	assert_int_equal(groups.group.item[0].calls, 102);
	assert_int_equal(groups.group.item[0].pid, 0);
	syscall_groups_done(&groups);
	syscall_sums_done(&sums);
}

static void test_lines__have_times_and_errors(void **state)
{
	struct syscall_sums sums = { 0 };
	struct syscall_groups groups;
	const struct syscall_total *line;

	(void)state;
	fill(&sums);
	syscall_groups_make(&sums, SYSCALL_BY_PROCESS, &groups);
	line = &groups.group.item[0].line.item[0];
	assert_int_equal(line->total_ns, 10 * syscall_bucket_ns(20) + 90 * syscall_bucket_ns(40));
	assert_int_equal(line->min_ns, syscall_bucket_ns(20));
	assert_int_equal(line->max_ns, syscall_bucket_ns(40) + 3);
	assert_int_equal(line->cpu_ns, 9 * syscall_bucket_ns(20) + 89 * syscall_bucket_ns(40));
	/* in the bucket, and never above the longest */
	assert_in_range(line->quantile_ns[SYSCALL_P50], syscall_bucket_ns(40),
			syscall_bucket_ns(41) - 1);
	assert_in_range(line->quantile_ns[SYSCALL_P99], line->quantile_ns[SYSCALL_P50],
			line->max_ns);
	/* nothing in it is longer than the longest: not evenly spread over the bucket */
	assert_in_range(line->quantile_ns[SYSCALL_P50], syscall_bucket_ns(40), line->max_ns - 1);
	assert_int_equal(line->error.count, 2);
	assert_string_equal(line->error.item[0].name, "error 999");
	assert_string_equal(line->error.item[1].name, "ENOENT");
	assert_int_equal(line->error.item[1].count, 7);
	syscall_groups_done(&groups);
	syscall_sums_done(&sums);
}

static void test_buckets__are_in_order(void **state)
{
	(void)state;
	assert_int_equal(syscall_bucket_ns(15), 15);
	assert_int_equal(syscall_bucket_ns(16), 16);
	assert_int_equal(syscall_bucket_ns(17), 20);
	for (size_t i = 1; i <= SYSCALL_BUCKETS; i++)
		assert_true(syscall_bucket_ns(i) > syscall_bucket_ns(i - 1));
	/* more than a minute */
	assert_true(syscall_bucket_ns(SYSCALL_BUCKETS - 1) > 60000000000u);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_groups__by_thread_process_and_total),
		cmocka_unit_test(test_lines__have_times_and_errors),
		cmocka_unit_test(test_buckets__are_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

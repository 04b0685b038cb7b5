/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view/syscall/syscall_summary: the table and JSON of counted calls. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "view/syscall/syscall_summary.h"

static const char *label(uint32_t call, char buf[48])
{
	(void)call;
	(void)snprintf(buf, 48, "openat");
	return buf;
}

static const char *error_name(uint32_t error)
{
	(void)error;
	return "ENOENT";
}

static void fill(struct syscall_sums *sums)
{
	struct syscall_sum sum = { .key = { 1, 257 },
				   .calls = 3,
				   .errors = 1,
				   .timed = 3,
				   .total_ns = 6000000,
				   .min_ns = 1000000,
				   .max_ns = 3000000 };

	sum.bucket[82] = 3; /* 1.57 to 1.84 ms */
	vec_push(&sums->thread, ((struct syscall_thread){
					.number = 1, .tid = 42, .tgid = 42, .comm = "a\"b\033" }));
	syscall_sums_add(sums, &sum);
	vec_push(&sums->error, ((struct syscall_error){ .key = { { 1, 257 }, 2 }, .count = 1 }));
	syscall_sums_name(sums, label, error_name);
}

static void test_text__is_a_table_for_each_thread(void **state)
{
	struct syscall_sums sums = { 0 };
	struct buf out = { 0 };

	(void)state;
	fill(&sums);
	syscall_summary_text(&sums, &(struct syscall_summary_options){ 0 }, &out);
	assert_non_null(strstr(out.data, " a\"b? (42), 3 calls, 100.0%\n"));
	assert_non_null(strstr(out.data,
			       "   openat                    3       1     6.000     1.000"
			       "     2.000     3.000     1.700     1.800"));
	assert_non_null(strstr(out.data, "  ENOENT 1\n"));
	assert_null(strstr(out.data, "missing"));
	buf_clear(&out);
	sums.counts.lost_calls = 7;
	sums.counts_only = true;
	syscall_summary_text(&sums, &(struct syscall_summary_options){ 0 }, &out);
	assert_null(strstr(out.data, "msec"));
	assert_non_null(strstr(out.data, " 7 calls found no room and are missing above\n"));
	buf_done(&out);
	syscall_sums_done(&sums);
}

static void test_json__has_exact_figures(void **state)
{
	static const char *const words[] = { "cupel", "trace" };
	struct syscall_sums sums = { 0 };
	struct buf out = { 0 };

	(void)state;
	fill(&sums);
	syscall_summary_json(
		&sums, &(struct syscall_summary_options){ .words = words, .word_count = 2 }, &out);
	assert_non_null(strstr(out.data, "\"command\": [\"cupel\", \"trace\"]"));
	assert_non_null(strstr(out.data, "\"comm\": \"a\\\"b\\u001b\", \"pid\": 42, \"tid\": 42"));
	assert_non_null(strstr(out.data, "\"total_ns\": 6000000"));
	assert_non_null(strstr(out.data, "\"by_error\": { \"ENOENT\": 1 }"));
	buf_done(&out);
	syscall_sums_done(&sums);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text__is_a_table_for_each_thread),
		cmocka_unit_test(test_json__has_exact_figures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

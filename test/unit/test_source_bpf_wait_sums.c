/* SPDX-License-Identifier: GPL-2.0-or-later */
/* source/bpf/wait_sums: each reading tells what was added since the one before. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <cmocka.h>

#include "bpf/off_cpu.h"
#include "source/bpf/wait_sums.h"

struct told {
	unsigned count;
	uint64_t ns[8]; /* by thread */
	int answer;
};

static int take(void *context, const struct off_cpu_sum_key *key, const struct off_cpu_sum *more)
{
	struct told *told = context;

	told->count++;
	told->ns[key->tid & 7] += more->ns;
	return told->answer;
}

static void set(int fd, uint32_t tid, uint64_t ns)
{
	const struct off_cpu_sum_key key = { .stack = 1, .tid = tid };
	const struct off_cpu_sum sum = { .ns = ns };

	assert_int_equal(0, bpf_map_update_elem(fd, &key, &sum, BPF_ANY));
}

static void test_wait_sums__tells_what_was_added(void **state)
{
	int fd = bpf_map_create(BPF_MAP_TYPE_HASH, "sums", sizeof(struct off_cpu_sum_key),
				sizeof(struct off_cpu_sum), 16, NULL);
	struct wait_sums *sums;
	struct told told = { 0 };
	bool is_told;

	(void)state;
	if (fd < 0)
		skip(); /* no privilege */
	sums = wait_sums_new(fd);
	assert_int_equal(0, wait_sums_read(sums, take, &told, &is_told));
	assert_int_equal(0, told.count);
	set(fd, 1, 100);
	set(fd, 2, 200);
	assert_int_equal(0, wait_sums_read(sums, take, &told, &is_told));
	assert_int_equal(2, told.count);
	set(fd, 1, 150);
	assert_int_equal(0, wait_sums_read(sums, take, &told, &is_told));
	assert_int_equal(3, told.count);
	assert_true(told.ns[1] == 150 && told.ns[2] == 200);
	set(fd, 1, 160);
	told.answer = -EIO;
	assert_int_equal(-EIO, wait_sums_read(sums, take, &told, &is_told));
	assert_true(is_told);
	wait_sums_free(sums);
	(void)close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wait_sums__tells_what_was_added),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

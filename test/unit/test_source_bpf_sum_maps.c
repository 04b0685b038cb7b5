/* SPDX-License-Identifier: GPL-2.0-or-later */
/* source/bpf/sum_maps: delivers each sum once, after the last addition to its map. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <cmocka.h>

#include "bpf/off_cpu.h"
#include "source/bpf/sum_maps.h"

struct told {
	unsigned count;
	uint64_t ns[8]; /* by thread */
	int answer;
};

static int take(void *context, const void *of, const void *sum)
{
	const struct off_cpu_sum_key *key = of;
	const struct off_cpu_sum *more = sum;
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

static int make_map(void)
{
	return bpf_map_create(BPF_MAP_TYPE_HASH, "sums", sizeof(struct off_cpu_sum_key),
			      sizeof(struct off_cpu_sum), 16, NULL);
}

static void test_sum_maps__maps_take_turns(void **state)
{
	const int fd[2] = { make_map(), make_map() };
	volatile uint32_t odd_turn = 0;
	const struct sum_maps_options options = {
		.map_fd = { fd[0], fd[1] },
		.odd_turn = &odd_turn,
		.key_size = sizeof(struct off_cpu_sum_key),
		.sum_size = sizeof(struct off_cpu_sum),
	};
	struct sum_maps *sums;
	struct told told = { 0 };
	bool is_told;

	(void)state;
	if (fd[0] < 0 || fd[1] < 0)
		skip(); /* no privilege */
	sums = sum_maps_new(&options);
	set(fd[0], 1, 100);
	set(fd[0], 2, 200);
	assert_int_equal(0, sum_maps_read(sums, false, take, &told, &is_told));
	assert_true(odd_turn == 1 && told.count == 0); /* programs may still be adding */
	set(fd[1], 1, 50);
	assert_int_equal(0, sum_maps_read(sums, false, take, &told, &is_told));
	assert_true(odd_turn == 0 && told.count == 2);
	assert_true(told.ns[1] == 100 && told.ns[2] == 200);
	assert_int_equal(0, sum_maps_read(sums, false, take, &told, &is_told));
	assert_true(told.count == 3 && told.ns[1] == 150);
	set(fd[0], 3, 7);
	set(fd[1], 3, 8);
	assert_int_equal(0, sum_maps_read(sums, true, take, &told, &is_told));
	assert_true(told.count == 5 && told.ns[3] == 15);
	set(fd[0], 1, 160);
	told.answer = -EIO;
	assert_int_equal(-EIO, sum_maps_read(sums, true, take, &told, &is_told));
	assert_true(is_told);
	sum_maps_free(sums);
	(void)close(fd[0]);
	(void)close(fd[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sum_maps__maps_take_turns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

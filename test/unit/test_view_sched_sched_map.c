/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view/sched/sched_map: short names, columns, hidden threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "view/sched/sched_map.h"

static struct sched_task idle = { .index = 0, .comm = "swapper" };
static struct sched_task one = { .index = 1, .pid = 10, .tid = 10, .comm = "one" };
static struct sched_task two = { .index = 2, .pid = 11, .tid = 11, .comm = "two" };

static void put(struct sched_map *map, uint32_t cpu, struct sched_task *prev,
		struct sched_task *next)
{
	struct sched_event event = { .kind = SCHED_SWITCH,
				     .cpu = cpu,
				     .time_ns = 1500000000,
				     .current = prev,
				     .leave.next = next };

	map->sink.event(&map->sink, &event);
}

static void expect(const struct sched_map_options *options, const char *text)
{
	struct sched_map map;
	struct buf out = { 0 };

	sched_map_start(&map, options, &out);
	put(&map, 1, &idle, &one);
	put(&map, 0, &idle, &two);
	put(&map, 1, &one, &idle);
	put(&map, 1, &idle, &one);
	assert_string_equal(out.data, text);
	sched_map_done(&map);
	buf_done(&out);
}

static void test_columns(void **state)
{
	struct sched_map_options options = { .cpu_count = 2 };

	(void)state;
	expect(&options, "      *A0       1.500000 secs A0 => one:10\n"
			 "  *B0  A0       1.500000 secs B0 => two:11\n"
			 "   B0 *.        1.500000 secs .  => swapper:0\n"
			 "   B0 *A0       1.500000 secs \n");
}

static void test_compact(void **state)
{
	struct sched_map_options options = { .cpu_count = 2, .compact = true };

	(void)state;
	expect(&options, "  *A0       1.500000 secs A0 => one:10 (CPU 1)\n"
			 "   A0 *B0       1.500000 secs B0 => two:11 (CPU 0)\n"
			 "  *.   B0       1.500000 secs .  => swapper:0\n"
			 "  *A0  B0       1.500000 secs \n");
}

static bool is_two(const void *context, const char *comm)
{
	(void)context;
	return strcmp(comm, "two") == 0;
}

static bool is_cpu_0(const void *context, uint32_t cpu)
{
	(void)context;
	return cpu == 0;
}

static void test_selection(void **state)
{
	struct sched_map_options options = { .cpu_count = 2, .has_name = is_two };

	(void)state;
	expect(&options, "  *A0  -        1.500000 secs A0 => two:11\n");
	options.has_name = NULL;
	options.has_cpu = is_cpu_0;
	expect(&options, "  *B0       1.500000 secs B0 => two:11\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_columns),
		cmocka_unit_test(test_compact),
		cmocka_unit_test(test_selection),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* profile/sched/sched_times: what a turn is made of, windows, idle time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "profile/sched/sched_times.h"

static struct sched_task idle = { .index = 0, .comm = "swapper" };
static struct sched_task one = { .index = 1, .pid = 10, .tid = 10, .comm = "w" };
static struct sched_task two = { .index = 2, .pid = 11, .tid = 11, .comm = "x" };

static struct sched_event leave(uint64_t time_ns, struct sched_task *prev, char state,
				struct sched_task *next)
{
	return (struct sched_event){ .kind = SCHED_SWITCH,
				     .time_ns = time_ns,
				     .current = prev,
				     .leave = { .next = next, .state = state } };
}

static bool put(struct sched_times *times, const struct sched_event *event)
{
	uint64_t now_ns;

	return sched_times_switch(times, event, true, &now_ns);
}

static void scene(struct sched_times *times, char first_state)
{
	struct sched_event events[] = {
		leave(1000, &two, 'S', &one),
		leave(1400, &one, first_state, &idle),
		leave(1900, &idle, 'R', &one),
		leave(2500, &one, 'S', &two),
	};
	struct sched_event wake = { .kind = SCHED_WAKEUP, .time_ns = 1800, .wakeup.task = &one };

	(void)put(times, &events[0]);
	(void)put(times, &events[1]);
	sched_times_wakeup(times, &wake);
	(void)put(times, &events[2]);
	(void)put(times, &events[3]);
}

static void test_turn(void **state)
{
	const struct sched_times_row *row;
	struct sched_times times = { 0 };

	(void)state;
	scene(&times, 'D');
	row = sched_times_of(&times, &one);
	assert_int_equal(row->turns, 2);
	assert_int_equal(row->last.run, 600);
	assert_int_equal(row->last.disk, 500);
	assert_int_equal(row->last.delay, 100);
	assert_int_equal(row->last.sleep + row->last.preempted, 0);
	assert_int_equal(row->total.run, 1000);
	assert_int_equal(row->min_run, 400);
	assert_int_equal(row->max_run, 600);
	assert_int_equal(row->mean_run, 500);
	/* deviation of {400, 600} is 141.4, of the mean 100: 20 % */
	assert_int_equal((int)(sched_times_deviation(row) + 0.5), 20);
	assert_int_equal(times.idle.item[0].row.total.run, 500);
	assert_int_equal(times.first_ns, 1000);
	assert_int_equal(times.last_ns, 2500);
	sched_times_done(&times);
}

static void test_preempted(void **state)
{
	struct sched_times times = { 0 };

	(void)state;
	scene(&times, 'R');
	assert_int_equal(sched_times_of(&times, &one)->last.preempted, 500);
	assert_int_equal(sched_times_of(&times, &one)->last.delay, 500);
	sched_times_done(&times);
}

static void test_window(void **state)
{
	struct sched_times times = { .window = { .start_ns = 1200, .end_ns = 2000 } };
	const struct sched_times_row *row;

	(void)state;
	scene(&times, 'S');
	row = sched_times_of(&times, &one);
	assert_int_equal(row->total.run, 200 + 100);
	assert_int_equal(times.last_ns, 2000);
	sched_times_done(&times);
}

static void test_idle_belongs_to_who_left(void **state)
{
	struct sched_times times = { .idle_only = true };

	(void)state;
	scene(&times, 'S');
	assert_int_equal(sched_times_of(&times, &one)->total.run, 500);
	assert_int_equal(sched_times_of(&times, &one)->turns, 1);
	assert_int_equal(sched_times_of(&times, &two)->turns, 0);
	sched_times_done(&times);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_turn),
		cmocka_unit_test(test_preempted),
		cmocka_unit_test(test_window),
		cmocka_unit_test(test_idle_belongs_to_who_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

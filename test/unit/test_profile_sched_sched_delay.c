/* SPDX-License-Identifier: GPL-2.0-or-later */
/* profile/sched/sched_delay: from woken or preempted to running; merging by name; order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "profile/sched/sched_delay.h"

static struct sched_task idle = { .index = 0, .comm = "swapper" };
static struct sched_task one = { .index = 1, .pid = 10, .tid = 10, .comm = "w" };
static struct sched_task two = { .index = 2, .pid = 10, .tid = 11, .comm = "w" };

static void put(struct sched_delays *delays, struct sched_event event)
{
	delays->sink.event(&delays->sink, &event);
}

static struct sched_event leave(uint64_t time_ns, struct sched_task *prev, char state,
				struct sched_task *next)
{
	return (struct sched_event){ .kind = SCHED_SWITCH,
				     .time_ns = time_ns,
				     .current = prev,
				     .leave = { .next = next, .state = state } };
}

static struct sched_event wake(uint64_t time_ns, struct sched_task *task)
{
	return (struct sched_event){
		.kind = SCHED_WAKEUP, .time_ns = time_ns, .current = &idle, .wakeup.task = task
	};
}

/* one sleeps, is woken at 100 and runs at 130; is preempted at 200 and runs again at 250. */
static void scene(struct sched_delays *delays)
{
	put(delays, leave(50, &one, 'S', &idle));
	put(delays, wake(100, &one));
	put(delays, wake(110, &one)); /* it waits already */
	put(delays, leave(130, &idle, 'R', &one));
	put(delays, wake(140, &one)); /* it runs */
	put(delays, leave(200, &one, 'R', &two));
	put(delays, leave(250, &two, 'S', &one));
	put(delays, (struct sched_event){ .kind = SCHED_RUNTIME,
					  .time_ns = 260,
					  .runtime = { .task = &one, .ns = 77 } });
}

static void test_per_thread(void **state)
{
	struct sched_delay_order order = { .key = { SCHED_DELAY_TID }, .per_thread = true };
	struct sched_delays delays;

	(void)state;
	sched_delays_init(&delays, -1);
	scene(&delays);
	sched_delays_finish(&delays, &order);
	assert_int_equal(delays.row.count, 2); /* the idle task is none */
	assert_ptr_equal(delays.row.item[0].task, &two);
	assert_int_equal(delays.row.item[0].count, 1); /* met when it ran: no delay known */
	assert_int_equal(delays.row.item[0].total_ns, 0);
	assert_int_equal(delays.row.item[1].count, 2);
	assert_int_equal(delays.row.item[1].total_ns, 30 + 50);
	assert_int_equal(delays.row.item[1].max_ns, 50);
	assert_int_equal(delays.row.item[1].max_start_ns, 200);
	assert_int_equal(delays.row.item[1].max_end_ns, 250);
	assert_int_equal(delays.runtime_ns, 77);
	assert_int_equal(delays.histogram[4], 1); /* 30 */
	assert_int_equal(delays.histogram[5], 1); /* 50 */
	sched_delays_done(&delays);
}

static void test_merged(void **state)
{
	struct sched_delay_order order = { .key = { SCHED_DELAY_AVERAGE, SCHED_DELAY_MAX } };
	struct sched_delays delays;

	(void)state;
	sched_delays_init(&delays, -1);
	scene(&delays);
	sched_delays_finish(&delays, &order);
	assert_int_equal(delays.row.count, 1);
	assert_int_equal(delays.row.item[0].merged, 2);
	assert_int_equal(delays.row.item[0].count, 3);
	sched_delays_done(&delays);
}

/* Of one CPU departures may be missing, so that every wakeup counts. */
static void test_one_cpu(void **state)
{
	struct sched_delay_order order = { .key = { SCHED_DELAY_TID }, .per_thread = true };
	struct sched_delays delays;
	struct sched_event other = leave(60, &two, 'S', &one);

	(void)state;
	sched_delays_init(&delays, 0);
	other.cpu = 1;
	put(&delays, other);
	put(&delays, leave(90, &idle, 'R', &one));
	put(&delays, wake(100, &one));
	put(&delays, leave(120, &idle, 'R', &one));
	sched_delays_finish(&delays, &order);
	assert_int_equal(delays.row.count, 1);
	assert_int_equal(delays.row.item[0].total_ns, 20);
	sched_delays_done(&delays);
}

static void test_window(void **state)
{
	struct sched_delay_order order = { .key = { SCHED_DELAY_TID }, .per_thread = true };
	struct sched_delays delays;

	(void)state;
	sched_delays_init(&delays, -1);
	delays.start_ns = 131;
	delays.end_ns = 255;
	scene(&delays);
	sched_delays_finish(&delays, &order);
	/* two's first turn, and one's second wait, but neither its first nor the run time at 260 */
	assert_int_equal(delays.count, 2);
	assert_int_equal(delays.row.item[0].task->tid, 11);
	assert_int_equal(delays.row.item[1].count, 1);
	assert_int_equal(delays.row.item[1].total_ns, 50);
	assert_int_equal(delays.runtime_ns, 0);
	sched_delays_done(&delays);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_per_thread),
		cmocka_unit_test(test_window),
		cmocka_unit_test(test_merged),
		cmocka_unit_test(test_one_cpu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

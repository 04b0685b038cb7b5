/* SPDX-License-Identifier: GPL-2.0-or-later */
/* profile/sched/sched_workload and session/workload_run: atoms of a recording, and that
 * they are done again: as much computing, one after the other where one woke the other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/err.h"
#include "profile/sched/sched_workload.h"
#include "session/sched/workload_run.h"

#define MS UINT64_C(1000000)

static struct sched_task idle = { .index = 0 };
static struct sched_task a = { .index = 1, .pid = 10, .tid = 10, .comm = "a" };
static struct sched_task b = { .index = 2, .pid = 20, .tid = 20, .comm = "b" };

static void leave(struct sched_workload *workload, uint64_t time_ns, struct sched_task *from,
		  struct sched_task *to, char state)
{
	struct sched_event event = { .kind = SCHED_SWITCH,
				     .time_ns = time_ns,
				     .current = from,
				     .leave = { .next = to, .state = state } };

	workload->sink.event(&workload->sink, &event);
}

static void wake(struct sched_workload *workload, uint64_t time_ns, struct sched_task *by,
		 struct sched_task *task)
{
	struct sched_event event = {
		.kind = SCHED_WAKEUP, .time_ns = time_ns, .current = by, .wakeup.task = task
	};

	workload->sink.event(&workload->sink, &event);
}

/* b sleeps, twice, because the first wake-up was missed; a pauses 5 ms, runs for 20, wakes b and
 * runs for 1; b runs for 10. */
static void record(struct sched_workload *workload)
{
	sched_workload_init(workload);
	leave(workload, 9 * MS, &b, &idle, 'S');
	leave(workload, 10 * MS, &b, &a, 'S');
	leave(workload, 11 * MS, &a, &idle, 'S');
	wake(workload, 16 * MS, &idle, &a);
	leave(workload, 16 * MS, &idle, &a, 'R');
	wake(workload, 36 * MS, &a, &b);
	wake(workload, 36 * MS, &a, &b); /* it is awake */
	leave(workload, 37 * MS, &a, &b, 'S');
	leave(workload, 47 * MS, &b, &idle, 'X');
	sched_workload_finish(workload);
}

static void test_workload__has_the_atoms_of_each_thread(void **state)
{
	static const struct sched_atom of_a[] = {
		{ SCHED_ATOM_RUN, 0, MS },
		{ SCHED_ATOM_PAUSE, 0, 5 * MS },
		{ SCHED_ATOM_RUN, 0, 20 * MS },
		{ SCHED_ATOM_WAKE, 2, 0 },
		{ SCHED_ATOM_RUN, 0, MS },
		{ SCHED_ATOM_RUN, 0, 0 }, /* a sleep without an end */
	};
	struct sched_workload workload;

	(void)state;
	record(&workload);
	assert_int_equal(workload.actor.item[1].atom.count, 6);
	for (size_t i = 0; i < 6; i++) {
		const struct sched_atom *atom = &workload.actor.item[1].atom.item[i];

		assert_int_equal(atom->kind, of_a[i].kind);
		assert_int_equal(atom->task, of_a[i].task);
		assert_int_equal(atom->ns, of_a[i].ns);
	}
	assert_int_equal(workload.actor.item[2].atom.count, 4);
	assert_int_equal(workload.actor.item[2].atom.item[0].kind, SCHED_ATOM_RUN);
	assert_int_equal(workload.actor.item[2].atom.item[2].kind, SCHED_ATOM_SLEEP);
	assert_int_equal(workload.wakeups, 3);
	assert_int_equal(workload.targetless, 1);
	sched_workload_done(&workload);
}

static void test_run__takes_as_long_as_it_took(void **state)
{
	struct workload_time time = { 0 };
	struct sched_workload workload;
	struct err err = { 0 };

	(void)state;
	record(&workload);
	assert_int_equal(workload_run(&workload, &time, &err), 0);
	assert_true(time.cpu_ns >= 33 * MS);
	/* 1 ms, a pause of 5, 20 ms, then b's 10: b waits for a. */
	assert_true(time.wall_ns >= 36 * MS);
	sched_workload_done(&workload);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_workload__has_the_atoms_of_each_thread),
		cmocka_unit_test(test_run__takes_as_long_as_it_took),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* profile/ledger/ledger_bins and what views make of it: nothing is lost or made up between looks,
 * runs grow, bins are put together without changing sums; timeline and profile of the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/err.h"
#include "profile/ledger/ledger.h"
#include "profile/ledger/ledger_bins.h"
#include "profile/profile.h"
#include "view/ledger/ledger_profile.h"
#include "view/ledger/ledger_timeline.h"

#define START 1000
#define STEP  10

/* Thread 7 runs for 3 of every 10, waits for the disk for the rest; thread 8 polls all the time. */
static void at(struct ledger *ledger, uint64_t steps)
{
	struct ledger_thread busy = { .tid = 7, .tgid = 7, .comm = "busy", .born_ns = START };
	struct ledger_thread idle = { .tid = 8, .tgid = 7, .comm = "idle", .born_ns = START };

	ledger->start_ns = START;
	ledger->end_ns = START + steps * STEP;
	ledger->thread.count = 0;
	busy.cell[LEDGER_RUNNING].ns = steps * 3;
	busy.cell[LEDGER_DISK].ns = steps * 7;
	busy.account = LEDGER_DISK;
	busy.since_ns = ledger->end_ns;
	idle.account = LEDGER_POLL; /* the wait is still open */
	idle.since_ns = START;
	vec_push(&ledger->thread, busy);
	vec_push(&ledger->thread, idle);
}

static void end(struct ledger *ledger)
{
	for (size_t i = 0; i < ledger->thread.count; i++) {
		struct ledger_thread *thread = &ledger->thread.item[i];

		thread->cell[thread->account].ns += ledger->end_ns - thread->since_ns;
		thread->account = LEDGER_ACCOUNTS;
		thread->end_ns = ledger->end_ns;
	}
}

static uint64_t sum(const struct ledger_lane *lane, uint32_t account)
{
	uint64_t ns = 0;

	for (size_t i = 0; i < lane->part.count; i++)
		if (lane->part.item[i].account == account)
			ns += lane->part.item[i].ns;
	return ns;
}

static void watch(struct ledger_bins *bins, struct ledger *ledger, uint64_t steps)
{
	ledger_bins_start(bins, START, STEP);
	for (uint64_t i = 1; i < steps; i++) {
		at(ledger, i);
		if (i * STEP % bins->interval_ns == 0)
			ledger_bins_look(bins, ledger);
	}
	at(ledger, steps);
	end(ledger);
	ledger_bins_finish(bins, ledger);
}

static void test_parts(void **state)
{
	struct ledger ledger = { 0 };
	struct ledger_bins bins;

	(void)state;
	watch(&bins, &ledger, 3);
	assert_int_equal(bins.end_ns.count, 3);
	assert_int_equal(bins.lane.count, 2);
	assert_int_equal(bins.lane.item[0].part.count, 6);
	assert_int_equal(bins.lane.item[0].part.item[1].ns, 7);
	assert_int_equal(bins.lane.item[1].part.count, 1); /* one run */
	assert_int_equal(bins.lane.item[1].part.item[0].first, 0);
	assert_int_equal(bins.lane.item[1].part.item[0].last, 2);
	assert_int_equal(bins.lane.item[1].part.item[0].ns, 30);
	ledger_bins_done(&bins);
	ledger_done(&ledger);
}

/* Three times too many bins: each is longer, no nanosecond is gone, and runs are still runs. */
static void test_many_bins(void **state)
{
	enum { STEPS = 3 * LEDGER_BINS_MAX + 1 };
	struct ledger ledger = { 0 };
	struct ledger_bins bins;

	(void)state;
	watch(&bins, &ledger, STEPS);
	assert_true(bins.end_ns.count <= LEDGER_BINS_MAX);
	assert_int_equal(bins.interval_ns, 4 * STEP);
	assert_int_equal(*vec_last(&bins.end_ns), START + STEPS * STEP);
	assert_int_equal(sum(&bins.lane.item[0], LEDGER_RUNNING), STEPS * 3);
	assert_int_equal(sum(&bins.lane.item[0], LEDGER_DISK), STEPS * 7);
	assert_int_equal(sum(&bins.lane.item[1], LEDGER_POLL), STEPS * STEP);
	assert_true(bins.lane.item[1].part.count <= 3);
	for (size_t i = 1; i < bins.lane.item[0].part.count; i++)
		assert_true(bins.lane.item[0].part.item[i].first >=
			    bins.lane.item[0].part.item[i - 1].first);
	ledger_bins_done(&bins);
	ledger_done(&ledger);
}

/* A ledger read in the middle of being written counts time twice for once; then it is put right. */
static void test_torn_look(void **state)
{
	struct ledger ledger = { 0 };
	struct ledger_bins bins;

	(void)state;
	ledger_bins_start(&bins, START, STEP);
	at(&ledger, 1);
	ledger.thread.item[0].cell[LEDGER_DISK].ns += 5;
	ledger_bins_look(&bins, &ledger);
	at(&ledger, 2);
	end(&ledger);
	ledger_bins_finish(&bins, &ledger);
	assert_int_equal(sum(&bins.lane.item[0], LEDGER_RUNNING), 6);
	assert_int_equal(sum(&bins.lane.item[0], LEDGER_DISK), 14);
	ledger_bins_done(&bins);
	ledger_done(&ledger);
}

static void test_timeline(void **state)
{
	struct ledger ledger = { 0 };
	struct ledger_bins bins;
	struct timeline timeline;
	struct buf out = { 0 };
	struct err err;

	(void)state;
	watch(&bins, &ledger, 2);
	ledger_timeline(&bins, &ledger, &timeline);
	timeline.title = "busy & idle";
	assert_int_equal(timeline.lane.count, 2);
	assert_string_equal(timeline.lane.item[1].name, "idle:8");
	assert_string_equal(timeline.lane.item[1].process, "busy");
	assert_int_equal(timeline.lane.item[0].slice.item[3].ns, 7);
	assert_int_equal(timeline.lane.item[0].slice.item[3].start_ns, START + STEP);
	assert_int_equal(timeline_html(&timeline, &out, &err), 0);
	assert_non_null(strstr(out.data, "<title>busy &amp; idle</title>"));
	buf_clear(&out);
	timeline_chrome_trace(&timeline, &out);
	assert_non_null(strstr(out.data,
			       "{\"ph\":\"X\",\"name\":\"blocked: disk\",\"cat\":\"blocked\","
			       "\"ts\":0.013,\"dur\":0.007,\"pid\":7,\"tid\":7,\"args\":"
			       "{\"somewhere_in_us\":0}}"));
	buf_done(&out);
	ledger_timeline_done(&timeline);
	ledger_bins_done(&bins);
	ledger_done(&ledger);
}

/* The weight that stands below a frame of that name. */
static uint64_t weight_of(const struct profile *profile, const char *name)
{
	uint64_t weight = 0;

	for (size_t i = 0; i < profile->samples.count; i++) {
		stack_id at_stack = profile->samples.item[i].stack;

		for (; at_stack.v; at_stack = profile->nodes.item[at_stack.v].parent) {
			frame_id frame = profile->nodes.item[at_stack.v].frame;

			if (strcmp(profile_string(profile, profile->frames.item[frame.v].function),
				   name) == 0) {
				weight += profile->samples.item[i].weight;
				break;
			}
		}
	}
	return weight;
}

/* Weights add up to lives; what the holder of a lock did stands above "held by". */
static void test_profile(void **state)
{
	struct ledger_link held = { .key = { .waiter_tid = 7,
					     .other_tid = 9,
					     .relation = LEDGER_HELD_BY,
					     .account = LEDGER_LOCK },
				    .edge = { .wait = { 40, 1, 40 }, .other_comm = "holder" } };
	struct ledger ledger = { .start_ns = 0, .end_ns = 100 };
	struct ledger_thread waiter = { .tid = 7, .tgid = 7, .comm = "waiter", .end_ns = 100 };
	struct profile *profile;

	(void)state;
	waiter.cell[LEDGER_RUNNING].ns = 25;
	waiter.user_ns = 1;
	waiter.cell[LEDGER_LOCK].ns = 50;
	waiter.cell[LEDGER_POLL].ns = 20;
	held.edge.owner_ns[LEDGER_DISK] = 30;
	held.edge.owner_ns[LEDGER_RUNNING] = 10;
	vec_push(&ledger.thread, waiter);
	vec_push(&ledger.link, held);
	profile = ledger_profile(&ledger, LEDGER_ROWS_THREAD, true);
	assert_int_equal(profile->events.item[0].weight, 100);
	assert_int_equal(weight_of(profile, "waiter:7"), 100);
	assert_int_equal(weight_of(profile, "running-user"), 25);
	assert_int_equal(weight_of(profile, "lock"), 50);
	assert_int_equal(weight_of(profile, "held by holder:9"), 40);
	assert_int_equal(weight_of(profile, "disk"), 30);
	assert_int_equal(weight_of(profile, "unaccounted"), 5);
	profile_free(profile);
	profile = ledger_profile(&ledger, LEDGER_ROWS_NAME, false);
	assert_int_equal(profile->events.item[0].weight, 80);
	assert_int_equal(weight_of(profile, "waiter:7"), 0);
	profile_free(profile);
	ledger_done(&ledger);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parts),	  cmocka_unit_test(test_many_bins),
		cmocka_unit_test(test_torn_look), cmocka_unit_test(test_timeline),
		cmocka_unit_test(test_profile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

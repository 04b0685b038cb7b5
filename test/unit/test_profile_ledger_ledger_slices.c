/* SPDX-License-Identifier: GPL-2.0-or-later */
/* profile/ledger/ledger_slices and what views make of it: every interval is there, in order, with
 * what ended it; when there are too many, the short ones are put together without changing sums,
 * and long ones stay; numbers of threads are used again; timeline and profile of the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/err.h"
#include "profile/ledger/ledger.h"
#include "profile/ledger/ledger_slices.h"
#include "profile/profile.h"
#include "view/ledger/ledger_profile.h"
#include "view/ledger/ledger_timeline.h"

#define START 1000

static void add(struct ledger_slices *slices, uint32_t tid, uint32_t account, uint64_t start_ns,
		uint64_t ns)
{
	struct ledger_span span = { .key = { .waiter_tid = tid, .account = (uint8_t)account },
				    .start_ns = start_ns,
				    .ns = ns };

	if (account == LEDGER_DISK) {
		span.key.waker = LEDGER_WAKER_SOFTIRQ;
		span.key.other_tid = 4;
		span.key.device = 253 << LEDGER_MINOR_BITS;
	}
	ledger_slices_add(slices, &span);
}

static uint64_t sum(const struct ledger_slice *slice, size_t count, uint32_t account)
{
	uint64_t ns = 0;

	for (size_t i = 0; i < count; i++)
		if (slice[i].account == account)
			ns += slice[i].ns;
	return ns;
}

/* Thread 7 runs for 3 of every 10, waits for the disk for the rest; the last wait is open. */
static void watch(struct ledger_slices *slices, struct ledger *ledger, uint64_t steps)
{
	struct ledger_thread busy = { .tid = 7, .tgid = 7, .comm = "busy", .born_ns = START };
	struct ledger_device slow = { 253 << LEDGER_MINOR_BITS, "dm-0", "" };

	for (uint64_t i = 0; i < steps; i++) {
		add(slices, 7, LEDGER_RUNNING, START + 10 * i, 3);
		add(slices, 7, LEDGER_DISK, START + 10 * i + 3, 7);
	}
	busy.account = LEDGER_POLL;
	busy.since_ns = START + 10 * steps;
	ledger->start_ns = START;
	ledger->end_ns = busy.since_ns + 5;
	vec_push(&ledger->thread, busy);
	vec_push(&ledger->device, slow);
	ledger_finish(ledger);
	ledger_slices_finish(slices, ledger);
}

static void test_every_interval(void **state)
{
	struct ledger ledger = { 0 };
	struct ledger_slices slices = { 0 };
	const struct ledger_slice *slice;
	size_t count;

	(void)state;
	watch(&slices, &ledger, 3);
	slice = ledger_slices_of(&slices, &ledger.thread.item[0], &count);
	assert_int_equal(count, 7);
	assert_int_equal(slices.together_ns, 0);
	assert_int_equal(slice[2].start_ns, START + 10);
	assert_int_equal(slice[3].ns, 7);
	assert_int_equal(slices.ended_by.item[slice[3].ended_by].other_tid, 4);
	assert_int_equal(slice[2].ended_by, 0);
	assert_int_equal(slice[6].account, LEDGER_POLL);
	assert_int_equal(slice[6].end_ns, START + 35);
	ledger_slices_done(&slices);
	ledger_done(&ledger);
}

/* Reports of two CPUs at the same time; a length of 0; an invalid account. */
static void test_out_of_order(void **state)
{
	struct ledger_thread thread = { .tid = 7, .born_ns = 0, .end_ns = 100 };
	struct ledger_slices slices = { 0 };
	const struct ledger_slice *slice;
	size_t count;

	(void)state;
	add(&slices, 7, LEDGER_RUNNING, 10, 10);
	add(&slices, 7, LEDGER_RUNNING, 30, 10);
	add(&slices, 7, LEDGER_POLL, 20, 10);
	add(&slices, 7, LEDGER_POLL, 40, 0);
	add(&slices, 7, LEDGER_ACCOUNTS, 40, 10);
	slice = ledger_slices_of(&slices, &thread, &count);
	assert_int_equal(count, 3);
	assert_int_equal(slice[1].account, LEDGER_POLL);
	ledger_slices_done(&slices);
}

/* A number that is used again: each thread has its own. */
static void test_lives(void **state)
{
	struct ledger_thread first = { .tid = 7, .born_ns = 0, .end_ns = 20 };
	struct ledger_thread second = { .tid = 7, .born_ns = 50, .end_ns = 70 };
	struct ledger_thread other = { .tid = 8, .born_ns = 0, .end_ns = 70 };
	struct ledger_slices slices = { 0 };
	size_t count;

	(void)state;
	add(&slices, 7, LEDGER_RUNNING, 0, 20);
	add(&slices, 7, LEDGER_POLL, 50, 10);
	add(&slices, 7, LEDGER_RUNNING, 60, 10);
	assert_int_equal(ledger_slices_of(&slices, &first, &count)->account, LEDGER_RUNNING);
	assert_int_equal(count, 1);
	assert_int_equal(ledger_slices_of(&slices, &second, &count)->account, LEDGER_POLL);
	assert_int_equal(count, 2);
	assert_null(ledger_slices_of(&slices, &other, &count));
	ledger_slices_done(&slices);
}

/* More than may be: no nanosecond is gone, all is in order, and a long interval is still exact. */
static void test_too_many(void **state)
{
	enum { STEPS = LEDGER_SLICES_MAX, LONG_NS = 100000000 };
	struct ledger ledger = { 0 };
	struct ledger_slices slices = { 0 };
	const struct ledger_slice *slice;
	size_t count, exact = 0;

	(void)state;
	add(&slices, 8, LEDGER_SLEEP, START, LONG_NS);
	add(&slices, 8, LEDGER_RUNNING, START + LONG_NS, 1);
	watch(&slices, &ledger, STEPS);
	assert_true(slices.count <= LEDGER_SLICES_MAX);
	assert_true(slices.together_ns >= 16);
	slice = ledger_slices_of(&slices, &ledger.thread.item[0], &count);
	assert_int_equal(sum(slice, count, LEDGER_RUNNING), STEPS * 3ull);
	assert_int_equal(sum(slice, count, LEDGER_DISK), STEPS * 7ull);
	assert_int_equal(sum(slice, count, LEDGER_POLL), 5);
	for (size_t i = 1; i < count; i++) {
		bool shares = slice[i].start_ns == slice[i - 1].start_ns &&
			      slice[i].end_ns == slice[i - 1].end_ns;

		assert_true(shares || slice[i].start_ns == slice[i - 1].end_ns);
	}
	for (size_t i = 0; i < slices.track.item[0].slice.count; i++)
		exact += slices.track.item[0].slice.item[i].ns == LONG_NS;
	assert_int_equal(exact, 1);
	ledger_slices_done(&slices);
	ledger_done(&ledger);
}

static void test_timeline(void **state)
{
	struct ledger ledger = { 0 };
	struct ledger_slices slices = { 0 };
	struct timeline timeline;
	struct buf out = { 0 };
	struct err err;

	(void)state;
	watch(&slices, &ledger, 2);
	ledger_timeline(&slices, &ledger, &timeline);
	timeline.title = "busy & idle";
	assert_int_equal(timeline.lane.count, 1);
	assert_string_equal(timeline.lane.item[0].name, "busy:7");
	assert_string_equal(timeline.lane.item[0].process, "busy");
	assert_int_equal(timeline.lane.item[0].slice.item[3].ns, 7);
	assert_int_equal(timeline_html(&timeline, &out, &err), 0);
	assert_non_null(strstr(out.data, "<title>busy &amp; idle</title>"));
	buf_clear(&out);
	timeline_chrome_trace(&timeline, &out);
	assert_non_null(strstr(out.data,
			       "{\"ph\":\"X\",\"name\":\"blocked: disk\",\"cat\":\"blocked\","
			       "\"ts\":0.013,\"dur\":0.007,\"pid\":7,\"tid\":7,\"args\":"
			       "{\"by\":\"dm-0, woken by softirq block\"}}"));
	buf_done(&out);
	ledger_timeline_done(&timeline);
	ledger_slices_done(&slices);
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
		cmocka_unit_test(test_every_interval), cmocka_unit_test(test_out_of_order),
		cmocka_unit_test(test_lives),	       cmocka_unit_test(test_too_many),
		cmocka_unit_test(test_timeline),       cmocka_unit_test(test_profile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view/ledger/ledger_lanes: when how many threads wait for a lock, a disk or the network. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/buf.h"
#include "profile/ledger/ledger.h"
#include "profile/ledger/ledger_slices.h"
#include "view/ledger/ledger_lanes.h"
#include "view/ledger/ledger_timeline.h"

#define DISK (253u << LEDGER_MINOR_BITS)

struct scene {
	struct ledger ledger;
	struct ledger_slices slices;
	struct timeline timeline;
	struct ledger_lanes_left left;
	size_t threads;
};

static void begin(struct scene *scene, size_t threads)
{
	*scene = (struct scene){ .ledger = { .start_ns = 1000, .end_ns = 9000 },
				 .threads = threads };
	for (uint32_t i = 0; i < threads; i++)
		vec_push(&scene->ledger.thread,
			 ((struct ledger_thread){ .tid = 11 + i,
						  .tgid = 11 + i / 2 * 2, /* two of each process */
						  .comm = "waiter",
						  .account = LEDGER_ACCOUNTS,
						  .born_ns = 1000,
						  .end_ns = 9000 }));
}

static void put(struct scene *scene, uint64_t start_ns, uint64_t end_ns, struct ledger_edge_key key)
{
	const struct ledger_span span = { key, start_ns, end_ns - start_ns };

	ledger_slices_add(&scene->slices, &span);
}

static void make(struct scene *scene)
{
	ledger_finish(&scene->ledger);
	ledger_timeline(&scene->slices, &scene->ledger, &scene->timeline);
	ledger_lanes_add(&scene->slices, &scene->ledger, &scene->timeline, &scene->left);
	assert_true(scene->timeline.lane.count >= scene->threads);
}

static void end(struct scene *scene)
{
	ledger_timeline_done(&scene->timeline);
	ledger_slices_done(&scene->slices);
	ledger_done(&scene->ledger);
}

static const struct timeline_lane *lane_of(const struct scene *scene, size_t i, const char *name)
{
	const struct timeline_lane *lane = &scene->timeline.lane.item[scene->threads + i];

	assert_true(scene->timeline.lane.count > scene->threads + i);
	assert_string_equal(lane->name, name);
	assert_true(lane->cpu);
	return lane;
}

static void check(const struct scene *scene, const struct timeline_lane *lane, size_t i,
		  struct timeline_slice expected, const char *label)
{
	assert_true(i < lane->slice.count);
	assert_int_equal(lane->slice.item[i].start_ns, expected.start_ns);
	assert_int_equal(lane->slice.item[i].end_ns, expected.end_ns);
	assert_int_equal(lane->slice.item[i].ns, expected.end_ns - expected.start_ns);
	assert_string_equal(scene->timeline.label.item[lane->slice.item[i].label], label);
}

static struct ledger_edge_key lock(uint32_t tid, uint64_t address)
{
	return (struct ledger_edge_key){
		.lock = address, .waiter_tid = tid, .other_tid = 99, .account = LEDGER_LOCK
	};
}

static void test_lanes__say_how_many_wait(void **state)
{
	const struct timeline_lane *lane;
	struct scene scene;

	(void)state;
	begin(&scene, 2);
	vec_push(&scene.ledger.lock,
		 ((struct ledger_lock_name){ 0xabc, 11, mem_strdup("table_lock") }));
	put(&scene, 2000, 5000, lock(11, 0xabc));
	put(&scene, 3000, 6000, lock(12, 0xabc));
	put(&scene, 7000, 8000, lock(12, 0xabc));
	put(&scene, 5000, 6000,
	    (struct ledger_edge_key){ .waiter_tid = 11, .device = DISK, .account = LEDGER_DISK });
	put(&scene, 6000, 6500,
	    (struct ledger_edge_key){ .waiter_tid = 11, .other_tid = 9, .account = LEDGER_NET });
	put(&scene, 6500, 7000,
	    (struct ledger_edge_key){ .waiter_tid = 11, .other_tid = 9, .account = LEDGER_PIPE });
	make(&scene);
	lane = lane_of(&scene, 0, "lock table_lock");
	assert_int_equal(lane->slice.count, 4);
	check(&scene, lane, 0, (struct timeline_slice){ 2000, 3000, 0, 0, 0 }, "1 thread waits");
	check(&scene, lane, 1, (struct timeline_slice){ 3000, 5000, 0, 0, 0 }, "2 threads wait");
	check(&scene, lane, 2, (struct timeline_slice){ 5000, 6000, 0, 0, 0 }, "1 thread waits");
	check(&scene, lane, 3, (struct timeline_slice){ 7000, 8000, 0, 0, 0 }, "1 thread waits");
	assert_int_equal(lane_of(&scene, 1, "disk 253:0")->slice.count, 1);
	assert_int_equal(lane_of(&scene, 2, "net")->slice.count, 1);
	assert_int_equal(scene.timeline.lane.count, 5);
	assert_int_equal(scene.left.lanes, 0);
	end(&scene);
}

static void test_lanes__locks_of_processes_are_apart(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene, 4);
	put(&scene, 2000, 5000, lock(11, 0xabc));
	put(&scene, 2000, 4000, lock(13, 0xabc));
	put(&scene, 5000, 6000, lock(14, 0));
	make(&scene);
	(void)lane_of(&scene, 0, "lock 0xabc of 11");
	(void)lane_of(&scene, 1, "lock 0xabc of 13");
	(void)lane_of(&scene, 2, "lock"); /* which one is not known */
	end(&scene);
}

static void test_lanes__count_what_they_leave_out(void **state)
{
	struct buf text = { 0 };
	struct scene scene;

	(void)state;
	begin(&scene, 1);
	for (uint32_t i = 0; i < LEDGER_LANES_MAX + 2; i++)
		put(&scene, 2000 + i * 100, 2001 + i * 101, lock(11, 0x1000 + i));
	make(&scene);
	assert_int_equal(scene.timeline.lane.count, 1 + LEDGER_LANES_MAX);
	(void)lane_of(&scene, 0, "lock 0x1011"); /* the longest */
	assert_int_equal(scene.left.lanes, 2);
	scene.left.ns = 1500000000;
	ledger_lanes_missing(&scene.left, &text);
	assert_string_equal(text.data,
			    "2 locks or devices that were waited for less have no rows. "
			    "1.500 s of merged waits are in no row of locks and devices. ");
	buf_done(&text);
	end(&scene);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lanes__say_how_many_wait),
		cmocka_unit_test(test_lanes__locks_of_processes_are_apart),
		cmocka_unit_test(test_lanes__count_what_they_leave_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* profile/sched/sched_lanes: disks are busy as long as requests are in flight, interrupts divide
 * soft ones, calls end where they began, and what is lost is not drawn. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "profile/sched/sched_lanes.h"
#include "profile/sched/sched_spans.h"

static struct sched_task task = { .index = 3, .pid = 10, .tid = 10, .comm = "a" };

static void take(struct sched_lanes *lanes, uint64_t time_ns, struct sched_step step)
{
	struct sched_event event = {
		.kind = SCHED_STEP, .cpu = 2, .time_ns = time_ns, .current = &task, .step = step
	};

	event.step.name_len = step.name ? strlen(step.name) : 0;
	sched_lanes_take(lanes, &event);
}

static void check(const struct sched_lanes *lanes, size_t i, struct sched_lane_span expected)
{
	const struct sched_lane_span *span;

	assert_true(i < lanes->span.count);
	span = &lanes->span.item[i];
	assert_int_equal(span->start_ns, expected.start_ns);
	assert_int_equal(span->end_ns, expected.end_ns);
	assert_int_equal(span->bytes, expected.bytes);
	assert_int_equal(span->count, expected.count);
	assert_int_equal(span->doing, expected.doing);
	assert_int_equal(span->error, expected.error);
}

static struct sched_step request(bool begins, uint64_t sector, int64_t bytes, const char *letters)
{
	return (struct sched_step){ .lane = SCHED_LANE_DISK,
				    .begins = begins,
				    .ends = !begins,
				    .number = 8 << 20,
				    .place = sector,
				    .value = bytes,
				    .name = letters };
}

static void test_lanes__a_disk_is_busy_while_requests_are_in_flight(void **state)
{
	struct sched_lanes lanes = { 0 };

	(void)state;
	take(&lanes, 50, request(false, 7, 0, "R")); /* began before */
	take(&lanes, 100, request(true, 1, 4096, "R"));
	take(&lanes, 150, request(true, 2, 512, "RA"));
	take(&lanes, 200, request(false, 1, 0, "R"));
	take(&lanes, 250, request(false, 2, 0, "RA"));
	take(&lanes, 300, request(true, 3, 1024, "WS"));
	take(&lanes, 310, request(true, 4, 4096, "R"));
	take(&lanes, 320, request(false, 3, 0, "WS"));
	take(&lanes, 330, request(false, 4, 0, "R"));
	take(&lanes, 400, request(true, 0, 0, "FF"));
	sched_lanes_finish(&lanes, 450);
	check(&lanes, 0, (struct sched_lane_span){ 100, 250, 4608, 0, 2, SCHED_DOING_READ });
	check(&lanes, 1, (struct sched_lane_span){ 300, 310, 0, 0, 0, SCHED_DOING_WRITE });
	check(&lanes, 2, (struct sched_lane_span){ 310, 320, 1024, 0, 1, SCHED_DOING_READ_WRITE });
	check(&lanes, 3, (struct sched_lane_span){ 320, 330, 4096, 0, 1, SCHED_DOING_READ });
	check(&lanes, 4, (struct sched_lane_span){ 400, 450, 0, 0, 0, SCHED_DOING_SYNC });
	assert_int_equal(lanes.span.count, 5);
	assert_int_equal(lanes.unpaired, 1);
	sched_lanes_done(&lanes);
}

static struct sched_step interrupt(bool begins, bool soft)
{
	return (struct sched_step){ .lane = SCHED_LANE_INTERRUPTS,
				    .begins = begins,
				    .ends = !begins,
				    .doing = soft ? SCHED_DOING_SOFT_INTERRUPT
						  : SCHED_DOING_INTERRUPT,
				    .name = soft ? "NET_RX" : "disk" };
}

static void test_lanes__an_interrupt_divides_a_soft_one(void **state)
{
	struct sched_lanes lanes = { 0 };

	(void)state;
	take(&lanes, 90, interrupt(false, false));
	take(&lanes, 100, interrupt(true, true));
	take(&lanes, 150, interrupt(true, false));
	take(&lanes, 160, interrupt(false, false));
	take(&lanes, 200, interrupt(false, true));
	take(&lanes, 300, interrupt(true, false));
	take(&lanes, 310, interrupt(false, false));
	check(&lanes, 0, (struct sched_lane_span){ 100, 150, 0, 0, 0, SCHED_DOING_SOFT_INTERRUPT });
	check(&lanes, 1, (struct sched_lane_span){ 150, 160, 0, 0, 1, SCHED_DOING_INTERRUPT });
	check(&lanes, 2, (struct sched_lane_span){ 160, 200, 0, 0, 1, SCHED_DOING_SOFT_INTERRUPT });
	check(&lanes, 3, (struct sched_lane_span){ 300, 310, 0, 0, 1, SCHED_DOING_INTERRUPT });
	assert_string_equal(strtab_get(lanes.names, lanes.span.item[0].name), "NET_RX");
	assert_int_equal(lanes.lane.item[0].number, 2);
	assert_int_equal(lanes.unpaired, 1);
	sched_lanes_done(&lanes);
}

static struct sched_step call(bool begins, uint8_t doing, int64_t value)
{
	return (struct sched_step){ .lane = SCHED_LANE_CALLS,
				    .begins = begins,
				    .ends = !begins,
				    .doing = doing,
				    .number = doing,
				    .place = begins ? (uint64_t)value : 0,
				    .value = begins ? 0 : value,
				    .name = "call" };
}

static void calls(struct sched_lanes *lanes)
{
	take(lanes, 100, call(true, SCHED_DOING_READ, 3));
	take(lanes, 200, call(false, SCHED_DOING_READ, 10));
	take(lanes, 300, call(true, SCHED_DOING_READ, 3));
	take(lanes, 400, call(false, SCHED_DOING_READ, 20));
	take(lanes, 2000, call(true, SCHED_DOING_READ, 3));
	take(lanes, 2100, call(false, SCHED_DOING_READ, -EAGAIN));
	take(lanes, 2200, call(true, SCHED_DOING_WRITE, 4));
	take(lanes, 2300, call(false, SCHED_DOING_READ, 5)); /* of another call */
	take(lanes, 2400, call(true, SCHED_DOING_WRITE, 4));
	sched_lanes_finish(lanes, 2500);
}

static void test_lanes__calls_of_a_file_join(void **state)
{
	struct sched_lanes lanes = { .options.merge_ns = 100 };

	(void)state;
	calls(&lanes);
	check(&lanes, 0, (struct sched_lane_span){ 100, 400, 30, 0, 2, SCHED_DOING_READ });
	check(&lanes, 1,
	      (struct sched_lane_span){ 2000, 2100, 0, 0, 1, SCHED_DOING_ERROR, EAGAIN });
	check(&lanes, 2, (struct sched_lane_span){ 2400, 2500, 0, 0, 1, SCHED_DOING_WRITE });
	assert_int_equal(lanes.span.item[0].fd, 3);
	assert_int_equal(lanes.unpaired, 1);
	assert_ptr_equal(lanes.lane.item[0].task, &task);
	sched_lanes_done(&lanes);
}

static void test_lanes__eagain_is_left_out(void **state)
{
	struct sched_lanes lanes = { .options.merge_ns = 99, .options.skip_eagain = true };

	(void)state;
	calls(&lanes);
	check(&lanes, 0, (struct sched_lane_span){ 100, 200, 10, 0, 1, SCHED_DOING_READ });
	check(&lanes, 1, (struct sched_lane_span){ 300, 400, 20, 0, 1, SCHED_DOING_READ });
	check(&lanes, 2, (struct sched_lane_span){ 2400, 2500, 0, 0, 1, SCHED_DOING_WRITE });
	sched_lanes_done(&lanes);
}

static void test_lanes__lost_ends_are_not_waited_for(void **state)
{
	struct sched_lanes lanes = { 0 };

	(void)state;
	take(&lanes, 100, request(true, 1, 4096, "R"));
	sched_lanes_finish(&lanes, 200); /* an end was never seen */
	assert_int_equal(lanes.span.item[0].end_ns, 100);
	lanes.span.count = 0;
	take(&lanes, 200, request(true, 1, 4096, "R"));
	take(&lanes, 100, call(true, SCHED_DOING_READ, 3));
	take(&lanes, 100, interrupt(true, true));
	sched_lanes_forget(&lanes);
	sched_lanes_finish(&lanes, 500);
	assert_int_equal(lanes.span.count, 0);
	sched_lanes_done(&lanes);
}

static void packet(struct sched_lanes *lanes, uint64_t time_ns, int64_t bytes)
{
	take(lanes, time_ns,
	     (struct sched_step){ .lane = SCHED_LANE_SENT,
				  .begins = true,
				  .ends = true,
				  .doing = SCHED_DOING_SEND,
				  .value = bytes,
				  .name = "eth0" });
}

static void test_lanes__packets_join(void **state)
{
	struct sched_lanes lanes = { 0 };

	(void)state;
	packet(&lanes, 1000, 60);
	packet(&lanes, 500000, 40);
	packet(&lanes, 3000000, 7);
	check(&lanes, 0, (struct sched_lane_span){ 1000, 501000, 100, 0, 2, SCHED_DOING_SEND });
	check(&lanes, 1, (struct sched_lane_span){ 3000000, 3001000, 7, 0, 1, SCHED_DOING_SEND });
	assert_string_equal(lanes.lane.item[0].name, "eth0");
	sched_lanes_done(&lanes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lanes__a_disk_is_busy_while_requests_are_in_flight),
		cmocka_unit_test(test_lanes__an_interrupt_divides_a_soft_one),
		cmocka_unit_test(test_lanes__calls_of_a_file_join),
		cmocka_unit_test(test_lanes__eagain_is_left_out),
		cmocka_unit_test(test_lanes__lost_ends_are_not_waited_for),
		cmocka_unit_test(test_lanes__packets_join),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

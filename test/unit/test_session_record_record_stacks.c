/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/record_stacks: samples wait for what happened before them, and are unwound then. */
#include <linux/perf_event.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/confined.h"
#include "base/err.h"
#include "event/desc.h"
#include "event/event.h"
#include "event/perf_record.h"
#include "event/stop.h"
#include "format/perf_data/perf_data_write_record.h"
#include "session/record/finisher_child.h"
#include "session/record/raw_record.h"
#include "session/record/record_stacks.h"
#include "session/record/stack_finisher.h"

#define PC_BIT 8 /* PERF_REG_X86_IP */
#define SP_BIT 7

static const uint64_t mask = 1u << PC_BIT | 1u << SP_BIT;

static void open_events(struct event_set *set)
{
	const struct perf_event_attr attr = { .sample_id_all = 1,
					      .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID |
							     PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD |
							     PERF_SAMPLE_CALLCHAIN };

	*set = (struct event_set){ 0 };
	(void)event_set_add(set, &attr, "test");
}

static const struct perf_event_header *raw(const struct event_set *set, uint64_t time_ns)
{
	static const uint64_t kernel[] = { (uint64_t)PERF_CONTEXT_KERNEL, 0xffffffff81000000 };
	static const uint64_t regs[] = { 0x7000, 0x1000 };
	static const uint8_t stack[20];
	static uint64_t place[512];
	const struct event event = { .type = EVENT_SAMPLE,
				     .misc = PERF_RECORD_MISC_KERNEL,
				     .pid = 5,
				     .tid = 6,
				     .has_time = true,
				     .time_ns = time_ns,
				     .desc = set->desc.item[0],
				     .sample = { .ip = 0xffffffff81000000,
						 .period = 4,
						 .chain = kernel,
						 .chain_len = 2,
						 .user_mask = mask,
						 .user_regs = regs,
						 .stack = stack,
						 .stack_len = sizeof(stack) } };

	assert_true(record_raw_bytes(&event) <= sizeof(place));
	record_raw_put(&event, place);
	return (const void *)place;
}

static void take_raw(struct record_stacks *stacks, const struct event_set *set, uint64_t time_ns)
{
	record_stacks_take(stacks, raw(set, time_ns));
}

/* Anonymous executable memory at 0x1000, from then on. */
static void take_mmap(struct record_stacks *stacks, const struct event_set *set, uint64_t time_ns)
{
	const struct event event = {
		.type = EVENT_MMAP,
		.misc = PERF_RECORD_MISC_USER,
		.pid = 5,
		.tid = 5,
		.has_time = true,
		.time_ns = time_ns,
		.mmap = { .start = 0x1000, .len = 0x1000, .prot = 4, .path = "//anon" }
	};
	struct buf record = { 0 };

	assert_int_equal(0, perf_data_encode(set, &event, &record));
	record_stacks_take(stacks, (const void *)record.data);
	buf_done(&record);
}

static struct event decoded(const struct event_set *set, const struct buf *records, size_t *at)
{
	const struct perf_event_header *header = (const void *)(records->data + *at);
	struct err err = { 0 };
	struct event event;

	assert_true(*at + sizeof(*header) <= records->len);
	assert_int_equal(0, perf_record_decode(set, header, &event, &err));
	*at += header->size;
	return event;
}

/* A child's samples come with the next run. */
static void run(struct record_stacks *stacks, uint64_t until_ns, struct buf *out)
{
	record_stacks_run(stacks, until_ns, out);
	record_stacks_run(stacks, until_ns, out);
}

static void test_record_stacks__samples_see_what_was_there_before(void **state)
{
	const struct record_stacks_options none = { 0 };
	struct event_set set;
	struct record_stacks *stacks;
	struct buf out = { 0 };
	struct err err = { 0 };
	struct event event;
	size_t at = 0;

	(void)state;
	open_events(&set);
	assert_int_equal(0, record_stacks_open(&set, &none, &stacks, &err));
	take_raw(stacks, &set, 300);
	take_mmap(stacks, &set, 200);
	take_raw(stacks, &set, 100);
	run(stacks, 99, &out);
	assert_int_equal(0, out.len);
	run(stacks, 250, &out);
	event = decoded(&set, &out, &at);
	assert_int_equal(out.len, at);
	assert_int_equal(100, event.time_ns);
	assert_int_equal(5, event.pid);
	assert_int_equal(6, event.tid);
	assert_int_equal(4, event.sample.period);
	assert_int_equal(PERF_RECORD_MISC_KERNEL, event.misc);
	assert_true(event.sample.chain[1] == 0xffffffff81000000 && event.sample.chain[3] == 0x1000);
	assert_int_equal(STACK_STOP_NO_MAPPING,
			 stack_stop_get(event.sample.chain, event.sample.chain_len));
	record_stacks_run(stacks, UINT64_MAX, &out);
	event = decoded(&set, &out, &at);
	assert_int_equal(300, event.time_ns);
	assert_int_equal(STACK_STOP_FP_LOST,
			 stack_stop_get(event.sample.chain, event.sample.chain_len));
	assert_int_equal(out.len, at);
	record_stacks_run(stacks, UINT64_MAX, &out);
	assert_int_equal(out.len, at);
	record_stacks_free(stacks);
	event_set_done(&set);
	buf_done(&out);
}

/* The same samples, unwound here and in a child. */
static void test_record_stacks__child_finishes_like_this_process(void **state)
{
	struct stack_finisher *finisher;
	struct finisher_child *child;
	struct stack_finished finished;
	struct buf here = { 0 }, there = { 0 };
	struct event_set set;
	struct err err = { 0 };

	(void)state;
	open_events(&set);
	finisher = stack_finisher_new(&set);
	assert_int_equal(0, finisher_child_start(&set, &child, &err));
	for (uint64_t time_ns = 100; time_ns < 400; time_ns += 50) {
		const struct perf_event_header *header = raw(&set, time_ns);

		stack_finisher_take(finisher, header, time_ns);
		finisher_child_take(child, header, time_ns);
	}
	stack_finisher_run(finisher, UINT64_MAX, &here, &finished);
	finisher_child_run(child, UINT64_MAX, &there, &finished);
	assert_true(here.len > 0);
	assert_int_equal(here.len, there.len);
	assert_memory_equal(here.data, there.data, here.len);
	assert_int_equal(0, finisher_child_lost(child));
	finisher_child_end(child);
	stack_finisher_free(finisher);
	event_set_done(&set);
	buf_done(&here);
	buf_done(&there);
}

static void test_record_stacks__counts_what_a_dead_child_had(void **state)
{
	struct finisher_child *child;
	struct stack_finished finished;
	struct buf out = { 0 };
	struct event_set set;
	struct err err = { 0 };
	uint32_t pid;

	(void)state;
	open_events(&set);
	assert_int_equal(0, finisher_child_start(&set, &child, &err));
	assert_int_equal(1, confined_list(&pid, 1));
	assert_int_equal(0, kill((pid_t)pid, SIGKILL));
	finisher_child_take(child, raw(&set, 100), 100);
	finisher_child_run(child, UINT64_MAX, &out, &finished);
	finisher_child_take(child, raw(&set, 200), 200);
	assert_int_equal(0, out.len);
	assert_int_equal(2, finisher_child_lost(child));
	finisher_child_end(child);
	event_set_done(&set);
}

/* More than a socket holds in either direction: the child writes what it finished while it is sent
 * what comes next. */
static void test_record_stacks__neither_side_waits_for_the_other(void **state)
{
	const uint64_t many = 8000;
	struct finisher_child *child;
	struct stack_finished finished;
	struct buf out = { 0 };
	struct event_set set;
	struct err err = { 0 };
	size_t half;

	(void)state;
	open_events(&set);
	assert_int_equal(0, finisher_child_start(&set, &child, &err));
	(void)alarm(120); /* ends the test if they do */
	for (uint64_t i = 1; i <= 2 * many; i++) {
		finisher_child_take(child, raw(&set, i), i);
		if (i == many)
			finisher_child_run(child, many, &out, &finished);
	}
	finisher_child_run(child, 2 * many, &out, &finished);
	half = out.len;
	assert_true(half > (256 << 10));
	finisher_child_run(child, UINT64_MAX, &out, &finished);
	(void)alarm(0);
	assert_int_equal(2 * half, out.len);
	assert_int_equal(0, finisher_child_lost(child));
	finisher_child_end(child);
	event_set_done(&set);
	buf_done(&out);
}

static void test_record_stacks__too_large_for_a_record(void **state)
{
	const struct event event = { .type = EVENT_SAMPLE, .sample = { .stack_len = 65500 } };

	(void)state;
	assert_int_equal(0, record_raw_bytes(&event));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_record_stacks__samples_see_what_was_there_before),
		cmocka_unit_test(test_record_stacks__child_finishes_like_this_process),
		cmocka_unit_test(test_record_stacks__counts_what_a_dead_child_had),
		cmocka_unit_test(test_record_stacks__neither_side_waits_for_the_other),
		cmocka_unit_test(test_record_stacks__too_large_for_a_record),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

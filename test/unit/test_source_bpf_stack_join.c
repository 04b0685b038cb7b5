/* SPDX-License-Identifier: GPL-2.0-or-later */
/* source/bpf/stack_join: samples get their own stacks, or none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "event/desc.h"
#include "event/event.h"
#include "event/stop.h"
#include "format/perf_data/perf_data_write_record.h"
#include "source/bpf/stack_join.h"

#define USER   ((uint64_t)PERF_CONTEXT_USER)
#define KERNEL ((uint64_t)PERF_CONTEXT_KERNEL)
#define SITE   0xffffffff81000000u
#define MOST   16

struct out {
	struct sink sink; /* first */
	unsigned count;
	struct {
		uint64_t time_ns, user_pc, raw;
		enum stack_stop stop;
		uint64_t stack_len, first_register;
	} sample[MOST];
};

struct fixture {
	struct event_set events;
	struct stack_join *join;
	struct out out;
};

static int on_event(struct sink *sink, const struct event *event, struct err *err)
{
	struct out *out = (struct out *)sink;
	const struct event_sample *sample = &event->sample;
	unsigned i = out->count++;

	(void)err;
	assert_true(i < MOST);
	assert_true(sample->chain_len >= 2);
	assert_int_equal(KERNEL, sample->chain[0]);
	assert_int_equal(SITE, sample->chain[1]);
	out->sample[i].time_ns = event->time_ns;
	out->sample[i].stop = stack_stop_get(sample->chain, sample->chain_len);
	out->sample[i].user_pc = sample->chain_len > 3 ? sample->chain[3] : 0;
	memcpy(&out->sample[i].raw, sample->raw, sizeof(uint64_t));
	out->sample[i].stack_len = sample->stack_len;
	out->sample[i].first_register = sample->user_regs ? sample->user_regs[0] : 0;
	return 0;
}

/* Two events of one tracepoint, and one of another. */
static void open_fixture(struct fixture *fixture)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT,
					.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP |
						       PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
						       PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |
						       PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW };

	memset(fixture, 0, sizeof(*fixture));
	for (unsigned i = 0; i < 3; i++) {
		attr.config = i == 2;
		event_set_add_id(&fixture->events, event_set_add(&fixture->events, &attr, "a:b"),
				 100 + i);
	}
	fixture->join = stack_join_new(&fixture->events);
	fixture->out.sink.event = on_event;
}

static void close_fixture(struct fixture *fixture)
{
	stack_join_free(fixture->join);
	event_set_done(&fixture->events);
}

static void add_sample(struct fixture *fixture, unsigned event_index, uint32_t tid, uint64_t time)
{
	const uint64_t chain[] = { KERNEL, SITE }, raw = time;
	union {
		uint64_t word[64];
		struct perf_event_header header;
	} record;
	const struct event event = {
		.type = EVENT_SAMPLE,
		.misc = PERF_RECORD_MISC_KERNEL,
		.pid = 10,
		.tid = tid,
		.cpu = 1,
		.has_time = true,
		.time_ns = time,
		.id = 100 + event_index,
		.desc = fixture->events.desc.item[event_index],
		.sample = { .ip = SITE,
			    .period = 1,
			    .chain = chain,
			    .chain_len = 2,
			    .raw = &raw,
			    .raw_len = sizeof(raw) },
	};

	assert_true(perf_data_sample_bytes(&event) <= sizeof(record));
	perf_data_put_sample(&event, &record);
	stack_join_sample(fixture->join, &record.header);
}

static void add_stack(struct fixture *fixture, uint32_t tid, uint64_t after, uint64_t time)
{
	uint64_t chain[2 + STACK_STOP_WORDS] = { USER, 0x1000 + time };
	const struct event event = {
		.pid = 10,
		.tid = tid,
		.cpu = 1,
		.time_ns = time,
		.sample = { .chain = chain,
			    .chain_len = 2 + (uint32_t)stack_stop_put(STACK_STOP_ROOT, chain + 2),
			    .raw = &after,
			    .raw_len = sizeof(after) },
	};

	stack_join_stack(fixture->join, &event);
}

static void finish_round(struct fixture *fixture, bool last)
{
	struct err err = { 0 };

	assert_int_equal(0, stack_join_round(fixture->join, last, &fixture->out.sink, &err));
}

static void test_stack_join__each_sample_gets_its_stack_and_keeps_its_data(void **state)
{
	struct fixture f;

	(void)state;
	open_fixture(&f);
	add_sample(&f, 0, 7, 1000);
	add_sample(&f, 2, 8, 2000);
	add_stack(&f, 7, 0, 1001);
	add_stack(&f, 8, 1500, 2001);
	finish_round(&f, false);
	assert_int_equal(2, f.out.count);
	for (unsigned i = 0; i < 2; i++) {
		uint64_t time = 1000 * (i + 1);

		assert_int_equal(time, f.out.sample[i].time_ns);
		assert_int_equal(time, f.out.sample[i].raw);
		assert_int_equal(0x1000 + time + 1, f.out.sample[i].user_pc);
		assert_int_equal(STACK_STOP_ROOT, f.out.sample[i].stop);
	}
	close_fixture(&f);
}

static void test_stack_join__a_lost_stack_is_not_made_up_for_by_the_next(void **state)
{
	struct fixture f;

	(void)state;
	open_fixture(&f);
	add_sample(&f, 0, 7, 1000); /* its stack is lost: the program ended at 1500 */
	add_sample(&f, 0, 7, 2000);
	add_stack(&f, 7, 1500, 2001);
	add_sample(&f, 0, 7, 3000);   /* in an interrupt while the stack of 2000 was walked */
	add_stack(&f, 7, 3500, 4001); /* the filter refused the sample */
	finish_round(&f, false);
	assert_int_equal(1, f.out.count);
	finish_round(&f, false);
	assert_int_equal(3, f.out.count);
	assert_int_equal(0x1000 + 2001, f.out.sample[0].user_pc);
	for (unsigned i = 1; i < 3; i++) {
		assert_int_equal(STACK_STOP_NOT_TAKEN, f.out.sample[i].stop);
		assert_int_equal(i == 1 ? 1000 : 3000, f.out.sample[i].time_ns);
	}
	assert_int_equal(2, stack_join_missing(f.join));
	close_fixture(&f);
}

static void test_stack_join__one_hit_of_two_events(void **state)
{
	struct fixture f;

	(void)state;
	open_fixture(&f);
	add_sample(&f, 0, 7, 900); /* an earlier hit without a stack */
	add_sample(&f, 0, 7, 1000);
	add_sample(&f, 1, 7, 1001);
	add_stack(&f, 7, 0, 1002);
	finish_round(&f, true);
	assert_int_equal(3, f.out.count);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(f.out.sample[i].time_ns == 900 ? STACK_STOP_NOT_TAKEN
								: STACK_STOP_ROOT,
				 f.out.sample[i].stop);
	close_fixture(&f);
}

static void test_stack_join__halves_of_two_rounds(void **state)
{
	struct fixture f;

	(void)state;
	open_fixture(&f);
	add_sample(&f, 0, 7, 1000);
	add_stack(&f, 7, 1500, 2001);
	finish_round(&f, false);
	assert_int_equal(0, f.out.count);
	add_stack(&f, 7, 0, 1001);
	add_sample(&f, 0, 7, 2000);
	finish_round(&f, false);
	assert_int_equal(2, f.out.count);
	assert_int_equal(0, stack_join_missing(f.join));
	assert_int_equal(0x1000 + 1001, f.out.sample[0].user_pc);
	assert_int_equal(0x1000 + 2001, f.out.sample[1].user_pc);
	close_fixture(&f);
}

static void test_stack_join__a_stack_for_user_space_to_unwind(void **state)
{
	const uint64_t after = 0, reg[2] = { 0x77, 0x88 };
	const uint8_t bytes[24] = { 1 };
	const struct event stack = {
		.tid = 7,
		.cpu = 1,
		.time_ns = 1001,
		.sample = { .raw = &after,
			    .raw_len = sizeof(after),
			    .user_mask = 3,
			    .user_regs = reg,
			    .stack = bytes,
			    .stack_len = sizeof(bytes) },
	};
	struct fixture f;

	(void)state;
	open_fixture(&f);
	stack_join_stack(f.join, &stack);
	finish_round(&f, false); /* it moves */
	add_sample(&f, 0, 7, 1000);
	finish_round(&f, false);
	assert_int_equal(1, f.out.count);
	assert_int_equal(sizeof(bytes), f.out.sample[0].stack_len);
	assert_int_equal(0x77, f.out.sample[0].first_register);
	close_fixture(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stack_join__each_sample_gets_its_stack_and_keeps_its_data),
		cmocka_unit_test(test_stack_join__a_lost_stack_is_not_made_up_for_by_the_next),
		cmocka_unit_test(test_stack_join__one_hit_of_two_events),
		cmocka_unit_test(test_stack_join__halves_of_two_rounds),
		cmocka_unit_test(test_stack_join__a_stack_for_user_space_to_unwind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

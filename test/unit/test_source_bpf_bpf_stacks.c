/* SPDX-License-Identifier: GPL-2.0-or-later */
/* source/bpf/bpf_stacks: samples out of the records of the kernel part. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "bpf/cpu.h"
#include "event/desc.h"
#include "event/event.h"
#include "event/stop.h"
#include "source/bpf/bpf_stacks.h"

#define SEED   0x1234567890abcdefull
#define USER   ((uint64_t)PERF_CONTEXT_USER)
#define KERNEL ((uint64_t)PERF_CONTEXT_KERNEL)

/* What came out. */
struct taken {
	struct sink sink;
	unsigned count;
	struct event last;
	uint64_t chain[4096];
};

struct fixture {
	struct event_set events;
	uint64_t seen[1u << CPU_SEEN_BITS];
	struct taken taken;
	struct bpf_stacks *stacks;
};

static int on_event(struct sink *sink, const struct event *event, struct err *err)
{
	struct taken *taken = (struct taken *)sink;

	(void)err;
	taken->count++;
	taken->last = *event;
	memcpy(taken->chain, event->sample.chain, event->sample.chain_len * sizeof(uint64_t));
	return 0;
}

static void open_fixture(struct fixture *fixture, bool many)
{
	const struct perf_event_attr attr = { .sample_type = PERF_SAMPLE_IP };

	memset(fixture, 0, sizeof(*fixture));
	for (uint64_t id = 100; id < (many ? 102 : 101); id++) {
		struct event_desc *desc = event_set_add(&fixture->events, &attr, "test");

		event_set_add_id(&fixture->events, desc, id);
	}
	fixture->taken.sink.event = on_event;
	fixture->stacks = bpf_stacks_new(&(struct bpf_stacks_options){ .events = &fixture->events,
								       .seed = SEED,
								       .many_events = many,
								       .seen = fixture->seen });
}

static void close_fixture(struct fixture *fixture)
{
	bpf_stacks_free(fixture->stacks);
	event_set_done(&fixture->events);
}

struct record {
	struct cpu_sample head;
	uint64_t word[CPU_FRAMES];
};

static int take(struct fixture *fixture, const struct record *record, size_t words)
{
	struct bpf_stacks_record bytes = { 3, record, sizeof(record->head) + words * 8 };
	struct err err = { 0 };

	return bpf_stacks_take(fixture->stacks, &bytes, &fixture->taken.sink, &err);
}

static void finish_round(struct fixture *fixture)
{
	struct err err = { 0 };

	assert_int_equal(0, bpf_stacks_round(fixture->stacks, &fixture->taken.sink, &err));
}

/* The name of a stack, leaf first. */
static uint64_t name_of(enum stack_stop stop, const uint64_t *frame, size_t count)
{
	uint64_t name = cpu_node_root(SEED, stop);

	while (count--)
		name = cpu_node_child(name, frame[count]);
	return name;
}

static void test_bpf_stacks__a_stack_and_references_to_it(void **state)
{
	static struct fixture fixture;
	struct record record = { .head = { .time_ns = 5,
					   .base = name_of(STACK_STOP_ROOT, NULL, 0),
					   .pid = 10,
					   .tid = 11,
					   .period = 1000,
					   .frames = 3,
					   .flags = CPU_IN_KERNEL },
				 .word = { 0xffffffff81000010, 0x2000, 0x1000 } };
	const uint64_t expected[] = { KERNEL, 0xffffffff81000010, USER, 0x2000, 0x1000, USER };
	const uint64_t deeper[] = { USER, 0x3000, 0x2000, 0x1000, USER };

	(void)state;
	open_fixture(&fixture, false);
	assert_int_equal(0, take(&fixture, &record, 3));
	assert_int_equal(1, fixture.taken.count);
	assert_int_equal(6, fixture.taken.last.sample.chain_len);
	assert_memory_equal(expected, fixture.taken.chain, sizeof(expected));
	assert_true(fixture.taken.last.sample.ip == 0xffffffff81000010);
	assert_int_equal(PERF_RECORD_MISC_KERNEL, fixture.taken.last.misc);
	assert_int_equal(3, fixture.taken.last.cpu);
	assert_int_equal(1000, fixture.taken.last.sample.period);

	record.head.base = name_of(STACK_STOP_ROOT, record.word, 3);
	record.head.frames = 0;
	record.head.tid = 12;
	assert_int_equal(0, take(&fixture, &record, 0));
	assert_int_equal(12, fixture.taken.last.tid);
	assert_memory_equal(expected, fixture.taken.chain, sizeof(expected));

	record.head.base = name_of(STACK_STOP_ROOT, record.word + 1, 2);
	record.head.frames = 1;
	record.head.flags = 0;
	record.word[0] = 0x3000;
	assert_int_equal(0, take(&fixture, &record, 1));
	assert_int_equal(5, fixture.taken.last.sample.chain_len);
	assert_memory_equal(deeper, fixture.taken.chain, sizeof(deeper));
	assert_int_equal(PERF_RECORD_MISC_USER, fixture.taken.last.misc);
	close_fixture(&fixture);
}

/* The ring of another CPU was read before the one with the stack. */
static void test_bpf_stacks__a_reference_waits_for_its_stack(void **state)
{
	static struct fixture fixture;
	const uint64_t frame[] = { 0x2000, 0x1000 };
	struct record early = { .head = { .base = name_of(STACK_STOP_DEPTH, frame, 2), .tid = 7 } };
	struct record stack = { .head = { .base = name_of(STACK_STOP_DEPTH, NULL, 0), .frames = 2 },
				.word = { 0x2000, 0x1000 } };

	(void)state;
	open_fixture(&fixture, false);
	assert_int_equal(0, take(&fixture, &early, 0));
	finish_round(&fixture);
	assert_int_equal(0, fixture.taken.count);
	assert_int_equal(0, take(&fixture, &stack, 2));
	finish_round(&fixture);
	assert_int_equal(2, fixture.taken.count);
	assert_int_equal(7, fixture.taken.last.tid);
	assert_int_equal(STACK_STOP_DEPTH,
			 stack_stop_get(fixture.taken.chain, fixture.taken.last.sample.chain_len));
	finish_round(&fixture);
	assert_int_equal(2, fixture.taken.count);
	close_fixture(&fixture);
}

static void test_bpf_stacks__what_never_comes_is_counted(void **state)
{
	static struct fixture fixture;
	struct record early = { .head = { .base = 12345 } };

	(void)state;
	open_fixture(&fixture, false);
	assert_int_equal(0, take(&fixture, &early, 0));
	for (unsigned i = 0; i < 5; i++)
		finish_round(&fixture);
	assert_int_equal(0, fixture.taken.count);
	assert_int_equal(1, bpf_stacks_stats(fixture.stacks)->unresolved);
	close_fixture(&fixture);
}

static void test_bpf_stacks__id_and_long_period_follow_the_frames(void **state)
{
	static struct fixture fixture;
	struct record record = { .head = { .base = name_of(STACK_STOP_ROOT, NULL, 0),
					   .frames = 1,
					   .period = UINT32_MAX },
				 .word = { 0x1000, 101, 1ull << 40 } };

	(void)state;
	open_fixture(&fixture, true);
	assert_int_equal(0, take(&fixture, &record, 3));
	assert_int_equal(101, fixture.taken.last.id);
	assert_ptr_equal(fixture.events.desc.item[1], fixture.taken.last.desc);
	assert_true(fixture.taken.last.sample.period == 1ull << 40);
	close_fixture(&fixture);
}

static void test_bpf_stacks__raw_stack(void **state)
{
	static struct fixture fixture;
	static struct {
		struct cpu_sample head;
		struct cpu_raw raw;
		uint64_t kernel[2];
		uint8_t stack[24];
	} record = { .head = { .kind = CPU_RAW, .frames = 2, .flags = CPU_IN_SYSCALL },
		     .raw = { .period = 9, .ip = 0xffffffff81000010 },
		     .kernel = { 1, 2 } };
	struct bpf_stacks_record bytes = { 0, &record, sizeof(record) };
	const struct event_sample *sample = &fixture.taken.last.sample;
	struct err err = { 0 };

	(void)state;
	open_fixture(&fixture, false);
	assert_int_equal(0, bpf_stacks_take(fixture.stacks, &bytes, &fixture.taken.sink, &err));
	assert_int_equal(3, sample->chain_len);
	assert_true(fixture.taken.chain[0] == KERNEL && fixture.taken.chain[2] == 2);
	assert_int_equal(9, sample->period);
	assert_int_equal(24, sample->stack_len);
	assert_ptr_equal(record.stack, sample->stack);
	assert_ptr_equal(record.raw.reg, sample->user_regs);
	assert_true(sample->user_in_syscall);
	record.head.frames = 2 + 24 / 8 + 1;
	assert_int_equal(-EINVAL,
			 bpf_stacks_take(fixture.stacks, &bytes, &fixture.taken.sink, &err));
	record.head.frames = CPU_KERNEL_FRAMES + 1;
	assert_int_equal(-EINVAL,
			 bpf_stacks_take(fixture.stacks, &bytes, &fixture.taken.sink, &err));
	close_fixture(&fixture);
}

static void test_bpf_stacks__wrong_sizes_are_refused(void **state)
{
	static struct fixture fixture;
	struct record record = { .head = { .base = name_of(STACK_STOP_ROOT, NULL, 0),
					   .frames = 2 } };
	struct bpf_stacks_record shorter = { 0, &record, 8 };
	struct err err = { 0 };

	(void)state;
	open_fixture(&fixture, false);
	assert_int_equal(-EINVAL, take(&fixture, &record, 1));
	assert_int_equal(-EINVAL, take(&fixture, &record, 3));
	assert_int_equal(-EINVAL,
			 bpf_stacks_take(fixture.stacks, &shorter, &fixture.taken.sink, &err));
	close_fixture(&fixture);
}

/* A tree that has grown too large is replaced; what still refers to it is understood. */
static void test_bpf_stacks__a_large_tree_is_replaced(void **state)
{
	static struct fixture fixture;
	const uint64_t first[] = { 1, 2 };
	struct record record = { .head = { .frames = 2 } };

	(void)state;
	open_fixture(&fixture, false);
	fixture.seen[7] = 1;
	for (uint64_t i = 0; fixture.seen[7]; i++) {
		record.head.base = name_of(STACK_STOP_ROOT, NULL, 0);
		record.word[0] = 2 * i + 1;
		record.word[1] = 2 * i + 2;
		assert_int_equal(0, take(&fixture, &record, 2));
		if (i % 1000 == 0)
			finish_round(&fixture);
		assert_true(i < 1000000);
	}
	record.head.base = name_of(STACK_STOP_ROOT, first, 2);
	record.head.frames = 0;
	fixture.taken.count = 0;
	for (unsigned i = 0; i < 10; i++) { /* brought over by the first one */
		assert_int_equal(0, take(&fixture, &record, 0));
		finish_round(&fixture);
	}
	assert_int_equal(10, fixture.taken.count);
	assert_int_equal(4, fixture.taken.last.sample.chain_len);
	assert_true(fixture.taken.chain[1] == 1 && fixture.taken.chain[2] == 2);
	close_fixture(&fixture);
}

static void test_bpf_stacks__payload(void **state)
{
	const uint64_t data[] = { 12, 0x1122334455667788u, 0x99aabbcc };
	static struct fixture fixture;
	struct record record = { .head = { .base = name_of(STACK_STOP_ROOT, NULL, 0),
					   .frames = 1,
					   .kind = CPU_WALKED },
				 .word = { 0x401000 } };
	const struct event_sample *sample = &fixture.taken.last.sample;

	(void)state;
	open_fixture(&fixture, false);
	bpf_stacks_free(fixture.stacks);
	fixture.stacks = bpf_stacks_new(&(struct bpf_stacks_options){
		.events = &fixture.events, .seed = SEED, .with_payload = true });
	memcpy(record.word + 1, data, sizeof(data));
	assert_int_equal(0, take(&fixture, &record, 4));
	assert_int_equal(12, sample->raw_len);
	assert_memory_equal(data + 1, sample->raw, 12);
	assert_int_equal(0x401000, fixture.taken.chain[1]);
	/* Not whole, missing, and too long for what is there. */
	assert_int_equal(-EINVAL, take(&fixture, &record, 3));
	assert_int_equal(-EINVAL, take(&fixture, &record, 1));
	record.word[1] = UINT64_MAX - 3;
	assert_int_equal(-EINVAL, take(&fixture, &record, 4));
	close_fixture(&fixture);
}

static void test_bpf_stacks__payload_that_is_an_address(void **state)
{
	static struct fixture fixture;
	struct record record = { .head = { .base = name_of(STACK_STOP_ROOT, NULL, 0),
					   .frames = 1,
					   .kind = CPU_WALKED },
				 .word = { 0x401000, 8, 0x7f00 } };
	const struct event_sample *sample = &fixture.taken.last.sample;

	(void)state;
	open_fixture(&fixture, false);
	bpf_stacks_free(fixture.stacks);
	fixture.stacks = bpf_stacks_new(&(struct bpf_stacks_options){ .events = &fixture.events,
								      .seed = SEED,
								      .with_payload = true,
								      .payload_is_addr = true });
	assert_int_equal(0, take(&fixture, &record, 3));
	assert_int_equal(0x7f00, sample->addr);
	assert_int_equal(0, sample->raw_len);
	record.word[1] = 4;
	assert_int_equal(-EINVAL, take(&fixture, &record, 3));
	close_fixture(&fixture);
}

/* Between the kernel's frames and the bytes of the stack. */
static void test_bpf_stacks__payload_of_a_raw_stack(void **state)
{
	static struct fixture fixture;
	struct {
		struct cpu_sample head;
		struct cpu_raw raw;
		uint64_t word[5];
	} record = { .head = { .kind = CPU_RAW, .frames = 1 },
		     .word = { 0xffffffff81000000u, 8, 77, 1, 2 } };
	const struct bpf_stacks_record bytes = { 3, &record, sizeof(record) };
	const struct event_sample *sample = &fixture.taken.last.sample;
	struct err err = { 0 };
	uint64_t value;

	(void)state;
	open_fixture(&fixture, false);
	bpf_stacks_free(fixture.stacks);
	fixture.stacks = bpf_stacks_new(&(struct bpf_stacks_options){
		.events = &fixture.events, .seed = SEED, .with_payload = true });
	assert_int_equal(0, bpf_stacks_take(fixture.stacks, &bytes, &fixture.taken.sink, &err));
	assert_int_equal(8, sample->raw_len);
	memcpy(&value, sample->raw, sizeof(value));
	assert_int_equal(77, value);
	assert_int_equal(16, sample->stack_len);
	assert_int_equal(1, sample->stack[0]);
	record.word[1] = 4000;
	assert_int_equal(-EINVAL,
			 bpf_stacks_take(fixture.stacks, &bytes, &fixture.taken.sink, &err));
	close_fixture(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bpf_stacks__a_stack_and_references_to_it),
		cmocka_unit_test(test_bpf_stacks__a_reference_waits_for_its_stack),
		cmocka_unit_test(test_bpf_stacks__what_never_comes_is_counted),
		cmocka_unit_test(test_bpf_stacks__id_and_long_period_follow_the_frames),
		cmocka_unit_test(test_bpf_stacks__raw_stack),
		cmocka_unit_test(test_bpf_stacks__wrong_sizes_are_refused),
		cmocka_unit_test(test_bpf_stacks__a_large_tree_is_replaced),
		cmocka_unit_test(test_bpf_stacks__payload),
		cmocka_unit_test(test_bpf_stacks__payload_that_is_an_address),
		cmocka_unit_test(test_bpf_stacks__payload_of_a_raw_stack),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

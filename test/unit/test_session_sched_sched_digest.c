/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/sched/sched_digest: a sample's digest equals the sample when it is decoded in
 * full, or there is none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "event/desc.h"
#include "event/perf_record.h"
#include "session/sched/sched_digest.h"

#define WORDS  6  /* before the payload: identifier, ip, tid, time, cpu, period */
#define HEADER 60 /* bytes before the payload, with its length */

static const struct perf_record_plan layout = {
	.tid = 2, .time = 3, .cpu = 4, .fixed_words = WORDS, .tail = true, .only_raw = true
};

struct sample {
	struct perf_event_header header;
	uint64_t body[WORDS + 10];
};

static void put_field(struct sched_plan *plan, unsigned f, uint32_t offset, uint32_t size)
{
	plan->field[f] = (struct trace_field){ .offset = offset, .size = size, .is_signed = true };
	plan->has[f] = true;
}

static struct sched_plan plan_of(enum sched_tracepoint is)
{
	struct sched_plan plan = { .is = is, .numbers = 1 };

	put_field(&plan, TASK_TID, 24, 4);
	if (is == TRACEPOINT_SWITCH) {
		plan.numbers = 5;
		put_field(&plan, SWITCH_NEXT, 56, 4);
		put_field(&plan, SWITCH_STATE, 32, 8);
		put_field(&plan, SWITCH_PREV_PRIO, 28, 4);
		put_field(&plan, SWITCH_NEXT_PRIO, 60, 4);
	} else if (is == TRACEPOINT_MIGRATE) {
		plan.numbers = 3;
		put_field(&plan, MIGRATE_FROM, 32, 4);
		put_field(&plan, MIGRATE_TO, 36, 4);
	} else if (is == TRACEPOINT_RUNTIME) {
		plan.numbers = 2;
		put_field(&plan, RUNTIME_NS, 32, 8);
	}
	sched_plan_words(&plan, &layout);
	return plan;
}

static void put_len(struct sample *sample, uint32_t len)
{
	memcpy((uint8_t *)sample + HEADER - sizeof(len), &len, sizeof(len));
}

/* Words of all sizes, most of them sensible. */
static struct sample make_sample(void)
{
	static const int32_t value[] = { 0, 1, 7, 120, -1, 139, 32767, 32768, -32769, 70000, 256 };
	const uint32_t len = 64 + 4;
	struct sample sample;

	for (size_t i = 0; i < sizeof(sample) / 4; i++)
		((int32_t *)&sample)[i] = value[rand() % (rand() % 4 ? 4 : 11)];
	sample.header = (struct perf_event_header){ PERF_RECORD_SAMPLE, 0, HEADER + len };
	put_len(&sample, len);
	return sample;
}

static void decode(const struct sched_plan *plan, const struct sample *sample,
		   struct sched_fact *ret)
{
	const uint32_t *half = (const uint32_t *)sample->body;
	struct sched_sample full = { .plan = plan,
				     .payload = { (const uint8_t *)sample + HEADER, 68 },
				     .tid = half[2 * layout.tid + 1],
				     .cpu = half[2 * layout.cpu] };

	assert_true(sched_sample_numbers(&full));
	sched_fact_of_sample(&full, ret);
}

static void check_equal(const struct sched_fact *a, const struct sched_fact *b)
{
	assert_int_equal(a->is, b->is);
	assert_int_equal(a->cpu, b->cpu);
	assert_int_equal(a->tid, b->tid);
	assert_int_equal(a->other, b->other);
	if (a->is == TRACEPOINT_SWITCH)
		assert_int_equal(a->state, b->state);
	if (a->is == TRACEPOINT_RUNTIME) {
		assert_true(a->runtime_ns == b->runtime_ns);
	} else if (a->is == TRACEPOINT_SWITCH || a->is == TRACEPOINT_MIGRATE) {
		assert_int_equal(a->prev_priority, b->prev_priority);
		assert_int_equal(a->next_priority, b->next_priority);
	}
}

static void test_digest_says_the_same(void **state)
{
	(void)state;
	for (int is = TRACEPOINT_SWITCH; is <= TRACEPOINT_RUNTIME; is++) {
		struct sched_plan plan = plan_of((enum sched_tracepoint)is);
		size_t digested = 0;

		assert_true(plan.words.least);
		for (int i = 0; i < 4000; i++) {
			struct sample sample = make_sample();
			struct sched_fact full, fact;
			uint64_t digest[2];

			if (!sched_digest_read(&plan, &sample.header, digest))
				continue;
			digested++;
			assert_true(digest[0]); /* there is one */
			decode(&plan, &sample, &full);
			sched_fact_of_digest(digest, &fact);
			check_equal(&fact, &full);
		}
		assert_in_range(digested, 400, 3999);
	}
}

static void test_no_digest_of_what_is_too_short(void **state)
{
	struct sched_plan plan = plan_of(TRACEPOINT_SWITCH);
	struct sample sample = make_sample();
	uint64_t digest[2];

	(void)state;
	memset(sample.body, 0, sizeof(sample.body));
	put_len(&sample, 64);
	assert_true(sched_digest_read(&plan, &sample.header, digest));
	put_len(&sample, 63); /* the last word would be cut */
	assert_false(sched_digest_read(&plan, &sample.header, digest));
	put_len(&sample, 69); /* more than there is */
	assert_false(sched_digest_read(&plan, &sample.header, digest));
	for (uint16_t size = 8; size < HEADER + 64; size++) {
		put_len(&sample, 64);
		sample.header.size = size;
		assert_false(sched_digest_read(&plan, &sample.header, digest));
	}
}

static void test_no_words_in_other_shapes(void **state)
{
	struct perf_record_plan stacks = layout, no_cpu = layout;
	struct sched_plan plan = plan_of(TRACEPOINT_SWITCH);
	uint64_t digest[2] = { 0, 0 };
	struct sample sample = make_sample();

	(void)state;
	stacks.only_raw = false;
	plan.words = (struct sched_words){ 0 };
	sched_plan_words(&plan, &stacks);
	assert_int_equal(plan.words.least, 0);
	no_cpu.cpu = -1;
	sched_plan_words(&plan, &no_cpu);
	assert_int_equal(plan.words.least, 0);
	plan.field[SWITCH_NEXT].swapped = true;
	sched_plan_words(&plan, &layout);
	assert_int_equal(plan.words.least, 0);
	assert_false(sched_digest_read(&plan, &sample.header, digest));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_digest_says_the_same),
		cmocka_unit_test(test_no_digest_of_what_is_too_short),
		cmocka_unit_test(test_no_words_in_other_shapes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* source/perf_event_budget: samples get the period of the rate at which they were taken. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "event/sink.h"
#include "source/perf_event/perf_event.h"

#define TYPE (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD)

struct sample {
	struct perf_event_header header;
	uint64_t ip;
	uint32_t pid, tid;
	uint64_t time_ns, period;
};

struct taken {
	struct sink sink;
	uint64_t period[8];
	size_t count;
};

static int take(struct sink *sink, const struct record_span *span, struct err *err)
{
	struct taken *taken = (struct taken *)sink;
	struct sample sample;

	(void)err;
	for (size_t at = 0; at < span->len[0] + span->len[1]; at += sizeof(sample)) {
		assert_int_equal(span->len[1], 0); /* one piece, once it was corrected */
		memcpy(&sample, span->data[0] + at, sizeof(sample));
		taken->period[taken->count++] = sample.period;
	}
	return 0;
}

static void test_corrects_periods_behind_the_change(void **state)
{
	pid_t pids[] = { -1, 7 };
	int cpu = 0;
	const struct event_spec spec = { 0 };
	struct perf_selected selected = {
		.spec = &spec,
		.attr = { .type = PERF_TYPE_SOFTWARE, .freq = 1, .sample_type = TYPE },
		.asked = 1000,
	};
	struct perf_ring ring = { .tail = 4096, .changed_at = 4096 + sizeof(struct sample) };
	struct perf_source source = { .selected = &selected,
				      .selected_count = 1,
				      .budget = { .share = 0.01 },
				      .drained = &ring,
				      .rate = { 1, 2, 10, true } };
	struct sample sample[2];
	struct record_span span = { .data = { (uint8_t *)&sample[0], (uint8_t *)&sample[1] },
				    .len = { sizeof(sample[0]), sizeof(sample[1]) } };
	struct taken taken = { .sink = { .records = take } };
	struct sink *counter = perf_source_counter(&source, &taken.sink);
	struct err err = { 0 };

	(void)state;
	for (size_t i = 0; i < 2; i++)
		sample[i] = (struct sample){ .header = { .type = PERF_RECORD_SAMPLE,
							 .size = sizeof(sample[i]) },
					     .pid = 7,
					     .tid = 7 + (uint32_t)i,
					     .period = 1000000 };
	source.target.cpu.item = &cpu;
	source.target.cpu.count = 1;
	source.target.pid.item = pids; /* everybody */
	source.target.pid.count = 1;
	assert_int_equal(0, counter->records(counter, &span, &err));
	source.target.pid.item = pids + 1; /* one thread, and another that it made before */
	assert_int_equal(0, counter->records(counter, &span, &err));
	source.rate.changed = false;
	source.to = &taken.sink;
	assert_int_equal(taken.count, 4);
	assert_int_equal(taken.period[0], 2000000);
	assert_int_equal(taken.period[1], 10000000);
	assert_int_equal(taken.period[2], 2000000);
	assert_int_equal(taken.period[3], 1000000);
	assert_int_equal(source.used.samples, 4);
	assert_int_equal(source.used.bytes, 4 * sizeof(struct sample));
	assert_int_equal(sample[0].period, 1000000); /* the ring stays as it is */
	buf_done(&source.corrected);
}

static void test_every_hit_stays(void **state)
{
	const struct event_spec spec = { 0 };
	struct perf_selected selected = { .spec = &spec, .asked = 1 };

	(void)state;
	selected.attr.type = PERF_TYPE_TRACEPOINT;
	assert_false(perf_source_is_slowed(&selected));
	selected.attr.type = PERF_TYPE_HARDWARE;
	assert_true(perf_source_is_slowed(&selected));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_corrects_periods_behind_the_change),
		cmocka_unit_test(test_every_hit_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/context/record_context: samples land among the records of the chunk that fills. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "format/perf_data/machine_text.h"
#include "session/record/record_loop.h"
#include "session/record/record_machine.h"
#include "source/machine/machine_sampler.h"

static void open_recorder(struct recorder *recorder, struct source *source)
{
	struct err err;

	*recorder = (struct recorder){ .source = source, .options = &recorder->own_options };
	assert_int_equal(record_queue_open(&recorder->queue, 1 << 20, &err), 0);
	recorder->chunk = record_queue_idle(&recorder->queue);
}

static void close_recorder(struct recorder *recorder)
{
	machine_sampler_free(recorder->context);
	recorder->chunk->last = true;
	record_queue_push(&recorder->queue, recorder->chunk);
	record_queue_return(&recorder->queue, record_queue_pop(&recorder->queue));
	record_queue_close(&recorder->queue);
}

static void test_one_at_the_end(void **state)
{
	static const size_t head = 16 + sizeof(MACHINE_TEXT_MAGIC) - 1;
	struct source source = { 0 };
	struct recorder recorder;
	struct machine_sample sample;

	(void)state;
	open_recorder(&recorder, &source);
	record_machine_start(&recorder);
	assert_true(recorder.machine_due_ns > clock_ns(CLOCK_MONOTONIC));
	assert_int_equal(recorder.chunk->len, 0);
	recorder.end_ns = recorder.machine_due_ns; /* as if a second had gone by */
	record_machine_end(&recorder);
	assert_true(recorder.chunk->len > head);
	assert_true(machine_text_parse((char *)recorder.chunk->data + head,
				       recorder.chunk->len - head, &sample));
	assert_true(sample.cpu.count > 0);
	machine_sample_done(&sample);
	close_recorder(&recorder);
}

/* CPU time is counted in ticks: an interval of few of them tells nothing. */
static void test_too_short(void **state)
{
	struct source source = { 0 };
	struct recorder recorder;

	(void)state;
	open_recorder(&recorder, &source);
	record_machine_start(&recorder);
	recorder.end_ns = recorder.machine_due_ns - 999999999;
	record_machine_end(&recorder);
	assert_int_equal(recorder.chunk->len, 0);
	close_recorder(&recorder);
}

static void test_not_asked_for(void **state)
{
	struct source source = { 0 };
	struct recorder recorder;

	(void)state;
	open_recorder(&recorder, &source);
	recorder.own_options.no_context = true;
	record_machine_start(&recorder);
	assert_null(recorder.context);
	assert_true(recorder.machine_due_ns == UINT64_MAX);
	record_machine_end(&recorder);
	assert_int_equal(recorder.chunk->len, 0);
	close_recorder(&recorder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_at_the_end),
		cmocka_unit_test(test_too_short),
		cmocka_unit_test(test_not_asked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

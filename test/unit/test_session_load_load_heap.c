/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recordings of blocks of memory: when they are followed, and what their samples keep. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "event/desc.h"
#include "profile/heap/heap.h"
#include "profile/profile.h"
#include "session/load/load.h"
#include "session/load/load_heap.h"

#define RATE 4096

static void add_event(struct event_set *events, const char *name, uint64_t period)
{
	const struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					      .size = sizeof(attr),
					      .config = PERF_COUNT_SW_BPF_OUTPUT,
					      .sample_period = period };

	(void)event_set_add(events, &attr, name);
}

static void test_load_heap__follows_where_nothing_else_is_kept(void **state)
{
	struct event_set events = { 0 }, other = { 0 };
	const struct load_options plain = { .ends_only = true, .merge_threads = true };
	struct load_options options = plain;

	(void)state;
	add_event(&events, "heap-alloc", RATE);
	add_event(&other, "off-cpu", 1);
	assert_false(load_heap_begin(&other, &options));
	assert_true(load_heap_begin(&events, &options));
	assert_false(options.ends_only || options.merge_threads);
	options = (struct load_options){ .event = "heap-live" };
	assert_true(load_heap_begin(&events, &options));
	assert_null(options.event);
	options = (struct load_options){ .event = "cpu-clock" };
	assert_false(load_heap_begin(&events, &options));
	options = (struct load_options){ .event = "cycles" };
	assert_false(load_heap_begin(&events, &options));
	options = (struct load_options){ .kind = EVENT_KIND_OFF_CPU };
	assert_false(load_heap_begin(&events, &options));
	options = (struct load_options){ .keep = PROFILE_KEEP_ADDR };
	assert_false(load_heap_begin(&events, &options));
	options = (struct load_options){ .keep = PROFILE_KEEP_ADDR | PROFILE_ADDR_IS_CGROUP };
	assert_false(load_heap_begin(&events, &options));
	event_set_done(&events);
	event_set_done(&other);
}

static void add(struct profile *p, uint64_t time_ns, uint64_t address)
{
	struct profile_sample sample = { .event = profile_event(p, "heap-alloc", "bytes"),
					 .thread = profile_thread(p, 7, 7, "app"),
					 .stack = profile_stack_or_unknown(p, STACK_EMPTY),
					 .stop = STACK_STOP_ROOT,
					 .weight = 100,
					 .count = 1,
					 .time_ns = time_ns,
					 .addr = p->blocks.count };

	vec_push(&p->blocks, ((struct heap_block){ address, 100 }));
	profile_add(p, &sample);
}

static void finish(const struct load_options *asked, struct profile **ret)
{
	struct event_set events = { 0 };
	struct err err = { 0 };

	add_event(&events, "heap-alloc", RATE);
	*ret = profile_new(load_heap_keeps());
	add(*ret, 1, 0x10);
	add(*ret, 2, 0x20);
	assert_int_equal(load_heap_finish(&events, "x", asked, *ret, &err), 0);
	event_set_done(&events);
}

/* Samples of the same stack are one again; events that were not asked for are gone. */
static void test_load_heap__keeps_what_was_asked(void **state)
{
	const struct load_options plain = { .event = NULL }, live = { .event = "heap-live" };
	struct profile *p;
	uint16_t event;

	(void)state;
	finish(&plain, &p);
	assert_int_equal(p->samples.count, 5); /* of one event each */
	assert_true(profile_find_kind(p, EVENT_KIND_HEAP_PEAK, &event));
	assert_int_equal(p->events.item[event].weight, 200);
	assert_int_equal(p->events.item[event].samples, 2);
	assert_int_equal(p->samples.item[0].time_ns, 0);
	profile_free(p);
	finish(&live, &p);
	assert_int_equal(p->samples.count, 1);
	assert_int_equal(p->events.item[p->samples.item[0].event].kind, EVENT_KIND_HEAP_LIVE);
	profile_free(p);
}

static void test_load_heap__sums(void **state)
{
	struct heap_summary summary = { 0 };
	const struct load_options options = { .heap = &summary };
	struct profile *p;

	(void)state;
	finish(&options, &p);
	assert_int_equal(summary.rate, RATE);
	assert_int_equal(summary.samples, 2);
	assert_true(summary.live.value == 200);
	assert_int_equal(p->samples.item[1].time_ns, 2);
	heap_summary_done(&summary);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_load_heap__follows_where_nothing_else_is_kept),
		cmocka_unit_test(test_load_heap__keeps_what_was_asked),
		cmocka_unit_test(test_load_heap__sums),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

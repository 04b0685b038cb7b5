/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples of another profiler's static probes as blocks; test/live/heap.sh has a real one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "profile/heap/heap.h"
#include "profile/heap/heap_producer.h"
#include "profile/profile.h"

#define ALLOC "usdt:/lib/libx.so:otel_memory:alloc arg1 arg2 arg3"
#define FREE  "usdt:/lib/libx.so:otel_memory:free arg1"

static uint64_t now;

static void put(struct profile *p, const char *event, uint64_t address, uint64_t size,
		uint64_t weight)
{
	const struct frame frame = { .function = strtab_puts(p->strings, "allocates") };
	const struct profile_sample sample = {
		.event = profile_event(p, event, "count"),
		.stack = profile_stack_push(p, STACK_EMPTY, profile_frame(p, &frame)),
		.thread = profile_thread(p, 1, 1, "app"),
		.stop = STACK_STOP_ROOT,
		.time_ns = ++now,
		.weight = 1,
		.count = 1,
		.addr = p->values.count,
	};

	vec_push(&p->values, address);
	vec_push(&p->values, size);
	vec_push(&p->values, weight);
	profile_add(p, &sample);
}

static void test_heap_producer__blocks(void **state)
{
	struct profile *p =
		profile_new(PROFILE_KEEP_TIME | PROFILE_KEEP_ADDR | PROFILE_ADDR_IS_VALUES);
	struct heap_summary summary;

	(void)state;
	put(p, ALLOC, 16, 1000, 5000);
	put(p, ALLOC, 32, 100, 4000);
	put(p, FREE, 16, 0, 0);
	put(p, ALLOC, 48, 8000, 10);	     /* too little for its size */
	put(p, ALLOC, 64, UINT64_MAX, 4000); /* no block is that large */
	put(p, ALLOC, 64, 8, UINT64_MAX);    /* nor stands for that much */
	put(p, ALLOC, 0, 8, 4000);	     /* failed */
	put(p, FREE, 999, 0, 0);	     /* of one that was not seen */
	put(p, "usdt:/lib/libx.so:other:alloc", 80, 8, 8);
	put(p, "usdt:/lib/libx.so:otel_memory:allocated", 96, 8, 8);
	heap_producer_sum_up(p, &summary);
	assert_int_equal(3, summary.samples);
	assert_int_equal(17000, summary.allocated.value);
	assert_int_equal(12000, summary.live.value);
	assert_int_equal(4000, summary.rate);
	heap_summary_done(&summary);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_heap_producer__blocks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

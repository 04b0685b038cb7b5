/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls of an allocator as blocks; test/live/heap_programs.sh has real ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "profile/heap/heap.h"
#include "profile/heap/heap_calls.h"
#include "profile/profile.h"

static uint64_t now;

static void put(struct profile *p, const char *event, uint32_t tid, const uint64_t value[3])
{
	const struct frame frame = { .function = strtab_puts(p->strings, "allocates") };
	const struct profile_sample sample = {
		.event = profile_event(p, event, "count"),
		.stack = profile_stack_push(p, STACK_EMPTY, profile_frame(p, &frame)),
		.thread = profile_thread(p, 1, tid, "app"),
		.stop = STACK_STOP_ROOT,
		.time_ns = ++now,
		.weight = 1,
		.count = 1,
		.addr = p->values.count,
	};

	for (size_t i = 0; i < 3; i++)
		vec_push(&p->values, value[i]);
	profile_add(p, &sample);
}

static void enter(struct profile *p, const char *call, uint64_t first, uint64_t second)
{
	put(p, call, 1, (const uint64_t[]){ first, second, 0 });
}

static void leave(struct profile *p, const char *call, uint64_t result)
{
	put(p, call, 1, (const uint64_t[]){ 0, 0, result });
}

#define ENTER(call)  "probe:/bin/a:b:" call " arg1"
#define RETURN(call) "uretprobe:/bin/a:b:" call " $retval"

static struct profile *begin(void)
{
	return profile_new(PROFILE_KEEP_TIME | PROFILE_KEEP_ADDR | PROFILE_ADDR_IS_VALUES);
}

static void test_heap_calls__blocks(void **state)
{
	struct profile *p = begin();
	struct heap_summary summary;

	(void)state;
	enter(p, ENTER("malloc"), 100, 0);
	put(p, ENTER("malloc"), 2, (const uint64_t[]){ 7, 0, 0 }); /* of another thread */
	leave(p, RETURN("malloc"), 16);
	put(p, RETURN("malloc"), 2, (const uint64_t[]){ 0, 0, 32 });
	enter(p, ENTER("calloc"), 10, 20);
	enter(p, ENTER("malloc"), 200, 0); /* calls it */
	leave(p, RETURN("malloc"), 64);
	leave(p, RETURN("calloc"), 64);
	enter(p, ENTER("realloc"), 16, 500);
	leave(p, RETURN("realloc"), 1024);
	enter(p, ENTER("memalign"), 4096, 50);
	leave(p, RETURN("memalign"), 8192);
	enter(p, ENTER("free"), 64, 0);
	enter(p, ENTER("free"), 0, 0);
	heap_calls_sum_up(p, &summary);
	assert_int_equal(5, summary.samples);
	assert_int_equal(100 + 7 + 200 + 500 + 50, summary.allocated.value);
	assert_int_equal(7 + 500 + 50, summary.live.value);
	heap_summary_done(&summary);
	profile_free(p);
}

/* Failures, numbers that cannot be, and returns that were lost. */
static void test_heap_calls__damage(void **state)
{
	struct profile *p = begin();
	struct heap_summary summary;

	(void)state;
	leave(p, RETURN("malloc"), 16);
	enter(p, ENTER("malloc"), UINT64_MAX, 0);
	leave(p, RETURN("malloc"), 32);
	enter(p, ENTER("malloc"), 100, 0);
	leave(p, RETURN("malloc"), 0);
	enter(p, ENTER("calloc"), UINT64_MAX, 2);
	leave(p, RETURN("calloc"), 48);
	enter(p, ENTER("realloc"), 0, 10);
	for (uint64_t i = 1; i <= 20; i++) {
		enter(p, ENTER("malloc"), 1, 0);
		leave(p, RETURN("malloc"), 64 * i);
	}
	enter(p, ENTER("mallocate"), 1, 0);
	enter(p, RETURN("free"), 64 * 20, 0);
	heap_calls_sum_up(p, &summary);
	assert_int_equal(12, summary.live.value);
	heap_summary_done(&summary);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_heap_calls__blocks),
		cmocka_unit_test(test_heap_calls__damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

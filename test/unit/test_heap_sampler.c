/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which blocks are sampled: sums by weight are right on average, and within their interval in 95 of
 * 100 runs, for blocks of all sizes. The functions are those of a library that no other program of
 * ours has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define cupel_heap_alloc seen_alloc
#define cupel_heap_free	 seen_free
#include "heap/sampler.c"
#include "heap/sampler.h"
#include "source/heap/heap_choice.h"

#define RATE 65536

static struct {
	double bytes, blocks, squares; /* by weight; squares: the variance of bytes */
	uint64_t allocs, frees, last_size;
} seen;
static uint64_t seeds;

void seen_alloc(uint64_t address, uint64_t size, uint64_t token, uint64_t bytes)
{
	double p = -expm1(-(double)size / RATE);

	(void)address;
	assert_int_equal(token, 7);
	seen.allocs++;
	seen.last_size = size;
	seen.bytes += (double)bytes;
	if (!size || size == HEAP_KEPT)
		return;
	seen.blocks += 1 / p;
	seen.squares += (double)size / p * ((double)size / p) * (1 - p);
}

void seen_free(uint64_t address, uint64_t unused, uint64_t token)
{
	(void)address;
	(void)unused;
	(void)token;
	seen.frees++;
}

void heap_settle(void)
{
	fail_msg("settled twice");
}

void heap_seed(struct heap_thread *thread)
{
	thread->random = ++seeds * 0x9e3779b97f4a7c15ULL;
}

static void begin(uint64_t rate)
{
	memset(&seen, 0, sizeof(seen));
	memset(heap_filter, 0, sizeof(heap_filter));
	memset(sampled, 0, sizeof(sampled));
	heap_sampler_begin(rate, 7);
}

/* 16 bytes to 1 MiB, evenly by their logarithm; returns the bytes. */
static double allocate(struct heap_thread *thread, unsigned count, unsigned *random)
{
	double sum = 0;

	for (unsigned i = 0; i < count; i++) {
		size_t size = (size_t)exp2(4 + 16.0 * rand_r(random) / RAND_MAX);

		(void)heap_take(thread, (void *)(uintptr_t)(0x10000 + 16 * i), size);
		sum += (double)size;
	}
	return sum;
}

static void test_sampler__estimates_are_within_their_interval(void **state)
{
	unsigned within = 0, random = 1;
	double error = 0;

	(void)state;
	for (unsigned run = 0; run < 200; run++) {
		struct heap_thread thread = { 0 };
		double bytes;

		begin(RATE);
		bytes = allocate(&thread, 3000, &random);
		within += fabs(seen.bytes - bytes) <= 1.96 * sqrt(seen.squares);
		error += (seen.bytes - bytes) / bytes / 200;
	}
	/* of 200 with 95 %, 180 are 3.2 standard deviations fewer */
	assert_in_range(within, 181, 200);
	assert_true(fabs(error) < 0.01);
}

static void test_sampler__weights_are_those_of_the_profiler(void **state)
{
	(void)state;
	begin(RATE);
	for (size_t size = 1; size < 1u << 30; size += size / 3 + 1) {
		uint64_t a = weight(size), b = heap_weight(size, RATE);

		assert_true(fabs((double)a - (double)b) <= 1 + 1e-6 * (double)b);
	}
	begin(0);
	assert_int_equal(weight(77), 77);
}

static void test_sampler__every_block(void **state)
{
	struct heap_thread thread = { 0 };

	(void)state;
	begin(0);
	for (size_t size = 0; size < 100; size++) {
		(void)heap_take(&thread, (void *)0x1000, size);
		assert_int_equal(seen.last_size, size);
	}
	assert_int_equal(seen.allocs, 100);
	assert_true(seen.bytes == 99 * 50);
	assert_true(heap_may_be_sampled((void *)0x1000));
	assert_true(heap_forget((void *)0x1000));
	assert_null(heap_take(&thread, NULL, 10));
	assert_int_equal(seen.allocs, 100);
}

static void test_sampler__frees_of_sampled_blocks_are_seen(void **state)
{
	struct heap_thread thread = { 0 };
	char *block = (char *)0x100000;
	uint64_t freed = 0;

	(void)state;
	begin(RATE);
	for (unsigned i = 0; i < 10000; i++)
		(void)heap_take(&thread, block + 1024 * (size_t)i, 1000);
	assert_in_range(seen.allocs, 80, 240);
	for (unsigned i = 0; i < 10000; i++)
		if (heap_may_be_sampled(block + 1024 * (size_t)i))
			freed += heap_forget(block + 1024 * (size_t)i);
	assert_int_equal(freed, seen.allocs);
	assert_int_equal(seen.frees, seen.allocs);
	assert_false(heap_forget(block));
}

static void test_sampler__a_block_that_stays(void **state)
{
	(void)state;
	begin(RATE);
	heap_keep((void *)0x5000);
	assert_int_equal(seen.last_size, HEAP_KEPT);
	assert_true(heap_may_be_sampled((void *)0x5000));
	assert_true(heap_forget((void *)0x5000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sampler__estimates_are_within_their_interval),
		cmocka_unit_test(test_sampler__weights_are_those_of_the_profiler),
		cmocka_unit_test(test_sampler__every_block),
		cmocka_unit_test(test_sampler__frees_of_sampled_blocks_are_seen),
		cmocka_unit_test(test_sampler__a_block_that_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

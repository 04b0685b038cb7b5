/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums of sampled blocks: weights, intervals, what lives at the peak and at the end; blocks of
 * several processes, of programs that become others, and those that realloc() leaves alone. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "profile/heap/heap.h"
#include "profile/heap/heap_rows.h"
#include "profile/profile.h"

#define LIBRARY "/cache/preload.so"

/* One after the other. */
struct scene {
	struct profile *profile;
	uint64_t now_ns;
	uint32_t pid;
};

static void begin(struct scene *scene)
{
	*scene = (struct scene){ .pid = 7 };
	scene->profile = profile_new(PROFILE_KEEP_TIME | PROFILE_KEEP_ADDR | PROFILE_ADDR_IS_BLOCK);
}

static stack_id stack_of(struct profile *p, const char *function)
{
	const struct frame caller = { .module = profile_module(p, "/bin/app", ""),
				      .function = strtab_puts(p->strings, function) };
	const struct frame library = { .module = profile_module(p, LIBRARY, ""),
				       .function = strtab_puts(p->strings, "malloc") };
	stack_id stack = profile_stack_push(p, STACK_EMPTY, profile_frame(p, &caller));

	return profile_stack_push(p, stack, profile_frame(p, &library));
}

static void add(struct scene *scene, const char *event, const char *function,
		struct heap_block block, uint64_t weight)
{
	struct profile *p = scene->profile;
	struct profile_sample sample = { .event = profile_event(p, event, "bytes"),
					 .thread = profile_thread(p, scene->pid, scene->pid, "app"),
					 .stack = stack_of(p, function),
					 .stop = STACK_STOP_ROOT,
					 .weight = weight,
					 .count = 1,
					 .time_ns = scene->now_ns++,
					 .addr = p->blocks.count };

	vec_push(&p->blocks, block);
	profile_add(p, &sample);
}

static void take(struct scene *scene, const char *function, uint64_t address, uint64_t size)
{
	add(scene, "heap-alloc", function, (struct heap_block){ address, size }, size);
}

static void give(struct scene *scene, uint64_t address)
{
	add(scene, "heap-free", "free", (struct heap_block){ address, 0 }, 1);
}

static void check_exact(const struct heap_estimate *estimate, double value)
{
	assert_true(estimate->value == value);
	assert_true(estimate->low == value && estimate->high == value);
}

static void grow(struct scene *scene, const char *function, uint64_t address, uint64_t was,
		 uint64_t size)
{
	take(scene, function, address, size);
	add(scene, "heap-free", function, (struct heap_block){ was, HEAP_GROWN }, 1);
}

static void test_heap__grown_by_realloc(void **state)
{
	struct heap_summary summary;
	struct scene scene;
	double amount;

	(void)state;
	begin(&scene);
	grow(&scene, "step", 0x10, 100 | HEAP_GROWN_MOVED, 200);
	grow(&scene, "step", 0x10, 200, 310);
	grow(&scene, "step", 0x20, 310 | HEAP_GROWN_MOVED, 400);
	grow(&scene, "factor", 0x30, 100, 200);
	grow(&scene, "factor", 0x30, 200, 400);
	grow(&scene, "factor", 0x30, 400, 800);
	grow(&scene, "shrinks", 0x40, 400, 100);
	add(&scene, "heap-free", "nothing before", (struct heap_block){ 5, HEAP_GROWN }, 1);
	take(&scene, "kept", 0x50, 10);
	add(&scene, "heap-alloc", "kept", (struct heap_block){ 0x50, HEAP_KEPT }, 0);
	add(&scene, "heap-free", "kept", (struct heap_block){ 5, HEAP_GROWN }, 1);
	heap_sum_up(scene.profile, 0, &summary);
	assert_int_equal(summary.samples, 8);
	check_exact(&summary.live, 310 + 400 + 800 + 100 + 10);
	assert_int_equal(summary.grown.row.count, 2);
	assert_true(summary.grown.row.item[0].calls == 3);
	assert_true(summary.grown.row.item[0].moved == 2);
	assert_true(summary.grown.row.item[0].moved_bytes == 410);
	assert_true(summary.grown.row.item[0].largest == 400);
	assert_int_equal(heap_grown_pattern(&summary.grown.row.item[0], &amount),
			 HEAP_PATTERN_STEP);
	assert_true(amount == 100);
	assert_int_equal(heap_grown_pattern(&summary.grown.row.item[1], &amount),
			 HEAP_PATTERN_FACTOR);
	assert_true(fabs(amount - 2) < 1e-9);
	assert_true(summary.grown.row.item[1].moved_bytes == 0);
	heap_summary_done(&summary);
	profile_free(scene.profile);
}

static void test_heap__exact(void **state)
{
	struct heap_summary summary;
	struct heap_rows rows;
	struct scene scene;

	(void)state;
	begin(&scene);
	take(&scene, "a", 0x10, 100);
	take(&scene, "b", 0x20, 50); /* the peak */
	give(&scene, 0x10);
	give(&scene, 0x30); /* not known */
	take(&scene, "a", 0x10, 30);
	take(&scene, "a", 0, 5); /* its end is not seen */
	heap_sum_up(scene.profile, 0, &summary);
	check_exact(&summary.allocated, 185);
	check_exact(&summary.allocations, 4);
	check_exact(&summary.live, 80);
	check_exact(&summary.peak, 150);
	assert_int_equal(summary.peak_ns, 1);
	assert_int_equal(summary.samples, 4);
	assert_int_equal(summary.unfollowed, 1);
	assert_int_equal(summary.processes, 1);
	heap_rows_collect(scene.profile, &rows);
	heap_rows_sort(&rows, HEAP_ALLOCATED);
	assert_int_equal(rows.row.count, 2); /* without what frees */
	assert_int_equal(scene.profile->nodes.item[rows.row.item[0].stack.v].depth, 1);
	assert_true(rows.row.item[0].value[HEAP_ALLOCATED] == 135);
	assert_true(rows.row.item[0].value[HEAP_ALLOCATIONS] == 3);
	assert_true(rows.row.item[0].value[HEAP_LIVE] == 30);
	assert_true(rows.row.item[0].value[HEAP_PEAK] == 100);
	heap_rows_sort(&rows, HEAP_LIVE);
	assert_true(rows.row.item[0].value[HEAP_LIVE] == 50);
	heap_rows_done(&rows);
	heap_summary_done(&summary);
	profile_free(scene.profile);
}

/* A failing realloc() leaves the block where it is; a lost end does not add to what lives. */
static void test_heap__kept_and_lost(void **state)
{
	struct heap_summary summary;
	struct scene scene;

	(void)state;
	begin(&scene);
	take(&scene, "a", 0x10, 100);
	give(&scene, 0x10);
	add(&scene, "heap-alloc", "a", (struct heap_block){ 0x10, HEAP_KEPT }, 0);
	take(&scene, "a", 0x20, 40);
	take(&scene, "a", 0x20, 60);
	heap_sum_up(scene.profile, 0, &summary);
	check_exact(&summary.allocated, 200);
	check_exact(&summary.allocations, 3);
	check_exact(&summary.live, 160);
	check_exact(&summary.peak, 160);
	heap_summary_done(&summary);
	profile_free(scene.profile);
}

/* The same address in two processes, and in a process that becomes another program. */
static void test_heap__processes(void **state)
{
	struct heap_summary summary;
	struct scene scene;

	(void)state;
	begin(&scene);
	take(&scene, "a", 0x10, 100);
	scene.pid = 8;
	give(&scene, 0x10);
	take(&scene, "a", 0x10, 30);
	add(&scene, "heap-free", "start", (struct heap_block){ 0, HEAP_BEGUN }, 1);
	give(&scene, 0x10);
	take(&scene, "a", 0x10, 20);
	heap_sum_up(scene.profile, 0, &summary);
	check_exact(&summary.allocated, 150);
	check_exact(&summary.live, 150);
	check_exact(&summary.peak, 100);
	assert_int_equal(summary.peak_pid, 7);
	assert_int_equal(summary.processes, 3);
	heap_summary_done(&summary);
	profile_free(scene.profile);
}

/* 100 samples of small blocks: about 10 % each side of 100 * rate. */
static void test_heap__interval(void **state)
{
	const uint64_t rate = 1 << 20;
	struct heap_summary summary;
	struct scene scene;

	(void)state;
	begin(&scene);
	for (uint64_t i = 0; i < 100; i++)
		add(&scene, "heap-alloc", "a", (struct heap_block){ 16 * i + 16, 16 }, rate);
	heap_sum_up(scene.profile, rate, &summary);
	assert_true(summary.allocated.value == 100.0 * (double)rate);
	assert_true(summary.allocations.value == 100.0 * (double)rate / 16);
	assert_true(summary.allocated.low > 81 * (double)rate);
	assert_true(summary.allocated.low < 83 * (double)rate);
	assert_true(summary.allocated.high > 121 * (double)rate);
	assert_true(summary.allocated.high < 122 * (double)rate);
	heap_summary_done(&summary);
	profile_free(scene.profile);
}

/* What is freed at once is an event of its own, and so is what a growing stack holds. */
static void test_heap__temporary_and_leaked(void **state)
{
	struct heap_summary summary;
	struct scene scene;
	uint16_t event;

	(void)state;
	begin(&scene);
	take(&scene, "cache", 1, 1 << 20);
	for (unsigned i = 1; i <= 100; i++) {
		take(&scene, "leak", i << 4, 10);
		scene.now_ns += HEAP_TEMPORARY_NS;
		take(&scene, "temporary", 2, 50);
		give(&scene, 2);
	}
	heap_sum_up(scene.profile, 0, &summary);
	assert_true(profile_find_kind(scene.profile, EVENT_KIND_HEAP_LEAKED, &event));
	assert_int_equal(scene.profile->events.item[event].weight, 900);
	assert_true(profile_find_kind(scene.profile, EVENT_KIND_HEAP_TEMPORARY, &event));
	assert_int_equal(scene.profile->events.item[event].weight, 5000);
	assert_int_equal(scene.profile->events.item[event].samples, 100);
	heap_summary_done(&summary);
	profile_free(scene.profile);
}

/* Numbers that are the same in every run. */
static double uniform(uint64_t *random)
{
	*random ^= *random >> 12;
	*random ^= *random << 25;
	*random ^= *random >> 27;
	return ((double)(*random * 0x2545f4914f6cdd1dULL >> 11) + 0.5) * 0x1p-53;
}

struct mix {
	uint64_t size, count;
};

#define RUNS  1000
#define LEAST 935 /* 950 are expected; fewer than this is no chance */
#define RATE  65536.0

/* One run of a program that allocates these blocks and frees every third. */
static void sample(struct scene *scene, const struct mix *mix, size_t kinds, uint64_t *random)
{
	uint64_t address = 0;

	begin(scene);
	for (size_t kind = 0; kind < kinds; kind++) {
		double size = (double)mix[kind].size, chance = -expm1(-size / RATE);

		for (uint64_t i = 0; i < mix[kind].count; i++) {
			address += 16;
			if (uniform(random) >= chance)
				continue;
			add(scene, "heap-alloc", "a",
			    (struct heap_block){ address, mix[kind].size },
			    (uint64_t)llround(size / chance));
			if (i % 3 == 2)
				give(scene, address);
		}
	}
}

static bool holds(const struct heap_estimate *estimate, double value)
{
	return estimate->low <= value && value <= estimate->high;
}

/* Many small blocks, few of them, blocks of all sizes, and large ones that hide small ones: in 95 %
 * of runs the interval holds what was allocated and what is live. */
static void test_heap__intervals_hold(void **state)
{
	static const struct mix mixes[][4] = {
		{ { 100, 99999 } },
		{ { 1000, 300 } },
		{ { 100, 1000 } },
		{ { 100, 10000 }, { 1000, 10000 }, { 1 << 20, 99 }, { 16000, 99 } },
		{ { 32, 999 }, { 60000, 60 }, { 120000, 60 }, { 500000, 3 } },
		{ { 100, 6000 }, { 10 << 20, 9 } },
	};
	uint64_t random = 88172645463325252ULL;

	(void)state;
	for (size_t i = 0; i < sizeof(mixes) / sizeof(*mixes); i++) {
		unsigned allocated = 0, live = 0;
		double bytes = 0;

		for (size_t kind = 0; kind < 4; kind++)
			bytes += (double)(mixes[i][kind].size * mixes[i][kind].count);
		for (unsigned run = 0; run < RUNS; run++) {
			struct heap_summary summary;
			struct scene scene;

			sample(&scene, mixes[i], 4, &random);
			heap_sum_up(scene.profile, (uint64_t)RATE, &summary);
			allocated += holds(&summary.allocated, bytes);
			live += holds(&summary.live, bytes * 2 / 3);
			heap_summary_done(&summary);
			profile_free(scene.profile);
		}
		print_message("%zu: %u and %u of %u intervals\n", i, allocated, live, RUNS);
		assert_true(allocated >= LEAST);
		assert_true(live >= LEAST);
	}
}

/* Nothing was picked: that may have been up to 3.67 times the rate. */
static void test_heap__nothing(void **state)
{
	struct heap_summary summary;
	struct scene scene;

	(void)state;
	begin(&scene);
	heap_sum_up(scene.profile, 1000, &summary);
	assert_true(summary.allocated.value == 0 && summary.allocated.low == 0);
	assert_true(summary.allocated.high > 3600 && summary.allocated.high < 3700);
	assert_int_equal(summary.samples, 0);
	heap_summary_done(&summary);
	profile_free(scene.profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_heap__exact),
		cmocka_unit_test(test_heap__grown_by_realloc),
		cmocka_unit_test(test_heap__kept_and_lost),
		cmocka_unit_test(test_heap__processes),
		cmocka_unit_test(test_heap__interval),
		cmocka_unit_test(test_heap__temporary_and_leaked),
		cmocka_unit_test(test_heap__intervals_hold),
		cmocka_unit_test(test_heap__nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

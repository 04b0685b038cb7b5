/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Allocations of the kernel by place, and what is live. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "profile/profile.h"
#include "profile/slab.h"

static uint64_t now;

static void put(struct profile *p, const char *event, const char *function, uint32_t cpu,
		const uint64_t value[SLAB_VALUES])
{
	const struct frame frame = { .function = strtab_puts(p->strings, function),
				     .symbol_start = 0x1000,
				     .offset = 0x10ec };
	const struct profile_sample sample = {
		.event = profile_event(p, event, "count"),
		.stack = profile_stack_push(p, STACK_EMPTY, profile_frame(p, &frame)),
		.thread = profile_thread(p, 1, 1, "app"),
		.stop = STACK_STOP_ROOT,
		.cpu = cpu,
		.time_ns = now++,
		.weight = 1,
		.count = 1,
		.addr = p->values.count,
	};

	for (size_t i = 0; i < SLAB_VALUES; i++)
		vec_push(&p->values, value[i]);
	vec_push(&p->values, STRING_EMPTY.v); /* flags of pages */
	profile_add(p, &sample);
}

static void allocate(struct profile *p, const char *function, uint64_t pointer, uint64_t requested,
		     uint64_t allocated)
{
	put(p, "kmem:kmalloc", function, 0,
	    (const uint64_t[]){ 0x10ec, pointer, requested, allocated });
}

static void release(struct profile *p, uint64_t pointer, uint32_t cpu)
{
	put(p, "kmem:kfree", "frees", cpu, (const uint64_t[]){ 0x20, pointer, 0, 0 });
}

static struct profile *make(void)
{
	struct profile *p = profile_new(PROFILE_KEEP_TIME | PROFILE_KEEP_CPU | PROFILE_KEEP_ADDR |
					PROFILE_ADDR_IS_VALUES);

	allocate(p, "leaks", 1, 100, 128);
	allocate(p, "leaks", 2, 100, 128);
	allocate(p, "balanced\033", 3, 4096, 4096);
	release(p, 3, 1);
	release(p, 3, 0);		 /* once more: that of an object that was not seen */
	release(p, 77, 0);		 /* older */
	release(p, 0, 0);		 /* of nothing */
	allocate(p, "leaks", 2, 64, 64); /* its free was lost */
	allocate(p, "fails", 0, 64, 64);
	put(p, "other:event", "other", 0, (const uint64_t[]){ 1, 9, 9, 9 });
	return p;
}

static void test_slab__sums(void **state)
{
	struct profile *p = make();
	struct slab slab;

	(void)state;
	slab_sum_up(p, &(struct slab_choice){ 0 }, &slab);
	assert_int_equal(slab.total.hits, 4);
	assert_int_equal(slab.total.requested, 4360);
	assert_int_equal(slab.total.allocated, 4416);
	assert_int_equal(slab.total.live, 192);
	assert_int_equal(slab.total.live_hits, 2);
	assert_int_equal(slab.freed, 4096);
	assert_int_equal(slab.unknown_frees, 2);
	assert_int_equal(slab.total.other_cpu, 1);
	assert_int_equal(slab.row.count, 2);
	slab_sort(&slab, SLAB_BY_ALLOCATED);
	assert_int_equal(slab.row.item[0].sums.allocated, 4096);
	slab_sort(&slab, SLAB_BY_LIVE);
	assert_int_equal(slab.row.item[0].sums.live, 192);
	slab_sort(&slab, SLAB_BY_PINGPONG);
	assert_int_equal(slab.row.item[0].sums.other_cpu, 1);
	slab_sort(&slab, SLAB_BY_FRAG);
	assert_int_equal(slab.row.item[0].sums.allocated, 320);
	slab_sort(&slab, SLAB_BY_HITS);
	assert_int_equal(slab.row.item[0].sums.hits, 3);
	slab_sort(&slab, SLAB_BY_REQUESTED);
	assert_int_equal(slab.row.item[0].sums.requested, 4096);
	slab_done(&slab);
	profile_free(p);
}

static void test_slab__objects(void **state)
{
	struct profile *p = make();
	struct slab slab;

	(void)state;
	slab_sum_up(p, &(struct slab_choice){ .by_object = true }, &slab);
	assert_int_equal(slab.row.count, 3);
	slab_sort(&slab, SLAB_BY_HITS);
	assert_int_equal(slab.row.item[0].pointer, 2);
	assert_int_equal(slab.row.item[0].sums.hits, 2);
	slab_done(&slab);
	profile_free(p);
}

static void page(struct profile *p, const char *event, uint64_t number, uint64_t order)
{
	put(p, event, "pages", 0, (const uint64_t[]){ 0, number, order, 0 });
}

static void test_slab__pages(void **state)
{
	struct profile *p = make();
	struct slab slab;

	(void)state;
	page(p, "kmem:mm_page_alloc", 16, 0);
	page(p, "kmem:mm_page_alloc", 32, 3);
	page(p, "kmem:mm_page_alloc", 64, 1);
	page(p, "kmem:mm_page_free", 32, 3);
	page(p, "kmem:mm_page_free", 1000, 0);		/* older */
	page(p, "kmem:mm_page_alloc", UINT64_MAX, 2);	/* it failed */
	page(p, "kmem:mm_page_alloc", 128, UINT64_MAX); /* no order can be so large */
	slab_sum_up(p, &(struct slab_choice){ .page_bytes = 4096 }, &slab);
	assert_int_equal(slab.total.hits, 3);
	assert_int_equal(slab.total.allocated, 11 * 4096);
	assert_int_equal(slab.total.live, 3 * 4096);
	assert_int_equal(slab.freed, 8 * 4096);
	assert_int_equal(slab.unknown_frees, 1);
	assert_int_equal(slab.row.count, 3); /* by order */
	assert_int_equal(slab.requests[3][0], 1);
	assert_int_equal(slab.requests[0][0], 1);
	slab_done(&slab);
	slab_sum_up(p, &(struct slab_choice){ 0 }, &slab);
	assert_int_equal(slab.total.hits, 4); /* without pages */
	slab_done(&slab);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_slab__sums),
		cmocka_unit_test(test_slab__objects),
		cmocka_unit_test(test_slab__pages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* base/par: every item once, whatever the number of threads and the grain. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/par.h"

struct work {
	atomic_uint seen[1000];
	atomic_size_t workers;
};

static void see(void *context, size_t i, size_t worker)
{
	struct work *work = context;
	size_t most = atomic_load(&work->workers);

	atomic_fetch_add(&work->seen[i], 1);
	while (worker > most && !atomic_compare_exchange_weak(&work->workers, &most, worker))
		;
}

static void test_par__does_every_item_once(void **state)
{
	static const size_t counts[] = { 0, 1, 2, 7, 1000 };

	(void)state;
	for (size_t c = 0; c < sizeof(counts) / sizeof(*counts); c++)
		for (size_t grain = 0; grain < 2000; grain = grain * 5 + 1) {
			struct work work = { 0 };

			par_for(counts[c], grain, see, &work);
			for (size_t i = 0; i < 1000; i++)
				assert_int_equal(i < counts[c], atomic_load(&work.seen[i]));
			assert_true(atomic_load(&work.workers) < par_threads());
		}
}

static void test_par__there_is_a_thread(void **state)
{
	(void)state;
	assert_in_range(par_threads(), 1, 256);
}

static atomic_uint queued;

static void count_queued(void *item)
{
	atomic_fetch_add(&queued, *(unsigned int *)item);
}

static void test_par_queue__wait_returns_when_all_is_done(void **state)
{
	struct par_queue *queue = par_queue_new(count_queued, SIZE_MAX);
	unsigned int item[100];

	(void)state;
	for (unsigned int i = 0; i < 100; i++) {
		item[i] = i;
		par_queue_push(queue, &item[i]);
		if (i == 49) {
			par_queue_wait(queue, 0);
			assert_int_equal(49 * 50 / 2, atomic_load(&queued));
		}
	}
	par_queue_free(queue);
	assert_int_equal(99 * 100 / 2, atomic_load(&queued));
}

static atomic_uint in_order, working;

static void follow(void *item)
{
	assert_int_equal(0, atomic_fetch_add(&working, 1));
	assert_int_equal(*(unsigned int *)item, atomic_fetch_add(&in_order, 1));
	atomic_fetch_sub(&working, 1);
}

static void test_par_queue__one_at_once_is_in_order(void **state)
{
	struct par_queue *queue = par_queue_new(follow, 1);
	unsigned int item[1000];

	(void)state;
	for (unsigned int i = 0; i < 1000; i++) {
		item[i] = i;
		par_queue_push(queue, &item[i]);
		par_queue_wait(queue, 4);
		assert_true(atomic_load(&in_order) + 4 > i);
	}
	par_queue_wait(queue, 0);
	assert_int_equal(1000, atomic_load(&in_order));
	par_queue_free(queue);
}

/* Last, as it stays so. */
static void test_par_limit__leaves_one(void **state)
{
	(void)state;
	par_limit(0); /* no limit */
	par_limit(1);
	assert_int_equal(par_threads(), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_par__does_every_item_once),
		cmocka_unit_test(test_par__there_is_a_thread),
		cmocka_unit_test(test_par_queue__wait_returns_when_all_is_done),
		cmocka_unit_test(test_par_queue__one_at_once_is_in_order),
		cmocka_unit_test(test_par_limit__leaves_one),
	};

	return cmocka_run_group_tests_name("base/par", tests, NULL, NULL);
}

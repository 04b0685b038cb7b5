/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Locks from samples of waits: sums, parts, names of places, percentiles, deadlocks
 * and pictures. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "event/lock_wait.h"
#include "profile/lock/contention.h"
#include "profile/lock/lock_flame.h"
#include "profile/lock/lock_place.h"
#include "profile/lock/lock_table.h"
#include "profile/profile.h"

#include "lock_waits.h"

static const char *const kernel[] = { "main",	      "k:do_syscall", "k:vfs_open",
				      "k:mutex_lock", "k:bpf_prog_1", NULL };

/* Waits that were on when watching began are counted apart. */
static void test_lock_table__standing(void **state)
{
	struct lock_wait_data data = { .key = { .lock = 0x1000,
						.pid = 1,
						.kind = LOCK_KIND_MUTEX,
						.flags = LOCK_STANDING },
				       .sum = { .ns = 5, .count = 1 } };
	const struct lock_part waiter = { .thread = { PROFILE_NO_ID } };
	struct profile *p = make();
	struct lock_table table = { 0 };

	(void)state;
	(void)lock_table_add(&table, p, &data, &waiter, NULL);
	data.key.flags = 0;
	data.sum.count = 2;
	(void)lock_table_add(&table, p, &data, &waiter, NULL);
	assert_int_equal(table.row.count, 1);
	assert_int_equal(table.row.item[0].standing, 1);
	assert_int_equal(table.row.item[0].sum.count, 3);
	lock_table_done(&table);
	profile_free(p);
}

static void test_lock_table__sums(void **state)
{
	struct profile *p = make();
	stack_id at = stack_of(p, user);
	struct lock_table table = { 0 };
	const struct lock_row *row;

	(void)state;
	put(p, &(struct wait){ 0x1000, 500, 1, 2, LOCK_KIND_MUTEX, LOCK_HELD_BY, at,
			       stack_of(p, freeing), 0, 0 });
	put(p, &(struct wait){ 0x1000, 1500, 1, 2, LOCK_KIND_MUTEX, LOCK_HELD_BY, at,
			       stack_of(p, freeing), 0, 0 });
	put(p, &(struct wait){ 0x2000, 9000, 1, 0, LOCK_KIND_CONDITION, LOCK_TIMED_OUT, at,
			       STACK_EMPTY, 0, 0 });
	put(p, &(struct wait){ 0xffff0000, 70, 3, 0, LOCK_KIND_KERNEL, LOCK_NOBODY,
			       stack_of(p, kernel), STACK_EMPTY, 0, 0 });
	put(p, &(struct wait){ 0xffff8000, 60, 3, 0, LOCK_KIND_KERNEL, LOCK_NOBODY,
			       stack_of(p, kernel), STACK_EMPTY, 0, 0 });
	lock_table_fill(&table, p);
	assert_int_equal(table.row.count, 3);
	row = &table.row.item[0];
	assert_true(lock_row_is_event(row, p));
	assert_int_equal(row->timeouts, 1);
	row = &table.row.item[1];
	assert_int_equal(row->sum.ns, 2000);
	assert_int_equal(row->sum.max_ns, 1500);
	assert_int_equal(row->waiter.count, 1);
	assert_int_equal(row->holder.count, 1);
	assert_int_equal(row->holder.item[0].did_ns[LEDGER_RUNNING], 2000);
	assert_string_equal(profile_string(p, row->place), "work");
	assert_string_equal(lock_kind_name(row), "mutex");
	row = &table.row.item[2]; /* two locks of the kernel in one place */
	assert_int_equal(row->sum.count, 2);
	assert_string_equal(profile_string(p, row->place), "vfs_open");
	lock_table_done(&table);
	profile_free(p);
}

/* Words that are too few, or that lie behind the end, are no waits. */
static void test_lock_table__hostile(void **state)
{
	struct profile *p = make();
	struct lock_table table = { 0 };
	struct profile_sample sample = { .event = profile_event(p, "lock-wait", "ns"),
					 .thread = profile_thread(p, 7, 1, "x"),
					 .weight = 5 };

	(void)state;
	vec_push(&p->values, 1ull << 61);
	vec_push(&p->values, 3);
	profile_add(p, &sample);
	sample.addr = 1;
	profile_add(p, &sample);
	sample.addr = UINT64_MAX;
	profile_add(p, &sample);
	lock_table_fill(&table, p);
	assert_int_equal(table.row.count, 0);
	lock_table_done(&table);
	profile_free(p);
}

static void test_lock_table__deadlocks(void **state)
{
	struct profile *p = make();
	struct lock_table table = { 0 };

	(void)state;
	put_open(p, 0x10, 1, 2); /* three in a cycle */
	put_open(p, 0x20, 2, 3);
	put_open(p, 0x30, 3, 1);
	put_open(p, 0x40, 4, 1);  /* waits for one of them */
	put_open(p, 0x50, 5, 99); /* who does not wait */
	put_open(p, 0x60, 6, 7);  /* two with other owners perhaps: one let it go since */
	put_open(p, 0x70, 7, 6);
	put(p, &(struct wait){ 0x70, 10, 8, 6, LOCK_KIND_MUTEX, LOCK_HELD_BY, stack_of(p, user),
			       STACK_EMPTY, 50, 200 });
	lock_table_fill(&table, p);
	assert_int_equal(table.cycle.count, 1);
	assert_int_equal(table.cycle.item[0].link.count, 3);
	lock_table_done(&table);
	profile_free(p);
}

static void test_lock_percentile__buckets(void **state)
{
	struct lock_sum sum = { 0 };

	(void)state;
	assert_int_equal(lock_percentile(&sum, 0.5), 0);
	for (unsigned i = 0; i < 90; i++)
		lock_sum_add(&sum, 1000);
	for (unsigned i = 0; i < 10; i++)
		lock_sum_add(&sum, 1000000);
	assert_in_range(lock_percentile(&sum, 0.5), 768, 1024);
	assert_in_range(lock_percentile(&sum, 0.99), 786432, 1000000);
	lock_sum_add(&sum, UINT64_MAX / 4);
	assert_int_equal(sum.bucket[LOCK_BUCKETS - 1], 1);
}

static void test_lock_place__kinds(void **state)
{
	static const char *const rust[] = { "main", "app::run",
					    "std::sys::sync::mutex::futex::lock", NULL };
	static const char *const own[] = { "main", "Mutex::lock()", "syscall", NULL };
	static const char *const condition[] = { "std::sys::sync::rwlock::write",
						 "std::sys::sync::condvar::wait", NULL };
	struct profile *p = make();
	stack_id at = stack_of(p, rust);

	(void)state;
	assert_string_equal(lock_runtime_kind(p, at), "Rust mutex");
	assert_string_equal(lock_runtime_kind(p, stack_of(p, user)), "mutex");
	assert_null(lock_runtime_kind(p, stack_of(p, kernel)));
	assert_null(lock_runtime_kind(p, stack_of(p, own)));
	assert_true(lock_runtime_is_lock(p, at));
	assert_false(lock_runtime_is_lock(p, stack_of(p, condition)));
	assert_false(lock_runtime_is_lock(p, stack_of(p, kernel)));
	assert_int_equal(lock_place(p, at).v, p->nodes.item[at.v].parent.v);
	assert_int_equal(lock_place(p, STACK_EMPTY).v, 0);
	assert_string_equal(lock_kernel_kind(2), "rwsem:R");
	assert_string_equal(lock_kernel_kind(0x21), "mutex");
	assert_string_equal(lock_kernel_kind(0x1000), "unknown");
	profile_free(p);
}

static void test_lock_flame__holder_is_on_the_lock(void **state)
{
	struct profile *p = make();
	struct lock_table table = { 0 };
	const struct profile_sample *sample;
	stack_id leaf;

	(void)state;
	put(p, &(struct wait){ 0x1000, 500, 1, 2, LOCK_KIND_MUTEX, LOCK_HELD_BY, stack_of(p, user),
			       stack_of(p, freeing), 0, 0 });
	lock_table_fill(&table, p);
	lock_flame_make(&table, p);
	assert_int_equal(p->samples.count, 1);
	sample = &p->samples.item[0];
	assert_int_equal(sample->weight, 500);
	leaf = sample->stack;
	/* main work [lock 0x1000] other main */
	assert_int_equal(p->nodes.item[leaf.v].depth, 5);
	leaf = p->nodes.item[p->nodes.item[leaf.v].parent.v].parent;
	assert_string_equal(
		profile_string(p, p->frames.item[p->nodes.item[leaf.v].frame.v].function),
		"[lock 0x1000]");
	lock_table_done(&table);
	profile_free(p);
}

static void test_lock_table__own_deadlock(void **state)
{
	struct profile *p = make();
	struct lock_table table = { 0 };

	(void)state;
	put_open(p, 0x1000, 5, 5); /* it waits for what it has */
	lock_table_fill(&table, p);
	assert_int_equal(table.cycle.count, 1);
	assert_int_equal(table.cycle.item[0].link.count, 1);
	assert_int_equal(table.cycle.item[0].link.item[0].waiter, 5);
	lock_table_done(&table);
	profile_free(p);
}

static void test_lock_table__holds(void **state)
{
	struct profile *p = make();
	struct lock_table table = { 0 };
	const struct lock_row *row;

	(void)state;
	put(p, &(struct wait){ 0x1000, 500, 1, 2, LOCK_KIND_MUTEX, LOCK_HELD_BY, stack_of(p, user),
			       stack_of(p, freeing), 0, 0 });
	put(p, &(struct wait){ 0x1000, 70, 2, 0, LOCK_KIND_MUTEX, LOCK_HOLD, stack_of(p, freeing),
			       STACK_EMPTY, 0, 0 });
	put(p, &(struct wait){ 0x1000, 30, 2, 0, LOCK_KIND_MUTEX, LOCK_HOLD, stack_of(p, freeing),
			       STACK_EMPTY, 0, 0 });
	lock_table_fill(&table, p);
	assert_int_equal(table.row.count, 1);
	row = &table.row.item[0];
	assert_int_equal(row->sum.ns, 500);
	assert_int_equal(row->sum.count, 1);
	assert_int_equal(row->hold.ns, 100);
	assert_int_equal(row->hold.count, 2);
	assert_int_equal(row->hold.max_ns, 70);
	assert_int_equal(row->waiter.count, 1);
	assert_int_equal(row->keeper.count, 1);
	assert_int_equal(row->keeper.item[0].count, 2);
	lock_table_done(&table);
	profile_free(p);
}

static void put_event(struct profile *p, const char *name, uint64_t time_ns, uint64_t lock,
		      uint64_t flags)
{
	struct profile_sample sample = { .event = profile_event(p, name, "count"),
					 .thread = profile_thread(p, 7, 1, "app"),
					 .stack = stack_of(p, kernel),
					 .time_ns = time_ns,
					 .weight = 1,
					 .addr = p->values.count };

	vec_push(&p->values, lock);
	vec_push(&p->values, flags);
	profile_add(p, &sample);
}

static void test_contention__pairs(void **state)
{
	const struct contention_filter all = { 0 }, spin = { .types = "rwsem,spinlock" },
				       there = { .locks = "0x20,10", .functions = "vfs_open" };
	struct contention contention = { .by = CONTENTION_BY_CALLER };
	struct profile *p = make();

	(void)state;
	put_event(p, "lock:contention_end", 5, 0x10, 0); /* it began before */
	put_event(p, "lock:contention_begin", 10, 0x10, 0x21);
	put_event(p, "lock:contention_begin", 20, 0x10, 0x20); /* the same wait, now asleep */
	put_event(p, "lock:contention_begin", 30, 0x20, 1);    /* meanwhile */
	put_event(p, "lock:contention_end", 37, 0x20, 0);
	put_event(p, "lock:contention_end", 110, 0x10, 0);
	put_event(p, "lock:contention_begin", 120, 0x30, 2); /* it does not end */
	put_event(p, "lock:other", 130, 0x30, 2);
	contention_fill(&contention, p, &all, 0);
	assert_int_equal(contention.contended, 2);
	assert_int_equal(contention.total_ns, 107);
	assert_int_equal(contention.bad, 2);
	assert_int_equal(contention.row.count, 2);
	contention_sort(&contention, CONTENTION_WAIT_TOTAL);
	assert_int_equal(contention.row.item[0].max_ns, 100);
	assert_int_equal(contention.row.item[0].flags, 0x21);
	assert_string_equal(profile_string(p, contention.row.item[0].name), "vfs_open");
	contention_done(&contention);
	contention = (struct contention){ .by = CONTENTION_BY_LOCK };
	contention_fill(&contention, p, &spin, 0);
	assert_int_equal(contention.row.count, 1);
	assert_int_equal(contention.row.item[0].address, 0x20);
	contention_done(&contention);
	contention = (struct contention){ .by = CONTENTION_BY_THREAD };
	contention_fill(&contention, p, &there, 0);
	assert_int_equal(contention.row.count, 1);
	assert_int_equal(contention.row.item[0].contended, 2);
	contention_done(&contention);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lock_table__sums),
		cmocka_unit_test(test_lock_table__standing),
		cmocka_unit_test(test_lock_table__hostile),
		cmocka_unit_test(test_lock_table__deadlocks),
		cmocka_unit_test(test_lock_table__own_deadlock),
		cmocka_unit_test(test_lock_table__holds),
		cmocka_unit_test(test_lock_percentile__buckets),
		cmocka_unit_test(test_lock_place__kinds),
		cmocka_unit_test(test_lock_flame__holder_is_on_the_lock),
		cmocka_unit_test(test_contention__pairs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

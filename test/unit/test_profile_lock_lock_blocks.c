/* SPDX-License-Identifier: GPL-2.0-or-later */
/* profile/lock/lock_blocks: a lock is named by the block that it was in during all of its waits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lock_waits.h"
#include "profile/lock/lock_blocks.h"

static const char *const making[] = { "main", "make_queue", "operator new(unsigned long)", NULL };

static void put_block(struct profile *p, const char *event, uint64_t time_ns,
		      struct heap_block block)
{
	const struct profile_sample sample = { .event = profile_event(p, event, "bytes"),
					       .thread = profile_thread(p, 7, 8, "maker"),
					       .stack = stack_of(p, making),
					       .time_ns = time_ns,
					       .count = 1,
					       .addr = put_words(p, &block, sizeof(block)) };

	profile_add(p, &sample);
}

static void put_wait(struct profile *p, uint64_t lock, uint64_t first_ns, uint64_t last_ns)
{
	put(p, &(struct wait){ lock, 1000, 9, 0, LOCK_KIND_MUTEX, LOCK_NOBODY, stack_of(p, user),
			       STACK_EMPTY, first_ns, last_ns });
}

/* The name of the only lock. */
static void check(struct profile *p, const char *expected)
{
	struct lock_table table = { 0 };

	lock_table_fill(&table, p);
	lock_blocks_name(&table, p);
	assert_int_equal(table.row.count, 1);
	assert_string_equal(profile_string(p, table.row.item[0].name), expected);
	lock_table_done(&table);
	profile_free(p);
}

static void test_blocks__name_what_is_in_them(void **state)
{
	struct profile *p = make();

	(void)state;
	put_block(p, "heap-alloc", 100, (struct heap_block){ 0x1000, 64 });
	put_block(p, "heap-alloc", 110, (struct heap_block){ 0x1040, 64 });
	put_wait(p, 0x1008, 200, 1200);
	put_block(p, "heap-free", 1300, (struct heap_block){ 0x1000, 0 });
	check(p, "block of 64 bytes from make_queue() +0x8");
	p = make();
	put_block(p, "heap-alloc", 100, (struct heap_block){ 0x1000, 1 });
	put_wait(p, 0x1000, 200, 1200);
	check(p, "block of 1 byte from make_queue()");
}

static void test_blocks__that_live_shorter_do_not_count(void **state)
{
	struct profile *p = make();

	(void)state;
	put_block(p, "heap-alloc", 100, (struct heap_block){ 0x1000, 64 });
	put_wait(p, 0x1000, 200, 1200);
	put_block(p, "heap-free", 900, (struct heap_block){ 0x1000, 0 });
	put_block(p, "heap-alloc", 901, (struct heap_block){ 0x1000, 32 });
	check(p, "");
	p = make();
	put_block(p, "heap-alloc", 100, (struct heap_block){ 0x1000, 64 });
	put_block(p, "heap-free", 150, (struct heap_block){ 0, HEAP_BEGUN });
	put_wait(p, 0x1000, 200, 1200);
	check(p, "");
	p = make();
	put_block(p, "heap-alloc", 100, (struct heap_block){ 0x1000, 64 });
	put_wait(p, 0x1040, 200, 1200);
	check(p, "");
}

static void test_blocks__that_realloc_keeps_live_on(void **state)
{
	struct profile *p = make();

	(void)state;
	put_block(p, "heap-alloc", 100, (struct heap_block){ 0x1000, 64 });
	put_block(p, "heap-free", 150, (struct heap_block){ 0x1000, 0 });
	put_block(p, "heap-alloc", 151, (struct heap_block){ 0x1000, HEAP_KEPT });
	put_wait(p, 0x1000, 200, 1200);
	check(p, "block of 64 bytes from make_queue()");
}

static void test_blocks__end_where_others_begin(void **state)
{
	struct profile *p = make();

	(void)state;
	put_block(p, "heap-alloc", 100, (struct heap_block){ 0x1000, 64 });
	put_block(p, "heap-alloc", 150, (struct heap_block){ 0xff0, 128 });
	put_wait(p, 0x1000, 200, 1200);
	check(p, "block of 128 bytes from make_queue() +0x10");
	p = make();
	put_block(p, "heap-alloc", 100, (struct heap_block){ 0x1000, 64 });
	put_wait(p, 0x1000, 120, 1200);
	put_block(p, "heap-alloc", 150, (struct heap_block){ 0xff0, 128 });
	check(p, "");
}

static void test_blocks__are_there_while_locks_are_held(void **state)
{
	struct profile *p = make();

	(void)state;
	put_block(p, "heap-alloc", 100, (struct heap_block){ 0x1000, 64 });
	put(p, &(struct wait){ 0x1000, 1000, 9, 0, LOCK_KIND_MUTEX, LOCK_HOLD, stack_of(p, user),
			       STACK_EMPTY, 50, 1050 });
	check(p, "");
	p = make();
	put_block(p, "heap-alloc", 100, (struct heap_block){ 0x1000, 64 });
	put(p, &(struct wait){ 0x1000, 1000, 9, 0, LOCK_KIND_MUTEX, LOCK_HOLD, stack_of(p, user),
			       STACK_EMPTY, 150, 1150 });
	check(p, "block of 64 bytes from make_queue()");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_blocks__name_what_is_in_them),
		cmocka_unit_test(test_blocks__that_live_shorter_do_not_count),
		cmocka_unit_test(test_blocks__that_realloc_keeps_live_on),
		cmocka_unit_test(test_blocks__end_where_others_begin),
		cmocka_unit_test(test_blocks__are_there_while_locks_are_held),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

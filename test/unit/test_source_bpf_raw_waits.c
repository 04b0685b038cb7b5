/* SPDX-License-Identifier: GPL-2.0-or-later */
/* source/bpf/raw_waits: stacks of waiting threads, kept until they can no longer be asked for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/arena.h"
#include "bpf/off_cpu.h"
#include "source/bpf/raw_waits.h"

static void keep(struct raw_waits *waits, uint32_t tid, uint64_t name)
{
	size_t len = sizeof(struct cpu_sample) + sizeof(struct cpu_raw) + 64;
	struct cpu_sample *head = mem_zalloc(len);

	head->tid = tid;
	head->kind = CPU_RAW;
	((struct cpu_raw *)(head + 1))->period = name;
	raw_waits_keep(waits, head, len);
	free(head);
}

static bool has(const struct raw_waits *waits, uint64_t name)
{
	size_t len;
	const struct cpu_sample *head = raw_waits_find(waits, name, &len);

	assert_true(!head || len == sizeof(*head) + sizeof(struct cpu_raw) + 64);
	return head;
}

static void test_raw_waits__a_thread_has_several(void **state)
{
	struct raw_waits *waits = raw_waits_new();

	(void)state;
	keep(waits, 7, 100);
	keep(waits, 7, 101);
	keep(waits, 8, 102);
	assert_true(has(waits, 100) && has(waits, 101) && has(waits, 102));
	assert_false(has(waits, 103));
	raw_waits_free(waits);
}

static void test_raw_waits__the_latest_are_kept_for_long(void **state)
{
	struct raw_waits *waits = raw_waits_new();

	(void)state;
	keep(waits, 7, 100);
	for (int i = 0; i < 10; i++)
		raw_waits_round(waits);
	assert_true(has(waits, 100)); /* it may sleep for hours */
	for (uint64_t name = 101; name < 100 + OFF_CPU_STANDS; name++)
		keep(waits, 7, name);
	for (int i = 0; i < 10; i++)
		raw_waits_round(waits);
	assert_true(has(waits, 100)); /* it may wait there again */
	keep(waits, 7, 100 + OFF_CPU_STANDS);
	raw_waits_round(waits);
	assert_true(has(waits, 100)); /* the end of its wait may be in a ring that was read early */
	for (int i = 0; i < 10; i++)
		raw_waits_round(waits);
	assert_false(has(waits, 100));
	assert_true(has(waits, 101));
	assert_true(has(waits, 100 + OFF_CPU_STANDS));
	raw_waits_free(waits);
}

/* When there are many, only the one where the thread waits now is sure to stay. */
static void test_raw_waits__earlier_ones_make_room(void **state)
{
	enum { MANY = 40000 };
	struct raw_waits *waits = raw_waits_new();
	uint32_t tid = (uint32_t)getpid();

	(void)state;
	for (uint64_t name = 1; name <= MANY; name++)
		keep(waits, tid + (name < MANY - 1 ? (uint32_t)name << 23 : 0), name);
	for (int i = 0; i < 10; i++)
		raw_waits_round(waits);
	assert_false(has(waits, 1)); /* no such thread */
	assert_false(has(waits, MANY - 1));
	raw_waits_free(waits);
}

static void test_raw_waits__short_records_are_refused(void **state)
{
	struct raw_waits *waits = raw_waits_new();
	struct cpu_sample head = { .tid = 1 };

	(void)state;
	raw_waits_keep(waits, &head, sizeof(head));
	assert_false(has(waits, 0));
	raw_waits_free(waits);
}

/* No such thread: what the kernel told of it is what there is. */
static void test_raw_waits__open_wait_of_a_thread_that_is_gone(void **state)
{
	struct raw_waits *waits = raw_waits_new();
	struct off_cpu_open open = {
		.head = { .pid = 0x7fffffff, .tid = 0x7fffffff, .kind = CPU_RAW, .frames = 2 },
		.raw = { .period = 5 },
		.kernel = { 11, 12 }
	};
	const struct cpu_sample *head;
	size_t len;

	(void)state;
	raw_waits_keep_open(waits, &open);
	head = raw_waits_find(waits, 5, &len);
	assert_non_null(head);
	assert_int_equal(CPU_WALKED, head->kind);
	assert_int_equal(sizeof(*head) + 16, len);
	assert_int_equal(12, ((const uint64_t *)(head + 1))[1]);
	raw_waits_free(waits);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_raw_waits__a_thread_has_several),
		cmocka_unit_test(test_raw_waits__the_latest_are_kept_for_long),
		cmocka_unit_test(test_raw_waits__earlier_ones_make_room),
		cmocka_unit_test(test_raw_waits__short_records_are_refused),
		cmocka_unit_test(test_raw_waits__open_wait_of_a_thread_that_is_gone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

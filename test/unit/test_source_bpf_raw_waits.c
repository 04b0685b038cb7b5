/* SPDX-License-Identifier: GPL-2.0-or-later */
/* source/bpf/raw_waits: stacks of waiting threads, kept until they can no longer be needed. */
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

#define SECOND 1000000000ull

/* In the place of `before`, if that is not 0. */
static void keep(struct raw_waits *waits, uint32_t tid, uint64_t name, uint64_t before)
{
	size_t len = sizeof(struct cpu_sample) + sizeof(struct cpu_raw) + 64;
	struct cpu_sample *head = mem_zalloc(len);

	head->pid = head->tid = tid;
	head->kind = CPU_RAW;
	head->base = before;
	((struct cpu_raw *)(head + 1))->period = name;
	raw_waits_keep(waits, head, len);
	free(head);
}

static bool has(struct raw_waits *waits, uint64_t name)
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
	keep(waits, 7, 100, 0);
	keep(waits, 7, 101, 0);
	keep(waits, 8, 102, 0);
	assert_true(has(waits, 100) && has(waits, 101) && has(waits, 102));
	assert_false(has(waits, 103));
	raw_waits_free(waits);
}

/* However many others the thread had at another place meanwhile. */
static void test_raw_waits__keeps_what_may_be_reported(void **state)
{
	struct raw_waits *waits = raw_waits_new();

	(void)state;
	keep(waits, 7, 100, 0);
	keep(waits, 7, 101, 0);
	for (uint64_t i = 1; i < 20; i++) {
		keep(waits, 7, 101 + i, 100 + i);
		raw_waits_round(waits, i * SECOND);
	}
	assert_true(has(waits, 100));
	assert_false(has(waits, 101));
	assert_true(has(waits, 119)); /* not gone for longer than a second */
	assert_true(has(waits, 120));
	raw_waits_free(waits);
}

static void test_raw_waits__what_is_gone_is_kept_for_a_second(void **state)
{
	struct cpu_sample only_that = { .kind = CPU_RAW, .base = 100 };
	struct raw_waits *waits = raw_waits_new();

	(void)state;
	keep(waits, 7, 100, 0);
	raw_waits_keep(waits, &only_that, sizeof(only_that));
	raw_waits_round(waits, 50 * SECOND);
	raw_waits_round(waits, 50 * SECOND + SECOND / 2);
	assert_true(has(waits, 100)); /* the end of its wait may be in a ring that was read early */
	raw_waits_round(waits, 52 * SECOND);
	assert_false(has(waits, 100));
	raw_waits_free(waits);
}

/* When there are many, those of threads that have ended go. */
static void test_raw_waits__ended_threads_make_room(void **state)
{
	enum { MANY = 40000 };
	struct raw_waits *waits = raw_waits_new();

	(void)state;
	for (uint64_t name = 1; name <= MANY; name++)
		keep(waits, name < MANY ? 0x7fffffff : (uint32_t)getpid(), name, 0);
	for (uint64_t i = 1; i < 5; i++)
		raw_waits_round(waits, i * SECOND);
	assert_false(has(waits, 1));
	assert_false(has(waits, MANY - 1));
	assert_true(has(waits, MANY));
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

/* No such thread: only the kernel's record exists. */
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
	raw_waits_round(waits, SECOND);
	raw_waits_round(waits, 3 * SECOND);
	assert_null(raw_waits_find(waits, 5, &len)); /* it ended once */
	raw_waits_free(waits);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_raw_waits__a_thread_has_several),
		cmocka_unit_test(test_raw_waits__keeps_what_may_be_reported),
		cmocka_unit_test(test_raw_waits__what_is_gone_is_kept_for_a_second),
		cmocka_unit_test(test_raw_waits__ended_threads_make_room),
		cmocka_unit_test(test_raw_waits__short_records_are_refused),
		cmocka_unit_test(test_raw_waits__open_wait_of_a_thread_that_is_gone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

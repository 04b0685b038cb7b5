/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames that say what page faults were for; test/live/fault_kinds.sh takes real ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <linux/perf_event.h>

#include "profile/profile.h"
#include "session/load/load_fault.h"
#include "session/load/load_merge.h"

static void put(struct profile *p, uint64_t time_ns, const struct profile_access *access)
{
	const struct frame frame = { .function = strtab_puts(p->strings, "touches") };
	const struct profile_sample sample = {
		.event = profile_event(p, "page-faults", ""),
		.stack = profile_stack_push(p, STACK_EMPTY, profile_frame(p, &frame)),
		.thread = profile_thread(p, 1, 1, "app"),
		.time_ns = time_ns,
		.weight = 1,
		.count = 1,
		.addr = p->accesses.count,
	};

	vec_push(&p->accesses, *access);
	profile_add(p, &sample);
}

static const char *leaf(const struct profile *p, size_t sample)
{
	const struct stack_node *node = &p->nodes.item[p->samples.item[sample].stack.v];

	return profile_string(p, p->frames.item[node->frame.v].function);
}

static void test_load_fault__says_what_it_was_for(void **state)
{
	union perf_mem_data_src src = { .mem_op = PERF_MEM_OP_STORE,
					.mem_dtlb = PERF_MEM_TLB_OS | PERF_MEM_TLB_MISS };
	struct profile *p = profile_new(load_fault_keeps());
	struct profile_access access = { .kind = ACCESS_ANONYMOUS, .addr = 0x1000 };

	(void)state;
	put(p, 1, &access);
	access.data_src = src.val;
	put(p, 2, &access);
	put(p, 3, &access);
	src.mem_dtlb = PERF_MEM_TLB_OS | PERF_MEM_TLB_HIT;
	access.data_src = src.val;
	access.kind = ACCESS_GLOBAL;
	access.module = strtab_puts(p->strings, "app");
	put(p, 4, &access);
	put(p, 5, &(struct profile_access){ .kind = ACCESS_NONE });
	load_fault_finish(p, true, 0);
	assert_int_equal(4, p->samples.count);
	assert_string_equal("[page fault: anonymous memory]", leaf(p, 0));
	assert_string_equal("[page fault, written: anonymous memory]", leaf(p, 1));
	assert_int_equal(2, p->samples.item[1].weight);
	assert_string_equal("[copy on write: app variables]", leaf(p, 2));
	assert_string_equal("touches", leaf(p, 3));
	assert_int_equal(0, p->accesses.count);
	profile_free(p);
}

static void test_load_fault__says_what_was_done_for_it(void **state)
{
	union perf_mem_data_src src = { .mem_op = PERF_MEM_OP_STORE,
					.mem_dtlb = PERF_MEM_TLB_OS | PERF_MEM_TLB_MISS };
	struct profile *p = profile_new(load_fault_keeps());
	struct profile_access access = {
		.kind = ACCESS_ANONYMOUS, .addr = 0x1000, .data_src = src.val, .page_bytes = 2 << 20
	};

	(void)state;
	put(p, 1, &access);
	access.page_bytes = 4096;
	put(p, 2, &access);
	src.mem_lvl = PERF_MEM_LVL_HIT | PERF_MEM_LVL_IO;
	access.data_src = src.val;
	put(p, 3, &access);
	load_fault_finish(p, true, PROFILE_KEEP_TIME);
	assert_string_equal("[page fault, written, huge page: anonymous memory]", leaf(p, 0));
	assert_string_equal("[page fault, written: anonymous memory]", leaf(p, 1));
	assert_string_equal("[page fault, written, from swap: anonymous memory]", leaf(p, 2));
	assert_int_equal(1, p->events.count);
	profile_free(p);
}

/* Weights are microseconds, and each sample stands for two faults. */
static void test_load_fault__has_the_wait(void **state)
{
	struct profile *p = profile_new(load_fault_keeps());
	const struct frame frame = { .function = strtab_puts(p->strings, "reads") };
	struct profile_sample sample = {
		.event = profile_event(p, "major-faults:u", ""),
		.stack = profile_stack_push(p, STACK_EMPTY, profile_frame(p, &frame)),
		.thread = profile_thread(p, 1, 1, "app"),
		.weight = 2,
		.count = 1,
	};
	uint16_t event;

	(void)state;
	vec_push(&p->accesses,
		 ((struct profile_access){ .kind = ACCESS_FILE, .addr = 0x1000, .weight = 30 }));
	profile_add(p, &sample);
	load_fault_finish(p, true, 0);
	assert_true(profile_find_kind(p, EVENT_KIND_FAULT_WAIT, &event));
	assert_int_equal(60000, p->events.item[event].weight);
	assert_int_equal(EVENT_UNIT_NS, p->events.item[event].unit_type);
	assert_int_equal(2, p->events.item[0].weight);
	profile_free(p);
}

static void test_load_merge__adds_up(void **state)
{
	struct profile *p = profile_new(PROFILE_KEEP_TIME);
	const struct profile_access none = { .kind = ACCESS_NONE };

	(void)state;
	put(p, 1, &none);
	put(p, 2, &none);
	assert_int_equal(2, p->samples.count);
	load_merge(p, 0);
	assert_int_equal(1, p->samples.count);
	assert_int_equal(2, p->samples.item[0].weight);
	assert_int_equal(2, p->events.item[0].samples);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_load_fault__says_what_it_was_for),
		cmocka_unit_test(test_load_fault__says_what_was_done_for_it),
		cmocka_unit_test(test_load_fault__has_the_wait),
		cmocka_unit_test(test_load_merge__adds_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

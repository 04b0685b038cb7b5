/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Mapped memory: parts that are given back, what replaces a mapping, moves, protection, brk, other
 * processes and programs; calls that fail and numbers that cannot be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "profile/heap/heap.h"
#include "profile/heap/heap_maps.h"
#include "profile/heap/heap_rows.h"
#include "profile/profile.h"

#define PAGE 4096ull
#define AT   0x10000000ull
#define RW   (PROT_READ | PROT_WRITE)
#define ANON (MAP_PRIVATE | MAP_ANONYMOUS)

struct fixture {
	struct profile *profile;
	struct heap_summary summary;
	uint64_t now;
	uint32_t pid;
};

static void put(struct fixture *f, const char *event, const char *function, const uint64_t value[4])
{
	struct profile *p = f->profile;
	const struct frame frame = { .function = strtab_puts(p->strings, function) };
	const struct profile_sample sample = {
		.event = profile_event(p, event, "count"),
		.stack = profile_stack_push(p, STACK_EMPTY, profile_frame(p, &frame)),
		.thread = profile_thread(p, f->pid, f->pid, "app"),
		.stop = STACK_STOP_ROOT,
		.time_ns = ++f->now,
		.weight = 1,
		.count = 1,
		.addr = p->values.count,
	};

	for (size_t i = 0; i < 4; i++)
		vec_push(&p->values, value[i]);
	profile_add(p, &sample);
}

static void call(struct fixture *f, const char *name, const char *function, const uint64_t value[4],
		 uint64_t result)
{
	char event[64];

	(void)snprintf(event, sizeof(event), "syscalls:sys_enter_%s", name);
	put(f, event, function, value);
	(void)snprintf(event, sizeof(event), "syscalls:sys_exit_%s", name);
	put(f, event, "", (const uint64_t[4]){ result });
}

#define CALL(f, name, function, result, ...) \
	call(f, name, function, (const uint64_t[4]){ __VA_ARGS__ }, result)

static void map_at(struct fixture *f, const char *function, uint64_t page, uint64_t pages)
{
	CALL(f, "mmap", function, AT + page * PAGE, 0, pages * PAGE, RW, ANON);
}

static void unmap_at(struct fixture *f, uint64_t page, uint64_t pages)
{
	CALL(f, "munmap", "unmap", 0, AT + page * PAGE, pages * PAGE);
}

static void sum_up(struct fixture *f, uint64_t brk)
{
	const struct heap_maps_input input = { .pid = brk ? f->pid : 0,
					       .brk = brk,
					       .page_bytes = PAGE };

	heap_maps_sum_up(f->profile, &input, &f->summary);
}

/* Pages of a function, mapped and live. */
static void check(const struct fixture *f, const char *function, uint64_t mapped, uint64_t live)
{
	const struct profile *p = f->profile;
	double sum[2] = { 0 };
	struct heap_rows rows;

	heap_rows_collect(p, &rows);
	for (size_t i = 0; i < rows.row.count; i++) {
		frame_id frame = p->nodes.item[rows.row.item[i].stack.v].frame;

		if (strcmp(profile_string(p, p->frames.item[frame.v].function), function) != 0)
			continue;
		sum[0] += rows.row.item[i].value[HEAP_ALLOCATED];
		sum[1] += rows.row.item[i].value[HEAP_LIVE];
	}
	heap_rows_done(&rows);
	assert_int_equal(sum[0] / PAGE, mapped);
	assert_int_equal(sum[1] / PAGE, live);
}

static int set_up(void **state)
{
	static struct fixture fixture;

	fixture = (struct fixture){ .pid = 7,
				    .profile = profile_new(PROFILE_KEEP_TIME | PROFILE_KEEP_ADDR |
							   PROFILE_ADDR_IS_VALUES) };
	*state = &fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	profile_free(f->profile);
	heap_summary_done(&f->summary);
	return 0;
}

static void test_heap_maps__parts(void **state)
{
	struct fixture *f = *state;

	map_at(f, "whole", 0, 10);
	map_at(f, "middle", 20, 10);
	map_at(f, "both", 30, 2);
	unmap_at(f, 24, 3);
	unmap_at(f, 29, 2); /* the end of one and the beginning of the next */
	unmap_at(f, 100, 5);
	CALL(f, "mmap", "odd", AT + 50 * PAGE, 0, 100, RW, ANON);
	sum_up(f, 0);
	check(f, "whole", 10, 10);
	check(f, "middle", 10, 6);
	check(f, "both", 2, 1);
	check(f, "odd", 1, 1);
	assert_int_equal(f->summary.allocated.value / PAGE, 23);
	assert_int_equal(f->summary.peak.value / PAGE, 22);
	assert_int_equal(f->summary.live.value / PAGE, 18);
}

static void test_heap_maps__replaced_and_protected(void **state)
{
	struct fixture *f = *state;

	map_at(f, "old", 0, 10);
	CALL(f, "mmap", "file", AT + 2 * PAGE, 0, 3 * PAGE, RW, MAP_PRIVATE);
	CALL(f, "mmap", "reserved", AT + 100 * PAGE, 0, 50 * PAGE, PROT_NONE, ANON);
	CALL(f, "mprotect", "opened", 0, AT + 110 * PAGE, 20 * PAGE, RW);
	CALL(f, "mprotect", "again", 0, AT + 105 * PAGE, 10 * PAGE, RW);
	CALL(f, "mprotect", "read", 0, AT + 110 * PAGE, 2 * PAGE, PROT_READ);
	CALL(f, "mprotect", "closed", 0, AT + 112 * PAGE, 4 * PAGE, PROT_NONE);
	CALL(f, "mprotect", "failed", -(uint64_t)12, AT + 140 * PAGE, PAGE, RW);
	sum_up(f, 0);
	check(f, "old", 10, 7);
	check(f, "file", 0, 0);
	check(f, "reserved", 0, 0);
	check(f, "opened", 20, 16);
	check(f, "again", 5, 5);
	check(f, "failed", 0, 0);
}

static void test_heap_maps__moved(void **state)
{
	struct fixture *f = *state;

	map_at(f, "first", 0, 4);
	map_at(f, "victim", 100, 20);
	CALL(f, "mremap", "grown", AT + 102 * PAGE, AT, 4 * PAGE, 6 * PAGE);
	unmap_at(f, 0, 4); /* there is nothing any more */
	CALL(f, "mremap", "shrunk", AT + 102 * PAGE, AT + 102 * PAGE, 6 * PAGE, 3 * PAGE);
	sum_up(f, 0);
	check(f, "first", 4, 3);
	check(f, "grown", 2, 0);
	check(f, "victim", 20, 14);
	check(f, "shrunk", 0, 0);
}

static void test_heap_maps__break(void **state)
{
	struct fixture *f = *state;

	CALL(f, "brk", "asks", AT, 0);
	CALL(f, "brk", "grows", AT + 5 * PAGE, AT + 5 * PAGE);
	CALL(f, "brk", "shrinks", AT + 3 * PAGE, AT + 3 * PAGE);
	CALL(f, "brk", "fails", AT + 3 * PAGE, UINT64_MAX);
	f->pid = 8; /* its break is known from elsewhere */
	CALL(f, "brk", "other", AT + 9 * PAGE, AT + 9 * PAGE);
	sum_up(f, AT + 2 * PAGE);
	check(f, "asks", 0, 0);
	check(f, "grows", 5, 3);
	check(f, "fails", 0, 0);
	check(f, "other", 7, 7);
	assert_int_equal(f->summary.processes, 2);
}

static void test_heap_maps__processes(void **state)
{
	struct fixture *f = *state;

	map_at(f, "parent", 0, 4);
	f->pid = 8;
	unmap_at(f, 0, 4); /* of the child, which inherited it */
	map_at(f, "child", 0, 2);
	put(f, "syscalls:sys_exit_execve", "", (const uint64_t[4]){ -(uint64_t)2 });
	map_at(f, "before", 10, 3);
	put(f, "syscalls:sys_exit_execve", "", (const uint64_t[4]){ 0 });
	map_at(f, "program", 0, 1);
	sum_up(f, 0);
	check(f, "parent", 4, 4);
	check(f, "child", 2, 0);
	check(f, "before", 3, 0);
	check(f, "program", 1, 1);
}

static void test_heap_maps__nonsense(void **state)
{
	struct fixture *f = *state;

	map_at(f, "kept", 0, 4);
	CALL(f, "munmap", "far", 0, UINT64_MAX - 10, UINT64_MAX);
	CALL(f, "mmap", "wide", UINT64_MAX - 3 * PAGE, 0, UINT64_MAX - PAGE, RW, ANON);
	CALL(f, "mremap", "wide", AT, UINT64_MAX - PAGE, UINT64_MAX - 5 * PAGE, UINT64_MAX - PAGE);
	CALL(f, "mremap", "nothing", AT + PAGE, AT, 0, 0);
	put(f, "syscalls:sys_exit_mmap", "", (const uint64_t[4]){ AT }); /* nobody entered */
	put(f, "syscalls:sys_enter_mmap", "lost", (const uint64_t[4]){ 0, PAGE, RW, ANON });
	put(f, "syscalls:sys_exit_munmap", "", (const uint64_t[4]){ 0 });
	put(f, "sched:sched_switch", "other", (const uint64_t[4]){ 0 });
	sum_up(f, 0);
	check(f, "kept", 4, 4);
	check(f, "lost", 0, 0);
	assert_int_equal(f->summary.samples, 1);
}

static void test_heap_maps__empty(void **state)
{
	struct fixture *f = *state;

	sum_up(f, 0);
	assert_int_equal(f->summary.samples, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_heap_maps__parts, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_heap_maps__replaced_and_protected, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_heap_maps__moved, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_heap_maps__break, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_heap_maps__processes, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_heap_maps__nonsense, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_heap_maps__empty, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

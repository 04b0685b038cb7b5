/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A ledger of pages: first touch, moves, fills, huge pages, files, what was there before. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "event/page_map.h"
#include "profile/profile.h"
#include "profile/resident.h"

#define PID  7
#define PAGE 4096ull
#define AT   0x10000000ull /* two megabytes aligned */

struct fixture {
	struct profile *profile;
	struct page_map before, after;
	struct resident resident;
	uint64_t now;
};

static void put_event(struct fixture *f, uint32_t pid, const char *event, const char *function,
		      const uint64_t value[3])
{
	struct profile *p = f->profile;
	const struct frame frame = { .function = strtab_puts(p->strings, function) };
	const struct profile_sample sample = {
		.event = profile_event(p, event, "count"),
		.stack = profile_stack_push(p, STACK_EMPTY, profile_frame(p, &frame)),
		.thread = profile_thread(p, pid, pid, "app"),
		.stop = STACK_STOP_ROOT,
		.time_ns = f->now++,
		.weight = 1,
		.count = 1,
		.addr = p->values.count,
	};

	for (size_t i = 0; i < 3; i++)
		vec_push(&p->values, value[i]);
	profile_add(p, &sample);
}

static void put(struct fixture *f, const char *event, const char *function, uint64_t a, uint64_t b,
		uint64_t c)
{
	put_event(f, PID, event, function, (const uint64_t[]){ a, b, c });
}

static void touch(struct fixture *f, const char *function, uint64_t address)
{
	put(f, "page-faults", function, address, 0, 0);
}

static void area(struct page_map *map, uint64_t start, uint64_t end, const char *path)
{
	vec_push(
		&map->area,
		((struct page_area){
			.start = start, .end = end, .rss = PAGE, .writable = true, .path = path }));
}

static void range(struct page_map *map, uint64_t start, uint64_t end, uint64_t kind)
{
	vec_push(&map->range, ((struct page_range){ start, end, kind }));
}

static void sum_up(struct fixture *f, bool attached)
{
	const struct resident_input input = { .pid = PID,
					      .page_bytes = PAGE,
					      .before = attached ? &f->before : NULL,
					      .after = &f->after };

	resident_sum_up(f->profile, &input, &f->resident);
}

/* Bytes of all samples with that innermost function. */
static uint64_t bytes_of(const struct fixture *f, const char *function)
{
	const struct profile *p = f->profile;
	uint64_t sum = 0;

	for (size_t i = 0; i < p->samples.count; i++) {
		frame_id frame = p->nodes.item[p->samples.item[i].stack.v].frame;

		if (strcmp(profile_string(p, p->frames.item[frame.v].function), function) == 0)
			sum += p->samples.item[i].weight;
	}
	return sum;
}

static int set_up(void **state)
{
	static struct fixture fixture;

	fixture = (struct fixture){ .profile = profile_new(PROFILE_KEEP_TIME | PROFILE_KEEP_ADDR |
							   PROFILE_ADDR_IS_VALUES) };
	*state = &fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	profile_free(f->profile);
	resident_done(&f->resident);
	page_map_done(&f->before);
	page_map_done(&f->after);
	return 0;
}

static void test_resident__latest_touch_of_a_page_that_is_there(void **state)
{
	struct fixture *f = *state;

	touch(f, "first", AT);
	touch(f, "gone", AT + PAGE);
	touch(f, "first", AT + 2 * PAGE);
	touch(f, "again", AT + 2 * PAGE + 123);
	put_event(f, PID + 1, "page-faults", "other", (const uint64_t[]){ AT, 0, 0 });
	area(&f->after, AT, AT + 8 * PAGE, "");
	range(&f->after, AT, AT + PAGE, PAGE_PRESENT);
	range(&f->after, AT + 2 * PAGE, AT + 4 * PAGE, PAGE_PRESENT);
	range(&f->after, AT + 5 * PAGE, AT + 6 * PAGE, PAGE_PRESENT | PAGE_ZERO);
	sum_up(f, false);
	assert_int_equal(f->resident.total, 3 * PAGE);
	assert_int_equal(f->resident.faults, 4);
	assert_int_equal(bytes_of(f, "first"), PAGE);
	assert_int_equal(bytes_of(f, "again"), PAGE);
	assert_int_equal(bytes_of(f, "gone") + bytes_of(f, "other"), 0);
	assert_int_equal(f->resident.bytes[RESIDENT_ANONYMOUS], 2 * PAGE);
	assert_int_equal(f->resident.bytes[RESIDENT_UNACCOUNTED], PAGE);
	assert_int_equal(bytes_of(f, "[unaccounted] [anonymous]"), PAGE);
}

static void test_resident__moved_and_filled(void **state)
{
	struct fixture *f = *state;

	touch(f, "mover", AT);
	touch(f, "mover", AT + PAGE);
	put(f, "syscalls:sys_enter_mremap", "grow", AT, 2 * PAGE, 4 * PAGE);
	put(f, "syscalls:sys_exit_mremap", "grow", AT + 16 * PAGE, 0, 0);
	put(f, "syscalls:sys_enter_mmap", "fill", 0, 3 * PAGE, 0);
	put(f, "syscalls:sys_exit_mmap", "fill", AT + 32 * PAGE, 0, 0);
	put(f, "syscalls:sys_enter_mmap", "fail", 0, 9 * PAGE, 0);
	put(f, "syscalls:sys_exit_mmap", "fail", (uint64_t)-12, 0, 0);
	put(f, "syscalls:sys_enter_mlock", "lock", AT + 40 * PAGE, 2 * PAGE, 0);
	area(&f->after, AT + 16 * PAGE, AT + 64 * PAGE, "");
	range(&f->after, AT + 16 * PAGE, AT + 18 * PAGE, PAGE_PRESENT);
	range(&f->after, AT + 32 * PAGE, AT + 35 * PAGE, PAGE_PRESENT);
	range(&f->after, AT + 40 * PAGE, AT + 42 * PAGE, PAGE_PRESENT);
	sum_up(f, false);
	assert_int_equal(bytes_of(f, "mover"), 2 * PAGE);
	assert_int_equal(bytes_of(f, "fill"), 3 * PAGE);
	assert_int_equal(bytes_of(f, "lock"), 2 * PAGE);
	assert_int_equal(f->resident.bytes[RESIDENT_POPULATED], 5 * PAGE);
	assert_int_equal(f->resident.bytes[RESIDENT_UNACCOUNTED], 0);
}

/* A move of much that was never touched looks only at what was. */
static void test_resident__move_of_a_sparse_mapping(void **state)
{
	struct fixture *f = *state;
	uint64_t far = 1ull << 40;

	touch(f, "sparse", AT + far - PAGE);
	put(f, "syscalls:sys_enter_mremap", "move", AT, far, far);
	put(f, "syscalls:sys_exit_mremap", "move", AT + 2 * far, 0, 0);
	area(&f->after, AT + 2 * far, AT + 3 * far, "");
	range(&f->after, AT + 3 * far - PAGE, AT + 3 * far, PAGE_PRESENT);
	sum_up(f, false);
	assert_int_equal(bytes_of(f, "sparse"), PAGE);
}

static void test_resident__kinds(void **state)
{
	struct fixture *f = *state;
	uint64_t huge = AT + (2 << 20);

	touch(f, "copies", AT);
	touch(f, "reads", AT + PAGE);
	touch(f, "shares", AT + 8 * PAGE);
	touch(f, "huge", huge + 5 * PAGE);
	area(&f->after, AT, AT + 4 * PAGE, "/lib/x");
	area(&f->after, AT + 8 * PAGE, AT + 9 * PAGE, "/dev/zero (deleted)");
	vec_last(&f->after.area)->shared = true;
	area(&f->after, huge, huge + (2 << 20), "");
	area(&f->after, huge + (2 << 20), huge + (4 << 20), "/huge");
	vec_last(&f->after.area)->hugetlb = true;
	range(&f->after, AT, AT + PAGE, PAGE_PRESENT);
	range(&f->after, AT + PAGE, AT + 3 * PAGE, PAGE_PRESENT | PAGE_FILE);
	range(&f->after, AT + 8 * PAGE, AT + 9 * PAGE, PAGE_PRESENT | PAGE_FILE);
	range(&f->after, huge, huge + (4 << 20), PAGE_PRESENT | PAGE_HUGE);
	sum_up(f, false);
	assert_int_equal(f->resident.bytes[RESIDENT_COPIED], PAGE);
	assert_int_equal(f->resident.bytes[RESIDENT_FILE], 2 * PAGE);
	assert_int_equal(bytes_of(f, "[file] /lib/x"), 2 * PAGE);
	assert_int_equal(f->resident.bytes[RESIDENT_SHARED], PAGE);
	assert_int_equal(f->resident.bytes[RESIDENT_HUGE], 2 << 20);
	assert_int_equal(bytes_of(f, "huge"), 2 << 20);
	assert_int_equal(f->resident.hugetlb, 2 << 20);
	assert_int_equal(f->resident.total, 4 * PAGE + (2 << 20));
}

static void test_resident__before_and_swapped(void **state)
{
	struct fixture *f = *state;

	touch(f, "anew", AT + PAGE);
	touch(f, "swapped", AT + 3 * PAGE);
	range(&f->before, AT, AT + 2 * PAGE, PAGE_PRESENT);
	area(&f->after, AT, AT + 8 * PAGE, "[heap]");
	range(&f->after, AT, AT + 3 * PAGE, PAGE_PRESENT);
	range(&f->after, AT + 3 * PAGE, AT + 5 * PAGE, PAGE_SWAPPED);
	sum_up(f, true);
	assert_int_equal(f->resident.bytes[RESIDENT_BEFORE], PAGE);
	assert_int_equal(bytes_of(f, "anew"), PAGE);
	assert_int_equal(f->resident.bytes[RESIDENT_UNACCOUNTED], PAGE);
	assert_int_equal(f->resident.total, 3 * PAGE);
	assert_int_equal(f->resident.swapped, 2 * PAGE);
	assert_int_equal(f->resident.swapped_known, PAGE);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_resident__latest_touch_of_a_page_that_is_there),
		TEST(test_resident__moved_and_filled),
		TEST(test_resident__move_of_a_sparse_mapping),
		TEST(test_resident__kinds),
		TEST(test_resident__before_and_swapped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

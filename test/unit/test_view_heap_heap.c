/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text and JSON of what a program did with memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "profile/heap/heap.h"
#include "profile/profile.h"
#include "view/heap/heap_export.h"
#include "view/heap/heap_view.h"

static void add(struct profile *p, const char *event, const char *function, uint64_t weight)
{
	const struct frame frame = { .function = strtab_puts(p->strings, function) };
	const struct profile_sample sample = { .event = profile_event(p, event, "bytes"),
					       .stack = profile_stack_push(
						       p, STACK_EMPTY, profile_frame(p, &frame)),
					       .thread = profile_thread(p, 1, 1, "app"),
					       .stop = STACK_STOP_ROOT,
					       .weight = weight,
					       .count = 1 };

	profile_add(p, &sample);
}

static const struct heap_summary summary = {
	.rate = 512 << 10,
	.allocated = { 3 << 20, 2 << 20, 4 << 20 },
	.allocations = { 12, 10, 14 },
	.live = { 1536, 1024, 2048 },
	.peak = { 2 << 20, 2 << 20, 2 << 20 },
	.samples = 6,
	.processes = 1,
	.peak_ns = 1500000000,
	.peak_pid = 7,
	.unfollowed = 1,
};

static struct profile *make(void)
{
	struct profile *p = profile_new(0);

	add(p, "heap-alloc", "parse", 3 << 20);
	add(p, "heap-count", "parse", 12);
	add(p, "heap-live", "parse\033", 1536);
	return p;
}

static void live(struct heap_lives *lives, uint32_t stack, uint64_t begin_ns)
{
	vec_push(&lives->life, ((struct heap_life){ .stack = { stack },
						    .stop = STACK_STOP_ROOT,
						    .size = 1024,
						    .blocks = 1,
						    .begin_ns = begin_ns }));
}

/* A leak, and a cache that is there from the first moment on. */
static void test_heap_text__held(void **state)
{
	struct profile *p = make();
	struct heap_summary grows = summary;
	const struct heap_view view = { .profile = p, .summary = &grows };
	uint32_t leak = p->samples.item[0].stack.v, cache = p->samples.item[2].stack.v;
	const char *leaks, *caches;
	struct buf out = { 0 };

	(void)state;
	vec_push(&grows.lives.process, ((struct heap_process){ 7, 0, 10000000000 }));
	for (uint64_t i = 0; i < 1000; i++)
		live(&grows.lives, leak, i * 10000000);
	for (unsigned i = 0; i < 3000; i++)
		live(&grows.lives, cache, 0);
	heap_text(&view, &out);
	leaks = strstr(out.data, "100.0 KiB (");
	caches = strstr(out.data, "none");
	assert_non_null(leaks);
	assert_non_null(caches);
	assert_true(leaks < caches);
	assert_non_null(strstr(out.data, "live, 0 to 10.000 s  |▇▇▇"));
	assert_non_null(strstr(out.data, "not freed: 100.0 %"));
	buf_clear(&out);
	heap_json(&view, &out);
	assert_non_null(strstr(out.data, "\"growth_per_s\": { \"value\": 102"));
	buf_done(&out);
	heap_summary_done(&grows);
	profile_free(p);
}

static void test_heap_text__grown(void **state)
{
	struct profile *p = make();
	struct heap_summary grows = summary;
	const struct heap_view view = { .profile = p, .summary = &grows };
	struct buf out = { 0 };

	(void)state;
	vec_push(&grows.grown.row, ((struct heap_grown){ .stack = p->samples.item[0].stack,
							 .stop = STACK_STOP_ROOT,
							 .samples = 4,
							 .calls = 4,
							 .moved = 1,
							 .moved_bytes = 2048,
							 .largest = 8192,
							 .step = 4 * 1024,
							 .step_squares = 4 * 1024 * 1024.0,
							 .factor = 4,
							 .factor_squares = 8 }));
	heap_text(&view, &out);
	assert_non_null(strstr(out.data,
			       "2.00 KiB            4   25.0 %       8.00 KiB  by steps of "
			       "1.00 KiB"));
	buf_clear(&out);
	heap_json(&view, &out);
	assert_non_null(strstr(out.data, "\"moved_bytes\": 2048, \"largest\": 8192, \"grows\": "
					 "\"step\", \"amount\": 1024.000"));
	buf_done(&out);
	heap_summary_done(&grows);
	profile_free(p);
}

/* 2 KiB freed after a second, 1 KiB that stays; the peak is when both are there. */
static void test_heap_export__blocks(void **state)
{
	struct profile *p = make();
	struct heap_summary two = summary;
	const char *const words[] = { "cupel", "heap\n" };
	const struct heap_view view = {
		.profile = p, .summary = &two, .words = words, .word_count = 2
	};
	uint32_t stack = p->samples.item[0].stack.v;
	struct buf out = { 0 };

	(void)state;
	two.peak_ns = 500000000;
	vec_push(&two.lives.process, ((struct heap_process){ 7, 1000000000, 3000000000 }));
	live(&two.lives, stack, 1000000000);
	live(&two.lives, stack, 1500000000);
	two.lives.life.item[0].blocks = 2;
	two.lives.life.item[0].end_ns = 2000000000;
	heap_heaptrack(&view, &out);
	assert_memory_equal(out.data, "v 10400 3\nX cupel heap", 22);
	assert_non_null(strstr(out.data, "s 5 parse\n"));
	assert_non_null(strstr(out.data, "a 800 1\na 400 1\n"));
	assert_non_null(strstr(out.data, "\n+ 0\nc 1f4\n+ 1\nc 3e8\n- 0\n"));
	buf_clear(&out);
	heap_massif(&view, &out);
	assert_non_null(strstr(out.data, "time_unit: ms\n#-----------\nsnapshot=0\n"));
	assert_non_null(strstr(out.data, "time=500\nmem_heap_B=3072\nmem_heap_extra_B=0\n"
					 "mem_stacks_B=0\nheap_tree=peak\nn1: 3072 (heap "));
	assert_non_null(strstr(out.data, "\n n0: 3072 0x0: parse (in "));
	buf_done(&out);
	heap_summary_done(&two);
	profile_free(p);
}

static void test_heap_text__tables(void **state)
{
	struct profile *p = make();
	struct heap_view view = { .profile = p, .summary = &summary };
	struct buf out = { 0 };

	(void)state;
	heap_text(&view, &out);
	assert_non_null(strstr(out.data, "3.00 MiB   (95 %: 2.00 MiB to 4.00 MiB)"));
	assert_non_null(strstr(out.data, "12       (95 %: 10 to 14)"));
	assert_non_null(strstr(out.data, "1.50 KiB 100.0 %"));
	assert_non_null(strstr(out.data, "2.00 MiB   1.500 s after the first sample\n"));
	assert_non_null(strstr(out.data, "one per 512.0 KiB"));
	assert_non_null(strstr(out.data, "3.00 MiB 100.0 %           12  parse\n"));
	assert_null(strstr(out.data, "lost"));
	assert_non_null(strstr(out.data, "1 sampled blocks"));
	assert_null(strstr(out.data, "Live at the peak")); /* no samples */
	assert_null(strchr(out.data, '\033'));
	assert_null(strstr(out.data, "Go's objects"));
	add(p, "heap-alloc", "runtime.cgocall", 1);
	view.lost = 3;
	out.len = 0;
	heap_text(&view, &out);
	assert_non_null(
		strstr(out.data, "Go's objects are in a heap that its runtime maps itself"));
	out.len = 0;
	heap_text(&view, &out); /* with losses no bound is known */
	assert_non_null(strstr(out.data, "3       samples: the sums are too low\n"));
	assert_non_null(strstr(out.data, "3 samples were lost"));
	assert_null(strstr(out.data, "95 %"));
	buf_done(&out);
	profile_free(p);
}

static void test_heap_json__members(void **state)
{
	const char *const words[] = { "cupel", "heap", "\"x\"" };
	struct profile *p = make();
	struct heap_view view = {
		.profile = p, .summary = &summary, .words = words, .word_count = 3
	};
	struct buf out = { 0 };
	struct err err = { 0 };
	struct json json;
	json_id rows, row;

	(void)state;
	heap_json(&view, &out);
	assert_int_equal(json_parse(out.data, out.len, &json, &err), 0);
	assert_int_equal(json_count(&json, json_get(&json, JSON_ROOT, "command")), 3);
	assert_int_equal(json_u64(&json, json_get(&json, JSON_ROOT, "samples"), 0), 6);
	row = json_get(&json, JSON_ROOT, "live");
	assert_int_equal(json_u64(&json, json_get(&json, row, "high"), 0), 2048);
	rows = json_get(&json, JSON_ROOT, "stacks");
	assert_int_equal(json_count(&json, rows), 2);
	row = json_first(&json, rows);
	assert_int_equal(json_u64(&json, json_get(&json, row, "allocated"), 0), 3 << 20);
	assert_int_equal(json_u64(&json, json_get(&json, row, "allocations"), 0), 12);
	assert_true(json_is(&json, json_get(&json, row, "stopped"), "root"));
	json_done(&json);
	view.lost = 1;
	out.len = 0;
	heap_json(&view, &out);
	assert_non_null(strstr(out.data, "\"value\": 1536, \"low\": null, \"high\": null"));
	buf_done(&out);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_heap_text__held),
		cmocka_unit_test(test_heap_text__grown),
		cmocka_unit_test(test_heap_export__blocks),
		cmocka_unit_test(test_heap_text__tables),
		cmocka_unit_test(test_heap_json__members),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

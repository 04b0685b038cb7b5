/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables of allocations of the kernel. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "profile/profile.h"
#include "profile/slab.h"
#include "view/slab/slab_view.h"

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

static void test_slab__tables(void **state)
{
	struct profile *p = make();
	struct slab slab;
	struct slab_view view = { .profile = p, .slab = &slab };
	struct buf out = { 0 };
	struct err err = { 0 };
	struct json json;

	(void)state;
	slab_sum_up(p, &(struct slab_choice){ 0 }, &slab);
	slab_sort(&slab, SLAB_BY_ALLOCATED);
	slab_text(&view, &out);
	assert_non_null(
		strstr(out.data, " balanced?+ec                       |      4096/4096  |"));
	assert_non_null(strstr(out.data, "        1 |         1 |  0.000%\n"));
	assert_non_null(
		strstr(out.data, " leaks+ec                           |       320/106   |"));
	assert_non_null(strstr(out.data, "Total bytes freed:     4096\n"));
	buf_clear(&out);
	view.live = view.raw_ip = true;
	slab_text(&view, &out);
	assert_non_null(
		strstr(out.data, " 0x10ec                             |       192/96    |"));
	assert_null(strstr(out.data, "balanced"));
	buf_clear(&out);
	view.live = view.raw_ip = false;
	view.stacks = true;
	view.lines = 1;
	slab_text(&view, &out);
	assert_non_null(strstr(out.data, "\n   balanced?\n"));
	assert_non_null(strstr(out.data, "| 1 more\n"));
	buf_clear(&out);
	slab_json(&view, &out);
	assert_int_equal(json_parse(out.data, out.len, &json, &err), 0);
	assert_int_equal(json_u64(&json, json_get(&json, JSON_ROOT, "unknown_frees"), 0), 2);
	assert_int_equal(json_count(&json, json_get(&json, JSON_ROOT, "rows")), 2);
	json_done(&json);
	buf_done(&out);
	slab_done(&slab);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_slab__tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

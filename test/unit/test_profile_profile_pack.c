/* SPDX-License-Identifier: GPL-2.0-or-later */
/* profile/profile_pack, profile/heap/heap_pack: profiles survive the way to another process; bytes
 * that refer to what is not there are refused. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/err.h"
#include "profile/heap/heap.h"
#include "profile/heap/heap_pack.h"
#include "profile/profile.h"
#include "profile/profile_pack.h"

static struct profile *make(void)
{
	struct profile *p = profile_new(PROFILE_KEEP_ADDR | PROFILE_ADDR_IS_VALUES);
	struct frame frame = { .function = strtab_puts(p->strings, "main") };
	uint16_t event = profile_event(p, "cpu-clock", "ns");
	stack_id stack;

	frame.module = profile_module(p, "/usr/bin/true", "abcd");
	stack = profile_stack_push(p, STACK_EMPTY, profile_frame(p, &frame));
	frame.function = strtab_puts(p->strings, "work");
	frame.inlined = true;
	stack = profile_stack_push(p, stack, profile_frame(p, &frame));
	vec_push(&p->values, 17);
	vec_push(&p->objects, ((struct profile_object){ 0x1000, 5, frame.function }));
	profile_add(p, &(struct profile_sample){ .stack = stack,
						 .thread = profile_thread(p, 5, 6, "true"),
						 .event = event,
						 .weight = 1000 });
	p->meta.hostname = strtab_puts(p->strings, "host");
	vec_push(&p->meta.words, strtab_puts(p->strings, "true"));
	profile_count(p);
	return p;
}

static void test_profile_pack__nothing_is_lost(void **state)
{
	struct profile *p = make(), *back;
	struct buf bytes = { 0 }, again = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(0, profile_pack(p, &bytes));
	assert_int_equal(0, profile_unpack(bytes.data, bytes.len, &back, &err));
	assert_int_equal(0, profile_pack(back, &again));
	assert_int_equal(bytes.len, again.len);
	assert_memory_equal(bytes.data, again.data, again.len);
	assert_string_equal("host", profile_string(back, back->meta.hostname));
	/* it goes on as the other would */
	profile_add(back, &p->samples.item[0]);
	assert_int_equal(1, back->samples.count);
	assert_int_equal(2000, back->samples.item[0].weight);
	profile_free(p);
	profile_free(back);
	buf_done(&bytes);
	buf_done(&again);
}

/* Each byte changed, each end cut: refused, or a profile that can be used. */
static void test_profile_pack__damage_is_harmless(void **state)
{
	struct profile *p = make(), *back;
	struct buf bytes = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(0, profile_pack(p, &bytes));
	for (size_t at = 0; at < bytes.len; at++) {
		assert_int_equal(-EINVAL, profile_unpack(bytes.data, at, &back, &err));
		bytes.data[at] ^= 0x55;
		if (!profile_unpack(bytes.data, bytes.len, &back, &err)) {
			profile_count(back);
			profile_free(back);
		}
		bytes.data[at] ^= 0x55;
	}
	p->samples.item[0].stack.v = 3;
	buf_clear(&bytes);
	assert_int_equal(0, profile_pack(p, &bytes));
	assert_int_equal(-EINVAL, profile_unpack(bytes.data, bytes.len, &back, &err));
	profile_free(p);
	buf_done(&bytes);
}

static void test_heap_pack__sums_belong_to_a_profile(void **state)
{
	struct heap_summary summary = { .rate = 7, .samples = 3 }, back = { 0 };
	struct profile *p = make();
	struct buf bytes = { 0 };
	struct err err = { 0 };

	(void)state;
	vec_push(&summary.lives.process, ((struct heap_process){ 5, 100, 200 }));
	vec_push(&summary.lives.life,
		 ((struct heap_life){ .stack = { 2 }, .begin_ns = 100, .end_ns = 150 }));
	vec_push(&summary.grown.row, ((struct heap_grown){ .stack = { 1 }, .calls = 9 }));
	assert_int_equal(0, heap_pack(&summary, &bytes));
	assert_int_equal(0, heap_unpack(bytes.data, bytes.len, p, &back, &err));
	assert_int_equal(1, back.grown.row.count);
	assert_true(back.grown.row.item[0].calls == 9);
	assert_int_equal(7, back.rate);
	assert_int_equal(1, back.lives.life.count);
	assert_int_equal(150, back.lives.life.item[0].end_ns);
	heap_summary_done(&back);
	assert_int_equal(-EINVAL, heap_unpack(bytes.data, bytes.len - 1, p, &back, &err));
	summary.lives.life.item[0].stack.v = 3;
	buf_clear(&bytes);
	assert_int_equal(0, heap_pack(&summary, &bytes));
	assert_int_equal(-EINVAL, heap_unpack(bytes.data, bytes.len, p, &back, &err));
	summary.lives.life.item[0].stack.v = 2;
	summary.grown.row.item[0].stack.v = 3;
	buf_clear(&bytes);
	assert_int_equal(0, heap_pack(&summary, &bytes));
	assert_int_equal(-EINVAL, heap_unpack(bytes.data, bytes.len, p, &back, &err));
	heap_summary_done(&summary);
	profile_free(p);
	buf_done(&bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_profile_pack__nothing_is_lost),
		cmocka_unit_test(test_profile_pack__damage_is_harmless),
		cmocka_unit_test(test_heap_pack__sums_belong_to_a_profile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

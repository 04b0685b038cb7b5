/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writers of words by samples of breakpoints. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "profile/access/writers.h"

static void put(struct profile *p, const char *event, uint32_t tid, const char *function)
{
	const struct frame frame = { .function = strtab_puts(p->strings, function) };
	const struct profile_sample sample = {
		.event = profile_event(p, event, "count"),
		.stack = profile_stack_push(p, STACK_EMPTY, profile_frame(p, &frame)),
		.thread = profile_thread(p, 1, tid, "app"),
		.stop = STACK_STOP_ROOT,
		.weight = 1,
		.count = 1,
	};

	profile_add(p, &sample);
}

static void test_writers__words_and_sharing(void **state)
{
	struct profile *p = profile_new(0);
	struct writers writers;

	(void)state;
	put(p, "mem:0x1008/8:w", 2, "second");
	put(p, "mem:0x1000/8:w", 1, "other");
	put(p, "mem:0x1000/8:w", 1, "first");
	put(p, "mem:0x1000/8:w", 1, "first");
	put(p, "cpu-clock", 1, "first");
	writers_sum_up(p, &writers);
	assert_int_equal(writers.hits, 4);
	assert_int_equal(writers.item.count, 3);
	assert_int_equal(writers.item.item[0].word, 0x1000);
	assert_int_equal(writers.item.item[0].hits, 2);
	assert_int_equal(writers.item.item[2].word, 0x1008);
	assert_int_equal(writers_sharing(p, &writers), SHARING_FALSE);
	writers_done(&writers);
	profile_free(p);
}

static void test_writers__same_word_is_true_sharing(void **state)
{
	struct profile *p = profile_new(0);
	struct writers writers;

	(void)state;
	put(p, "mem:0x1000/8:w", 1, "first");
	writers_sum_up(p, &writers);
	assert_int_equal(writers_sharing(p, &writers), SHARING_NONE);
	writers_done(&writers);
	put(p, "mem:0x1000/8:w", 2, "second");
	writers_sum_up(p, &writers);
	assert_int_equal(writers_sharing(p, &writers), SHARING_TRUE);
	writers_done(&writers);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_writers__words_and_sharing),
		cmocka_unit_test(test_writers__same_word_is_true_sharing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

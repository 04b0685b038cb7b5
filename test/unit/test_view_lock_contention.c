/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Contention in perf's layouts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "profile/lock/contention.h"
#include "profile/profile.h"
#include "view/lock/contention_view.h"

static void test_contention_view__layouts(void **state)
{
	struct profile *p = profile_new(0);
	struct contention contention = { .by = CONTENTION_BY_CALLER };
	struct contention_view view = { .profile = p, .contention = &contention };
	struct buf out = { 0 };

	(void)state;
	vec_push(&contention.row,
		 ((struct contention_row){
			 .name = strtab_puts(p->strings, "a_function_with_a_long_name+0x29"),
			 .flags = 1,
			 .contended = 4,
			 .total_ns = 113750,
			 .max_ns = 83700,
			 .min_ns = 12 }));
	contention_text(&view, &out);
	assert_string_equal(
		out.data,
		" contended   total wait     max wait     avg wait         type   caller\n\n"
		"         4    113.75 us     83.70 us     28.44 us     spinlock   "
		"a_function_with_a_long_name+0x29\n");
	buf_clear(&out);
	view.separator = ",";
	contention_text(&view, &out);
	assert_string_equal(
		out.data, "# output: contended, total wait, max wait, avg wait, type, caller\n"
			  "4, 113750, 83700, 28437, spinlock, a_function_with_a_long_name+0x29\n");
	buf_clear(&out);
	contention_report(&view, &out);
	assert_non_null(strstr(out.data,
			       " a_function_with_...          4          4     28.44 us    "
			       "113.75 us     83.70 us        12 ns \n"));
	buf_clear(&out);
	contention_json(&view, &out);
	assert_non_null(strstr(out.data, "\"total_ns\": 113750, \"max_ns\": 83700"));
	buf_done(&out);
	contention_done(&contention);
	profile_free(p);
}

static void test_contention_view__fits_a_terminal(void **state)
{
	struct profile *p = profile_new(0);
	struct contention contention = { .by = CONTENTION_BY_CALLER };
	struct contention_view view = { .profile = p, .contention = &contention, .width = 80 };
	struct buf out = { 0 };

	(void)state;
	vec_push(&contention.row,
		 ((struct contention_row){
			 .name = strtab_puts(p->strings, "a_function_with_a_long_name+0x29"),
			 .address = 0xffffffff830f2960,
			 .flags = 1,
			 .contended = 4,
			 .total_ns = 113750,
			 .max_ns = 83700,
			 .min_ns = 12 }));
	contention_text(&view, &out);
	assert_string_equal(out.data,
			    "contended total wait   max wait   avg wait     type caller\n\n"
			    "        4  113.75 us   83.70 us   28.44 us spinlock "
			    "a_function_with_a_long_name\xe2\x80\xa6\n");
	buf_clear(&out);
	contention.by = CONTENTION_BY_LOCK;
	contention_text(&view, &out);
	assert_non_null(strstr(out.data, "ffffffff830f2960 a_functi\xe2\x80\xa6 (spinlock)\n"));
	buf_clear(&out);
	view.width = 120;
	contention_text(&view, &out);
	assert_non_null(strstr(out.data, "   a_function_with_a_long_name+0x29 (spinlock)\n"));
	buf_done(&out);
	contention_done(&contention);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_contention_view__layouts),
		cmocka_unit_test(test_contention_view__fits_a_terminal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

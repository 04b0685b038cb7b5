/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view/diff_warning: warnings about sides that are hard to compare, none about unknown data. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "profile/diff/diff.h"
#include "view/diff/diff_warning.h"

static struct profile *profile_with(const char *event, uint64_t period)
{
	struct profile *p = profile_new(0);
	struct profile_sample sample = { .thread = profile_thread(p, 1, 1, "x"),
					 .event = profile_event(p, event, ""),
					 .weight = period,
					 .count = 1 };

	for (int i = 0; i < 100; i++)
		profile_add(p, &sample);
	profile_count(p);
	return p;
}

static void warn(struct profile *before, struct profile *after, struct buf *ret)
{
	const struct profile *b = before, *a = after;
	struct diff_input input = { .runs = { &b, &a }, .count = { 1, 1 } };

	buf_clear(ret);
	(void)buf_puts(ret, "");
	diff_warnings(&input, NULL, ret);
	profile_free(before);
	profile_free(after);
}

static void test_diff_warnings__like_sides_have_none(void **state)
{
	struct buf text = { 0 };
	struct profile *a = profile_with("cycles", 1000), *b = profile_with("cycles", 1000);

	(void)state;
	a->meta.cpus = 8; /* the other does not know */
	a->meta.hostname = strtab_puts(a->strings, "here");
	warn(a, b, &text);
	assert_int_equal(text.len, 0);
	buf_done(&text);
}

static struct profile *profile_of_command(const char *comm)
{
	struct profile *p = profile_new(0);
	struct profile_sample sample = { .thread = profile_thread(p, 1, 1, "sh"), .weight = 1 };

	sample.event = profile_event(p, "cycles", "");
	profile_add(p, &sample);
	sample.thread = profile_thread(p, 2, 2, comm);
	sample.weight = 50;
	profile_add(p, &sample);
	profile_count(p);
	return p;
}

static bool warn_programs(const char *before, const char *after, struct buf *ret)
{
	struct profile *b = profile_of_command(before), *a = profile_of_command(after);
	struct diff_input input = { .runs = { (const struct profile *const[]){ b },
					      (const struct profile *const[]){ a } },
				    .count = { 1, 1 } };
	bool differ = diff_warn_programs(&input, ret);

	profile_free(a);
	profile_free(b);
	return differ;
}

static void test_diff_warnings__programs_of_two_names(void **state)
{
	struct buf text = { 0 };

	(void)state;
	assert_false(warn_programs("app", "app", &text));
	assert_false(warn_programs("sh", "app", &text)); /* which the other side has, too */
	assert_false(warn_programs("", "app", &text));
	assert_int_equal(text.len, 0);
	assert_true(warn_programs("app-1", "app-2", &text));
	assert_non_null(strstr(text.data, "the code of app-1 is compared with that of app-2"));
	buf_done(&text);
}

/* Weights with fractions are kept in parts, which need not be the same on both sides. */
static void test_diff_warnings__parts_are_no_periods(void **state)
{
	struct buf text = { 0 };
	struct profile *a = profile_with("value", 15), *b = profile_with("value", 150);

	(void)state;
	(void)profile_event_scale(a, 0, 10);
	(void)profile_event_scale(b, 0, 100);
	warn(a, b, &text);
	assert_int_equal(text.len, 0);
	buf_done(&text);
}

static void test_diff_warnings__name_each_difference(void **state)
{
	struct buf text = { 0 };
	struct profile *a = profile_with("cycles", 1000), *b = profile_with("cycles", 2000);

	(void)state;
	a->meta.cpus = 8;
	b->meta.cpus = 4;
	a->meta.cpu_desc = strtab_puts(a->strings, "Fast");
	b->meta.cpu_desc = strtab_puts(b->strings, "Slow");
	a->meta.os_release = strtab_puts(a->strings, "6.1");
	b->meta.os_release = strtab_puts(b->strings, "6.2");
	a->meta.duration_ns = 10000000000;
	b->meta.duration_ns = 30000000000;
	b->meta.lost_samples = 50;
	(void)profile_module(a, "/old/bin/app", "aa");
	(void)profile_module(b, "/new/bin/app", "bb");
	(void)profile_module(a, "/lib/same.so", "cc");
	(void)profile_module(b, "/lib/same.so", "cc");
	warn(a, b, &text);
	assert_string_equal(text.data,
			    "periods differ: a sample stands for 1000 before, for 2000 after\n"
			    "durations differ: 10 s before, 30 s after\n"
			    "50 samples were lost after\n"
			    "CPUs differ: Fast, Slow\n"
			    "numbers of CPUs differ: 8, 4\n"
			    "kernels differ: 6.1, 6.2\n"
			    "build ids differ: app\n");
	warn(profile_with("cycles", 1), profile_with("faults", 1), &text);
	assert_string_equal(text.data,
			    "different events are compared: cycles before, faults after\n"
			    "event cycles exists only before\nevent faults exists only after\n");
	warn(profile_with("cycles:u", 1), profile_with("cycles:uppp", 1), &text);
	assert_string_equal(text.data, "");
	warn(profile_with("cycles", 1), profile_with("cycles:P", 1), &text);
	assert_non_null(strstr(text.data, "cycles before, cycles:P after"));
	warn(profile_with("cycles:pp", 1), profile_with("cycles", 1), &text);
	assert_string_equal(text.data, "");
	warn(profile_with("cycles:u", 1), profile_with("cycles:k", 1), &text);
	assert_non_null(strstr(text.data, "different events"));
	buf_done(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_diff_warnings__like_sides_have_none),
		cmocka_unit_test(test_diff_warnings__programs_of_two_names),
		cmocka_unit_test(test_diff_warnings__parts_are_no_periods),
		cmocka_unit_test(test_diff_warnings__name_each_difference),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

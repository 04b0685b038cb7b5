/* SPDX-License-Identifier: GPL-2.0-or-later */
/* profile/recent: the oldest moment goes when a new one comes, and what is hidden is counted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "profile/recent.h"

static void add(struct profile *p, uint32_t pid, enum frame_kind kind, const char *name)
{
	struct frame frame = { .function = strtab_puts(p->strings, name), .kind = kind };
	struct profile_sample sample = { .event = profile_event(p, "cpu-clock", "ns"),
					 .thread = profile_thread(p, pid, pid, "x"),
					 .cpu = PROFILE_NO_CPU,
					 .weight = 10 };

	sample.stack = profile_stack_push(p, STACK_EMPTY, profile_frame(p, &frame));
	profile_add(p, &sample);
}

static struct profile *moment(const char *name)
{
	struct profile *p = profile_new(0);

	add(p, 1, FRAME_USER, name);
	p->meta.duration_ns = 1000;
	p->meta.lost_samples = 3;
	return p;
}

static void test_recent__the_oldest_goes(void **state)
{
	struct recent recent = { .most = 2 };
	struct profile *sum;

	(void)state;
	recent_push(&recent, moment("first"));
	recent_push(&recent, moment("second"));
	recent_push(&recent, moment("third"));
	sum = recent_sum(&recent);
	assert_int_equal(sum->events.item[0].weight, 20);
	assert_int_equal(sum->events.item[0].samples, 2);
	assert_int_equal(sum->meta.duration_ns, 2000);
	assert_int_equal(sum->meta.lost_samples, 6);
	for (size_t i = 0; i < sum->frames.count; i++)
		assert_string_not_equal(profile_string(sum, sum->frames.item[i].function), "first");
	profile_free(sum);
	recent_clear(&recent);
	sum = recent_sum(&recent);
	assert_int_equal(sum->samples.count, 0);
	profile_free(sum);
}

static struct profile *mixed(void)
{
	struct profile *p = profile_new(0);

	add(p, 1, FRAME_USER, "work");
	add(p, 1, FRAME_KERNEL, "do_idle"); /* another function of that name */
	add(p, 0, FRAME_KERNEL, "intel_idle.constprop.0");
	add(p, 0, FRAME_KERNEL, "pv_native_safe_halt");
	add(p, 0, FRAME_KERNEL, "default_idler"); /* is no such */
	return p;
}

static void test_recent__hides_and_counts(void **state)
{
	struct profile *p = mixed();

	(void)state;
	assert_int_equal(recent_hide(p, RECENT_IDLE), 2);
	assert_int_equal(p->events.item[0].weight, 30);
	assert_int_equal(p->events.item[0].samples, 3);
	assert_int_equal(recent_count(p, RECENT_KERNEL), 2);
	assert_int_equal(recent_hide(p, RECENT_KERNEL), 2);
	assert_int_equal(p->samples.count, 1);
	assert_int_equal(p->events.item[0].weight, 30); /* a share of all, as before */
	assert_int_equal(recent_hide(p, RECENT_USER), 1);
	assert_int_equal(p->samples.count, 0);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_recent__the_oldest_goes),
		cmocka_unit_test(test_recent__hides_and_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Work of the kernel: runs, delays, CPUs and threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "profile/kwork.h"
#include "profile/profile.h"

#include "kwork_events.h"

static const struct kwork_row *find(const struct kwork *kwork, const struct profile *p,
				    const char *name)
{
	for (size_t i = 0; i < kwork->row.count; i++)
		if (strcmp(profile_string(p, kwork->row.item[i].name), name) == 0)
			return &kwork->row.item[i];
	return NULL;
}

static void test_kwork__runs_and_delays(void **state)
{
	struct profile *p = make();
	struct kwork kwork = { 0 };
	const struct kwork_row *row;

	(void)state;
	kwork_fill(&kwork, p, ALL, NULL);
	assert_int_equal(kwork.unpaired, 1);
	assert_int_equal(kwork.run.count, 3);
	row = find(&kwork, p, "(s)TIMER:1");
	assert_non_null(row);
	assert_int_equal(row->run.ns, 20000);
	assert_int_equal(row->delay.ns, 10000);
	row = find(&kwork, p, "disk:41");
	assert_non_null(row);
	assert_int_equal(row->run.ns, 3000);
	assert_int_equal(row->delay.count, 0);
	row = find(&kwork, p, "(w)flush");
	assert_non_null(row);
	assert_int_equal(row->cpu, 1);
	assert_int_equal(row->delay.ns, 100000);
	/* CPU 1 ran the thread up to 1500, and nothing after; CPU 0 was idle up to 1600. */
	assert_int_equal(kwork.cpu.item[0].idle_ns, 600000);
	assert_int_equal(kwork.cpu.item[1].idle_ns, 500000);
	assert_int_equal(kwork.cpu.item[0].irq_ns, 3000);
	kwork_sort(&kwork, false, KWORK_BY_TIME);
	assert_int_equal(kwork.task.item[0].tid, 7);
	assert_int_equal(kwork.task.item[0].ns, 900000);
	assert_int_equal(kwork.row.item[0].run.ns, 100000);
	kwork_done(&kwork);
	profile_free(p);
}

static void test_kwork__choice(void **state)
{
	struct profile *p = make();
	struct kwork kwork = { 0 };

	(void)state;
	kwork_fill(&kwork, p, 1u << KWORK_IRQ | 1u << KWORK_SOFTIRQ, "TIMER");
	assert_int_equal(kwork.run.count, 1);
	assert_int_equal(kwork.task.count, 0);
	kwork_done(&kwork);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_kwork__runs_and_delays),
					    cmocka_unit_test(test_kwork__choice) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}

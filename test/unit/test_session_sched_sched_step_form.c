/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/sched/sched_step_form: which tracepoints are steps of what, and what their numbers mean.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "profile/sched/sched_spans.h"
#include "session/sched/sched_plan.h"
#include "session/sched/sched_step_form.h"

static struct sched_step step_of(const char *event, int64_t number, int64_t place, int64_t value)
{
	const struct sched_step_form *form = sched_step_form_find(event);
	int64_t numbers[] = { number, place, value };
	struct sched_step step;

	assert_non_null(form);
	sched_step_make(form, numbers, "vda", 3, &step);
	return step;
}

static void test_form__calls_have_a_file_and_bytes(void **state)
{
	struct sched_step enter = step_of("syscalls:sys_enter_pread64", 0, 3, 0);
	struct sched_step leave = step_of("syscalls:sys_exit_pread64", 0, 0, 4096);

	(void)state;
	assert_int_equal(enter.lane, SCHED_LANE_CALLS);
	assert_true(enter.begins && !enter.ends && leave.ends && !leave.begins);
	assert_int_equal(enter.doing, SCHED_DOING_READ);
	assert_int_equal(enter.number, leave.number);
	assert_int_equal(enter.place, 3);
	assert_int_equal(leave.value, 4096);
	assert_string_equal(enter.name, "pread64");
	assert_int_equal(step_of("syscalls:sys_enter_sync", 0, 0, 0).place, UINT64_MAX);
	assert_int_equal(step_of("syscalls:sys_exit_sendmmsg", 0, 0, 7).value, 0); /* messages */
	assert_int_equal(step_of("syscalls:sys_exit_poll", 0, 0, -EINTR).value, -EINTR);
}

static void test_form__others(void **state)
{
	struct sched_step soft = step_of("irq:softirq_entry", 3, 0, 0);

	(void)state;
	assert_string_equal(soft.name, "NET_RX");
	assert_int_equal(soft.name_len, 6);
	assert_ptr_not_equal(step_of("irq:softirq_entry", 99, 0, 0).name, NULL);
	assert_int_equal(step_of("block:block_rq_issue", 9, 64, 512).place, 64);
	assert_true(step_of("net:net_dev_xmit", 0, 0, 60).ends);
	assert_null(sched_step_form_find("syscalls:sys_enter_getpid"));
}

static void test_form__all_are_found(void **state)
{
	size_t count = 0;

	(void)state;
	for (const struct sched_step_form *form; (form = sched_step_form_at(count)); count++)
		assert_ptr_equal(sched_step_form_find(form->event), form);
	assert_true(count > 50);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_form__calls_have_a_file_and_bytes),
		cmocka_unit_test(test_form__others),
		cmocka_unit_test(test_form__all_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

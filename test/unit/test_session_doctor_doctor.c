/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/doctor: every check has an answer here, under one name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "session/doctor/doctor.h"

static void test_doctor_examine__answers_each_check(void **state)
{
	struct doctor_options options = { .root = "" };
	struct doctor_report report;

	(void)state;
	doctor_examine(&options, &report);
	assert_true(report.count > 30 && report.elapsed_ns);
	for (size_t i = 0; i < report.count; i++) {
		const struct doctor_finding *finding = &report.finding[i];

		assert_true(finding->found && finding->found[0]);
		assert_true(finding->level < DOCTOR_LEVELS && finding->group < DOCTOR_GROUPS);
		if (finding->level == DOCTOR_OK)
			assert_true(!finding->consequence && !finding->fix && !finding->command);
		assert_ptr_equal(doctor_find(&report, finding->name), finding);
	}
	assert_null(doctor_find(&report, "nonsense"));
	doctor_report_done(&report);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_doctor_examine__answers_each_check),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view/report/report_page: measures are of the event's whole, rows below the limit are left out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "view/report/report.h"
#include "view/report/report_page.h"

static void test_report_page__measures(void **state)
{
	const struct report_column self = { .measure = REPORT_SELF };
	const struct report_column children = { .measure = REPORT_CHILDREN };
	const struct report_column samples = { .measure = REPORT_SAMPLES };
	const struct report_cost cost = { .self = 50, .total = 150, .samples = 7 };
	struct report_page page = { 0 };

	(void)state;
	vec_push(&page.table.members, ((struct report_member){ .weight = 200 }));
	report_page_measure(&page, &self, &cost, 0);
	assert_memory_equal("25.00%", page.cell.data, page.cell.len);
	report_page_measure(&page, &children, &cost, 0);
	assert_memory_equal("75.00%", page.cell.data, page.cell.len);
	report_page_measure(&page, &samples, &cost, 0);
	assert_memory_equal("7", page.cell.data, page.cell.len);
	buf_done(&page.cell);
	vec_done(&page.table.members);
}

static void test_report_page__limit(void **state)
{
	const struct report_options options = { .percent_limit = 1 };
	const struct report_page page = { .options = &options, .table.weight = 1000 };

	(void)state;
	assert_true(report_page_shows(&page, 10));
	assert_false(report_page_shows(&page, 9));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_report_page__measures),
		cmocka_unit_test(test_report_page__limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

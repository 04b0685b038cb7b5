/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Work of the kernel in perf's layouts, and as JSON. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "profile/kwork.h"
#include "view/kwork_view.h"

#include "kwork_events.h"

static void test_kwork_view__layouts(void **state)
{
	struct profile *p = make();
	struct kwork kwork = { 0 };
	const struct kwork_view view = { .profile = p, .kwork = &kwork, .summary = true };
	struct buf out = { 0 };

	(void)state;
	kwork_fill(&kwork, p, ALL, NULL);
	kwork_timehist_text(&view, &out);
	assert_non_null(strstr(out.data,
			       "          0.001020           0.001040  [0000]  "
			       "(s)TIMER:1                           0.020       0.010 \n"));
	buf_clear(&out);
	kwork_report_text(&view, &out);
	assert_non_null(strstr(
		out.data, "  (s)TIMER:1                     | 0000 |      0.020 ms |         1 |"
			  "      0.020 ms |          0.001020 s |          0.001040 s |\n"));
	assert_non_null(strstr(out.data, "  Total count            :         3\n"));
	buf_clear(&out);
	kwork_latency_text(&view, &out);
	assert_non_null(strstr(out.data, "| 0001 |      0.100 ms |         1 |"));
	assert_null(strstr(out.data, "disk:41"));
	buf_clear(&out);
	kwork_top_text(&view, &out);
	assert_non_null(strstr(out.data, "Total  :        2.00 ms, 2 cpus\n"));
	assert_non_null(strstr(out.data, "        7   90.00          0.900 ms  app\n"));
	buf_clear(&out);
	kwork_json(&view, &out);
	assert_non_null(strstr(out.data, "\"class\": \"softirq\", \"name\": \"(s)TIMER:1\""));
	buf_clear(&out);
	kwork.task.count = 0; /* as without switches: how long CPUs were idle is not known */
	kwork_top_text(&view, &out);
	assert_non_null(strstr(out.data, "%Cpu(s):       - id,"));
	assert_null(strstr(out.data, "%Cpu0"));
	buf_clear(&out);
	kwork_json(&view, &out);
	assert_non_null(strstr(out.data, "\"idle_ns\": null"));
	buf_done(&out);
	kwork_done(&kwork);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_kwork_view__layouts) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}

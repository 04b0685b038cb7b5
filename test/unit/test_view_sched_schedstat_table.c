/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view/sched/schedstat_table: shares, times between, masks of CPUs, and two runs side by side. The
 * whole of a table: test/golden/sched_stats. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "profile/sched/schedstat.h"
#include "view/sched/schedstat_table.h"

static void fill(struct schedstat *stat, uint64_t factor)
{
	struct schedstat_cpu cpu = { .cpu = 7, .domain_count = 1 };
	struct schedstat_domain domain = { .name = "MC", .cpus = "00000101,8000000d" };

	*stat = (struct schedstat){ .version = 17, .jiffies = 100, .unmatched = 2 };
	cpu.value[2] = 40 * factor;
	cpu.value[3] = 10 * factor;
	domain.value[0] = 8 * factor; /* busy_lb_count */
	domain.value[1] = 2 * factor; /* balanced */
	domain.value[2] = 2 * factor; /* failed */
	domain.value[7] = 6 * factor; /* gained */
	vec_push(&stat->cpu, cpu);
	vec_push(&stat->domain, domain);
}

static void has(const struct buf *text, const char *part)
{
	if (!strstr(text->data, part))
		fail_msg("no '%s' in:\n%s", part, text->data);
}

static void test_one_run(void **state)
{
	struct schedstat stat;
	struct buf out = { 0 };

	(void)state;
	fill(&stat, 1);
	schedstat_report(&stat, &out);
	has(&out, "sched_goidle                                                     :          10  "
		  "(    25.00% )\n");
	has(&out, "busy_lb_count                                                    :           8  "
		  "$       12.50 $\n");
	has(&out,
	    "*busy_lb_success_count                                           :           4\n");
	has(&out,
	    "*busy_lb_avg_pulled                                              :        1.50\n");
	has(&out, "\nCPU 7, DOMAIN MC CPUS 0,2-3,31-32,40\n");
	has(&out, "2 CPUs appear in only one of the two snapshots");
	buf_done(&out);
	schedstat_done(&stat);
}

static void test_two_runs(void **state)
{
	struct schedstat first, second;
	struct buf out = { 0 };

	(void)state;
	fill(&first, 2);
	fill(&second, 1);
	schedstat_compare(&first, &second, &out);
	has(&out, "sched_count                                                      :          80, "
		  "        40  |   -50.00% |\n");
	has(&out, "*busy_lb_avg_pulled                                              :        1.50, "
		  "      1.50  |     0.00% |\n");
	buf_done(&out);
	schedstat_done(&first);
	schedstat_done(&second);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_run),
		cmocka_unit_test(test_two_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

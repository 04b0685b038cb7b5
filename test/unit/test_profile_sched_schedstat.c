/* SPDX-License-Identifier: GPL-2.0-or-later */
/* profile/sched/schedstat: layouts of all versions, and what happened between two readings when
 * counters begin again and CPUs come and go. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "profile/sched/schedstat.h"

static void test_layouts(void **state)
{
	struct schedstat_field field[SCHEDSTAT_DOMAIN_FIELDS];

	(void)state;
	assert_int_equal(schedstat_domain_layout(15, field), 36);
	assert_string_equal(field[0].name, "idle_lb_count");
	assert_string_equal(field[3].name, "idle_lb_imbalance");
	assert_string_equal(field[8].name, "busy_lb_count");
	assert_int_equal(schedstat_domain_layout(16, field), 36);
	assert_string_equal(field[0].name, "busy_lb_count");
	assert_string_equal(field[16].name, "newidle_lb_count");
	assert_int_equal(schedstat_domain_layout(17, field), 45);
	assert_string_equal(field[6].name, "busy_lb_imbalance_misfit");
	assert_string_equal(field[33].name, "alb_count");
	assert_string_equal(field[44].name, "ttwu_move_balance");
	assert_int_equal(schedstat_cpu_layout(field), SCHEDSTAT_CPU_FIELDS);
	assert_string_equal(field[field[7].share_of].name, "rq_cpu_time");
}

static void add_cpu(struct schedstat *stat, uint32_t number, uint64_t yields, uint64_t runtime)
{
	struct schedstat_cpu cpu = { .cpu = number, .first_domain = stat->domain.count };
	struct schedstat_domain domain = { .name = "MC", .cpus = "3" };

	cpu.value[0] = yields;
	cpu.value[6] = runtime;
	cpu.domain_count = 1;
	domain.value[0] = yields;
	vec_push(&stat->cpu, cpu);
	vec_push(&stat->domain, domain);
}

static void test_between(void **state)
{
	struct schedstat before = { .version = 17, .jiffies = 100 };
	struct schedstat after = { .version = 17, .jiffies = 350 }, between, mean;

	(void)state;
	add_cpu(&before, 0, UINT32_MAX - 4, UINT64_MAX);
	add_cpu(&before, 1, 10, 0);
	add_cpu(&before, 2, 10, 0); /* goes */
	add_cpu(&after, 0, 5, 9);
	add_cpu(&after, 1, 40, 30);
	schedstat_between(&before, &after, &between);
	assert_int_equal(between.jiffies, 250);
	assert_int_equal(between.cpu.count, 2);
	assert_int_equal(between.unmatched, 1);
	assert_int_equal(between.cpu.item[0].value[0], 10);
	assert_int_equal(between.cpu.item[0].value[6], 10);
	assert_int_equal(between.cpu.item[1].value[0], 30);
	assert_int_equal(between.domain.item[1].value[0], 30);
	schedstat_mean(&between, &mean);
	assert_int_equal(mean.cpu.count, 1);
	assert_int_equal(mean.cpu.item[0].value[0], 20);
	assert_int_equal(mean.domain.count, 1);
	assert_int_equal(mean.domain.item[0].value[0], 20);
	assert_string_equal(mean.domain.item[0].name, "MC");
	schedstat_done(&mean);
	schedstat_done(&between);
	schedstat_done(&before);
	schedstat_done(&after);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layouts),
		cmocka_unit_test(test_between),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

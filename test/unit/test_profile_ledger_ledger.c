/* SPDX-License-Identifier: GPL-2.0-or-later */
/* profile/ledger/ledger: states add up, running time is divided, missing data is reported. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "profile/ledger/ledger.h"

static struct ledger_thread thread(uint32_t tid, uint64_t born_ns, uint64_t end_ns)
{
	return (struct ledger_thread){
		.tid = tid, .tgid = 1, .comm = "w", .born_ns = born_ns, .end_ns = end_ns
	};
}

static void test_sums(void **state)
{
	struct ledger_thread one = thread(1, 1000, 2000);
	struct ledger_sums sums = { 0 };

	(void)state;
	one.cell[LEDGER_RUNNING] = (struct ledger_cell){ 400, 2, 300 };
	one.cell[LEDGER_DISK] = (struct ledger_cell){ 350, 7, 100 };
	one.cell[LEDGER_POLL] = (struct ledger_cell){ 200, 1, 200 };
	one.user_ns = 30;
	one.system_ns = 10;
	ledger_sums_add(&sums, &one);
	assert_int_equal(sums.lifetime_ns, 1000);
	assert_int_equal(sums.state_ns[LEDGER_STATE_RUNNING_USER], 300);
	assert_int_equal(sums.state_ns[LEDGER_STATE_RUNNING_KERNEL], 100);
	assert_int_equal(sums.state_ns[LEDGER_STATE_BLOCKED], 350);
	assert_int_equal(sums.state_ns[LEDGER_STATE_IDLE], 200);
	assert_int_equal(sums.unaccounted_ns, 50);
	one.cell[LEDGER_DISK].max_ns = 120;
	one.cell[LEDGER_DISK].ns = 450; /* accounted twice is as wrong as not at all */
	ledger_sums_add(&sums, &one);
	assert_int_equal(sums.unaccounted_ns, 50 + 50);
	assert_int_equal(sums.cell[LEDGER_DISK].count, 14);
	assert_int_equal(sums.cell[LEDGER_DISK].max_ns, 120);
	assert_int_equal(sums.threads, 2);
}

static void test_finish(void **state)
{
	struct ledger ledger = { .start_ns = 0, .end_ns = 5000 };
	struct ledger_link light = { .edge.wait.ns = 1 }, heavy = { .edge.wait.ns = 2 };

	(void)state;
	vec_push(&ledger.thread, thread(9, 10, 0));
	vec_push(&ledger.thread, thread(8, 10, 100));
	vec_push(&ledger.thread, thread(9, 5, 9)); /* an earlier life of the same id */
	vec_push(&ledger.link, light);
	vec_push(&ledger.link, heavy);
	ledger_finish(&ledger);
	assert_int_equal(ledger.thread.item[0].tid, 8);
	assert_int_equal(ledger.thread.item[2].end_ns, 5000);
	assert_int_equal(ledger.link.item[0].edge.wait.ns, 2);
	assert_int_equal(ledger_find(&ledger, 9)->born_ns, 10);
	assert_null(ledger_find(&ledger, 7));
	ledger_done(&ledger);
}

static void test_names(void **state)
{
	(void)state;
	for (int i = 0; i < LEDGER_ACCOUNTS; i++) {
		assert_non_null(ledger_reason_name((enum ledger_account)i));
		assert_in_range(ledger_state_of((enum ledger_account)i), 0, LEDGER_STATES - 1);
	}
	assert_string_equal(ledger_state_name(LEDGER_STATE_BLOCKED), "blocked");
	assert_string_equal(ledger_relation_name(LEDGER_HELD_BY), "held-by");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sums),
		cmocka_unit_test(test_finish),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view/ledger/interval_histogram: groups, differences, BCC's layout, JSON. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "view/ledger/interval_histogram.h"

static struct ledger ledger_of_two(void)
{
	struct ledger_thread one = { .tid = 11, .tgid = 10, .comm = "w" };
	struct ledger_thread two = { .tid = 12, .tgid = 10, .comm = "w" };
	struct ledger ledger = { 0 };

	one.histogram[LEDGER_INTERVAL_RUNNABLE][0] = 1;
	one.histogram[LEDGER_INTERVAL_RUNNABLE][3] = 4;
	two.histogram[LEDGER_INTERVAL_RUNNABLE][3] = 4;
	vec_push(&ledger.thread, one);
	vec_push(&ledger.thread, two);
	return ledger;
}

static void add(struct interval_histograms *histograms, const struct ledger *ledger)
{
	for (size_t i = 0; i < ledger->thread.count; i++)
		interval_histograms_add(histograms, &ledger->thread.item[i],
					LEDGER_INTERVAL_RUNNABLE);
}

static const struct interval_view view = { "usecs", "run queue latency", 0 };

static void test_text(void **state)
{
	struct ledger ledger = ledger_of_two();
	struct interval_histograms all = { .group = INTERVAL_ALL };
	struct buf out = { 0 };

	(void)state;
	add(&all, &ledger);
	interval_histograms_text(&all, &view, &out);
	assert_string_equal(
		out.data,
		"     usecs               : count     distribution\n"
		"         0 -> 1          : 1        |*****                                   |\n"
		"         2 -> 3          : 0        |                                        |\n"
		"         4 -> 7          : 0        |                                        |\n"
		"         8 -> 15         : 8        |****************************************|\n");
	buf_done(&out);
	interval_histograms_done(&all);
	ledger_done(&ledger);
}

static void test_difference(void **state)
{
	struct ledger ledger = ledger_of_two();
	struct interval_histograms before = { .group = INTERVAL_THREAD };
	struct interval_histograms after = { .group = INTERVAL_THREAD };
	struct buf out = { 0 };

	(void)state;
	add(&before, &ledger);
	ledger.thread.item[0].histogram[LEDGER_INTERVAL_RUNNABLE][5] = 2;
	ledger.thread.item[1].histogram[LEDGER_INTERVAL_RUNNABLE][3] = 1; /* another life */
	add(&after, &ledger);
	interval_histograms_subtract(&after, &before);
	interval_histograms_json(&after, &view, &out);
	assert_string_equal(out.data,
			    "{\"cupel\":1,\"what\":\"run queue latency\",\"unit\":\"usecs\","
			    "\"histograms\":[{\"tid\":11,\"comm\":\"w\",\"buckets\":["
			    "{\"from\":32,\"to\":63,\"count\":2}]},"
			    "{\"tid\":12,\"comm\":\"w\",\"buckets\":[]}]}\n");
	buf_done(&out);
	interval_histograms_done(&before);
	interval_histograms_done(&after);
	ledger_done(&ledger);
}

/* The wait that is on at the end has no place in the distribution, nor in the average. */
static void test_totals(void **state)
{
	const struct interval_view totals = { "usecs", "run queue latency", 1000 };
	struct ledger ledger = ledger_of_two();
	struct interval_histograms all = { .group = INTERVAL_PID_NAMESPACE };
	struct buf out = { 0 };

	(void)state;
	ledger.thread.item[0].cell[LEDGER_WOKEN].ns = 30000;
	ledger.thread.item[0].cell[LEDGER_PREEMPTED].ns = 25000;
	ledger.thread.item[0].account = LEDGER_WOKEN;
	ledger.thread.item[0].since_ns = 5000;
	ledger.thread.item[0].end_ns = 6000;
	ledger.thread.item[1].cell[LEDGER_WOKEN].ns = 36000;
	ledger.thread.item[1].cell[LEDGER_SLEEP].ns = 1;
	ledger.thread.item[1].account = LEDGER_ACCOUNTS;
	ledger.thread.item[0].pid_ns = ledger.thread.item[1].pid_ns = 4026531836;
	add(&all, &ledger);
	interval_histograms_text(&all, &totals, &out);
	assert_memory_equal(out.data, "\npidns = 4026531836\n     usecs ", 31);
	assert_non_null(strstr(out.data, "\navg = 10 usecs, total: 90 usecs, count: 9\n\n"));
	buf_clear(&out);
	interval_histograms_json(&all, &totals, &out);
	assert_non_null(strstr(out.data, "[{\"pidns\":4026531836,\"total_ns\":90000,\"count\":9,"
					 "\"buckets\":["));
	buf_done(&out);
	interval_histograms_done(&all);
	ledger_done(&ledger);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_difference),
		cmocka_unit_test(test_totals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

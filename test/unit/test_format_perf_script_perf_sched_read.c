/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text of perf script with the scheduler's events, read as waits. */
#include "format/format.h"
#include "text_profile.h"

/* One wait with a known beginning, the same twice, and one without a beginning; then
 * without sched_stat_*, in the other layout of the fields. */
static void test_perf_sched__waits(void **state)
{
	static const char mixed[] =
		"a 7/8 [006] 10.1: sched:sched_stat_sleep: comm=c pid=9 delay=5 [ns]\n\n"
		"a 7/8 [006] 10.2: 1 cycles: \n\t1 f (/a)\n\n";

	(void)state;
	assert_text("a b 7/8 [006] 10.000100: sched:sched_switch: prev_comm=a b prev_pid=8 "
		    "prev_prio=120 prev_state=S ==> next_comm=swapper/6 next_pid=0 next_prio=120\n"
		    "\tffffffff81000100 schedule+0x10 ([kernel.kallsyms])\n"
		    "\t          c60849 C::wait(int) (/bin/a)\n\n"
		    "swapper 0/0 [002] 10.001000: sched:sched_stat_sleep: comm=a b pid=8 "
		    "delay=800000 [ns]\n\tffffffff81000900 wake ([kernel.kallsyms])\n\n"
		    "swapper 0/0 [002] 10.001000: sched:sched_stat_sleep: comm=a b pid=8 "
		    "delay=800000 [ns]\n\n"
		    "swapper 0/0 [002] 10.001000: sched:sched_stat_blocked: comm=c pid=9 "
		    "delay=5 [ns]\n\n",
		    "perf-sched", "off-cpu", "a_b;C::wait(int);schedule 800000\n");
	/* Beside other events these are events like others. */
	assert_int_equal(format_perf_sched.sniff((const uint8_t *)mixed, sizeof(mixed) - 1), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_perf_sched__waits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

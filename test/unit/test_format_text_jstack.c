/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Thread dumps of the JVM. */
#include "text_profile.h"

static void test_jstack__states(void **state)
{
	static const char text[] =
		"2024-01-02 03:04:05\nFull thread dump OpenJDK 64-Bit Server VM:\n\n"
		"\"main\" #1 prio=5 os_prio=0 tid=0x1 nid=0x2 runnable [0x3]\n"
		"   java.lang.Thread.State: RUNNABLE\n\tat a.B.f(B.java:12)\n"
		"\t- locked <0x4> (a java.lang.Object)\n\tat a.B.main(B.java)\n\n"
		"\"pool 1\" #2 prio=5\n   java.lang.Thread.State: WAITING (parking)\n"
		"\tat jdk.Unsafe.park(Native Method)\n\n"
		"\"GC Thread#0\" os_prio=0 tid=0x5 nid=0x6 runnable \n\n";

	(void)state;
	assert_text(text, "jstack", "runnable", "main;a.B.main;a.B.f 1\n");
	assert_text(text, "jstack", "waiting", "pool_1;jdk.Unsafe.park 1\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_jstack__states),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Maps of bpftrace with stacks as keys. */
#include "text_profile.h"

static void test_bpftrace__maps(void **state)
{
	static const char text[] =
		"Attaching 1 probe...\n\n@count: 3\n"
		"@[\n    schedule+18\n    do_wait+4\n, \n    read+1\n    main+20\n, a b, 12]: 34\n"
		"@[\n    f(int)+7\n]: 2\n"
		"@us[\n    g+7\n]: \n[2, 4)    3 |@@@|\n";

	(void)state;
	assert_text(text, "bpftrace", "samples", "a_b;main;read;do_wait;schedule 34\nf(int) 2\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bpftrace__maps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

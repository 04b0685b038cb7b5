/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unfolded stacks of BCC's tools become what the tools' -f prints. */
#include "text_profile.h"

static void test_bcc_stacks__off_cpu(void **state)
{
	(void)state;
	assert_text("Tracing off-CPU time (us) of all threads by user + kernel stack... Hit Ctrl-C "
		    "to end.\n\n"
		    "    schedule\n    do_wait\n    --\n    read\n    main loop\n"
		    "    -                a b (12)\n        345\n\n"
		    "    schedule\n    -                swapper/1 (0)\n        5\n\n",
		    "bcc-stacks", NULL,
		    "a_b;main loop;read;do_wait;schedule 345000\nswapper/1;schedule 5000\n");
}

static void test_bcc_stacks__wakers(void **state)
{
	(void)state;
	assert_text("    target:          cat\n    wake\n    write\n    waker:           yes\n"
		    "        7\n\n",
		    "bcc-stacks", NULL, "yes;write;wake;cat 7000\n");
	assert_text("    waker:           yes 3\n    write\n    wake\n    --               --\n"
		    "    schedule\n    read\n    target:          cat 4\n        7\n\n",
		    "bcc-stacks", NULL, "cat;read;schedule;--;wake;write;yes 7000\n");
}

static void test_bcc_stacks__samples(void **state)
{
	(void)state;
	assert_text("Sampling at 49 Hertz of all threads by user + kernel stack... Hit Ctrl-C to "
		    "end.\n\n    f\n    main\n    -                a (12)\n        3\n\n",
		    "bcc-stacks", NULL, "a;main;f 3\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bcc_stacks__off_cpu),
		cmocka_unit_test(test_bcc_stacks__wakers),
		cmocka_unit_test(test_bcc_stacks__samples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

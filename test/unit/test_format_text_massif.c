/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The heap at its peak. */
#include "text_profile.h"

static void test_massif__peak(void **state)
{
	static const char text[] =
		"desc: --detailed-freq=1\ncmd: ./a\ntime_unit: i\n"
		"#-----------\nsnapshot=0\n#-----------\ntime=0\nmem_heap_B=10\n"
		"heap_tree=detailed\nn0: 10 (heap allocation functions) malloc/new/new[]\n"
		"#-----------\nsnapshot=1\n#-----------\ntime=5\nheap_tree=peak\n"
		"n2: 120 (heap allocation functions) malloc/new/new[], --alloc-fns, etc.\n"
		" n1: 100 0x4005BB: f(int) (a.c:12)\n"
		"  n0: 90 0x4005CC: main (in /bin/a)\n"
		" n0: 15 in 2 places, all below massif's threshold (1.00%)\n"
		"#-----------\nsnapshot=2\n";

	(void)state;
	assert_text(text, "massif", NULL, "f(int);malloc 10\nmain;f(int);malloc 90\nmalloc 20\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_massif__peak),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

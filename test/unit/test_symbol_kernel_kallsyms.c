/* SPDX-License-Identifier: GPL-2.0-or-later */
/* symbol/kallsyms: text symbols of kernel and modules, hidden addresses, garbage. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "symbol/kernel/kallsyms.h"

static int parse(const char *text, struct kallsyms *ret, struct err *err)
{
	return kallsyms_parse(strdup(text), strlen(text), ret, err);
}

static const char *name_at(const struct kallsyms *k, uint64_t address)
{
	const struct range *range = range_table_find(&k->ranges, address);

	return range ? k->text + range->name : NULL;
}

static void test_kallsyms__symbols_reach_to_the_next(void **state)
{
	struct err err = { 0 };
	struct kallsyms k;

	(void)state;
	assert_int_equal(0, parse("ffffffff81000000 T _stext\nffffffff81000000 T _text\n"
				  "ffffffff81000040 t one\nffffffff81000080 D data\n"
				  "ffffffff810000c0 W two\n",
				  &k, &err));
	assert_int_equal(0xffffffff81000000, k.text_start);
	assert_null(name_at(&k, 0xffffffff80ffffff));
	assert_string_equal("_text", name_at(&k, 0xffffffff81000000)); /* the last listed */
	assert_string_equal("one", name_at(&k, 0xffffffff810000bf));   /* data is not text */
	assert_string_equal("two", name_at(&k, 0xffffffff810000c0));
	assert_string_equal("two", name_at(&k, 0xffffffff81000fff));
	assert_null(name_at(&k, 0xffffffff81001000));
	assert_int_equal('w', range_table_find(&k.ranges, 0xffffffff810000c0)->tag & 0xff);
	kallsyms_done(&k);
}

static void test_kallsyms__modules_end_at_their_last_page(void **state)
{
	struct err err = { 0 };
	struct kallsyms k;

	(void)state;
	assert_int_equal(0, parse("ffffffffc0300000 t b_init\t[b]\n"
				  "ffffffffc0201000 t a_init\t[a]\nffffffffc0201010 T a_run\t[a]\n"
				  "ffffffffc0400000 t bpf_prog_6deef7357e7b4530_x\t[bpf]\n",
				  &k, &err));
	assert_int_equal(0, k.text_start);
	assert_string_equal("a_run", name_at(&k, 0xffffffffc0201fff));
	assert_null(name_at(&k, 0xffffffffc0202000));
	assert_string_equal("b_init", name_at(&k, 0xffffffffc0300001));
	assert_string_equal("bpf_prog_6deef7357e7b4530_x", name_at(&k, 0xffffffffc0400010));
	kallsyms_done(&k);
}

static void test_kallsyms__hidden_addresses_are_an_error(void **state)
{
	struct err err = { 0 };
	struct kallsyms k;

	(void)state;
	assert_int_equal(-EPERM,
			 parse("0000000000000000 T _text\n0000000000000000 t a\n", &k, &err));
	assert_non_null(strstr(err.msg, "kptr_restrict"));
	assert_int_equal(-ENODATA, parse("nothing here\n", &k, &err));
}

static void test_kallsyms__garbage_is_counted(void **state)
{
	struct err err = { 0 };
	struct kallsyms k;

	(void)state;
	assert_int_equal(0, parse("ffffffff81000000 T ok\n\nxyz T a\n"
				  "fffffffff81000000 T too_many_digits\nffffffff81000000 T\n"
				  "ffffffff81000000 T \nffffffff81000000 T a\t\n"
				  "ffffffff81000000 T a\t[]\nffffffff81000010 t last",
				  &k, &err));
	assert_int_equal(7, k.malformed);
	assert_int_equal(2, k.ranges.count);
	assert_string_equal("last", name_at(&k, 0xffffffff81000010));
	kallsyms_done(&k);
	assert_int_equal(-ENODATA, parse("ffffffffffffffff T no_range_begins_here\n", &k, &err));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kallsyms__symbols_reach_to_the_next),
		cmocka_unit_test(test_kallsyms__modules_end_at_their_last_page),
		cmocka_unit_test(test_kallsyms__hidden_addresses_are_an_error),
		cmocka_unit_test(test_kallsyms__garbage_is_counted),
	};

	return cmocka_run_group_tests_name("symbol/kallsyms", tests, NULL, NULL);
}

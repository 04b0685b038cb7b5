/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/probe: functions of C++ by the types of their parameters. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/buf.h"
#include "session/probe/probe_signature.h"
#include "symbol/elf/elf_functions.h"

static void test_signature__is_behind_the_name(void **state)
{
	(void)state;
	assert_true(probe_has_signature("ns::f(int)"));
	assert_true(probe_has_signature("ns::f()"));
	assert_true(probe_has_signature("S::get() const"));
	assert_true(probe_has_signature("S::operator()(int)"));
	assert_true(probe_has_signature("(anonymous namespace)::f(int)"));
	assert_false(probe_has_signature("S::operator()"));
	assert_false(probe_has_signature("(anonymous namespace)::f"));
	assert_false(probe_has_signature("f"));
	assert_false(probe_has_signature(")"));
	assert_false(probe_has_signature("f)"));
	assert_false(probe_has_signature("(int)"));
	assert_false(probe_has_signature(""));
}

static void test_signature__matches(void **state)
{
	const char *string = "_ZN2ns1fERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE";

	(void)state;
	assert_true(probe_signature_matches("_ZN2ns1fEi", "ns::f(int)"));
	assert_false(probe_signature_matches("_ZN2ns1fEi", "ns::f(long)"));
	assert_false(probe_signature_matches("_ZN2ns1fEi", "s::f(int)"));
	assert_false(probe_signature_matches("_ZN2ns1fEi", "f(int)"));
	assert_false(probe_signature_matches("f", "f(int)"));
	assert_true(probe_signature_matches("_ZN2ns1fEPKci", "ns::f(char const*, int)"));
	assert_true(probe_signature_matches("_ZN2ns1fEPKci", "ns::f( const char *,int )"));
	assert_true(probe_signature_matches(string, "ns::f(const std::string &)"));
	assert_true(probe_signature_matches(string, "ns::f(std::string const&)"));
	assert_true(probe_signature_matches("_ZNK2ns1S3getEv", "ns::S::get()"));
	assert_true(probe_signature_matches("_ZNK2ns1S3getEv", "ns::S::get() const"));
	assert_false(probe_signature_matches("_ZN2ns1S3getEv", "ns::S::get() const"));
	assert_true(probe_signature_matches("_ZN2ns5twiceIiEET_S1_", "ns::twice<int>(int)"));
	assert_true(probe_signature_matches("_ZN2ns1fEPFivE", "ns::f(int (*)())"));
}

static void test_signature__templates(void **state)
{
	(void)state;
	assert_true(probe_name_matches("_ZN2ns5twiceIiEET_S1_", "ns::twice", true));
	assert_true(probe_name_matches("_ZN2ns5twiceIiEET_S1_", "ns::twice<int>", true));
	assert_false(probe_name_matches("_ZN2ns5twiceIiEET_S1_", "ns::twice", false));
	assert_false(probe_name_matches("_ZN2ns5twiceIiEET_S1_", "ns::twic", true));
	assert_false(probe_name_matches("_ZN2ns1SIiE3getEv", "ns::S", true)); /* ns::S<int>::get */
	assert_false(probe_name_matches("_ZN2nsltERKNS_1SES2_", "ns::operator", true));
}

static void test_signature__overloads(void **state)
{
	const struct elf_function a = { .name = "_ZN2ns1fEi" }, b = { .name = "_ZN2ns1fEd" },
				  c = { .name = "f" };
	const struct elf_function *all[] = { &a, &c, &b };
	struct buf notes = { 0 };

	(void)state;
	probe_note_overloads("ns::f", all, 2, &notes);
	assert_int_equal(notes.len, 0);
	probe_note_overloads("ns::f", all, 3, &notes);
	assert_string_equal(notes.data,
			    "ns::f: 2 functions have this name, and all are probed: name one with "
			    "its parameters: 'ns::f(int)', 'ns::f(double)'\n");
	buf_done(&notes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_signature__is_behind_the_name),
		cmocka_unit_test(test_signature__matches),
		cmocka_unit_test(test_signature__templates),
		cmocka_unit_test(test_signature__overloads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

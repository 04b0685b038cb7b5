/* SPDX-License-Identifier: GPL-2.0-or-later */
/* -F of cupel script: names, additions, kinds, and fields the events do not carry. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/err.h"
#include "event/desc.h"
#include "session/script/script_fields.h"

#define F(id) SCRIPT_FIELD(id)

static struct event_set clock_events(void)
{
	struct event_set set = { 0 };
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.size = sizeof(attr),
					.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID |
						       PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD };

	(void)event_set_add(&set, &attr, "cpu-clock");
	return set;
}

static uint64_t fields_after(const char *text, int *ret_code)
{
	struct event_set set = clock_events();
	struct script_fields fields;
	struct err err = { 0 };
	uint64_t got;

	script_fields_init(&fields);
	*ret_code = text ? script_fields_parse(&fields, text, &err) : 0;
	if (!*ret_code)
		*ret_code = script_fields_check(&fields, &set, true, &err);
	got = script_fields_of(&fields, set.desc.item[0]);
	event_set_done(&set);
	return got;
}

static void test_fields__defaults_follow_the_samples(void **state)
{
	int code;
	uint64_t got = fields_after(NULL, &code);

	(void)state;
	assert_int_equal(0, code);
	assert_true(got & F(COMM));
	assert_true(got & F(IP));
	assert_false(got & F(CPU)); /* not recorded */
}

static void test_fields__plain_list_replaces(void **state)
{
	int code;

	(void)state;
	assert_int_equal(F(IP) | F(SYM), fields_after("ip,sym", &code));
	assert_int_equal(0, code);
	assert_int_equal(0, fields_after("", &code));
}

static void test_fields__signs_change_the_default(void **state)
{
	int code;
	uint64_t got = fields_after("+srcline,-period", &code);

	(void)state;
	assert_int_equal(0, code);
	assert_true(got & F(SRCLINE));
	assert_true(got & F(COMM));
	assert_false(got & F(PERIOD));
}

static void test_fields__what_was_asked_for_must_be_there(void **state)
{
	int code;

	(void)state;
	(void)fields_after("comm,cpu", &code);
	assert_int_equal(-EINVAL, code);
	(void)fields_after("+addr", &code);
	assert_int_equal(-EINVAL, code);
	(void)fields_after("trace:comm", &code);
	assert_int_equal(-EINVAL, code);
}

static void test_fields__bad_words_are_refused(void **state)
{
	int code;

	(void)state;
	(void)fields_after("comm,nonsense", &code);
	assert_int_equal(-EINVAL, code);
	(void)fields_after("comm,+ip", &code);
	assert_int_equal(-EINVAL, code);
	(void)fields_after("+", &code);
	assert_int_equal(-EINVAL, code);
}

static void test_fields__kinds_are_set_apart(void **state)
{
	int code;

	(void)state;
	assert_int_equal(F(COMM), fields_after("sw:comm", &code));
	assert_int_equal(0, code);
	assert_true(fields_after("hw:", &code) & F(COMM));
}

/* perf record -c: no sample has its period, all have that of the attr. */
static void test_fields__period_of_the_attr(void **state)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.size = sizeof(attr),
					.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID };

	(void)state;
	for (int fixed = 0; fixed < 2; fixed++) {
		struct event_set set = { 0 };
		struct script_fields fields;
		struct err err = { 0 };

		attr.sample_period = 1000;
		attr.freq = !fixed;
		(void)event_set_add(&set, &attr, "page-faults");
		script_fields_init(&fields);
		assert_int_equal(0, script_fields_check(&fields, &set, true, &err));
		assert_int_equal(!!(script_fields_of(&fields, set.desc.item[0]) & F(PERIOD)),
				 fixed);
		event_set_done(&set);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields__defaults_follow_the_samples),
		cmocka_unit_test(test_fields__plain_list_replaces),
		cmocka_unit_test(test_fields__signs_change_the_default),
		cmocka_unit_test(test_fields__what_was_asked_for_must_be_there),
		cmocka_unit_test(test_fields__bad_words_are_refused),
		cmocka_unit_test(test_fields__kinds_are_set_apart),
		cmocka_unit_test(test_fields__period_of_the_attr),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

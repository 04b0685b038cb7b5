/* SPDX-License-Identifier: GPL-2.0-or-later */
/* server/request, server/question: what clients ask, taken apart; limits and damage. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/err.h"
#include "server/question.h"
#include "server/request.h"
#include "store/selector.h"
#include "store/store.h"

#define NOW_NS ((uint64_t)1764000000 * 1000000000)

static void test_request__is_decoded(void **state)
{
	struct request request;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(
		request_parse("/a%20b?x=1&y=%7Ba%3D%22b+c%22%7D&&flag&x=2", &request, &err), 0);
	assert_string_equal(request.path, "/a b");
	assert_int_equal(request.count, 4);
	assert_string_equal(request_get(&request, "x"), "1");
	assert_string_equal(request_get(&request, "y"), "{a=\"b c\"}");
	assert_string_equal(request_get(&request, "flag"), "");
	assert_null(request_get(&request, "z"));
	request_done(&request);
}

static void test_request__damage_and_limits(void **state)
{
	static const char *const bad[] = { "/%", "/%4", "/%zz", "/?a=%00", "/?%=1", "/%00" };
	struct request request;
	struct buf text = { 0 };
	struct err err = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_not_equal(request_parse(bad[i], &request, &err), 0);
	(void)buf_puts(&text, "/?");
	for (int i = 0; i <= REQUEST_PARAMETERS_MAX; i++)
		(void)buf_printf(&text, "a%d=1&", i);
	assert_int_not_equal(request_parse(text.data, &request, &err), 0);
	buf_clear(&text);
	(void)buf_pad(&text, 'a', REQUEST_TARGET_MAX + 1);
	assert_int_not_equal(request_parse(text.data, &request, &err), 0);
	buf_done(&text);
}

static int ask(const char *target, const char *prefix, struct question *ret)
{
	const struct question_place place = { "/a", 1000, NOW_NS };
	struct request request;
	struct err err = { 0 };
	int code;

	assert_int_equal(request_parse(target, &request, &err), 0);
	code = question_make(&request, &place, prefix, ret, &err);
	if (!code)
		ret->event = ret->by = NULL; /* of the request */
	request_done(&request);
	return code;
}

static void test_question__ranges(void **state)
{
	struct question question;

	(void)state;
	assert_int_equal(ask("/x", "", &question), 0);
	assert_int_equal(question.input.to_ns, NOW_NS);
	assert_int_equal(question.input.from_ns, NOW_NS - STORE_HOUR_NS);
	assert_int_equal(question.input.viewer, 1000);
	assert_int_equal(question.step_ns, 3 * STORE_BUCKET_NS);
	question_done(&question);
	assert_int_equal(ask("/x?from=-2h&before_from=-4h&before_to=-2h&before_selector={a=b}",
			     "before_", &question),
			 0);
	assert_int_equal(NOW_NS - question.input.from_ns, 4 * STORE_HOUR_NS);
	assert_int_equal(question.input.selector->count, 1);
	question_done(&question);
	/* many columns become few */
	assert_int_equal(ask("/x?from=-365d&step=1", "", &question), 0);
	assert_true(365 * STORE_DAY_NS / question.step_ns <= QUESTION_COLUMNS_MAX);
	assert_int_equal(question.step_ns % STORE_BUCKET_NS, 0);
	question_done(&question);
}

static void test_question__mistakes(void **state)
{
	static const char *const bad[] = { "/x?from=now&to=-1h", "/x?from=nonsense",
					   "/x?selector={a=",	 "/x?by=a%22b",
					   "/x?step=-1",	 "/x?step=0",
					   "/x?step=1e9",	 "/x?to=@99999999999999999999" };
	struct question question;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (!ask(bad[i], "", &question))
			fail_msg("%s", bad[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_request__is_decoded),
		cmocka_unit_test(test_request__damage_and_limits),
		cmocka_unit_test(test_question__ranges),
		cmocka_unit_test(test_question__mistakes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

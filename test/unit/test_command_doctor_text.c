/* SPDX-License-Identifier: GPL-2.0-or-later */
/* command/doctor_text: problems first, those with one fix together, in 80 columns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "command/doctor_text.h"
#include "session/doctor/doctor.h"

static struct doctor_finding findings[] = {
	{ .name = "fine", .found = "yes" },
	{ .name = "first",
	  .level = DOCTOR_MISSING,
	  .found = "no",
	  .fix = "turn it on:",
	  .command = "on" },
	{ .name = "second", .level = DOCTOR_LIMITED, .found = "a little", .command = "other" },
	{ .name = "third",
	  .level = DOCTOR_MISSING,
	  .found = "a finding that is so long that it does not fit into one line of the terminal",
	  .consequence = "half",
	  .fix = "turn it on:",
	  .command = "on" },
};

static const struct doctor_report report = { .finding = findings,
					     .count = 4,
					     .elapsed_ns = 2000000 };

static void test_text__has_problems_with_one_fix_together(void **state)
{
	struct buf text = { 0 };
	const char *body;

	(void)state;
	doctor_put_text(&report, false, &text);
	body = strstr(text.data, "\n\n") + 2;
	assert_string_equal(
		body, "missing  first: no\n"
		      "missing  third: a finding that is so long that it does not fit into one "
		      "line of\n         the terminal\n"
		      "         half\n"
		      "    fix: turn it on:\n"
		      "  $ on\n\n"
		      "limited  second: a little\n"
		      "  $ other\n\n"
		      "ok       fine\n"
		      "4 checks in 2 ms; all of them: cupel doctor -v\n");
	buf_done(&text);
}

static void test_text__of_all_has_every_check(void **state)
{
	struct buf text = { 0 };

	(void)state;
	doctor_put_text(&report, true, &text);
	assert_non_null(strstr(text.data, "recording\nok       fine: yes\n"));
	assert_non_null(strstr(text.data, "limited  second: a little\n  $ other\n"));
	buf_done(&text);
}

static void test_json__is_whole(void **state)
{
	struct buf text = { 0 };
	struct json json;
	struct err err;
	json_id checks, third;

	(void)state;
	doctor_put_json(&report, &text);
	assert_int_equal(json_parse(text.data, text.len, &json, &err), 0);
	assert_false(json.truncated);
	checks = json_get(&json, JSON_ROOT, "checks");
	assert_int_equal(json_count(&json, checks), 4);
	third = json_item(&json, checks, 3);
	assert_true(json_is(&json, json_get(&json, third, "level"), "missing"));
	assert_true(json_is(&json, json_get(&json, third, "command"), "on"));
	json_done(&json);
	buf_done(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text__has_problems_with_one_fix_together),
		cmocka_unit_test(test_text__of_all_has_every_check),
		cmocka_unit_test(test_json__is_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

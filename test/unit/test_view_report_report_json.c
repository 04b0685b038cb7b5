/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view/report/report_json: the JSON has every number of the text report. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/err.h"
#include "profile/profile.h"
#include "view/report/report.h"

/* Numbers that appear nowhere else. */
enum { LOST = 7001, RECORDS = 7003, THROTTLED = 7007, MISSING = 7009, UNKNOWN = 7013 };

static void add(struct profile *p, uint16_t event, const char *function, uint64_t count)
{
	struct frame frame = { .function = strtab_puts(p->strings, function) };
	struct profile_sample s = { .event = event,
				    .thread = profile_thread(p, 1, 1, "app"),
				    .stop = STACK_STOP_READ_FAULT,
				    .weight = count * 1000,
				    .count = count };

	s.stack = profile_stack_push(p, STACK_EMPTY, profile_frame(p, &frame));
	profile_add(p, &s);
}

static struct profile *make_profile(void)
{
	struct profile *p = profile_new(0);

	add(p, profile_event(p, "cpu-clock", "ns"), "work", 613);
	(void)profile_event(p, "dummy", "count");
	p->meta.lost_samples = LOST;
	p->meta.lost_events = RECORDS;
	p->meta.throttled = THROTTLED;
	p->meta.truncated_bytes = MISSING;
	p->meta.unknown_records = UNKNOWN;
	p->meta.damage = strtab_puts(p->strings, "the last record is cut off");
	profile_count(p);
	return p;
}

static char *json_of(const struct profile *p, struct buf *ret)
{
	const struct report_options options = { 0 };
	struct err err = { 0 };

	assert_int_equal(report_json(p, &options, ret, &err), 0);
	return ret->data;
}

static void assert_member(const char *json, const char *name, uint64_t value)
{
	char member[64];

	(void)snprintf(member, sizeof(member), "\"%s\":%" PRIu64, name, value);
	if (!strstr(json, member))
		fail_msg("no %s in %s", member, json);
}

static void test_what_is_missing_is_reported(void **state)
{
	struct profile *p = make_profile();
	struct buf json = { 0 };

	(void)state;
	(void)json_of(p, &json);
	assert_non_null(strstr(json.data, "\"lost\":{\"samples\":7001,"));
	assert_member(json.data, "records", RECORDS);
	assert_member(json.data, "throttled", THROTTLED);
	assert_member(json.data, "missing_bytes", MISSING);
	assert_member(json.data, "unknown_records", UNKNOWN);
	assert_non_null(strstr(json.data, "\"first\":\"the last record is cut off\""));
	profile_free(p);
	buf_done(&json);
}

static void test_losses_are_those_of_the_only_event(void **state)
{
	struct profile *p = make_profile();
	struct buf json = { 0 };

	(void)state;
	assert_non_null(strstr(json_of(p, &json), "\"lost\":7001,\"stacks\""));
	buf_clear(&json);
	add(p, profile_event(p, "page-faults", "count"), "work", 3);
	assert_non_null(strstr(json_of(p, &json), "\"lost\":null,\"stacks\""));
	p->meta.lost_samples = 0;
	buf_clear(&json);
	assert_non_null(strstr(json_of(p, &json), "\"lost\":0,\"stacks\""));
	profile_free(p);
	buf_done(&json);
}

/* Of the heading and the rows; percentages follow from them. */
static void test_text_has_no_number_that_json_lacks(void **state)
{
	static const char between[] = " \t\n,'():";
	const struct report_options options = { .sort = "sym",
						.show_nr_samples = true,
						.show_total_period = true };
	struct profile *p = make_profile();
	struct buf json = { 0 }, text = { 0 };
	struct err err = { 0 };

	(void)state;
	(void)json_of(p, &json);
	assert_int_equal(report_text(p, &options, &text, &err), 0);
	for (char *rest, *word = strtok_r(text.data, between, &rest); word;
	     word = strtok_r(NULL, between, &rest)) {
		size_t digits = strspn(word, "0123456789");

		if (digits == strlen(word) && digits > 2 && !strstr(json.data, word))
			fail_msg("%s is not in %s", word, json.data);
	}
	profile_free(p);
	buf_done(&text);
	buf_done(&json);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_missing_is_reported),
		cmocka_unit_test(test_losses_are_those_of_the_only_event),
		cmocka_unit_test(test_text_has_no_number_that_json_lacks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view/report: weights are kept under every grouping, recursion counts once, inlined code costs the
 * function that holds it, and missing data is reported. Layouts are golden cases. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/err.h"
#include "profile/profile.h"
#include "view/report/report.h"

static stack_id push(struct profile *p, stack_id stack, const char *name, bool inlined)
{
	struct frame frame = { .function = strtab_puts(p->strings, name), .inlined = inlined };

	return profile_stack_push(p, stack, profile_frame(p, &frame));
}

static struct profile *sample_profile(void)
{
	struct profile *p = profile_new(0);
	uint16_t event = profile_event(p, "cpu-clock", "ns");
	stack_id main = push(p, STACK_EMPTY, "main", false);
	stack_id deep = push(p, push(p, main, "walk", false), "walk", false);
	struct profile_sample s = { .event = event,
				    .thread = profile_thread(p, 1, 1, "app"),
				    .stop = STACK_STOP_ROOT };

	s.stack = deep;
	s.weight = 60;
	profile_add(p, &s);
	s.stack = push(p, deep, "tiny", true);
	s.weight = 30;
	s.stop = STACK_STOP_READ_FAULT;
	profile_add(p, &s);
	s.stack = STACK_EMPTY;
	s.weight = 10;
	s.stop = STACK_STOP_NONE;
	profile_add(p, &s);
	profile_count(p);
	return p;
}

static void assert_has(const struct buf *text, const char *part)
{
	if (!strstr(text->data, part))
		fail_msg("no \"%s\" in:\n%s", part, text->data);
}

static void test_report__recursion_counts_once_and_inlined_code_costs_its_function(void **state)
{
	struct report_options options = { .children = true, .sort = "sym" };
	struct profile *p = sample_profile();
	struct buf text = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(0, report_text(p, &options, &text, &err));
	assert_has(&text, "    90.00%    90.00%  [.] walk\n");
	assert_has(&text, "    90.00%     0.00%  [.] main\n");
	assert_has(&text, "    30.00%     0.00%  [.] tiny (inlined)\n");
	assert_has(&text, "    10.00%    10.00%  [.] [empty stack]\n");
	buf_done(&text);
	profile_free(p);
}

/* A function's line is that of the code which ran, and the same in both modes. */
static void test_report__lines_of_inlined_code_are_its_own(void **state)
{
	struct report_options options = { .sort = "sym,srcline" };
	struct profile *p = profile_new(0);
	struct profile_sample s = { .event = profile_event(p, "cpu-clock", "ns"),
				    .thread = profile_thread(p, 1, 1, "app"),
				    .stop = STACK_STOP_ROOT };
	struct frame call = { .function = strtab_puts(p->strings, "work"),
			      .file = strtab_puts(p->strings, "work.c"),
			      .line = 8 };
	struct frame inner = { .function = strtab_puts(p->strings, "tiny"),
			       .file = strtab_puts(p->strings, "tiny.h"),
			       .inlined = true };
	struct buf text = { 0 };
	struct err err = { 0 };

	(void)state;
	for (uint32_t line = 3; line <= 4; line++) {
		inner.line = line;
		s.stack = profile_stack_push(p, STACK_EMPTY, profile_frame(p, &call));
		s.stack = profile_stack_push(p, s.stack, profile_frame(p, &inner));
		s.weight = line == 3 ? 25 : 75;
		profile_add(p, &s);
	}
	profile_count(p);
	assert_int_equal(0, report_text(p, &options, &text, &err));
	assert_has(&text, "    75.00%  [.] work  tiny.h:4");
	assert_has(&text, "    25.00%  [.] work  tiny.h:3");
	buf_clear(&text);
	options.children = true;
	assert_int_equal(0, report_text(p, &options, &text, &err));
	assert_has(&text, "    75.00%    75.00%  [.] work            tiny.h:4");
	assert_has(&text, "    25.00%    25.00%  [.] work            tiny.h:3");
	buf_done(&text);
	profile_free(p);
}

/* Where only the ends of stacks were named, samples are counted instead of frames. */
static void test_report__flat_profiles_count_samples_without_a_symbol(void **state)
{
	struct report_options options = { .sort = "sym" };
	struct profile *p = sample_profile();
	struct profile_sample s = { .stop = STACK_STOP_ROOT, .weight = 5, .count = 5 };
	struct buf text = { 0 };
	struct err err = { 0 };

	(void)state;
	s.stack = push(p, push(p, STACK_EMPTY, "", false), "main", false);
	profile_add(p, &s);
	s.stack = push(p, push(p, STACK_EMPTY, "main", false), "", false);
	profile_add(p, &s);
	profile_count(p);
	p->meta.ends_only = true;
	assert_int_equal(0, report_text(p, &options, &text, &err));
	assert_has(&text, "# Leaf frames without a symbol: 5 of ");
	buf_done(&text);
	profile_free(p);
}

static void test_report__says_which_stacks_are_whole(void **state)
{
	struct report_options options = { 0 };
	struct profile *p = sample_profile();
	struct buf text = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(0, report_text(p, &options, &text, &err));
	assert_has(&text, "# User stacks: 2, complete: 1 (50.0%), read-fault: 1\n");
	buf_clear(&text);
	assert_int_equal(0, report_json(p, &options, &text, &err));
	assert_has(&text, "\"stacks\":{\"total\":2,\"complete\":1,\"stopped\":{\"read-fault\":1}}");
	assert_has(&text, "{\"symbol\":\"walk\",\"module\":\"[unknown]\",\"command\":\"app\","
			  "\"self\":90,\"total\":90,\"samples\":2,");
	buf_done(&text);
	profile_free(p);
}

/* Two events; b and c are of the second only. */
static struct profile *group_profile(bool recorded)
{
	struct profile *p = profile_new(0);
	uint16_t first = profile_event(p, "cycles", "count");
	uint16_t second = profile_event(p, "misses", "count");
	struct profile_sample s = { .thread = profile_thread(p, 1, 1, "app") };

	p->events.item[second].leader = recorded ? first + 1 : 0;
	for (unsigned i = 0; i < 4; i++) {
		s.event = i ? second : first;
		s.stack = push(p, STACK_EMPTY, i < 2 ? "a" : i == 2 ? "b" : "c", false);
		s.weight = i ? i * 10 : 5;
		profile_add(p, &s);
	}
	profile_count(p);
	return p;
}

static void test_report__events_of_a_group_share_a_table(void **state)
{
	struct report_options options = { .sort = "sym" };

	(void)state;
	for (int recorded = 0; recorded < 2; recorded++) {
		struct profile *p = group_profile(recorded);
		struct buf text = { 0 };
		struct err err = { 0 };

		options.group = recorded ? REPORT_GROUP_RECORDED : REPORT_GROUP_ALL;
		assert_int_equal(0, report_text(p, &options, &text, &err));
		assert_has(&text, recorded ? "of events 'anon group { cycles, misses }'\n"
					   : "of events 'cycles, misses'\n");
		assert_has(&text, "#         Overhead  Symbol\n");
		assert_has(&text, "   100.00%  16.67%  [.] a\n"
				  "     0.00%  50.00%  [.] c\n"
				  "     0.00%  33.33%  [.] b\n");
		buf_clear(&text);
		options.hierarchy = true;
		assert_int_equal(0, report_text(p, &options, &text, &err));
		assert_has(&text, "   100.00%  16.67%  [.] a\n");
		buf_clear(&text);
		options.hierarchy = false;
		options.group = REPORT_GROUP_NONE;
		assert_int_equal(0, report_text(p, &options, &text, &err));
		assert_has(&text, "of event 'misses'\n");
		assert_has(&text, "    50.00%  [.] c\n");
		buf_done(&text);
		profile_free(p);
	}
}

static void test_report__what_filters_leave_is_the_whole_when_asked(void **state)
{
	struct report_options options = { .sort = "comm,sym", .symbols = "walk" };
	struct profile *p = sample_profile();
	struct buf text = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(0, report_text(p, &options, &text, &err));
	assert_has(&text, "# symbol: walk\n");
	assert_has(&text, "    90.00%  app\n");
	buf_clear(&text);
	options.relative = true;
	assert_int_equal(0, report_text(p, &options, &text, &err));
	assert_has(&text, "   100.00%  app\n");
	buf_clear(&text);
	options = (struct report_options){ .sort = "sym", .hide_unresolved = true };
	assert_int_equal(0, report_text(p, &options, &text, &err));
	assert_has(&text, "# Samples: 2  of event");
	assert_has(&text, "   100.00%  [.] walk\n");
	buf_done(&text);
	profile_free(p);
}

static void test_report__unknown_sort_key_is_an_error_with_the_known_ones(void **state)
{
	struct report_options options = { .sort = "comm,nonsense" };
	struct profile *p = sample_profile();
	struct buf text = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(-EINVAL, report_text(p, &options, &text, &err));
	assert_non_null(strstr(err.msg, "nonsense"));
	assert_non_null(strstr(err.hint, "symbol"));
	buf_done(&text);
	profile_free(p);
}

static void test_report__every_grouping_keeps_the_whole_weight(void **state)
{
	static const char *const keys[] = { "comm",   "dso",	 "sym",	    "pid",	  "cpu",
					    "parent", "srcline", "srcfile", "symbol_size" };
	struct profile *p = sample_profile();

	(void)state;
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		struct report_options options = { .sort = keys[i],
						  .quiet = true,
						  .show_total_period = true,
						  .field_separator = "|" };
		struct buf text = { 0 };
		struct err err = { 0 };
		unsigned long sum = 0;

		assert_int_equal(0, report_text(p, &options, &text, &err));
		for (char *line = text.data; line && *line && *line != '\n';) {
			char *bar = strchr(line, '|');

			sum += strtoul(bar + 1, NULL, 10);
			line = strchr(line, '\n') + 1;
		}
		assert_int_equal(100, sum);
		buf_done(&text);
	}
	profile_free(p);
}

/* Callers have the value of the sample that they called, whichever sample was first. */
static void test_report__keys_of_samples_give_callers_the_cost_of_those_samples(void **state)
{
	struct report_options options = { .children = true, .sort = "local_weight" };
	struct profile *p = profile_new(PROFILE_KEEP_ADDR | PROFILE_ADDR_IS_WEIGHT);
	struct profile_sample s = { .event = profile_event(p, "cpu-clock", "ns"),
				    .thread = profile_thread(p, 1, 1, "app"),
				    .stop = STACK_STOP_ROOT };
	struct buf text = { 0 };
	struct err err = { 0 };

	(void)state;
	s.stack = push(p, push(p, STACK_EMPTY, "main", false), "walk", false);
	for (s.addr = 7; s.addr <= 8; s.addr++) {
		s.weight = s.addr == 7 ? 25 : 75;
		profile_add(p, &s);
	}
	profile_count(p);
	assert_int_equal(0, report_text(p, &options, &text, &err));
	assert_has(&text, "    75.00%    75.00%  8\n");
	assert_has(&text, "    25.00%    25.00%  7\n");
	buf_clear(&text);
	options.sort = "local_weight,sym";
	assert_int_equal(0, report_text(p, &options, &text, &err));
	assert_has(&text, "    75.00%     0.00%  8             [.] main\n");
	assert_has(&text, "    25.00%    25.00%  7             [.] walk\n");
	buf_done(&text);
	profile_free(p);
}

static void test_report__callers_leave_out_samples_without_a_parent(void **state)
{
	struct report_options options = { .children = true,
					  .fields = "overhead_children,overhead,sym",
					  .parent = "parse",
					  .exclude_other = true };
	struct profile *p = profile_new(0);
	struct profile_sample s = { .event = profile_event(p, "cpu-clock", "ns"),
				    .thread = profile_thread(p, 1, 1, "app"),
				    .stop = STACK_STOP_ROOT };
	stack_id main = push(p, STACK_EMPTY, "main", false);
	struct buf text = { 0 };
	struct err err = { 0 };

	(void)state;
	s.stack = push(p, main, "parse", false);
	s.weight = 25;
	profile_add(p, &s);
	s.stack = push(p, main, "walk", false);
	s.weight = 75;
	profile_add(p, &s);
	profile_count(p);
	assert_int_equal(0, report_text(p, &options, &text, &err));
	assert_has(&text, "    25.00%     0.00%  [.] main\n");
	buf_done(&text);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_report__recursion_counts_once_and_inlined_code_costs_its_function),
		cmocka_unit_test(test_report__lines_of_inlined_code_are_its_own),
		cmocka_unit_test(test_report__flat_profiles_count_samples_without_a_symbol),
		cmocka_unit_test(test_report__says_which_stacks_are_whole),
		cmocka_unit_test(test_report__events_of_a_group_share_a_table),
		cmocka_unit_test(test_report__what_filters_leave_is_the_whole_when_asked),
		cmocka_unit_test(test_report__unknown_sort_key_is_an_error_with_the_known_ones),
		cmocka_unit_test(test_report__every_grouping_keeps_the_whole_weight),
		cmocka_unit_test(
			test_report__keys_of_samples_give_callers_the_cost_of_those_samples),
		cmocka_unit_test(test_report__callers_leave_out_samples_without_a_parent),
	};

	return cmocka_run_group_tests_name("view/report", tests, NULL, NULL);
}

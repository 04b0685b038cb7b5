/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view/report_stacks: stacks that are not whole are counted by binary and reason, with what to do;
 * those that are whole are not named. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "profile/profile.h"
#include "view/report/report_stacks.h"

static frame_id frame(struct profile *profile, const char *module, const char *function)
{
	struct frame f = { .module = module ? profile_module(profile, module, "") : 0,
			   .function = strtab_puts(profile->strings, function) };

	if (!*function)
		f.offset = 0x1234;
	return profile_frame(profile, &f);
}

/* The same place as frame() without a function, but a return address. */
static frame_id returned_to(struct profile *profile, const char *module)
{
	struct frame f = { .module = profile_module(profile, module, ""),
			   .function = strtab_puts(profile->strings, ""),
			   .offset = 0x1234,
			   .caller = true };

	return profile_frame(profile, &f);
}

/* outer, then inner; both in user code. */
static void add(struct profile *profile, frame_id outer, frame_id inner, enum stack_stop stop,
		uint64_t count)
{
	struct profile_sample sample = { .stop = (uint8_t)stop, .weight = count, .count = count };

	sample.event = profile_event(profile, "cpu-clock", "ns");
	sample.thread = profile_thread(profile, 1, 1, "x");
	sample.stack =
		profile_stack_push(profile, profile_stack_push(profile, STACK_EMPTY, outer), inner);
	profile_add(profile, &sample);
}

static struct profile *make(void)
{
	struct profile *p = profile_new(0);
	frame_id start = frame(p, "/bin/x", "_start"), work = frame(p, "/lib/libw.so", "work");
	frame_id bare = frame(p, "/lib/libw.so", ""), nowhere = frame(p, NULL, "");
	frame_id jit = frame(p, "/tmp/perf-7.map", "js"), gone = frame(p, "/gone.so", "g");

	p->modules.item[p->frames.item[gone.v].module].problem =
		strtab_puts(p->strings, "no such file");
	add(p, start, work, STACK_STOP_ROOT, 60);
	add(p, work, start, STACK_STOP_NO_TABLE, 20);
	add(p, bare, start, STACK_STOP_NO_TABLE, 3);
	add(p, returned_to(p, "/lib/libw.so"), start, STACK_STOP_NO_TABLE, 2);
	add(p, nowhere, work, STACK_STOP_FP_LOST, 4);
	add(p, jit, start, STACK_STOP_FP_LOST, 3);
	add(p, gone, start, STACK_STOP_NO_TABLE, 2);
	add(p, work, start, STACK_STOP_NO_RULE, 6);
	add(p, start, start, STACK_STOP_NONE, 100); /* without a user part */
	profile_count(p);
	return p;
}

static void has(const struct buf *text, const char *what)
{
	if (!strstr(text->data, what))
		fail_msg("not found: '%s' in\n%s", what, text->data);
}

static void test_report_stacks__text(void **state)
{
	struct profile *profile = make();
	struct buf text = { 0 };

	(void)state;
	report_stacks_text(profile, &text);
	has(&text,
	    "# Stacks of event 'cpu-clock': 100 with a user part, 60 complete (60.00%), 40 not");
	has(&text, "          25   25.00% libw.so: module has no unwind table (no-table)\n");
	has(&text, "in work (20), 0x1234 (5)\n");
	has(&text, "install the debug package, or build with -fasynchronous-unwind-tables");
	has(&text, "           6    6.00% libw.so: no unwind rule covers the pc (no-rule)\n");
	has(&text,
	    "           4    4.00% libw.so: the chain of frame pointers ended before the root");
	has(&text, "           3    3.00% perf-7.map: ");
	has(&text, "-XX:+PreserveFramePointer");
	has(&text, "           2    2.00% gone.so: module has no unwind table");
	has(&text, "--symfs");
	assert_null(strstr(text.data, "_start"));
	buf_done(&text);
	profile_free(profile);
}

static void test_report_stacks__json(void **state)
{
	struct profile *profile = make();
	struct buf text = { 0 };

	(void)state;
	report_stacks_json(profile, &text);
	has(&text,
	    "{\"cupel\":1,\"stacks\":[{\"name\":\"cpu-clock\",\"total\":100,\"complete\":60,");
	has(&text, "{\"module\":\"/lib/"
		   "libw.so\",\"build_id\":\"\",\"reason\":\"no-table\",\"samples\":25");
	has(&text, "\"places\":[{\"symbol\":\"work\",\"offset\":0,\"samples\":20},"
		   "{\"symbol\":\"\",\"offset\":4660,\"samples\":5}]}");
	buf_done(&text);
	profile_free(profile);
}

static void test_report_stacks__nothing_broken(void **state)
{
	struct profile *profile = profile_new(0);
	frame_id start = frame(profile, "/bin/x", "_start");
	struct buf text = { 0 };

	(void)state;
	add(profile, start, start, STACK_STOP_ROOT, 7);
	profile_count(profile);
	report_stacks_text(profile, &text);
	assert_string_equal("# Stacks of event 'cpu-clock': 7 with a user part, 7 complete "
			    "(100.00%), 0 not\n",
			    text.data);
	buf_done(&text);
	profile_free(profile);
	profile = profile_new(0);
	start = frame(profile, "/bin/x", "_start");
	add(profile, start, start, STACK_STOP_NONE, 7);
	profile_count(profile);
	report_stacks_text(profile, &text);
	assert_string_equal("# Stacks of event 'cpu-clock': the input has no information about "
			    "where they end\n",
			    text.data);
	buf_done(&text);
	profile_free(profile);
}

/* What was recorded is not advised. */
static void test_report_stacks__advice_knows_what_walked(void **state)
{
	struct profile *profile = profile_new(0);
	frame_id work = frame(profile, "/bin/x", "work");
	struct buf text = { 0 };

	(void)state;
	add(profile, work, work, STACK_STOP_READ_FAULT, 7);
	profile_count(profile);
	report_stacks_text(profile, &text);
	has(&text, "--call-graph dwarf,65528");
	text.len = 0;
	profile->meta.walks.walked = 7;
	add(profile, work, work, STACK_STOP_FP_LOST, 3);
	report_stacks_text(profile, &text);
	has(&text, "not readable at that time");
	add(profile, work, work, STACK_STOP_BEYOND_COPY, 5);
	text.len = 0;
	report_stacks_text(profile, &text);
	has(&text, "no unwind table at that time");
	has(&text, "32-bit code");
	add(profile, work, work, STACK_STOP_NO_TABLE, 3);
	profile->meta.walks.handed_up_refused = 3;
	report_stacks_text(profile, &text);
	has(&text, "lower frequency");
	assert_null(strstr(text.data, "--call-graph"));
	buf_done(&text);
	profile_free(profile);
}

/* While an exception is delivered no stack is whole, whatever the reason looks like. */
static void test_report_stacks__exceptions_have_their_own_advice(void **state)
{
	struct profile *profile = profile_new(0);
	frame_id work = frame(profile, "/bin/x", "work");
	struct buf text = { 0 };

	(void)state;
	add(profile, work, frame(profile, "/lib/libgcc_s.so.1", "_Unwind_Resume"),
	    STACK_STOP_NO_MAPPING, 7);
	profile_count(profile);
	report_stacks_text(profile, &text);
	has(&text, "an exception was on its way");
	text.len = 0;
	add(profile, work, work, STACK_STOP_NO_MAPPING, 5);
	profile_count(profile);
	report_stacks_text(profile, &text);
	has(&text, "an exception was on its way");
	has(&text, stack_stop_advice(STACK_STOP_NO_MAPPING));
	buf_done(&text);
	profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_report_stacks__text),
		cmocka_unit_test(test_report_stacks__json),
		cmocka_unit_test(test_report_stacks__nothing_broken),
		cmocka_unit_test(test_report_stacks__advice_knows_what_walked),
		cmocka_unit_test(test_report_stacks__exceptions_have_their_own_advice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

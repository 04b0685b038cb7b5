/* SPDX-License-Identifier: GPL-2.0-or-later */
/* format/ftrace: lines of all tracers and of trace-cmd report, and their JSON. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "format/ftrace/ftrace_json.h"
#include "format/ftrace/ftrace_line.h"

static struct ftrace_line parse(const char *text)
{
	struct ftrace_line line;

	ftrace_line_parse(text, strlen(text), &line);
	return line;
}

static void check_text(struct ftrace_text text, const char *want)
{
	assert_int_equal(text.len, strlen(want));
	assert_memory_equal(text.data, want, text.len);
}

static void test_line__of_an_event(void **state)
{
	struct ftrace_line line = parse("     my-prog [1]-1234    [001] d..2. 49820.289313: "
					"sched_switch: prev_comm=tail prev_pid=1");

	(void)state;
	assert_int_equal(line.kind, FTRACE_LINE_EVENT);
	check_text(line.comm, "my-prog [1]");
	assert_int_equal(line.pid, 1234);
	assert_int_equal(line.cpu, 1);
	assert_int_equal(line.time_ns, 49820289313000);
	check_text(line.name, "sched_switch");
	check_text(line.args, "prev_comm=tail prev_pid=1");
	line = parse("          <idle>-0     (-----) [000] d.h1.    12.000001: a: b");
	check_text(line.comm, "<idle>");
	assert_int_equal(line.pid, 0);
	/* trace-cmd report -t: no flags, nanoseconds */
	line = parse("            sh-7 [003]   12.000000001: sched_waking:         comm=x pid=1");
	assert_int_equal(line.time_ns, 12000000001);
	check_text(line.name, "sched_waking");
	check_text(line.args, "comm=x pid=1");
}

static void test_line__of_a_system_call(void **state)
{
	struct ftrace_line line = parse(" a-1 [000] ..... 1.5: sys_read(fd: 3, buf: 1)");

	(void)state;
	assert_int_equal(line.kind, FTRACE_LINE_EVENT);
	assert_true(ftrace_line_is(&line, "sys_enter_read"));
	assert_false(ftrace_line_is(&line, "sys_exit_read"));
	check_text(line.args, "fd: 3, buf: 1");
	line = parse(" a-1 [000] ..... 1.5: sys_read -> 0x0");
	assert_true(ftrace_line_is(&line, "sys_exit_read"));
	check_text(line.args, "0x0");
	line = parse(" a-1 [000] ..... 1.5: sys_enter: NR 3 (1)");
	assert_true(ftrace_line_is(&line, "sys_enter"));
}

static void test_line__of_a_function(void **state)
{
	struct ftrace_line line =
		parse("            bash-99      [000] ..... 1.500000: vfs_read <-ksys_read");

	(void)state;
	assert_int_equal(line.kind, FTRACE_LINE_FUNCTION);
	check_text(line.name, "vfs_read");
	check_text(line.parent, "ksys_read");
	line = parse("            bash-99      [000]     1.500000: function:             vfs_read "
		     "<-- ksys_read");
	assert_int_equal(line.kind, FTRACE_LINE_FUNCTION);
	check_text(line.name, "vfs_read");
	check_text(line.parent, "ksys_read");
}

static void test_line__of_a_graph(void **state)
{
	struct ftrace_line line = parse(" 1)   0.633 us    |      fn();");

	(void)state;
	assert_int_equal(line.kind, FTRACE_LINE_LEAF);
	assert_int_equal(line.cpu, 1);
	assert_int_equal(line.depth, 2);
	assert_int_equal(line.duration_ns, 633);
	check_text(line.name, "fn");
	line = parse(" 0)               |  do_sys_open() {");
	assert_int_equal(line.kind, FTRACE_LINE_ENTRY);
	assert_false(line.has_duration);
	assert_int_equal(line.depth, 0);
	line = parse(" 0) ! 183.000 us  |  } /* do_sys_open */");
	assert_int_equal(line.kind, FTRACE_LINE_EXIT);
	assert_int_equal(line.duration_ns, 183000);
	check_text(line.name, "do_sys_open");
	line = parse("   12.345678 |   1)    bash-77   |   0.100 us    |    x(); /* ret=0x1 */");
	assert_int_equal(line.time_ns, 12345678000);
	check_text(line.comm, "bash");
	assert_int_equal(line.pid, 77);
	check_text(line.name, "x");
	line = parse(" 0)    bash-77   | d..1. |   0.100 us    |    x();");
	assert_int_equal(line.duration_ns, 100);
	line = parse(" 1)  <idle>-0     =>  bash-77   ");
	assert_int_equal(line.kind, FTRACE_LINE_SWITCH);
	assert_int_equal(line.pid, 77);
	line = parse("  bash-77 [001]  1.5: funcgraph_exit:       + 12.101 us  |    }");
	assert_int_equal(line.kind, FTRACE_LINE_EXIT);
	assert_int_equal(line.duration_ns, 12101);
	assert_int_equal(line.depth, 1);
}

static void test_line__that_is_none(void **state)
{
	static const char *const texts[] = {
		"",	     "# tracer: nop", " 0) ",		"x",	    "[000]",
		"a-1 [000]", "a-1 [000] x",   "a-1 [000] 1.5:", " 0)  | |", "=> "
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		assert_int_equal(parse(texts[i]).kind, i + 1 < sizeof(texts) / sizeof(*texts)
							       ? FTRACE_LINE_OTHER
							       : FTRACE_LINE_FRAME);
	assert_int_equal(parse("CPU:1 [LOST 123 EVENTS]").count, 123);
	assert_int_equal(parse("CPU:1 [LOST 123 EVENTS]").kind, FTRACE_LINE_LOST);
}

static void add(struct ftrace_json *json, const char *text, struct buf *out)
{
	struct ftrace_line line = parse(text);

	ftrace_json_add(json, &line, out);
}

static void test_json__joins_the_frames_of_a_stack(void **state)
{
	struct ftrace_json json = { 0 };
	struct buf out = { 0 };

	(void)state;
	add(&json, "a-1 [000] 1.5: ev: x=1", &out);
	add(&json, "a-1 [000] 1.5: <stack trace>", &out);
	add(&json, " => f", &out);
	add(&json, " => g", &out);
	ftrace_json_end(&json, &out);
	assert_string_equal(out.data,
			    "{\"cupel\":1,\"type\":\"event\",\"cpu\":0,\"comm\":\"a\",\"tid\":1,"
			    "\"time_ns\":1500000000,\"name\":\"ev\",\"arguments\":\"x=1\"}\n"
			    "{\"cupel\":1,\"type\":\"stack\",\"frames\":[\"f\",\"g\"]}\n");
	buf_done(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_line__of_an_event),
		cmocka_unit_test(test_line__of_a_system_call),
		cmocka_unit_test(test_line__of_a_function),
		cmocka_unit_test(test_line__of_a_graph),
		cmocka_unit_test(test_line__that_is_none),
		cmocka_unit_test(test_json__joins_the_frames_of_a_stack),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

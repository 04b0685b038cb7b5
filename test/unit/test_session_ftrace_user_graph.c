/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/ftrace/user_graph: calls are nested, also after jumps; a function of this program is
 * traced; command/ftrace/ftrace_printer writes the lines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/err.h"
#include "command/ftrace/ftrace_printer.h"
#include "event/event.h"
#include "event/sink.h"
#include "session/ftrace/user_graph.h"
#include "session/probe/probe_set.h"
#include "source/probe/function_calls_source.h"
#include "source/source.h"

#define REPLACED 0x7fffffffe000u /* the page of the kernel */

static const char *const names[] = { "a", "b", "c" };

static void put(void *context, const struct ftrace_line *line)
{
	static const char kinds[] = {
		[FTRACE_LINE_ENTRY] = '{', [FTRACE_LINE_EXIT] = '}', [FTRACE_LINE_LEAF] = ';'
	};

	(void)buf_printf(context, "%u%c%c%llu ", line->depth, *line->name.data, kinds[line->kind],
			 (unsigned long long)line->duration_ns);
}

static void enter(struct user_graph *graph, unsigned number, uint64_t ns, uint64_t sp)
{
	const struct function_call call = { .time_ns = ns,
					    .sp = sp,
					    .return_address = 0x400000 + number,
					    .tid = 1,
					    .number = number,
					    .comm = "prog" };

	user_graph_add(graph, &call);
}

/* sp: as at the entry */
static void leave(struct user_graph *graph, unsigned number, uint64_t ns, uint64_t sp)
{
	const struct function_call call = {
		.time_ns = ns, .sp = sp, .tid = 1, .number = number, .returns = 1, .comm = "prog"
	};

	user_graph_add(graph, &call);
}

static void check(struct user_graph *graph, struct buf *out, const char *want)
{
	user_graph_end(graph);
	assert_string_equal(out->data, want);
	user_graph_done(graph);
	buf_done(out);
}

static void test_graph__an_exception_passes_a_call_of_the_same_function(void **state)
{
	const struct function_call end = {
		.time_ns = 40, .sp = 100, .tid = 1, .returns = 1, .comm = "prog"
	};
	struct buf out = { 0 };
	struct user_graph graph = { .names = names, .line = put, .context = &out };

	(void)state;
	enter(&graph, 0, 10, 100);
	enter(&graph, 0, 20, 90); /* throws */
	user_graph_add(&graph, &end);
	assert_int_equal(graph.open, 1);
	check(&graph, &out, "0a{0 1a{0 0a}30 ");
}

static void test_graph__nests_calls(void **state)
{
	struct function_times stacks;
	struct buf out = { 0 };
	struct user_graph graph = {
		.names = names, .line = put, .context = &out, .stacks = &stacks
	};

	(void)state;
	function_times_init(&stacks);
	leave(&graph, 2, 5, 90); /* called before the start */
	enter(&graph, 0, 10, 100);
	enter(&graph, 1, 20, 90);
	leave(&graph, 1, 25, 90);
	enter(&graph, 1, 30, 90);
	enter(&graph, 2, 32, 80);
	leave(&graph, 2, 33, 80);
	leave(&graph, 1, 40, 90);
	leave(&graph, 0, 50, 100);
	enter(&graph, 2, 60, 100); /* goes on at the end */
	function_times_sort(&stacks, FUNCTION_TIMES_NAME);
	assert_int_equal(stacks.item.count, 3);
	assert_string_equal(stacks.item.item[0].name, "prog;a");
	assert_int_equal(stacks.item.item[0].total_ns, 40 - 5 - 10);
	assert_string_equal(stacks.item.item[1].name, "prog;a;b");
	assert_int_equal(stacks.item.item[1].total_ns, 5 + 10 - 1);
	function_times_done(&stacks);
	check(&graph, &out, "0a{0 1b;5 1b{0 2c;1 1b}10 0a}40 0c{0 ");
}

static void test_graph__hides_deeper_calls(void **state)
{
	struct buf out = { 0 };
	struct user_graph graph = { .names = names, .line = put, .context = &out, .depth = 2 };

	(void)state;
	enter(&graph, 0, 10, 100);
	enter(&graph, 1, 20, 90);
	enter(&graph, 2, 22, 80);
	leave(&graph, 2, 23, 80);
	leave(&graph, 1, 25, 90);
	leave(&graph, 0, 30, 100);
	check(&graph, &out, "0a{0 1b;5 0a}20 ");
}

static void test_graph__survives_jumps(void **state)
{
	const struct function_call tail = { .time_ns = 42,
					    .sp = 90,
					    .return_address = REPLACED,
					    .tid = 1,
					    .number = 2,
					    .comm = "prog" };
	struct buf out = { 0 };
	struct user_graph graph = { .names = names, .line = put, .context = &out };

	(void)state;
	enter(&graph, 0, 10, 100);
	enter(&graph, 1, 20, 90);
	enter(&graph, 1, 21, 80); /* both end by longjmp() */
	enter(&graph, 2, 30, 90);
	leave(&graph, 2, 35, 90);
	enter(&graph, 1, 40, 90); /* jumps to c at its end */
	user_graph_add(&graph, &tail);
	leave(&graph, 2, 45, 90);
	leave(&graph, 1, 46, 90);
	leave(&graph, 0, 50, 100);
	assert_int_equal(graph.open, 2);
	check(&graph, &out, "0a{0 1b{0 2b{0 1c;5 1b{0 2c;3 1b}6 0a}40 ");
}

__attribute__((noinline, used)) static void trace_my_calls(void)
{
	__asm__ volatile("" ::: "memory");
}

struct taken {
	struct sink sink; /* first */
	unsigned calls, returns;
};

static int take(struct sink *sink, const struct event *event, struct err *err)
{
	const struct function_call *call = event->own.data;
	struct taken *taken = (struct taken *)sink;

	(void)err;
	if (call->returns)
		taken->returns++;
	else
		taken->calls++;
	return 0;
}

static void test_source__sends_each_call_and_return(void **state)
{
	struct probe_set set = { 0 };
	char pid[16];
	struct source_options options = { .probes = &set.choice, .pids = pid };
	struct taken taken = { .sink.event = take };
	struct source *source = NULL;
	struct err err = { 0 };

	(void)state;
	(void)snprintf(pid, sizeof(pid), "%d", (int)getpid());
	assert_int_equal(probe_set_add(&set, "/proc/self/exe:trace_my_calls",
				       &(struct probe_set_options){ 0 }, &err),
			 0);
	if (source_find("function_calls")->open(&source, &options, &err) ||
	    source->ops->start(source, &err)) {
		assert_true(err.hint[0]);
		source_close(source);
		probe_set_done(&set);
		skip();
	}
	for (int i = 0; i < 100; i++)
		trace_my_calls();
	assert_int_equal(function_calls_hits(source), 200);
	source_detach(source);
	trace_my_calls();
	assert_int_equal(source->ops->stop(source, &taken.sink, &err), 0);
	assert_int_equal(taken.calls, 100);
	assert_int_equal(taken.returns, 100);
	assert_int_equal(source->loss->lost, 0);
	source_close(source);
	probe_set_done(&set);
}

static void test_printer__has_the_layout_of_function_graph(void **state)
{
	struct ftrace_printer printer = { .fd = STDOUT_FILENO };
	struct ftrace_line line = { .kind = FTRACE_LINE_LEAF,
				    .comm = { "prog", 4 },
				    .name = { "parse", 5 },
				    .pid = 7,
				    .cpu = 1,
				    .depth = 1,
				    .has_duration = true,
				    .duration_ns = 12345 };

	(void)state;
	ftrace_printer_graph(&printer, &line);
	assert_string_equal(printer.text.data,
			    "  1)       prog-7       | +    12.345 us |    parse();\n");
	buf_done(&printer.text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_graph__an_exception_passes_a_call_of_the_same_function),
		cmocka_unit_test(test_graph__nests_calls),
		cmocka_unit_test(test_graph__hides_deeper_calls),
		cmocka_unit_test(test_graph__survives_jumps),
		cmocka_unit_test(test_source__sends_each_call_and_return),
		cmocka_unit_test(test_printer__has_the_layout_of_function_graph),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

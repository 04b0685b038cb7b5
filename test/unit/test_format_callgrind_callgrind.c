/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Callgrind: calls to stacks and back; the graph in between. */
#include "format/callgrind/callgrind.h"
#include "format/callgrind/callgrind_graph.h"
#include "format/format.h"
#include "format/perf_script/perf_script_read.h"
#include "text_profile.h"

static void test_callgrind__costs_flow_down_the_calls(void **state)
{
	(void)state;
	assert_text("# callgrind format\nevents: Ir Dr\n\nfl=(1) a.c\nfn=(1) main\n16 20 "
		    "1\ncfn=(2) f\ncalls=1 50\n"
		    "16 400 2\ncfi=(2) b.c\ncfn=(3) g\ncalls=3 20\n* *\n\nfn=(2)\n+35 "
		    "-300\ncfi=(2)\ncfn=(3)\n"
		    "calls=2 20\n* 300\n\nfl=(2)\nfn=(3)\n-31 +400\n",
		    "callgrind", "Ir", "main 20\nmain;f 100\nmain;f;g 300\nmain;g 400\n");
}

/* A cycle has no top: its cost still comes out, once. */
static void test_callgrind__recursion_loses_nothing(void **state)
{
	struct call_graph graph = { .events = 1 };
	struct profile *profile = profile_new(0);
	struct profile_sample sample = { .event = profile_event(profile, "x", ""), .count = 1 };
	uint32_t f[3];

	(void)state;
	(void)profile_thread(profile, 1, 1, "");
	for (uint32_t i = 0; i < 3; i++) {
		struct frame frame = { .line = i + 1 };

		f[i] = call_graph_function(&graph, profile_frame(profile, &frame));
		graph.functions.item[f[i]].self[0] = 10;
	}
	call_graph_edge(&graph, f[0], f[1])->cost[0] = 20;
	call_graph_edge(&graph, f[1], f[2])->cost[0] = 10;
	call_graph_edge(&graph, f[2], f[2])->cost[0] = 5;
	assert_int_equal(call_graph_unfold(&graph, 0, profile, sample), 30);
	assert_int_equal(profile->events.item[0].weight, 30);
	call_graph_done(&graph);
	profile_free(profile);
}

static void test_callgrind__written_costs(void **state)
{
	static const char text[] =
		"a 1/2 [000] 1.5: 7 cycles: \n\t20 f+0x1 (/bin/a)\n  f.c:12\n\t30 f+0x1 (/bin/a)\n"
		"  f.c:13\n\t10 main+0x2 (/bin/a)\n  m.c:1\n\n";
	struct format_write_options all = { 0 };
	struct profile *profile = profile_new(0);
	struct input *input = input_memory(text, strlen(text));
	struct buf out = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(format_read(&format_perf_script, input, NULL, profile, &err), 0);
	assert_int_equal(format_callgrind.write(profile, &all, &out, &err), 0);
	assert_non_null(strstr(out.data, "positions: line\nevents: cycles\nsummary: 7\n\n"));
	assert_string_equal(out.data + out.len - 12, "\n\ntotals: 7\n");
	assert_non_null(
		strstr(out.data,
		       "ob=/bin/a\nfl=m.c\nfn=main\ncob=/bin/a\ncfi=f.c\ncfn=f\ncalls=1 0\n1 7\n"));
	assert_non_null(strstr(out.data, "fn=f\n12 7\n"));
	assert_text(out.data, "callgrind", "cycles", "main;f;f 7\n");
	buf_done(&out);
	input_close(input);
	profile_free(profile);
}

static void test_callgrind__names_units(void **state)
{
	static const char text[] = "a 1/2 [000] 1.5: 7 cpu-clock: \n\t20 f+0x1 (/bin/a)\n\n"
				   "a 1/2 [000] 1.6: 3 page:faults: \n\t20 f+0x1 (/bin/a)\n\n"
				   "a 1/2 [000] 1.7: 5 cpu-clock: \n\t20 g+0x1 (/bin/a)\n\n";
	struct format_write_options all = { 0 };
	struct profile *profile = profile_new(0);
	struct input *input = input_memory(text, strlen(text));
	struct buf out = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(format_read(&format_perf_script, input, NULL, profile, &err), 0);
	assert_int_equal(format_callgrind.write(profile, &all, &out, &err), 0);
	assert_non_null(strstr(out.data, "event: cpu-clock : cpu-clock (ns)\nevents: cpu-clock "
					 "page_faults\nsummary: 12 3\n"));
	assert_non_null(strstr(out.data, "\n\ntotals: 12 3\n"));
	buf_done(&out);
	input_close(input);
	profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_callgrind__costs_flow_down_the_calls),
		cmocka_unit_test(test_callgrind__recursion_loses_nothing),
		cmocka_unit_test(test_callgrind__written_costs),
		cmocka_unit_test(test_callgrind__names_units),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

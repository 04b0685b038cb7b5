/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts as text, CSV and JSON; live/stat_layout.sh compares them with stock perf's. */
#include <linux/perf_event.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "profile/counts/counts.h"
#include "view/stat/stat_comparison.h"
#include "view/stat/stat_frame.h"
#include "view/stat/stat_rows.h"
#include "view/stat/stat_view.h"

static const struct counts_event events[] = {
	{ .name = "cycles",
	  .unit = "",
	  .scale = 1,
	  .type = PERF_TYPE_HARDWARE,
	  .config = PERF_COUNT_HW_CPU_CYCLES,
	  .supported = true },
	{ .name = "instructions",
	  .unit = "",
	  .scale = 1,
	  .type = PERF_TYPE_HARDWARE,
	  .config = PERF_COUNT_HW_INSTRUCTIONS,
	  .supported = true },
	{ .name = "energy", .unit = "Joules", .scale = 0.5, .type = 77, .supported = true },
	{ .name = "branches", .unit = "", .scale = 1, .type = PERF_TYPE_HARDWARE, .config = 4 },
};

static const struct counts_place threads[] = {
	{ .thread = 7, .comm = "idle", .cpus = 1 },
	{ .thread = 8, .comm = "worker", .cpus = 1 },
};

static void add(struct counts *counts, size_t event, size_t place, double value, uint64_t running)
{
	struct count count = { .value = value, .enabled_ns = 1000, .running_ns = running };

	counts_add(counts, event, place, &count);
}

static void print(enum counts_by by, const struct stat_view *view, struct buf *ret)
{
	struct counts counts = { .by = by,
				 .event = events,
				 .events = sizeof(events) / sizeof(*events),
				 .place = threads,
				 .places = by == COUNTS_BY_THREAD ? 2 : 1 };

	counts_init(&counts);
	add(&counts, 0, 0, 1000000, 500);
	add(&counts, 1, 0, 2000000, 1000);
	add(&counts, 2, 0, 5, 1000);
	if (by == COUNTS_BY_THREAD) {
		add(&counts, 0, 1, 3000000, 1000);
		add(&counts, 1, 1, 0, 1000);
	}
	stat_view(&counts, view, ret);
	counts_done(&counts);
}

static void expect(enum counts_by by, const struct stat_view *view, const char *part)
{
	struct buf out = { 0 };

	print(by, view, &out);
	if (!strstr(out.data, part))
		fail_msg("no '%s' in:\n%s", part, out.data);
	buf_done(&out);
}

static void test_stat_view__text(void **state)
{
	const struct stat_view view = { .big_num = true }, plain = { .big_num = false };

	(void)state;
	expect(COUNTS_BY_ALL, &view, "         1,000,000        cycles     ");
	expect(COUNTS_BY_ALL, &view, "  (50.00%)\n");
	expect(COUNTS_BY_ALL, &view, " #    2.00  insn per cycle");
	expect(COUNTS_BY_ALL, &view, "              2.50 Joules energy");
	expect(COUNTS_BY_ALL, &view, "   <not supported>        branches");
	expect(COUNTS_BY_ALL, &plain, "           1000000        cycles");
	expect(COUNTS_BY_THREAD, &view, "            idle-7                 1,000,000");
}

static void test_stat_view__csv(void **state)
{
	const struct stat_view view = { .separator = ";", .spread = true };
	const struct stat_view interval = { .separator = ",",
					    .interval = true,
					    .time_ns = 1500000000 };

	(void)state;
	expect(COUNTS_BY_ALL, &view,
	       "2000000;;instructions;0.00%;1000;100.00;2.00;insn per cycle\n");
	expect(COUNTS_BY_ALL, &view, "1000000;;cycles;0.00%;500;50.00;;\n");
	expect(COUNTS_BY_ALL, &view, "<not supported>;;branches;0.00%;0;100.00;;\n");
	expect(COUNTS_BY_ALL, &interval, "     1.500000000,2.50,Joules,energy,1000,100.00,,\n");
}

static void test_stat_view__an_event_of_cores_has_a_row_for_each(void **state)
{
	static const struct counts_place cpus[] = { { .cpu = 0, .cpus = 1 },
						    { .cpu = 1, .cpus = 1 },
						    { .cpu = 2, .core = 1, .cpus = 1 } };
	static const struct counts_event event = {
		.name = "x", .unit = "", .scale = 1, .supported = true, .per_core = true
	};
	struct stat_view view = { .separator = "," }, text = { .big_num = true };
	struct counts counts = {
		.by = COUNTS_BY_CPU, .event = &event, .events = 1, .place = cpus, .places = 3
	};
	struct buf out = { 0 };

	(void)state;
	counts_init(&counts);
	for (size_t i = 0; i < 3; i++)
		add(&counts, 0, i, i < 2 ? 30 : 7, 1000);
	stat_view(&counts, &view, &out);
	assert_string_equal(out.data,
			    "S0-D0-C0,30,,x,1000,100.00,,\nS0-D0-C1,7,,x,1000,100.00,,\n");
	buf_done(&out);
	stat_view(&counts, &text, &out);
	assert_memory_equal(out.data, "S0-D0-C0                           30 ", 38);
	buf_done(&out);
	view.core_threads = true;
	stat_view(&counts, &view, &out);
	assert_string_equal(out.data, "CPU0,30,,x,1000,100.00,,\nCPU1,30,,x,1000,100.00,,\n"
				      "CPU2,7,,x,1000,100.00,,\n");
	buf_done(&out);
	counts_done(&counts);
}

static void test_stat_view__threads_with_the_largest_count_first(void **state)
{
	const struct stat_view view = { .separator = ",", .skip_zero = true };
	struct buf out = { 0 };

	(void)state;
	print(COUNTS_BY_THREAD, &view, &out);
	assert_true(strstr(out.data, "worker-8,3000000,,cycles") <
		    strstr(out.data, "idle-7,1000000,,cycles"));
	assert_null(strstr(out.data, "worker-8,0,,instructions"));
	buf_done(&out);
}

static void test_stat_view__json(void **state)
{
	const struct stat_view view = { .json = true };

	(void)state;
	expect(COUNTS_BY_ALL, &view,
	       "{\"counter-value\" : \"2000000.000000\", \"unit\" : \"\", \"event\" : "
	       "\"instructions\", \"event-runtime\" : 1000, \"pcnt-running\" : 100.00, "
	       "\"metric-value\" : 2.000000, \"metric-unit\" : \"insn per cycle\"}\n");
	expect(COUNTS_BY_THREAD, &view, "{\"thread\" : \"idle-7\", \"counter-value\" : ");
	expect(COUNTS_BY_ALL, &view,
	       "\"<not supported>\", \"unit\" : \"\", \"event\" : \"branches\"");
}

static void test_stat_view__figures_alone(void **state)
{
	const struct stat_view text = { .metric_only = true };
	const struct stat_view json = { .metric_only = true, .json = true };
	const struct stat_view csv = { .metric_only = true, .separator = "," };

	(void)state;
	expect(COUNTS_BY_ALL, &text, "                2.00 \n");
	expect(COUNTS_BY_ALL, &json, "{\"insn per cycle\" : \"2.00\"}\n");
	expect(COUNTS_BY_THREAD, &csv, "idle-7,2.00,\n");
}

static void test_stat_frame__one_run_and_several(void **state)
{
	struct stat_frame frame = { .about = "'true'",
				    .runs = 1,
				    .program = true,
				    .user_ns = 1500000,
				    .peak_rss_bytes = 2000000 };
	struct buf out = { 0 };

	(void)state;
	mean_add(&frame.elapsed_ns, 1e9);
	stat_frame_head(&frame, &out);
	stat_frame_foot(&frame, &out);
	assert_string_equal(out.data, "\n Performance counter stats for 'true':\n\n"
				      "\n       1.000000000 seconds time elapsed\n\n"
				      "       0.001500000 seconds user\n"
				      "       0.000000000 seconds sys\n"
				      "             2.000 MB peak resident memory\n\n\n");
	buf_clear(&out);
	frame.runs = 2;
	mean_add(&frame.elapsed_ns, 2e9);
	stat_frame_foot(&frame, &out);
	assert_string_equal(out.data, "\n             1.500 +- 0.500 seconds time elapsed  "
				      "( +- 33.33% )\n\n");
	buf_done(&out);
}

static void test_stat_comparison__all_forms(void **state)
{
	const struct stat_compared row[] = {
		{ "time elapsed", "msec", { 2, 4 }, { 2, 1.5, 2.5, RATIO_MORE }, true, false },
		{ "page-faults", "", { 7, 7 }, { 1, 0, INFINITY, RATIO_UNDECIDED }, false, false },
		{ .name = "cycles", .unit = "", .missing = true },
		{ "cs", "", { 0, 3 }, { NAN, NAN, NAN, RATIO_MORE }, false, false },
	};
	const struct stat_comparison comparison = { { "a", "b" }, row, 4, 9 };
	struct buf out = { 0 };

	(void)state;
	stat_comparison_text(&comparison, &out);
	assert_non_null(strstr(out.data, " A: a\n B: b\n 9 runs of each, in turns\n"));
	assert_non_null(strstr(out.data, "2.000              4.000 msec time elapsed               "
					 "2.0000  [1.5000, 2.5000]     worse *\n"));
	assert_non_null(strstr(out.data, "1.0000  none                 not enough runs\n"));
	assert_non_null(strstr(out.data, "     -  -                    worse\n"));
	assert_non_null(strstr(out.data, "\n * decides the exit status: 0 better or"));
	assert_non_null(strstr(out.data, "<not supported>      cycles\n"));
	buf_clear(&out);
	stat_comparison_csv(&comparison, ",", &out);
	assert_non_null(strstr(out.data, "time elapsed,msec,2,4,2,1.5,2.5,worse,9\n"));
	assert_non_null(strstr(out.data, "page-faults,,7,7,1,,,not enough runs,9\n"));
	assert_non_null(strstr(out.data, "cs,,0,3,,,,worse,9\n"));
	buf_clear(&out);
	stat_comparison_json(&comparison, &out);
	assert_non_null(strstr(out.data,
			       "{\"event\" : \"time elapsed\", \"unit\" : \"msec\", "
			       "\"median\" : [2, 4], \"ratio\" : 2, \"interval\" : [1.5, 2.5], "
			       "\"verdict\" : \"worse\", \"gate\" : true, \"runs\" : 9}\n"));
	assert_non_null(
		strstr(out.data, "\"ratio\" : 1, \"interval\" : null, \"verdict\" : \"not"));
	assert_non_null(
		strstr(out.data, "\"ratio\" : null, \"interval\" : null, \"verdict\" : \"w"));
	buf_done(&out);
}

/* Interrupted before both programs have run. */
static void test_stat_comparison__nothing_measured(void **state)
{
	const struct stat_compared row = { .name = "time elapsed",
					   .unit = "msec",
					   .ratio = { NAN, NAN, NAN, RATIO_UNDECIDED },
					   .unmeasured = true };
	const struct stat_comparison comparison = { { "a", "b" }, &row, 1, 0 };
	struct buf out = { 0 };

	(void)state;
	stat_comparison_text(&comparison, &out);
	assert_string_equal(out.data, "\n A: a\n B: b\n nothing was measured: no run of both is "
				      "complete\n\n");
	buf_clear(&out);
	stat_comparison_csv(&comparison, ",", &out);
	assert_string_equal(out.data, "time elapsed,msec,,,,,,not measured,0\n");
	buf_clear(&out);
	stat_comparison_json(&comparison, &out);
	assert_string_equal(out.data, "{\"event\" : \"time elapsed\", \"unit\" : \"msec\", "
				      "\"median\" : null, \"ratio\" : null, \"interval\" : null, "
				      "\"verdict\" : \"not measured\", \"gate\" : false, "
				      "\"runs\" : 0}\n");
	buf_done(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stat_view__text),
		cmocka_unit_test(test_stat_view__csv),
		cmocka_unit_test(test_stat_view__an_event_of_cores_has_a_row_for_each),
		cmocka_unit_test(test_stat_view__threads_with_the_largest_count_first),
		cmocka_unit_test(test_stat_view__json),
		cmocka_unit_test(test_stat_view__figures_alone),
		cmocka_unit_test(test_stat_frame__one_run_and_several),
		cmocka_unit_test(test_stat_comparison__all_forms),
		cmocka_unit_test(test_stat_comparison__nothing_measured),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

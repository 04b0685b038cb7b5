/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs of programs under counters, places of slots, and the CPUs of sysfs. Counting needs
 * permission for this user's own programs; without it those parts are skipped. */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/err.h"
#include "format/input.h"
#include "format/perf_data/perf_data.h"
#include "session/stat/stat_compare.h"
#include "session/stat/stat_merge.h"
#include "session/stat/stat_notes.h"
#include "session/stat/stat_places.h"
#include "session/stat/stat_probes.h"
#include "session/stat/stat_recorder.h"
#include "session/stat/stat_report.h"
#include "session/stat/stat_run.h"
#include "source/counter/counter.h"
#include "source/counter/cpu_topology.h"
#include "source/event_spec/event_parse.h"

static void write_file(const char *root, const char *name, const char *text)
{
	char path[PATH_MAX];
	FILE *file;

	(void)snprintf(path, sizeof(path), "%s%s", root, name);
	for (char *p = path + 1; (p = strchr(p, '/')); *p++ = '/') {
		*p = '\0';
		(void)mkdir(path, 0755); /* it may exist */
	}
	file = fopen(path, "w");
	assert_non_null(file);
	(void)fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *where)
{
	(void)status;
	(void)kind;
	(void)where;
	return remove(path);
}

#define CPU "/sys/devices/system/cpu/cpu5/"

static void test_cpu_topology__reads_what_is_there(void **state)
{
	char root[] = "/tmp/cupel-topology.XXXXXX";
	struct cpu_place place;

	(void)state;
	assert_non_null(mkdtemp(root));
	write_file(root, CPU "topology/core_id", "3\n");
	write_file(root, CPU "topology/physical_package_id", "1\n");
	write_file(root, CPU "topology/cluster_id", "65535\n");
	write_file(root, CPU "topology/die_id", "-1\n");
	write_file(root, CPU "cache/index0/level", "1\n");
	write_file(root, CPU "cache/index1/level", "3\n");
	write_file(root, CPU "cache/index1/id", "2\n");
	write_file(root, CPU "node4/x", "");
	cpu_topology_read(root, 5, &place);
	assert_int_equal(place.core, 3);
	assert_int_equal(place.socket, 1);
	assert_int_equal(place.cluster, 0);
	assert_int_equal(place.die, 0);
	assert_int_equal(place.cache_level, 3);
	assert_int_equal(place.cache, 2);
	assert_int_equal(place.node, 4);
	cpu_topology_read(root, 6, &place);
	assert_int_equal(place.core, 0);
	assert_int_equal(nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
}

static void test_stat_places__join_slots(void **state)
{
	int cpus[] = { 0, 1 };
	pid_t pids[] = { 10, 9, 10 };
	struct counter_set set = { .slots = 6 };
	struct stat_places places = { .place.count = 0 };

	(void)state;
	set.target.cpu.item = cpus;
	set.target.cpu.count = 2;
	set.target.pid.item = pids;
	set.target.pid.count = 3;
	stat_places_find(&places, &set, COUNTS_BY_ALL);
	assert_int_equal(places.place.count, 1);
	stat_places_find(&places, &set, COUNTS_BY_CPU);
	assert_int_equal(places.place.count, 2);
	assert_int_equal(places.place.item[1].cpu, 1);
	assert_int_equal(places.of_slot.item[3], 1);
	stat_places_find(&places, &set, COUNTS_BY_THREAD);
	assert_int_equal(places.place.count, 2);
	assert_int_equal(places.place.item[0].thread, 9);
	assert_int_equal(places.of_slot.item[0], 1);
	assert_int_equal(places.of_slot.item[1], 0);
	stat_places_done(&places);
}

static void test_stat_merge__adds_up_what_one_name_selected(void **state)
{
	const struct event_spec spec[] = {
		{ .pmu = "imc_0", .system_wide = true, .glob = 1, .scale = 1 },
		{ .pmu = "imc_1", .system_wide = true, .glob = 1, .scale = 1 },
		{ .pmu = "imc_0", .system_wide = true, .glob = 2, .scale = 1 }, /* given again */
		{ .pmu = "imc_1", .system_wide = true, .glob = 1, .scale = 2 },
		{ .pmu = "cpu_core", .glob = 3, .scale = 1 },
		{ .pmu = "cpu_atom", .glob = 3, .scale = 1 },
	};
	const char *const name[] = { "reads", "reads", "reads", "reads", "cycles", "cycles" };
	const size_t merged[] = { 0, 0, 1, 2, 3, 4 };
	struct counter_set set = { .slots = 1 };
	size_t row[6];

	(void)state;
	for (size_t i = 0; i < 6; i++)
		vec_push(&set.counter,
			 ((struct counter){ .spec = &spec[i], .name = name[i], .cgroup_fd = -1 }));
	assert_int_equal(stat_merge(&set, false, row), 5);
	assert_memory_equal(row, merged, sizeof(merged));
	assert_int_equal(stat_merge(&set, true, row), 6);
	assert_string_equal(stat_merge_name(&set, 1, false), "reads");
	assert_string_equal(stat_merge_name(&set, 1, true), "reads [imc_1]");
	assert_string_equal(stat_merge_name(&set, 4, true), "cycles");
	set.counter.item[0].name = set.counter.item[1].name = "imc/reads/";
	assert_string_equal(stat_merge_name(&set, 1, true), "imc_1/reads/");
	vec_done(&set.counter);
	arena_done(&set.arena);
}

struct seen {
	unsigned intervals;
	double faults;
};

static int take_interval(void *context, const struct counts *counts, uint64_t time_ns,
			 struct err *err)
{
	struct seen *seen = context;

	(void)time_ns;
	(void)err;
	seen->intervals++;
	seen->faults += counts_cell(counts, 0, 0)->value.value;
	return 0;
}

static void test_session_stat__intervals_add_up_to_the_whole(void **state)
{
	char *words[] = { (char[]){ "sh" }, (char[]){ "-c" }, (char[]){ "sleep 0.02; exit 3" },
			  NULL };
	struct record_selector selector = { .text = "page-faults:u" };
	struct stat_options options = { .repeat = 1, .interval_ms = 5 };
	struct seen seen = { 0 };
	const struct stat_listener listener = { &seen, take_interval, NULL };
	struct stat_result result;
	struct err err = { 0 };
	int code;

	(void)state;
	vec_push(&options.source.selector, selector);
	code = session_stat(&options, words, &listener, &result, &err);
	vec_done(&options.source.selector);
	if (code == -EACCES || code == -EPERM || code == -ENOSYS) {
		stat_result_done(&result);
		skip();
	}
	assert_int_equal(code, 0);
	assert_int_equal(result.exit_status, 3);
	assert_true(seen.intervals >= 2);
	assert_true(seen.faults > 0);
	assert_true(counts_cell(&result.counts, 0, 0)->value.value - seen.faults < 0.5);
	assert_true(result.peak_rss_bytes > 0);
	stat_result_done(&result);
}

static void test_session_stat__a_command_before_the_run_that_fails_ends_it(void **state)
{
	char *words[] = { (char[]){ "true" }, NULL };
	const struct stat_options options = { .repeat = 1, .null_run = true, .pre = "exit 4" };
	const struct stat_listener listener = { 0 };
	struct stat_result result;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(session_stat(&options, words, &listener, &result, &err), -ECANCELED);
	assert_string_equal(err.msg, "exit 4: exited with status 4");
	stat_result_done(&result);
}

static void test_session_compare__pairs_of_runs(void **state)
{
	char *fast[] = { (char[]){ "true" }, NULL },
	     *slow[] = { (char[]){ "sleep" }, (char[]){ "0.02" }, NULL };
	char *bad[] = { (char[]){ "false" }, NULL };
	char **const commands[] = { fast, slow }, **const failing[] = { fast, bad };
	const struct stat_options options = { .repeat = 3, .null_run = true };
	struct stat_compare_result result;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(session_compare(&options, commands, &result, &err), 0);
	assert_int_equal(result.pairs, 3);
	assert_string_equal(result.figure.item[0].name, "time elapsed");
	for (size_t i = 0; i < 3; i++) {
		assert_true(result.figure.item[0].run[0][i] > 0);
		assert_true(result.figure.item[0].run[1][i] >= 20);
	}
	stat_compare_result_done(&result);
	assert_int_equal(session_compare(&options, failing, &result, &err), -ECANCELED);
	assert_string_equal(err.msg, "program B: exited with status 1");
	stat_compare_result_done(&result);
}

static void test_stat_report__reads_what_was_recorded(void **state)
{
	char *words[] = { (char[]){ "true" }, NULL };
	char path[] = "/tmp/cupel-counts.XXXXXX";
	struct record_selector selector = { .text = "page-faults:u" };
	struct stat_options options = { .repeat = 1, .record = path };
	const struct stat_listener listener = { 0 };
	struct stat_result result;
	struct stat_report *report;
	struct input *input;
	struct perf_data *data;
	struct err err = { 0 };
	int code, fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	(void)close(fd);
	vec_push(&options.source.selector, selector);
	code = session_stat(&options, words, &listener, &result, &err);
	vec_done(&options.source.selector);
	if (code) {
		(void)unlink(path);
		stat_result_done(&result);
		skip();
	}
	assert_int_equal(input_open(path, &input, &err), 0);
	assert_int_equal(perf_data_open(input, &data, &err), 0);
	assert_int_equal(session_stat_report(data, COUNTS_BY_ALL, &listener, &report, &err), 0);
	assert_string_equal(stat_report_counts(report)->event[0].name, "page-faults:u");
	assert_true(counts_cell(stat_report_counts(report), 0, 0)->value.value > 0);
	assert_true(counts_cell(stat_report_counts(report), 0, 0)->value.value -
			    counts_cell(&result.counts, 0, 0)->value.value <
		    0.5);
	stat_report_free(report);
	perf_data_close(data);
	input_close(input);
	stat_result_done(&result);
	assert_int_equal(unlink(path), 0);
}

__attribute__((noinline, used)) static int probed_one(int x)
{
	__asm__ volatile("" ::: "memory");
	return x + 1;
}

__attribute__((noinline, used)) static int probed_two(int x)
{
	__asm__ volatile("" ::: "memory");
	return x + 2;
}

/* Groups keep their members when events of functions come before them. */
static void test_stat_probes__each_function_has_its_event(void **state)
{
	static const char text[] = "probe:/proc/self/exe:probed_*,{cs,faults},"
				   "probe:/proc/self/exe:probed_one";
	/* calls that the compiler can follow may get copies of the functions, which have names too
	 */
	int (*volatile one)(int) = probed_one, (*volatile two)(int) = probed_two;
	const struct event_parse_options parse = { .root = "" };
	const struct record_selector selector = { .text = text };
	struct source_options options = { 0 };
	struct stat_probes probes = { 0 };
	struct event_list list = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(3, one(0) + two(0));
	vec_push(&options.selector, selector);
	assert_int_equal(event_list_parse(&list, text, &parse, &err), 0);
	assert_int_equal(stat_probes_place(&probes, &list, &options, &err), 0);
	vec_done(&options.selector);
	assert_int_equal(list.spec.count, 5);
	assert_int_equal(probes.spec.count, 3);
	assert_non_null(strstr(list.spec.item[0]->name, ":probed_"));
	assert_string_not_equal(list.spec.item[0]->name, list.spec.item[1]->name);
	assert_string_equal(list.spec.item[4]->name, "probe:/proc/self/exe:probed_one");
	for (uint32_t i = 0; i < 5; i++) {
		assert_int_equal(list.spec.item[i]->index, i);
		assert_int_equal(list.spec.item[i]->group_leader, i == 3 ? 2 : i);
	}
	assert_int_equal(probes.spec.item[2], 4);
	event_list_done(&list);
	stat_probes_done(&probes);
}

static void test_stat_notes__says_what_cannot_be_counted_once(void **state)
{
	static const struct event_spec spec[] = {
		{ .attr = { .type = PERF_TYPE_SOFTWARE,
			    .config = PERF_COUNT_SW_CONTEXT_SWITCHES } },
		{ .attr = { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_MIGRATIONS } },
		{ .attr = { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS } },
	};
	static const char *const name[] = { "cs:u", "cm:u", "pf:u" };
	struct counter_set set = { .user_only = true };
	char notes[256], few[8];

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct counter counter = { .spec = &spec[i], .name = name[i] };

		vec_push(&set.counter, counter);
	}
	stat_notes(&set, notes, sizeof(notes));
	assert_non_null(strstr(notes, "cs:u, cm:u: happen in the kernel"));
	assert_null(strstr(notes, "pf:u"));
	stat_notes(&set, few, sizeof(few));
	assert_true(strlen(few) < sizeof(few));
	set.user_only = false;
	stat_notes(&set, notes, sizeof(notes));
	assert_string_equal("", notes);
	vec_done(&set.counter);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stat_notes__says_what_cannot_be_counted_once),
		cmocka_unit_test(test_cpu_topology__reads_what_is_there),
		cmocka_unit_test(test_stat_places__join_slots),
		cmocka_unit_test(test_stat_merge__adds_up_what_one_name_selected),
		cmocka_unit_test(test_stat_probes__each_function_has_its_event),
		cmocka_unit_test(test_session_stat__intervals_add_up_to_the_whole),
		cmocka_unit_test(test_session_stat__a_command_before_the_run_that_fails_ends_it),
		cmocka_unit_test(test_session_compare__pairs_of_runs),
		cmocka_unit_test(test_stat_report__reads_what_was_recorded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

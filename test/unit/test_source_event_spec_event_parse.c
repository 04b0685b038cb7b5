/* SPDX-License-Identifier: GPL-2.0-or-later */
/* source/event_parse: -e strings become the same attrs as in perf. sysfs and tracefs are
 * small trees written to a temporary folder. */
#include <errno.h>
#include <ftw.h>
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
#include "source/event_spec/breakpoint.h"
#include "source/event_spec/event_parse.h"
#include "source/event_spec/probe_text.h"
#include "source/event_spec/tracepoint.h"

static char root[] = "/tmp/cupel-test-XXXXXX";

static void put_file(const char *path, const char *text)
{
	char full[512];
	FILE *file;

	(void)snprintf(full, sizeof(full), "%s%s", root, path);
	for (char *slash = full + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		(void)mkdir(full, 0755); /* may exist */
		*slash = '/';
	}
	file = fopen(full, "we");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(0, fclose(file));
}

#define PMU	"/sys/bus/event_source/devices/"
#define TRACING "/sys/kernel/tracing/"

static int make_root(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(root));
	put_file(PMU "cpu/type", "4\n");
	put_file(PMU "cpu/format/event", "config:0-7,32-35\n");
	put_file(PMU "cpu/format/umask", "config:8-15\n");
	put_file(PMU "cpu/format/edge", "config:18\n");
	put_file(PMU "cpu/format/ldlat", "config1:0-15\n");
	put_file(PMU "cpu/format/odd", "config9:0-15\n");
	put_file(PMU "cpu/format/lies", "config:63-99\n");
	put_file(PMU "cpu/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3\n");
	put_file(PMU "cpu/events/loop", "loop\n");
	put_file(PMU "uncore_imc_0/type", "12\n");
	put_file(PMU "uncore_imc_0/cpumask", "0,8\n");
	put_file(PMU "uncore_imc_0/events/data_reads", "event=0x1\n");
	put_file(PMU "uncore_imc_0/events/data_reads.scale", "6.103515625e-5\n");
	put_file(PMU "uncore_imc_0/events/data_reads.unit", "MiB\n");
	put_file(PMU "uncore_imc_0/format/event", "config:0-7\n");
	put_file(PMU "uncore_imc_1/type", "13\n");
	put_file(PMU "uncore_imc_1/cpumask", "0,8\n");
	put_file(PMU "uncore_imc_1/format/event", "config:0-7\n");
	put_file(PMU "broken/type", "many\n");
	put_file(TRACING "events/sched/sched_switch/id", "372\n");
	put_file(TRACING "events/sched/sched_switch/format", "name: sched_switch\n");
	put_file(TRACING "events/sched/sched_wakeup/id", "374\n");
	put_file(TRACING "events/sched/sched_wakeup/format", "name: sched_wakeup\n");
	put_file(TRACING "events/irq/irq_handler_entry/id", "9\n");
	put_file(TRACING "events/header_page", "PAGE");
	put_file(TRACING "events/header_event", "EVENT");
	return 0;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static int remove_root(void **state)
{
	(void)state;
	return nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static int parse(struct event_list *list, const char *text, struct err *err)
{
	const struct event_parse_options options = { .root = root };

	return event_list_parse(list, text, &options, err);
}

/* Generic names and aliases: type and config of perf. */
static void test_event_parse__generic_names(void **state)
{
	static const struct {
		const char *text;
		uint32_t type;
		uint64_t config;
	} rows[] = {
		{ "cpu-clock", 1, 0 },
		{ "task-clock", 1, 1 },
		{ "faults", 1, 2 },
		{ "cs", 1, 3 },
		{ "migrations", 1, 4 },
		{ "bpf-output", 1, 10 },
		{ "cgroup-switches", 1, 11 },
		{ "cycles", 0, 0 },
		{ "cpu-cycles", 0, 0 },
		{ "branches", 0, 4 },
		{ "idle-cycles-backend", 0, 8 },
		{ "r1a8", 4, 0x1a8 },
		{ "L1-dcache-load-misses", 3, 0x10000 },
		{ "l1d-write", 3, 0x100 },
		{ "LLC-prefetch-misses", 3, 0x10202 },
		{ "dTLB-misses-store", 3, 0x10103 },
		{ "iTLB-loads", 3, 0x4 },
		{ "node", 3, 0x6 },
		{ "branch-load-misses", 3, 0x10005 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct event_list list = { 0 };
		struct err err = { 0 };

		if (parse(&list, rows[i].text, &err))
			fail_msg("%s: %s", rows[i].text, err.msg);
		assert_int_equal(1, list.spec.count);
		assert_int_equal(rows[i].type, list.spec.item[0]->attr.type);
		assert_int_equal(rows[i].config, list.spec.item[0]->attr.config);
		assert_string_equal(rows[i].text, list.spec.item[0]->name);
		event_list_done(&list);
	}
}

static void test_event_parse__modifiers(void **state)
{
	struct event_list list = { 0 };
	struct err err = { 0 };
	const struct event_spec *spec;

	(void)state;
	assert_int_equal(0, parse(&list, "cs:u,cycles:kppp,cs:G,cs:D,cycles:P,cs,cs:uk", &err));
	spec = list.spec.item[0];
	assert_true(spec->attr.exclude_kernel && spec->attr.exclude_hv && !spec->attr.exclude_user);
	assert_true(spec->attr.exclude_guest && spec->exclude_given);
	spec = list.spec.item[1];
	assert_true(spec->attr.exclude_user && spec->attr.exclude_hv && !spec->attr.exclude_kernel);
	assert_int_equal(3, spec->attr.precise_ip);
	assert_true(list.spec.item[2]->attr.exclude_host && !list.spec.item[2]->attr.exclude_guest);
	assert_true(list.spec.item[3]->attr.pinned && !list.spec.item[3]->attr.exclude_guest);
	assert_true(list.spec.item[4]->precise_max);
	assert_true(list.spec.item[5]->attr.exclude_guest && !list.spec.item[5]->exclude_given);
	assert_true(!list.spec.item[6]->attr.exclude_user &&
		    !list.spec.item[6]->attr.exclude_kernel);
	assert_int_equal(-EINVAL, parse(&list, "cycles:pppp", &err));
	assert_int_equal(7, list.spec.count);
	event_list_done(&list);
}

static void test_event_parse__groups(void **state)
{
	struct event_list list = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(0, parse(&list, "cs,{cpu-clock, faults:u,cycles}:k,task-clock", &err));
	assert_int_equal(5, list.spec.count);
	assert_int_equal(0, list.spec.item[0]->group_leader);
	assert_int_equal(1, list.spec.item[1]->group_leader);
	assert_int_equal(3, list.spec.item[1]->group_size);
	assert_int_equal(1, list.spec.item[3]->group_leader);
	assert_int_equal(4, list.spec.item[4]->group_leader);
	assert_true(list.spec.item[1]->attr.exclude_user);
	assert_false(list.spec.item[2]->attr.exclude_user);
	assert_false(list.spec.item[2]->attr.exclude_kernel);
	assert_string_equal("faults:u", list.spec.item[2]->name);
	assert_int_equal(-EINVAL, parse(&list, "{cs,faults", &err));
	assert_int_equal(-EINVAL, parse(&list, "{cs}}", &err));
	assert_int_equal(-EINVAL, parse(&list, "cs,", &err));
	assert_int_equal(-EINVAL, parse(&list, "", &err));
	event_list_done(&list);
}

static void test_event_parse__pmu_terms(void **state)
{
	struct event_list list = { 0 };
	struct err err = { 0 };
	const struct event_spec *spec;

	(void)state;
	assert_int_equal(
		0, parse(&list, "cpu/event=0x13c,umask=0x2,edge,name=hot,period=1000/u", &err));
	spec = list.spec.item[0];
	assert_int_equal(4, spec->attr.type);
	assert_int_equal(0x3cULL | 1ULL << 32 | 0x200 | 1 << 18, spec->attr.config);
	assert_string_equal("hot", spec->name);
	assert_int_equal(1000, spec->period);
	assert_true(spec->terms & EVENT_TERM_PERIOD && spec->attr.exclude_kernel);

	assert_int_equal(0, parse(&list, "cpu/mem-loads,ldlat=30/pp", &err));
	assert_int_equal(0x1cd, list.spec.item[1]->attr.config);
	assert_int_equal(30, list.spec.item[1]->attr.config1);
	assert_int_equal(2, list.spec.item[1]->attr.precise_ip);

	assert_int_equal(0, parse(&list, "mem-loads,cpu/cycles/,cpu/r1b/,cpu/config=7/", &err));
	assert_int_equal(0x1cd, list.spec.item[2]->attr.config);
	assert_int_equal(PERF_TYPE_HARDWARE, list.spec.item[3]->attr.type);
	assert_int_equal(0x1b, list.spec.item[4]->attr.config);
	assert_int_equal(7, list.spec.item[5]->attr.config);

	assert_int_equal(-ERANGE, parse(&list, "cpu/umask=0x100/", &err));
	assert_int_equal(-EINVAL, parse(&list, "cpu/umsk=1/", &err));
	assert_non_null(strstr(err.hint, "'umask'"));
	assert_int_equal(-ELOOP, parse(&list, "cpu/loop/", &err));
	assert_int_equal(-EINVAL, parse(&list, "cpu/lies=1/", &err));
	assert_int_equal(-EINVAL, parse(&list, "broken/config=1/", &err));
	assert_int_equal(-ENOENT, parse(&list, "cpx/config=1/", &err));
	assert_int_equal(-EINVAL, parse(&list, "cpu/config=1", &err));
	assert_int_equal(6, list.spec.count);
	event_list_done(&list);
}

static void test_event_parse__uncore_pmus_open_on_their_cpus(void **state)
{
	struct event_list list = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(0, parse(&list, "uncore_imc/event=1/", &err));
	assert_int_equal(2, list.spec.count);
	assert_int_equal(12, list.spec.item[0]->attr.type);
	assert_int_equal(13, list.spec.item[1]->attr.type);
	assert_true(list.spec.item[1]->system_wide);
	assert_int_equal(2, list.spec.item[1]->cpu_count);
	assert_int_equal(8, list.spec.item[1]->cpu[1]);
	assert_int_equal(0, parse(&list, "uncore_imc_0/data_reads/", &err));
	assert_string_equal("MiB", list.spec.item[2]->unit);
	assert_true(list.spec.item[2]->scale < 0.0001);
	event_list_done(&list);
}

static void test_event_parse__settings_of_one_event(void **state)
{
	struct event_list list = { 0 };
	struct err err = { 0 };
	const struct event_spec *spec;

	(void)state;
	assert_int_equal(0, parse(&list,
				  "cpu-clock/call-graph=dwarf,stack-size=4096,freq=50,no-inherit/u",
				  &err));
	spec = list.spec.item[0];
	assert_int_equal(EVENT_CALL_GRAPH_DWARF, spec->call_graph);
	assert_int_equal(4096, spec->stack_size);
	assert_int_equal(50, spec->freq);
	assert_false(spec->inherit);
	assert_int_equal(EVENT_TERM_CALL_GRAPH | EVENT_TERM_STACK_SIZE | EVENT_TERM_FREQ |
				 EVENT_TERM_INHERIT,
			 spec->terms);
	assert_int_equal(-EINVAL, parse(&list, "cpu-clock/call-graph=elf/", &err));
	assert_int_equal(-EINVAL, parse(&list, "cpu-clock/period/", &err));
	assert_int_equal(-EINVAL, parse(&list, "cpu-clock/event=1/", &err));
	event_list_done(&list);
}

static void test_event_parse__breakpoints(void **state)
{
	struct event_list list = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(
		0, parse(&list, "mem:0x1000,mem:4096/8:w:u,mem:0x2000:x:k,mem:0x10/2:rw", &err));
	assert_int_equal(PERF_TYPE_BREAKPOINT, list.spec.item[0]->attr.type);
	assert_int_equal(0x1000, list.spec.item[0]->attr.bp_addr);
	assert_int_equal(3, list.spec.item[0]->attr.bp_type);
	assert_int_equal(4, list.spec.item[0]->attr.bp_len);
	assert_int_equal(8, list.spec.item[1]->attr.bp_len);
	assert_int_equal(2, list.spec.item[1]->attr.bp_type);
	assert_true(list.spec.item[1]->attr.exclude_kernel);
	assert_int_equal(4, list.spec.item[2]->attr.bp_type);
	assert_int_equal(8, list.spec.item[2]->attr.bp_len);
	assert_int_equal(2, list.spec.item[3]->attr.bp_len);
	assert_int_equal(1, list.spec.item[3]->default_period);
	assert_int_equal(-EINVAL, parse(&list, "mem:here", &err));
	assert_int_equal(-EINVAL, parse(&list, "mem:0x10/99", &err));
	assert_int_equal(-EINVAL, parse(&list, "mem:0x10:rq", &err));
	event_list_done(&list);
}

static void test_breakpoint_parse__ends_at_the_modifiers(void **state)
{
	const char *text = "0x20/2:w:u", *bad = "0x20/0";
	struct perf_event_attr attr = { 0 };

	(void)state;
	assert_true(breakpoint_parse(&text, &attr));
	assert_string_equal(":u", text);
	assert_int_equal(0x20, attr.bp_addr);
	assert_int_equal(2, attr.bp_len);
	assert_int_equal(2, attr.bp_type);
	assert_false(breakpoint_parse(&bad, &attr));
}

static void test_event_parse__times_are_events_where_they_are_wanted(void **state)
{
	const struct event_parse_options counting = { .root = root, .tools = true };
	struct event_list list = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(0, event_list_parse(&list, "{duration_time,user_time:u},system_time",
					     &counting, &err));
	assert_int_equal(EVENT_TOOL_DURATION, list.spec.item[0]->tool);
	assert_int_equal(EVENT_TOOL_USER, list.spec.item[1]->tool);
	assert_int_equal(EVENT_TOOL_SYSTEM, list.spec.item[2]->tool);
	assert_string_equal("ns", list.spec.item[2]->unit);
	assert_int_equal(-ENOENT, parse(&list, "cpu-clock,duration_time", &err));
	assert_non_null(strstr(err.msg, "cannot be sampled"));
	assert_int_equal(3, list.spec.count);
	event_list_done(&list);
}

static void test_event_parse__tracepoints_and_globs(void **state)
{
	struct event_list list = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(0, parse(&list, "sched:sched_switch:u,sched:*,*:*entry", &err));
	assert_int_equal(4, list.spec.count);
	assert_string_equal("sched:sched_switch", list.spec.item[0]->name);
	assert_int_equal(372, list.spec.item[0]->attr.config);
	assert_true(list.spec.item[0]->attr.exclude_kernel);
	assert_string_equal("sched", list.spec.item[2]->system);
	assert_string_equal("sched_wakeup", list.spec.item[2]->tracepoint);
	assert_string_equal("irq:irq_handler_entry", list.spec.item[3]->name);
	assert_int_equal(-ENOENT, parse(&list, "sched:sched_swich", &err));
	assert_string_equal("did you mean 'sched_switch'?", err.hint);
	assert_int_equal(-ENOENT, parse(&list, "shed:sched_switch", &err));
	assert_string_equal("did you mean 'sched'?", err.hint);
	assert_int_equal(-EINVAL, parse(&list, "../x:sched_switch", &err));
	assert_int_equal(-ENOENT, parse(&list, "sched:nothing*", &err));
	event_list_done(&list);
}

/* Where one ends: brackets of C++ names have commas. */
static void test_event_parse__probes(void **state)
{
	static const struct {
		const char *text;
		unsigned count;
		const char *first; /* NULL = it is not one of a probe */
	} rows[] = {
		{ "probe:/usr/lib/libc.so.6:malloc", 1, "probe:/usr/lib/libc.so.6:malloc" },
		{ "uprobe:./a:f+4 , cs", 2, "uprobe:./a:f+4" },
		{ "uretprobe:a:f,usdt:a:p:n", 2, "uretprobe:a:f" },
		{ "probe:a:f%return", 1, "probe:a:f%return" },
		{ "probe:a:map<int, char>::find(int, long),cs", 2,
		  "probe:a:map<int, char>::find(int, long)" },
		{ "probe:a:operator<,cs", 2, "probe:a:operator<" },
		{ "probe:a:f(,cs", 2, "probe:a:f(" },
		{ "probe:sched_switch", 1, NULL },
		{ "probe:sched_switch:k", 1, NULL },
		{ "sched:sched_switch", 1, NULL },
	};
	struct event_list list = { 0 };
	struct err err = { 0 };

	(void)state;
	put_file(TRACING "events/probe/sched_switch/id", "1900\n");
	put_file(TRACING "events/probe/sched_switch/format", "name: sched_switch\n");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(rows[i].first != NULL, probe_text_begins(rows[i].text));
		assert_int_equal(0, parse(&list, rows[i].text, &err));
		assert_int_equal(rows[i].count, list.spec.count);
		if (rows[i].first) {
			assert_string_equal(rows[i].first, list.spec.item[0]->name);
			assert_string_equal(rows[i].first, list.spec.item[0]->probe);
			assert_string_equal("probe_events", list.spec.item[0]->served_by);
			assert_int_equal(UINT16_MAX, list.spec.item[0]->attr.config);
		} else {
			assert_null(list.spec.item[0]->probe);
		}
		event_list_done(&list);
		list = (struct event_list){ 0 };
	}
	assert_int_equal(-EINVAL, parse(&list, "{cs,probe:a:f}", &err));
	assert_int_equal(9, probe_text_place("probe:a:f x=y z"));
	assert_int_equal(20, probe_text_place("probe:a:operator new p"));
	assert_int_equal(26, probe_text_place("probe:a:f<int, (char) 1>() n"));
	event_list_done(&list);
}

static void test_event_parse__filters_belong_to_the_last_glob(void **state)
{
	struct event_list list = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(-EINVAL, event_list_filter(&list, "pid > 1", &err));
	assert_int_equal(0, parse(&list, "irq:irq_handler_entry", &err));
	assert_int_equal(0, parse(&list, "sched:*", &err));
	assert_int_equal(0, event_list_filter(&list, "pid > 1", &err));
	assert_int_equal(0, event_list_filter(&list, "pid < 9", &err));
	assert_null(list.spec.item[0]->filter);
	assert_string_equal("(pid > 1) && (pid < 9)", list.spec.item[1]->filter);
	assert_string_equal("(pid > 1) && (pid < 9)", list.spec.item[2]->filter);
	assert_int_equal(0, parse(&list, "cs", &err));
	assert_int_equal(-EINVAL, event_list_filter(&list, "pid > 1", &err));
	event_list_done(&list);
}

static void test_event_parse__unknown_names_have_a_hint(void **state)
{
	struct event_list list = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(-ENOENT, parse(&list, "cpu-clok", &err));
	assert_string_equal("unknown event 'cpu-clok'", err.msg);
	assert_string_equal("did you mean 'cpu-clock'?", err.hint);
	assert_int_equal(-EINVAL, parse(&list, "cs:uz", &err));
	event_list_done(&list);
}

static void test_event_parse__default_follows_the_pmus(void **state)
{
	const struct event_parse_options with = { .root = root }, without = { .root = "/nowhere" };
	struct event_list list = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(0, event_list_default(&list, &with, &err));
	assert_string_equal("cycles:P", list.spec.item[0]->name);
	assert_int_equal(0, event_list_default(&list, &without, &err));
	assert_string_equal("cpu-clock", list.spec.item[1]->name);
	event_list_done(&list);
}

static void test_tracing_data__has_each_format_once(void **state)
{
	static const char start[] = "\x17\x08\x44tracing"
				    "0.6";
	struct event_list list = { 0 };
	struct err err = { 0 };
	struct buf blob = { 0 };

	(void)state;
	assert_int_equal(0, parse(&list, "cs", &err));
	assert_int_equal(0, tracing_data_collect(&list, root, &blob, &err));
	assert_int_equal(0, blob.len);
	assert_int_equal(0, parse(&list, "sched:sched_switch,sched:*", &err));
	assert_int_equal(0, tracing_data_collect(&list, root, &blob, &err));
	assert_memory_equal(start, blob.data, sizeof(start));
	/* 10 magic, 4 version, 2 + 4 sizes, page header 12 + 8 + 4, event header 13 + 8 + 5,
	 * 4 ftrace, 4 systems, "sched" 6 + 4, two formats of 8 + 19, kallsyms 4, printk 4,
	 * cmdlines 8 */
	assert_int_equal(10 + 4 + 6 + 24 + 26 + 8 + 10 + 2 * 27 + 16, blob.len);
	buf_done(&blob);
	event_list_done(&list);
}

static void test_event_open_explain__names_what_helps(void **state)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_HARDWARE, .sample_period = 1 };
	const struct event_spec spec = { .name = "cycles", .group_size = 1 };
	struct event_open_failure failure = { .root = root, .attr = &attr, .pid = -1 };
	struct err err = { 0 };

	(void)state;
	put_file("/proc/sys/kernel/perf_event_paranoid", "3\n");
	failure.error = ENOENT;
	assert_int_equal(-ENOENT, event_open_explain(&spec, &failure, &err));
	assert_non_null(strstr(err.hint, "cpu-clock"));
	if (geteuid() == 0)
		assert_int_equal(0, chmod(root, 0755) || seteuid(65534));
	failure.error = EACCES;
	assert_int_equal(-EACCES, event_open_explain(&spec, &failure, &err));
	assert_non_null(strstr(err.msg, "perf_event_paranoid is 3"));
	assert_non_null(strstr(err.hint, "kernel.perf_event_paranoid=0"));
	if (getuid() == 0)
		assert_int_equal(0, seteuid(0));
	for (int error = 1; error < 134; error++) { /* whatever it is, it fails and is named */
		failure.error = error;
		err = (struct err){ 0 };
		assert_int_equal(-error, event_open_explain(&spec, &failure, &err));
		assert_true(err.msg[0]);
	}
	failure.error = EMFILE;
	assert_int_equal(-EMFILE, event_open_explain(&spec, &failure, &err));
	assert_non_null(strstr(err.hint, "ulimit -n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_event_parse__generic_names),
		cmocka_unit_test(test_event_parse__modifiers),
		cmocka_unit_test(test_event_parse__groups),
		cmocka_unit_test(test_event_parse__pmu_terms),
		cmocka_unit_test(test_event_parse__uncore_pmus_open_on_their_cpus),
		cmocka_unit_test(test_event_parse__settings_of_one_event),
		cmocka_unit_test(test_event_parse__breakpoints),
		cmocka_unit_test(test_breakpoint_parse__ends_at_the_modifiers),
		cmocka_unit_test(test_event_parse__times_are_events_where_they_are_wanted),
		cmocka_unit_test(test_event_parse__tracepoints_and_globs),
		cmocka_unit_test(test_event_parse__probes),
		cmocka_unit_test(test_event_parse__filters_belong_to_the_last_glob),
		cmocka_unit_test(test_event_parse__unknown_names_have_a_hint),
		cmocka_unit_test(test_event_parse__default_follows_the_pmus),
		cmocka_unit_test(test_tracing_data__has_each_format_once),
		cmocka_unit_test(test_event_open_explain__names_what_helps),
	};

	return cmocka_run_group_tests_name("source/event_parse", tests, make_root, remove_root);
}
